/** Listens to events as long as a component is shown. */
import { useEffect } from 'preact/hooks'

export function useListener<Name extends keyof WindowEventMap>(
  target: Window | Document,
  names: readonly Name[],
  listener: (event: WindowEventMap[Name]) => void,
): void {
  useEffect(() => {
    const listen = listener as (event: Event) => void
    for (const name of names) target.addEventListener(name, listen)
    return () => names.forEach((name) => target.removeEventListener(name, listen))
  }, [])
}
