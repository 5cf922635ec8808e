/** Counts of a batch for audit and figures. Names of fields and kinds of problem, never a value. */
import type { RecordResult } from './assess.ts'
import { REASONS } from '../judge/problem.ts'

/** The counts of a tally, as they are sent between threads. */
export type TallyCounts = Pick<Tally, 'records' | 'scored' | 'problems'> &
  Partial<Pick<Tally, 'uncomputable' | 'risks'>>

/** Names that are counted separately: more than any deployment has fields. A caller may invent a name in every record. */
const MOST_FIELDS = 1_000
/** Where the problems of all further names are counted. */
export const OTHER_FIELDS = '(other fields)'

export class Tally {
  records = 0
  scored = 0
  /** Records whose inputs were in order and for which the model still gave no number: a fault of the model. */
  uncomputable = 0
  /** Number of problems by field and kind. */
  readonly problems = new Map<string, Map<string, number>>()
  /** Risks in ten-thousandths that a caller of `add` notes; answers of bytes have theirs in a list of their own. */
  readonly risks: number[] = []

  add(result: RecordResult): void {
    this.records++
    if (!result.blocked) this.scored++
    for (const { field, kind, reason } of result.problems) {
      if (reason === REASONS.notComputable) this.uncomputable++
      this.count(field, kind, 1)
    }
  }

  /** Records that were scored and have no problem. */
  addClean(records: number): void {
    this.records += records
    this.scored += records
  }

  /** Adds what another batch has counted; with −1 takes it away again. */
  merge(other: TallyCounts, times = 1): void {
    this.records += times * other.records
    this.scored += times * other.scored
    this.uncomputable += times * (other.uncomputable ?? 0)
    for (const risk of other.risks ?? []) this.risks.push(risk)
    for (const [field, counts] of other.problems) {
      for (const [kind, count] of counts) this.count(field, kind, times * count)
    }
  }

  private count(field: string, kind: string, by: number): void {
    const isCounted = this.problems.has(field) || this.problems.size < MOST_FIELDS
    const name = isCounted ? field : OTHER_FIELDS
    const kinds = this.problems.get(name) ?? new Map<string, number>()
    this.problems.set(name, kinds.set(kind, (kinds.get(kind) ?? 0) + by))
  }
}
