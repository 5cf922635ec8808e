/** Counts of a batch for audit and figures. Names of fields and kinds of problem, never a value. */
import type { Outcome } from './assess.ts'

export class Tally {
  records = 0
  scored = 0
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
  merge(other: Pick<Tally, 'records' | 'scored' | 'problems'>): void {
    this.records += other.records
    this.scored += other.scored
    for (const [field, counts] of other.problems) {
      const kinds = this.problems.get(field) ?? new Map<string, number>()
      this.problems.set(field, kinds)
      for (const [kind, count] of counts) kinds.set(kind, (kinds.get(kind) ?? 0) + count)
    }
  }

  private count(outcome: Outcome, by: 1 | -1): void {
    this.records += by
    if (!outcome.blocked) this.scored += by
    for (const { field, kind } of outcome.problems) {
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
