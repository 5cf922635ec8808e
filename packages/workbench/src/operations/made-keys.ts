/** New keys that the administrator has not confirmed to be stored. Nothing else on the page removes them. */
import { onSessionEnd } from '../session.ts'
import { createState } from '../state.ts'
import type { MadeKey } from './admin-calls.ts'

export interface ShownKey extends MadeKey {
  readonly name: string
}

export const madeKeys = createState<readonly ShownKey[]>([])

export function showMadeKey(made: ShownKey): void {
  madeKeys.set([...madeKeys.get(), made])
}

export function noteStored(id: string): void {
  madeKeys.set(madeKeys.get().filter((made) => made.id !== id))
}

onSessionEnd(() => madeKeys.set([]))
