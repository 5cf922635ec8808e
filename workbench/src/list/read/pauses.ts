/** Long work in slices, so that the page stays alive meanwhile. */

const SLICE_MS = 24

/** Lets the page breathe now and then while a long text is read. */
export function pauses(): () => Promise<void> | undefined {
  let since = performance.now()
  let count = 0
  return () => {
    if (++count % 256 !== 0 || performance.now() - since < SLICE_MS) return undefined
    return new Promise((resolve) =>
      setTimeout(() => {
        since = performance.now()
        resolve()
      }),
    )
  }
}
