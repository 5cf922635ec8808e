/**
 * What `audit verify` compares with the rows of the chain: the sums of the counts of outcomes, and the keys. All of it is of one moment, so
 * it can be compared while the service is running.
 */
import type { QueueSeal } from '@patient-risk/runtime'
import { type KeyFactsRow, SELECT_KEY_FACTS, keyFactsOf } from '../keys/key-facts.ts'
import { TABLE_OF, waitingCells, waitingScored } from '../outcomes/outcome-queue.ts'
import { OutcomeSums, type SumLine, readScoredSums, readSums } from '../outcomes/outcome-sums.ts'
import { type ScoredRisks, isScoredLine, scoredOf } from '../outcomes/scored-risks.ts'
import type { Query } from '../sql.ts'
import { readCarried } from './carried.ts'
import { scoredIn, sumsIn } from './sums-in-row.ts'
import { readChain } from './write-groups.ts'

export interface StoredTotals {
  /** The last row that retention had removed at that moment. What it said is carried over. */
  readonly start: number
  /** The rows up to this number are in the counts, and those in the queue. */
  readonly head: number
  /** Whether what is carried over from before the first row is as the service has sealed it. */
  readonly isSealed: boolean
  /** What is carried over, and what rows in the queue say. */
  readonly known: readonly SumLine[]
  /** What the tables of counts hold, by the name of the table. */
  readonly stored: Readonly<Record<string, readonly SumLine[]>>
  /** The same of the risks that were counted at scoring. */
  readonly knownScored: readonly SumLine[]
  readonly storedScored: readonly SumLine[]
  /** Where a sum of risks does not lie in its bin. */
  readonly foreignRisks: readonly (readonly [deployment: string, digest: string, month: string])[]
  /** Keys that were changed, put in or removed without the service. */
  readonly foreignKeys: readonly string[]
  /** The digest of the facts of each key that is stored, by id. */
  readonly keyFacts: ReadonlyMap<string, string>
  readonly revokedKeys: readonly string[]
}

const TARGETS = ['totals', 'bins', 'counts'] as const

/** Inside a snapshot. `hasQueue` where counts may wait to be added to the tables. */
export async function readTotals(query: Query, seal: QueueSeal, hasQueue: boolean): Promise<StoredTotals> {
  const { start_seq: start, head_seq: head } = await readChain(query)
  const carried = await readCarried(query, seal)
  const known = new OutcomeSums()
  const knownScored = new OutcomeSums()
  if (carried !== undefined) {
    known.addAll(carried.outcomes)
    knownScored.addAll(carried.scored)
  }
  const { sums: storedScored, foreign: foreignRisks } = await readScoredSums(query)
  const queued = await query<{ readonly texts: string; readonly seal: Uint8Array }>(
    'SELECT texts, seal FROM audit_queue',
  )
  for (const { texts, seal: own } of queued)
    if (seal.fits(texts, own))
      for (const text of texts.split('\n')) {
        if (isScoredLine(text)) addScored(storedScored, scoredOf(text))
        else {
          known.addAll(sumsIn(text))
          scoredIn(text, knownScored)
        }
      }
  for (const scored of hasQueue ? await waitingScored(query) : []) addScored(storedScored, scored)
  const stored: Record<string, readonly SumLine[]> = {}
  for (const target of TARGETS) {
    const sums = await readSums(query, TABLE_OF[target])
    const waiting = hasQueue ? await waitingCells(query, target) : []
    for (const { deployment, digest, month, outcome, number, units } of waiting)
      sums.add(deployment, digest, month, outcome, number, units)
    stored[TABLE_OF[target]] = sums.toJSON()
  }
  const rows = await query<KeyFactsRow>(SELECT_KEY_FACTS)
  const facts = new Map(rows.map((row) => [row.id, keyFactsOf(row)]))
  const register = carried?.keys ?? new Map<string, string>()
  const ids = [...new Set([...facts.keys(), ...register.keys()])].sort()
  return {
    start,
    head,
    isSealed: carried !== undefined,
    known: known.toJSON(),
    stored,
    knownScored: knownScored.toJSON(),
    storedScored: storedScored.toJSON(),
    foreignRisks,
    foreignKeys: ids.filter((id) => facts.get(id) !== register.get(id)),
    keyFacts: facts,
    revokedKeys: rows.filter((row) => row.revoked_at !== null).map(({ id }) => id),
  }
}

/** Risks that wait to be added to their table. */
function addScored(sums: OutcomeSums, { place, total }: ScoredRisks): void {
  sums.add(place.deployment, place.digest, place.month, 0, total, 0)
}
