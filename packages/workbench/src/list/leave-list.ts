/** Corrections that no download holds yet: the reader is asked before they are lost. */
import { confirmFirst } from '../ui/confirm.tsx'
import { EMPTY_LIST, list } from './list-state.ts'

export function hasUnsavedCorrections(): boolean {
  return list.get().isUnsaved
}

/** Whether answers of a list are on the screen that no file holds. */
export function hasScoredList(): boolean {
  const { stage, isHeld } = list.get()
  return !isHeld && (stage === 'results' || stage === 'scoring')
}

/** Closes the list, after a question where corrections would be lost. */
export function discardList(): void {
  const close = (): void => list.set(EMPTY_LIST)
  if (hasUnsavedCorrections())
    confirmFirst({ title: 'leave.title', text: 'leave.text', go: 'leave.go', onGo: close })
  else close()
}

/** Reads the file again, after a question where corrections would be lost. */
export function rereadFirst(reread: () => void): void {
  if (!hasUnsavedCorrections()) {
    reread()
    return
  }
  confirmFirst({ title: 'leave.title', text: 'leave.reread', go: 'leave.rereadGo', onGo: reread })
  // Drawn again, so that the choice shows how the file is read as long as nothing has changed.
  list.patch({})
}
