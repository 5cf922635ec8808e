/** Compares what the rows of the chain say of outcomes and keys with what the tables hold. */
import { OutcomeSums } from '../outcomes/outcome-sums.ts'
import { type AuditFacts } from './audit-facts.ts'
import { contentOf } from './audit-row.ts'
import type { StoredTotals } from './stored-totals.ts'
import { scoredIn, sumsIn } from './sums-in-row.ts'

/** The calls that change a key, which the row names as its subject. */
const CHANGES_KEY = /"call":"keys (?:create|rotate|revoke)"/
const FIRST_ERROR = 400
const ADVICE = 'restore a backup from before that, or see "Counts and keys that differ" in docs/audit.md'

export class TotalsCheck {
  private totals: StoredTotals | undefined
  private sums = new OutcomeSums()
  private scored = new OutcomeSums()
  /** The last row that says so of a key, by id. */
  private readonly made = new Map<string, number>()
  private readonly revoked = new Map<string, number>()
  private isResumed = false

  /** Call it before the ends of the chain are read: the rows of these totals are then all before its end. */
  use(totals: StoredTotals): void {
    this.totals = totals
  }

  /** Rows are read from the first one on, or from a later one: then what was counted before is not known. */
  begin(isResumed: boolean): void {
    this.isResumed = isResumed
    this.sums = new OutcomeSums()
    this.scored = new OutcomeSums()
  }

  add(seq: number, text: string): void {
    // Rows that came later are not in the totals.
    if (seq > (this.totals?.head ?? 0)) return
    this.sums.addAll(sumsIn(text))
    scoredIn(text, this.scored)
    if (!CHANGES_KEY.test(text)) return
    const { call, subject, status = 0 } = (contentOf({ content: text }) ?? {}) as Partial<AuditFacts>
    if (subject === undefined || status >= FIRST_ERROR) return
    if (call === 'keys revoke') this.revoked.set(subject, seq)
    else this.made.set(subject, seq)
  }

  *faults(): Generator<string> {
    if (this.totals === undefined) return
    const { isSealed, known, stored, foreignKeys, keys, revokedKeys } = this.totals
    if (!isSealed) {
      yield `what is known of keys, and of outcomes from before the first row, was changed: its seal does not fit; ${ADVICE}`
      return
    }
    for (const id of foreignKeys)
      yield `key ${id} was changed, put in or removed without the service; revoke it if it still works, and ${ADVICE}`
    for (const [id, seq] of this.made)
      if (!keys.includes(id))
        yield `row ${seq} says that key ${id} was made, and there is no such key; ${ADVICE}`
    for (const [id, seq] of this.revoked)
      if (keys.includes(id) && !revokedKeys.includes(id))
        yield `row ${seq} says that key ${id} was revoked, and it is not; revoke it again, and ${ADVICE}`
    if (this.isResumed) return
    this.sums.addAll(new OutcomeSums(known))
    for (const [table, lines] of Object.entries(stored))
      for (const [deployment, digest, month] of this.sums.differences(new OutcomeSums(lines)))
        yield `the outcomes of ${month} in ${table} are not those that the rows say were counted (deployment ${deployment}, digest ${digest}); ${ADVICE}`
    this.scored.addAll(new OutcomeSums(this.totals.knownScored))
    const differs = this.scored.differences(new OutcomeSums(this.totals.storedScored))
    for (const [deployment, digest, month] of differs)
      yield `the risks of ${month} in scored_risks are not as many as the rows say were counted (deployment ${deployment}, digest ${digest}); ${ADVICE}`
    for (const [deployment, digest, month] of this.totals.foreignRisks)
      yield `the risks of ${month} in scored_risks have sums that do not lie in their bins (deployment ${deployment}, digest ${digest}); ${ADVICE}`
  }
}
