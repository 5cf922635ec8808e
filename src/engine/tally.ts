/** Counts of a batch for audit and figures. Names of fields and kinds of problem, never a value. */
import type { Outcome } from './assess.ts'
import { REASONS } from './judge/problem.ts'

/** The counts of a tally, as they are sent between threads. */
export type TallyCounts = Pick<Tally, 'records' | 'scored' | 'problems'> &
  Partial<Pick<Tally, 'uncomputable'>>

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

  add(outcome: Outcome): void {
    this.count(outcome, 1)
  }

  /** Records that were scored and have no problem. */
  addClean(records: number): void {
    this.records += records
    this.scored += records
  }

  /** Takes an outcome back that a second look has replaced. */
  remove(outcome: Outcome): void {
    this.count(outcome, -1)
  }

  /** Adds what another batch has counted. */
  merge(other: TallyCounts): void {
    this.records += other.records
    this.scored += other.scored
    this.uncomputable += other.uncomputable ?? 0
    for (const [field, counts] of other.problems) {
      const kinds = this.kindsOf(field, MOST_FIELDS)
      for (const [kind, count] of counts) kinds.set(kind, (kinds.get(kind) ?? 0) + count)
    }
  }

  private count(outcome: Outcome, by: 1 | -1): void {
    this.records += by
    if (!outcome.blocked) this.scored += by
    for (const { field, kind, reason } of outcome.problems) {
      if (reason === REASONS.notComputable) this.uncomputable += by
      // What is taken back and has no place of its own was counted with the others.
      const kinds = this.kindsOf(field, by > 0 ? MOST_FIELDS : 0)
      const count = (kinds.get(kind) ?? 0) + by
      // A count that returns to 0 is removed, so that two ways of counting give equal tallies.
      if (count === 0) kinds.delete(kind)
      else kinds.set(kind, count)
      if (kinds.size === 0) this.problems.delete(this.problems.get(field) === kinds ? field : OTHER_FIELDS)
    }
  }

  /** A name that is new gets a place of its own while there are fewer than `most`. */
  private kindsOf(field: string, most: number): Map<string, number> {
    const known = this.problems.get(field)
    if (known !== undefined) return known
    if (this.problems.size >= most && field !== OTHER_FIELDS) return this.kindsOf(OTHER_FIELDS, most)
    const kinds = new Map<string, number>()
    this.problems.set(field, kinds)
    return kinds
  }
}
