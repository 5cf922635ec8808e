/** Warns before the page is reloaded or left while something on it would be lost. */
import { hasUnsavedCorrections } from './list/leave-list.ts'
import { madeKeys } from './operations/made-keys.ts'

export function hasUnsaved(): boolean {
  return hasUnsavedCorrections() || madeKeys.get().length > 0
}

export function guardLeaving(event: BeforeUnloadEvent): void {
  if (hasUnsaved()) event.preventDefault()
}
