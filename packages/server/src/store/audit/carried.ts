/**
 * What the chain knows from before its first stored row: the sums of outcomes that were counted, and the keys. The stored rows say what was
 * added since. Retention adds what the rows say that it removes. No row may hold it, so it is sealed with the key secret.
 */
import type { QueueSeal } from '@patient-risk/runtime'
import { parseJson } from 'patient-risk-engine/read'
import { type KeyFactsRow, SELECT_FIRST_FACTS, keyFactsOf } from '../keys/key-facts.ts'
import { OutcomeSums, readSums } from '../outcomes/outcome-sums.ts'
import type { Query } from '../sql.ts'
import { readPage, unpack } from './read-groups.ts'
import { scoredIn, sumsIn } from './sums-in-row.ts'

export interface Carried {
  readonly outcomes: OutcomeSums
  /** Risks that were counted at scoring. */
  readonly scored: OutcomeSums
  /** The digest of the facts of each key, by id. */
  readonly keys: Map<string, string>
}

interface CarriedText {
  readonly outcomes?: ReturnType<OutcomeSums['toJSON']>
  readonly scored?: ReturnType<OutcomeSums['toJSON']>
  readonly keys?: readonly (readonly [id: string, facts: string])[]
}

/** Part of what is sealed, so that the seal of a row in the queue does not fit here, nor this one there. */
const PURPOSE = 'carried\n'
/** Nothing, as a new store has it. */
const NOTHING = '{}'

interface CarriedRow {
  readonly carried: string
  readonly carried_seal: Uint8Array | null
  readonly secret_fingerprint: string | null
}

/** Undefined where it was not written by this service. */
export async function readCarried(query: Query, seal: QueueSeal): Promise<Carried | undefined> {
  const [row] = await query<CarriedRow>('SELECT carried, carried_seal, secret_fingerprint FROM chain')
  const { carried = '', carried_seal: own = null } = row ?? {}
  const isSealed = own === null ? carried === NOTHING : seal.fits(PURPOSE + carried, own)
  return isSealed ? carriedOf(carried) : undefined
}

export async function writeCarried(
  query: Query,
  seal: QueueSeal,
  { outcomes, scored, keys }: Carried,
): Promise<void> {
  const sortedKeys = [...keys].sort(([one], [other]) => (one < other ? -1 : 1))
  const text = JSON.stringify({ outcomes, scored: scored.size === 0 ? undefined : scored, keys: sortedKeys })
  const [row] = await query<CarriedRow>('SELECT carried, carried_seal, secret_fingerprint FROM chain')
  const sealed = seal.make(PURPOSE + text, row?.secret_fingerprint ?? null)
  await query('UPDATE chain SET carried = $1, carried_seal = $2', text, sealed)
}

/** Adds what rows say that are about to be removed, from the one after the first number to the last. */
export async function carryRemoved(
  query: Query,
  seal: QueueSeal,
  after: number,
  last: number,
): Promise<void> {
  const removed = new OutcomeSums()
  const removedScored = new OutcomeSums()
  for (let place = after; place < last;) {
    const groups = (await readPage(query, { place })).filter(({ lastSeq }) => lastSeq <= last)
    for (const group of groups)
      for (const text of unpack(group)?.split('\n') ?? []) {
        removed.addAll(sumsIn(text))
        scoredIn(text, removedScored)
      }
    place = groups.at(-1)?.lastSeq ?? last
  }
  await changeCarried(query, seal, ({ outcomes, scored }) => {
    outcomes.addAll(removed)
    scored.addAll(removedScored)
    return removed.size + removedScored.size > 0
  })
}

/**
 * Changes what is carried, inside a transaction, unless `change` says that nothing is new. Where somebody else has changed it, it stays as
 * it is, for `audit verify` to find.
 */
export async function changeCarried(
  query: Query,
  seal: QueueSeal,
  change: (carried: Carried) => boolean,
): Promise<void> {
  const carried = await readCarried(query, seal)
  if (carried === undefined) return
  if (change(carried)) await writeCarried(query, seal, carried)
}

/** Of a store whose rows say nothing of sums and keys: what its tables hold is taken as it is. */
export async function carryOver(query: Query, seal: QueueSeal): Promise<void> {
  const outcomes = await readSums(query, 'outcome_totals')
  const rows = await query<KeyFactsRow>(SELECT_FIRST_FACTS)
  if (outcomes.size === 0 && rows.length === 0) return
  const scored = new OutcomeSums()
  await writeCarried(query, seal, {
    outcomes,
    scored,
    keys: new Map(rows.map((row) => [row.id, keyFactsOf(row)])),
  })
}

function carriedOf(text: string): Carried {
  const { outcomes = [], scored = [], keys = [] } = parseJson(text) as CarriedText
  return { outcomes: new OutcomeSums(outcomes), scored: new OutcomeSums(scored), keys: new Map(keys) }
}
