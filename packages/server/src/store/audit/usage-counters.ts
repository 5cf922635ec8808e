/**
 * Counters of use by hour, deployment and key. Rows are counted from the stored groups soon after they were chained, in order and once: the
 * number of the last row that was counted is stored in the same transaction. So the counters say what the chain says up to there.
 */
import type { AuditFacts } from './audit-facts.ts'
import { type ChainEnds, contentOf } from './audit-row.ts'
import { readPage, unpack } from './read-groups.ts'
import type { Query, SqlValue } from '../sql.ts'
import { timeOf } from './write-groups.ts'

export const HOUR_MS = 3_600_000
/** Rows that one transaction counts. */
const COUNT_STEP = 1_000
/** Rows of one statement of the counters of use: they are few. */
const ROWS_OF_A_STATEMENT = 50
const KEPT_HOURS = 400 * 24

/** Refused are answers with a status of 400 and more; `page` counts the requests that came from the page of the service. */
export interface UseCounts {
  readonly requests: number
  readonly refused: number
  readonly records: number
  readonly scored: number
  readonly page: number
}

export interface UsageQuery {
  /** The first and the last hour, as times. */
  readonly first: number
  readonly last: number
  /** Only these deployments. */
  readonly deployments?: readonly string[] | undefined
}

export interface CountedUse {
  /** Rows before this time may be missing: they were removed, or damaged, before they were counted. 0: none is. */
  readonly since: number
  readonly hours: readonly (Omit<UseCounts, 'page'> & { readonly hour: number })[]
  readonly keys: readonly (UseCounts & { readonly keyId: string })[]
  readonly problems: readonly { readonly hour: number; readonly kind: string; readonly number: number }[]
}

const TABLES = {
  usage: {
    keys: ['hour', 'deployment', 'key_id'],
    sums: ['requests', 'refused', 'records', 'scored', 'page'],
  },
  usage_problems: { keys: ['hour', 'deployment', 'kind'], sums: ['number'] },
  scored_months: { keys: ['deployment', 'digest', 'month'], sums: ['scored', 'explained'] },
  outcome_counts: {
    keys: ['digest_id', 'grp', 'month', 'bin', 'flagged', 'kind'],
    sums: ['number', 'units'],
  },
  outcome_bins: { keys: ['digest_id', 'month', 'bin', 'flagged', 'kind'], sums: ['number', 'units'] },
  scored_risks: { keys: ['digest_id', 'month', 'grp', 'bin'], sums: ['number', 'units'] },
  shadow_counts: { keys: ['digest_id', 'shadow_id', 'month', 'bin', 'kind'], sums: ['number', 'units'] },
  shadow_flags: {
    keys: ['digest_id', 'shadow_id', 'month', 'flagged', 'shadow_flagged', 'kind'],
    sums: ['number'],
  },
  outcome_totals: { keys: ['digest_id', 'month', 'grp', 'kind'], sums: ['number', 'units'] },
} as const
/** Calls whose risks may come back with an outcome, and which count each of them belongs to. */
const SCORING: Readonly<Record<string, readonly [scored: number, explained: number]>> = {
  score: [1, 0],
  explain: [0, 1],
  'fhir $score': [1, 0],
  'cds hook': [1, 0],
  'job end': [1, 0],
}
const SUMS = ['requests', 'refused', 'records', 'scored'].map(sumOf).join(', ')

/** What the row of a scoring call says besides: the state of its deployment, and the day of the service. */
interface Answered {
  readonly deploymentDigest: unknown
  readonly today: unknown
}

/** Adds rows to the counters. */
async function addUsage(query: Query, texts: readonly string[]): Promise<void> {
  const uses = new Map<string, SqlValue[]>()
  const problemCounts = new Map<string, SqlValue[]>()
  const months = new Map<string, SqlValue[]>()
  const add = (
    counts: Map<string, SqlValue[]>,
    keys: readonly SqlValue[],
    numbers: readonly unknown[],
  ): void => {
    const key = keys.join('\n')
    const row = counts.get(key) ?? [...keys, ...numbers.map(() => 0)]
    counts.set(key, row)
    numbers.forEach((number, place) => {
      const at = keys.length + place
      if (Number.isSafeInteger(number)) row[at] = Number(row[at]) + Number(number)
    })
  }
  for (const text of texts) {
    const said = (contentOf({ content: text }) ?? {}) as Partial<AuditFacts & Answered>
    const { keyId, deployment, status = 0, ended, via, records, scored, problems } = said
    const { call = '', deploymentDigest, today } = said
    // The row in which a stream ends counts it. A stream that was killed has no such row, and what it answered is unknown.
    if (ended === 'begun') continue
    const at = timeOf(text)
    // Damaged: the verifying reports it.
    if (Number.isNaN(at)) continue
    const place = [Math.floor(at / HOUR_MS) * HOUR_MS, textOrNone(deployment)]
    add(
      uses,
      [...place, textOrNone(keyId)],
      [call === 'job end' ? 0 : 1, status >= 400 ? 1 : 0, records, scored, via === 'page' ? 1 : 0],
    )
    for (const [kind, number] of Object.entries(problems ?? {}))
      add(problemCounts, [...place, textOrNone(kind)], [number])
    const counted = Object.hasOwn(SCORING, call) ? SCORING[call] : undefined
    // What people try on the page has no outcome.
    if (counted === undefined || via === 'page' || !Number.isSafeInteger(today) || !(Number(scored) > 0))
      continue
    const month = String(today).replace(/^(\d{4})(\d\d)\d\d$/, '$1-$2')
    const which = [textOrNone(deployment), textOrNone(deploymentDigest), month]
    add(
      months,
      which,
      counted.map((times) => times * Number(scored)),
    )
  }
  await addRows(query, 'usage', [...uses.values()])
  await addRows(query, 'usage_problems', [...problemCounts.values()])
  await addRows(query, 'scored_months', [...months.values()])
}

