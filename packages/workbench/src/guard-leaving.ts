/** Warns before the page is reloaded or left while something on it would be lost. */
import { hasScoredList, hasUnsavedCorrections } from './list/leave-list.ts'
import { madeKeys } from './operations/made-keys.ts'
import { isExample } from './service.ts'

export function hasUnsaved(): boolean {
  return hasUnsavedCorrections() || madeKeys.get().length > 0
}

/** A reload loses a scored list too, even one without a correction: it may have taken minutes. */
export function guardLeaving(event: BeforeUnloadEvent): void {
  if (!isExample() && (hasUnsaved() || hasScoredList())) event.preventDefault()
}
