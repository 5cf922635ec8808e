/** Runs all of them in their order, also after one that fails. Its error is reported as if nobody had caught it. */
export function runAll(acts: readonly (() => void)[]): void {
  for (const act of acts) {
    try {
      act()
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
  }
}
