/** Measures the operations of a store. */

/** The same object; its asynchronous methods report how long they took. */
export function timed<T extends object>(
  store: T,
  report: (operation: string, outcome: 'done' | 'failed', seconds: number) => void,
): T {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function' || typeof name !== 'string') return value
      return (...args: unknown[]): unknown => {
        const start = performance.now()
        const end = (outcome: 'done' | 'failed') => (): void =>
          report(name, outcome, (performance.now() - start) / 1000)
        const result: unknown = value.apply(target, args)
        if (result instanceof Promise) result.then(end('done'), end('failed'))
        return result
      }
    },
  })
}
