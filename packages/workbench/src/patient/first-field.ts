/** After signing in somebody wants to type: the first field has the focus as soon as the form is there. */
import { isExample } from '../service.ts'

let isWanted = false

/** Notes that somebody has just signed in. A touch screen would open its keyboard over the page, so it is left alone. */
export function wantFirstField(): void {
  isWanted = !window.matchMedia('(pointer: coarse)').matches && !isExample()
}

/** Gives the first field the focus, once. */
export function focusFirstField(): void {
  if (!isWanted) return
  isWanted = false
  document.querySelector<HTMLElement>('form.questions input')?.focus({ preventScroll: true })
}
