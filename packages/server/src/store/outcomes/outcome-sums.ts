/** Sums of counted outcomes by deployment, digest and month: what the audit says of the counts, and what `audit verify` compares. */
import type { Query } from '../sql.ts'
import { type PackedOutcomes, unpackCells } from './packed-cells.ts'

/** The numbers are one for each kind (none, event, diedFirst, unknown) and the sum of their risks in ten-thousandths. */
export type SumLine = readonly [deployment: string, digest: string, month: string, ...numbers: number[]]

export type SumPlace = readonly [deployment: string, digest: string, month: string]

const KINDS = 4
const SEPARATOR = '\n'

/** Adds up. Printed as JSON it is a list in a fixed order. */
export class OutcomeSums {
  private readonly sums = new Map<string, number[]>()

  constructor(lines: readonly SumLine[] = []) {
    for (const [deployment, digest, month, ...numbers] of lines)
      numbers.forEach((number, place) => this.addAt(deployment, digest, month, place, number))
  }

  get size(): number {
    return this.sums.size
  }

  add(deployment: string, digest: string, month: string, kind: number, number: number, units: number): void {
    this.addAt(deployment, digest, month, kind, number)
    this.addAt(deployment, digest, month, KINDS, units)
  }

  addAll(others: OutcomeSums): void {
    for (const [deployment, digest, month, ...numbers] of others.toJSON())
      numbers.forEach((number, place) => this.addAt(deployment, digest, month, place, number))
  }

  /** The places where the sums differ, as deployment, digest and month. */
  differences(others: OutcomeSums): readonly SumPlace[] {
    const keys = new Set([...this.sums.keys(), ...others.sums.keys()])
    return [...keys]
      .filter((key) => numbersText(this.sums.get(key)) !== numbersText(others.sums.get(key)))
      .sort()
      .map((key) => key.split(SEPARATOR) as unknown as SumPlace)
  }

  /** What is summed up at a place: nothing is zeros. */
  at([deployment, digest, month]: SumPlace): readonly number[] {
    return this.sums.get([deployment, digest, month].join(SEPARATOR)) ?? new Array<number>(KINDS + 1).fill(0)
  }

  toJSON(): readonly SumLine[] {
    return [...this.sums]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, numbers]) => {
        const [deployment = '', digest = '', month = ''] = key.split(SEPARATOR)
        return [deployment, digest, month, ...numbers]
      })
  }

  private addAt(deployment: string, digest: string, month: string, place: number, number: number): void {
    const key = [deployment, digest, month].join(SEPARATOR)
    const known = this.sums.get(key) ?? new Array<number>(KINDS + 1).fill(0)
    this.sums.set(key, known)
    known[place] = (known[place] ?? 0) + number
  }
}

/** Those of a request, for its audit row. */
export function sumsOf(deployment: string, { totals }: PackedOutcomes): OutcomeSums {
  const sums = new OutcomeSums()
  for (const { digest, month, outcome, number, units } of unpackCells(totals))
    sums.add(deployment, digest, month, outcome, number, units)
  return sums
}

/** Sums of nothing are the same as none. */
function numbersText(numbers: readonly number[] | undefined): string {
  return numbers === undefined || numbers.every((each) => each === 0) ? '' : numbers.join()
}

/** The sums of a table of counts. */
export async function readSums(
  query: Query,
  table: 'outcome_counts' | 'outcome_bins' | 'outcome_totals',
): Promise<OutcomeSums> {
  const sql = `SELECT d.deployment, d.digest, t.month, t.kind, CAST(sum(t.number) AS bigint) AS number,
      CAST(sum(t.units) AS bigint) AS units
    FROM ${table} t LEFT JOIN outcome_digests d ON d.id = t.digest_id GROUP BY d.deployment, d.digest, t.month, t.kind`
  interface Row {
    readonly deployment: string | null
    readonly digest: string | null
    readonly month: string
    readonly kind: number
    readonly number: number
    readonly units: number
  }
  const sums = new OutcomeSums()
  for (const { deployment, digest, month, kind, number, units } of await query<Row>(sql))
    sums.add(deployment ?? '', digest ?? '', month, kind, number, units)
  return sums
}

/**
 * How many risks were counted at scoring, and where a sum of risks is not one of so many risks in its bin. Rows say how many there were and
 * not their sum: that of a single patient is the patient's risk.
 */
export async function readScoredSums(query: Query): Promise<{
  readonly sums: OutcomeSums
  readonly foreign: readonly (readonly [deployment: string, digest: string, month: string])[]
}> {
  interface Row {
    readonly deployment: string | null
    readonly digest: string | null
    readonly month: string
    readonly number: number
    readonly foreignCells: number
  }
  const isForeign =
    's.bin >= 0 AND (s.units < 10 * s.bin * s.number OR s.units > (10 * s.bin + 9) * s.number)'
  const rows = await query<Row>(
    `SELECT d.deployment, d.digest, s.month, CAST(sum(s.number) AS bigint) AS number,
      CAST(sum(CASE WHEN ${isForeign} THEN 1 ELSE 0 END) AS bigint) AS "foreignCells"
    FROM scored_risks s LEFT JOIN outcome_digests d ON d.id = s.digest_id GROUP BY d.deployment, d.digest, s.month`,
  )
  const sums = new OutcomeSums()
  const foreign: [string, string, string][] = []
  for (const { deployment, digest, month, number, foreignCells: cells } of rows) {
    sums.add(deployment ?? '', digest ?? '', month, 0, number, 0)
    if (cells > 0) foreign.push([deployment ?? '', digest ?? '', month])
  }
  return { sums, foreign }
}
