/** Values that outlive a view: a form half filled in, or a list that took minutes to score. */
import { useEffect, useState } from 'preact/hooks'

export interface State<T> {
  get(): T
  set(next: T): void
  /** Replaces some of the parts. */
  patch(parts: Partial<T>): void
  subscribe(listener: () => void): () => void
}

export function createState<T>(initial: T): State<T> {
  let value = initial
  const listeners = new Set<() => void>()
  const set = (next: T): void => {
    value = next
    for (const listener of [...listeners]) listener()
  }
  return {
    get: () => value,
    set,
    patch: (parts) => set({ ...value, ...parts }),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The state's value; the component is drawn again whenever it changes. */
export function useShared<T>(state: State<T>): T {
  const [value, setValue] = useState(state.get())
  useEffect(() => {
    const refresh = (): void => setValue(() => state.get())
    // The value may have changed between the drawing and this effect.
    refresh()
    return state.subscribe(refresh)
  }, [state])
  return value
}