/** Counts some of the rows that are left, inside a transaction that has the chain for itself. Returns whether there may be more. */
export async function countSome(query: Query, { countedSeq }: ChainEnds): Promise<boolean> {
  const groups = await readPage(query, { place: countedSeq, rows: COUNT_STEP })
  const last = groups.at(-1)
  if (last === undefined) return false
  const texts = groups.map((group) => unpack(group)?.split('\n') ?? [])
  await addUsage(query, texts.flat())
  // Rows that are damaged, or were removed before this, are not counted.
  const isWhole = last.lastSeq - countedSeq === texts.flat().length
  const since = 'CASE WHEN counted_since > $1 THEN counted_since ELSE $1 END'
  if (!isWhole) await query(`UPDATE chain SET counted_since = ${since}`, last.lastAt)
  await query('UPDATE chain SET counted_seq = $1', last.lastSeq)
  return true
}

export async function readCounters(
  query: Query,
  { first, last, deployments }: UsageQuery,
): Promise<Omit<CountedUse, 'since'>> {
  const names = deployments?.map((_name, place) => `$${place + 3}`)
  // NULL equals nothing; a list must not be empty.
  const isWanted = names === undefined ? '' : `AND deployment IN (${['NULL', ...names].join(', ')})`
  const which = `hour BETWEEN $1 AND $2 ${isWanted}`
  const ask = <Row>(sql: string): Promise<readonly Row[]> =>
    query<Row>(sql, first, last, ...(deployments ?? []))
  const [hours, keys, problems] = await Promise.all([
    ask<CountedUse['hours'][number]>(`SELECT hour, ${SUMS} FROM usage WHERE ${which} GROUP BY hour`),
    ask<CountedUse['keys'][number]>(
      `SELECT key_id AS "keyId", ${SUMS}, ${sumOf('page')} FROM usage WHERE ${which} AND key_id <> '' GROUP BY key_id`,
    ),
    ask<CountedUse['problems'][number]>(
      `SELECT hour, kind, ${sumOf('number')} FROM usage_problems WHERE ${which} GROUP BY hour, kind`,
    ),
  ])
  return { hours, keys, problems }
}

/** Removes counters that are older than any question about them. */
export async function removeOldCounters(query: Query, now: number): Promise<void> {
  for (const table of ['usage', 'usage_problems'])
    await query(`DELETE FROM ${table} WHERE hour < $1`, now - KEPT_HOURS * HOUR_MS)
}

/** PostgreSQL adds up to a type that is no number here. */
function sumOf(name: string): string {
  return `CAST(sum(${name}) AS bigint) AS ${name}`
}

/** Whatever somebody has put into a row, it can be counted. */
function textOrNone(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\0', '') : ''
}

/** Adds to the counts of a table. No two rows have the same keys. */
export async function addRows(
  query: Query,
  table: keyof typeof TABLES,
  rows: readonly (readonly SqlValue[])[],
  rowsPerStatement = ROWS_OF_A_STATEMENT,
): Promise<void> {
  const { keys, sums } = TABLES[table]
  const added = sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    const some = rows.slice(from, from + rowsPerStatement)
    const width = keys.length + sums.length
    const values = some.map(
      (row, at) => `(${row.map((_value, place) => `$${at * width + place + 1}`).join(', ')})`,
    )
    await query(
      `INSERT INTO ${table} (${[...keys, ...sums].join(', ')}) VALUES ${values.join(', ')}
        ON CONFLICT (${keys.join(', ')}) DO UPDATE SET ${added}`,
      ...some.flat(),
    )
  }
}
