/**
 * What an operator accepts: counts of outcomes and keys that were changed without the service, for example by restoring single tables. They
 * are taken as they are, and a row of the chain says which, so that nobody can do so without a trace. It needs the key secret, as every
 * seal does.
 */
import { type QueueSeal, StoreError } from '@patient-risk/runtime'
import { type KeyFactsRow, SELECT_KEY_FACTS, keyFactsOf } from '../keys/key-facts.ts'
import { TABLE_OF } from '../outcomes/outcome-queue.ts'
import { OutcomeSums, type SumLine, type SumPlace } from '../outcomes/outcome-sums.ts'
import type { Query } from '../sql.ts'
import { type AuditEntry, contentOf, makeEntry } from './audit-row.ts'
import { readCarried, writeCarried } from './carried.ts'

/** What `audit verify` finds to differ. */
export interface Differences {
  /** Whether the seal of what is known of keys fits. Where it does not, every key differs. */
  readonly isSealed: boolean
  /** Each with the digest of its present facts; null for a key that is gone. */
  readonly keys: readonly (readonly [id: string, facts: string | null])[]
  /** How much more the counts have than the rows say. It stays the same while the service goes on counting. */
  readonly outcomes: readonly SumLine[]
  /** The same of the risks that were counted at scoring. */
  readonly scored: readonly SumLine[]
}

/** What the row of an acceptance says. */
export interface Accepted {
  readonly keys: readonly string[]
  readonly outcomes: readonly SumPlace[]
  readonly scored: readonly SumPlace[]
}

export const ACCEPT_CHANGES = 'audit accept-changes'

const SAYS_ACCEPTED = `"call":"${ACCEPT_CHANGES}"`
const CHANGED_MEANWHILE = 'keys were changed while they were looked at; run the command again'
/** Those that stand for no deployment were put in by somebody. */
const IDS_AT = `SELECT id FROM outcome_digests WHERE deployment = $1 AND digest = $2`
const IS_NOWHERE = 'digest_id NOT IN (SELECT id FROM outcome_digests)'
const ADDED = ['number', 'units'].map((name) => `CAST(sum(${name}) AS bigint)`).join(', ')
/** Tables that are sums of the first one. */
const SUMMED = {
  [TABLE_OF.bins]: 'digest_id, month, bin, flagged, kind',
  [TABLE_OF.totals]: 'digest_id, month, grp, kind',
} as const

export function acceptanceEntry(
  at: number,
  requestId: string,
  { keys, outcomes, scored }: Differences,
): AuditEntry {
  return makeEntry({
    at,
    requestId,
    keyId: null,
    call: ACCEPT_CHANGES,
    subject: `${keys.length} keys, ${outcomes.length} months of outcomes, ${scored.length} months of risks`,
    accepted: { keys: keys.map(([id]) => id), outcomes: outcomes.map(placeOf), scored: scored.map(placeOf) },
  })
}

function placeOf([deployment, digest, month]: SumLine): SumPlace {
  return [deployment, digest, month]
}

/** What the row with this text says was accepted; undefined for any other row. */
export function acceptedIn(text: string): Accepted | undefined {
  if (!text.includes(SAYS_ACCEPTED)) return undefined
  const { call, accepted } = (contentOf({ content: text }) ?? {}) as {
    readonly call?: string
    readonly accepted?: Accepted
  }
  return call === ACCEPT_CHANGES ? accepted : undefined
}

/**
 * Takes what differs as it is, inside a transaction that has the chain and the counts for itself. The counts by group and bin are believed,
 * and the sums of them are made again.
 */
export async function acceptChanges(query: Query, seal: QueueSeal, differences: Differences): Promise<void> {
  const { isSealed, keys, outcomes, scored } = differences
  const carried = await readCarried(query, seal)
  if ((carried !== undefined) !== isSealed) throw new StoreError(CHANGED_MEANWHILE)
  const rows = await query<KeyFactsRow>(SELECT_KEY_FACTS)
  const facts = new Map(rows.map((row) => [row.id, keyFactsOf(row)]))
  const known = carried ?? {
    outcomes: new OutcomeSums(),
    scored: new OutcomeSums(),
    keys: new Map<string, string>(),
  }
  for (const [id, accepted] of keys) {
    if ((facts.get(id) ?? null) !== accepted) throw new StoreError(CHANGED_MEANWHILE)
    if (accepted === null) known.keys.delete(id)
    else known.keys.set(id, accepted)
  }
  for (const [deployment, digest, month] of outcomes) await sumAgain(query, [deployment, digest, month])
  known.outcomes.addAll(new OutcomeSums(outcomes))
  known.scored.addAll(new OutcomeSums(scored))
  await writeCarried(query, seal, known)
}

async function sumAgain(query: Query, [deployment, digest, month]: SumPlace): Promise<void> {
  const isNowhere = deployment === '' && digest === ''
  const where = isNowhere ? `${IS_NOWHERE} AND month = $1` : `digest_id IN (${IDS_AT}) AND month = $3`
  const values = isNowhere ? [month] : [deployment, digest, month]
  for (const [table, keys] of Object.entries(SUMMED)) {
    await query(`DELETE FROM ${table} WHERE ${where}`, ...values)
    await query(
      `INSERT INTO ${table} (${keys}, number, units)
        SELECT ${keys}, ${ADDED} FROM ${TABLE_OF.counts} WHERE ${where} GROUP BY ${keys}`,
      ...values,
    )
  }
}
