/** Counts of a batch for audit and figures. Names of fields and kinds of problem, never a value. */
import type { Outcome } from './assess.ts'
import { REASONS } from './problem.ts'

/** What a tally says, without the means to count on: as it travels between threads. */
export type TallyCounts = Pick<Tally, 'records' | 'scored' | 'problems'> &
  Partial<Pick<Tally, 'uncomputable'>>

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
      const kinds = this.problems.get(field) ?? new Map<string, number>()
      this.problems.set(field, kinds)
      for (const [kind, count] of counts) kinds.set(kind, (kinds.get(kind) ?? 0) + count)
    }
  }

  private count(outcome: Outcome, by: 1 | -1): void {
    this.records += by
    if (!outcome.blocked) this.scored += by
    for (const { field, kind, reason } of outcome.problems) {
      if (reason === REASONS.notComputable) this.uncomputable += by
      const kinds = this.problems.get(field) ?? new Map<string, number>()
      this.problems.set(field, kinds)
      const count = (kinds.get(kind) ?? 0) + by
      // What was taken back leaves no trace, so that two ways of counting end in the same tally.
      if (count === 0) kinds.delete(kind)
      else kinds.set(kind, count)
      if (kinds.size === 0) this.problems.delete(field)
    }
  }
}
