/** Measures every operation of a store, whichever it is and whatever it offers. */

/** The same object, whose methods that return a promise tell how long they took. */
export function timed<T extends object>(
  store: T,
  tell: (operation: string, outcome: 'done' | 'failed', seconds: number) => void,
): T {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function' || typeof name !== 'string') return value
      return (...words: unknown[]): unknown => {
        const start = performance.now()
        const end = (outcome: 'done' | 'failed') => (): void =>
          tell(name, outcome, (performance.now() - start) / 1000)
        const result: unknown = value.apply(target, words)
        if (result instanceof Promise) result.then(end('done'), end('failed'))
        return result
      }
    },
  })
}
