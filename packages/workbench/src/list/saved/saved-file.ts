/** A list as a file that only its passphrase opens: cells, answers, corrections, states, notes and changes. */
import { parseJson } from 'patient-risk-engine/read'
import { saveFile } from '../../save-file.ts'
import { chooseDeployment, watchEnd } from '../../session.ts'
import { EMPTY_LIST, list, type ListState } from '../list-state.ts'
import { ListResults } from '../score/list-results.ts'
import { NO_FILTER } from '../table/filter-rows.ts'
import { SavedFault } from './saved-fault.ts'

export const SAVED_ENDING = '.prlist'
const START = '{"format":"patient-risk-list"'

/** Browsers encrypt on pages that came over HTTPS or from this machine only. */
async function loadSeal(): Promise<typeof import('./seal.ts')> {
  if (!window.isSecureContext) throw new SavedFault('noCrypto')
  return import('./seal.ts')
}

export function isSaved(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(0, START.length)) === START
}

export async function saveList(passphrase: string): Promise<void> {
  const state = list.get()
  const { seal } = await loadSeal()
  const name = `${state.sheet?.name.replace(/\.[a-z]+$/i, '') ?? ''}${SAVED_ENDING}`
  saveFile(name, await seal(textOf(state), passphrase))
  // What was changed meanwhile is not in the file.
  if (list.get().history === state.history) list.patch({ isUnsaved: false, isHeld: true })
}

export async function openSaved(bytes: Uint8Array<ArrayBuffer>, passphrase: string): Promise<void> {
  const hasEnded = watchEnd()
  const { unseal } = await loadSeal()
  const state = await unseal(bytes, passphrase)
    .then(stateOf)
    .catch((error: unknown) => {
      // Whatever else cannot be read was not written by this page.
      throw error instanceof SavedFault ? error : new SavedFault('damaged')
    })
  // The list of one person is not shown to the next, nor is a deployment chosen for them.
  if (hasEnded()) return
  await chooseDeployment(state.scoredBy?.deployment.name ?? '')
  if (!hasEnded()) list.set(state)
}

/** What belongs to this session stays here: the file that was read, a failure, an open row. */
function textOf(state: ListState): string {
  const none = undefined
  const kept = { ...state, source: none, saved: none, failure: none, openRow: none, offer: none }
  return JSON.stringify(kept, (_name, value: unknown) => {
    if (value instanceof Map) return { $map: [...value] }
    if (value instanceof Set) return { $set: [...value] }
    const kind = ARRAYS.find((each) => value instanceof each)
    // As text, because JSON has no NaN.
    return kind === undefined ? value : { $array: kind.name, of: (value as Float64Array).join() }
  })
}

const ARRAYS = [Float64Array, Uint8Array, Uint32Array] as const

function stateOf(text: string): ListState {
  const kept = restored(parseJson(text)) as ListState
  const { scoredBy } = kept
  const results = Object.assign(new ListResults(kept.results.size), kept.results)
  for (const row of [...results.pending]) results.giveUp(row)
  // A path of another form could lead the key to another server.
  if (!/^\/(?:[\w.~-]+(?:\/|$))*$/.test(scoredBy?.deployment.basePath ?? '')) throw new SavedFault('damaged')
  // A list that an earlier version of the page saved was filtered by other means.
  const filter = 'check' in kept.filter ? kept.filter : NO_FILTER
  return { ...EMPTY_LIST, ...kept, filter, results, isHeld: true }
}

/** Turns what `textOf` wrote for maps, sets and arrays of numbers into those again, from the innermost outwards. */
function restored(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const [name, inner] of Object.entries(value)) {
    const again = restored(inner)
    // Not by assignment, because the text of a cell may be a name, even `__proto__`.
    if (again !== inner) Object.defineProperty(value, name, { value: again })
  }
  if ('$map' in value) return new Map(value.$map as [unknown, unknown][])
  if ('$set' in value) return new Set(value.$set as unknown[])
  if (!('$array' in value && 'of' in value)) return value
  const kind = ARRAYS.find(({ name }) => name === value.$array)
  return kind?.from(String(value.of).split(',').map(Number))
}
