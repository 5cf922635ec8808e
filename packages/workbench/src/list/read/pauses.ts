/** Splits long work into slices, so that the page stays responsive. */

const SLICE_MS = 24

/** Returns a function to call in a long loop. It yields to the browser from time to time. */
export function pauses(): () => Promise<void> | undefined {
  let since = performance.now()
  let count = 0
  return () => {
    count++
    if (count % 256 !== 0 || performance.now() - since < SLICE_MS) return undefined
    return new Promise((resolve) =>
      setTimeout(() => {
        since = performance.now()
        resolve()
      }),
    )
  }
}
