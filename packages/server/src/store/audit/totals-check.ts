/** Compares what the rows of the chain say of outcomes and keys with what the tables hold. */
import { OutcomeSums, type SumLine, type SumPlace } from '../outcomes/outcome-sums.ts'
import { type Accepted, type Differences, acceptedIn } from './accept-changes.ts'
import { type AuditFacts } from './audit-facts.ts'
import { contentOf } from './audit-row.ts'
import { TABLE_OF } from '../outcomes/outcome-queue.ts'
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
  private readonly accepted: number[] = []
  private isResumed = false

  /** Call it before the ends of the chain are read: the rows of these totals are then all before its end. */
  use(totals: StoredTotals): void {
    this.totals = totals
  }

  /** Rows are read from the first one on, or from a later one: then what was counted before is not known. */
  begin(isResumed: boolean): void {
    this.isResumed = isResumed
    this.sums = new OutcomeSums()
    this.accepted.length = 0
    this.scored = new OutcomeSums()
  }

  add(seq: number, text: string): void {
    // Rows that came later are not in the totals.
    if (seq > (this.totals?.head ?? 0)) return
    this.sums.addAll(sumsIn(text))
    this.accept(seq, acceptedIn(text))
    scoredIn(text, this.scored)
    if (!CHANGES_KEY.test(text)) return
    const { call, subject, status = 0 } = (contentOf({ content: text }) ?? {}) as Partial<AuditFacts>
    if (subject === undefined || status >= FIRST_ERROR) return
    if (call === 'keys revoke') this.revoked.set(subject, seq)
    else this.made.set(subject, seq)
  }

  *faults(): Generator<string> {
    if (this.totals === undefined) return
    const { isSealed, foreignKeys } = this.totals
    if (!isSealed) {
      yield `what is known of keys, and of outcomes from before the first row, was changed: its seal does not fit; ${ADVICE}`
      return
    }
    for (const id of foreignKeys)
      yield `key ${id} was changed, put in or removed without the service; revoke it if it still works, and ${ADVICE}`
    for (const [id, seq] of this.lostKeys())
      yield `row ${seq} says that key ${id} was made, and there is no such key; ${ADVICE}`
    for (const [id, seq] of this.revivedKeys())
      yield `row ${seq} says that key ${id} was revoked, and it is not; revoke it again, and ${ADVICE}`
    for (const [table, places] of this.differentPlaces())
      for (const [deployment, digest, month] of places)
        yield `the outcomes of ${month} in ${table} are not those that the rows say were counted (deployment ${deployment}, digest ${digest}); ${ADVICE}`
    for (const [deployment, digest, month] of this.differentScored())
      yield `the risks of ${month} in scored_risks are not as many as the rows say were counted (deployment ${deployment}, digest ${digest}); ${ADVICE}`
    if (this.isResumed) return
    for (const [deployment, digest, month] of this.totals.foreignRisks)
      yield `the risks of ${month} in scored_risks have sums that do not lie in their bins (deployment ${deployment}, digest ${digest}); ${ADVICE}`
  }

  /** The rows that say that an operator has accepted differences. */
  get acceptedRows(): readonly number[] {
    return this.accepted
  }

  /** Everything that differs, for an operator who accepts it; undefined where nothing does. */
  differences(): Differences | undefined {
    if (this.totals === undefined) return undefined
    const { isSealed, foreignKeys, keyFacts, stored, storedScored } = this.totals
    const ids = new Set([...foreignKeys, ...this.lostKeys().map(first), ...this.revivedKeys().map(first)])
    const places = new Map<string, SumPlace>()
    for (const [, differing] of this.differentPlaces())
      for (const place of differing) places.set(place.join('\n'), place)
    const scored = this.differentScored()
    if (isSealed && ids.size === 0 && places.size === 0 && scored.length === 0) return undefined
    const said = this.said()
    const counted = new OutcomeSums(stored[TABLE_OF.counts])
    const saidScored = this.saidScored()
    const countedScored = new OutcomeSums(storedScored)
    return {
      isSealed,
      keys: [...ids].sort().map((id) => [id, keyFacts.get(id) ?? null]),
      outcomes: [...places.values()].map((place) => more(counted, said, place)),
      scored: scored.map((place) => more(countedScored, saidScored, place)),
    }
  }

  /** From here on these keys are as they were when that was accepted, whatever the rows before it say. */
  private accept(seq: number, accepted: Accepted | undefined): void {
    if (accepted === undefined) return
    this.accepted.push(seq)
    for (const id of accepted.keys) {
      this.made.delete(id)
      this.revoked.delete(id)
    }
  }

  private lostKeys(): readonly (readonly [id: string, seq: number])[] {
    return [...this.made].filter(([id]) => this.totals?.keyFacts.has(id) === false)
  }

  private revivedKeys(): readonly (readonly [id: string, seq: number])[] {
    const { keyFacts, revokedKeys } = this.totals as StoredTotals
    return [...this.revoked].filter(([id]) => keyFacts.has(id) && !revokedKeys.includes(id))
  }

  /** By table, the places where it does not hold what the rows say. Not known where rows before the first one were left out. */
  private differentPlaces(): readonly (readonly [table: string, places: readonly SumPlace[]])[] {
    if (this.isResumed) return []
    const said = this.said()
    const tables = Object.entries(this.totals?.stored ?? {})
    return tables.map(([table, lines]) => [table, said.differences(new OutcomeSums(lines))])
  }

  /** Where other risks were counted at scoring than the rows say. */
  private differentScored(): readonly SumPlace[] {
    if (this.isResumed) return []
    return this.saidScored().differences(new OutcomeSums(this.totals?.storedScored))
  }

  /** What the rows say was counted, with what is carried over from before the first of them. */
  private said(): OutcomeSums {
    const said = new OutcomeSums(this.totals?.known)
    said.addAll(this.sums)
    return said
  }

  private saidScored(): OutcomeSums {
    const said = new OutcomeSums(this.totals?.knownScored)
    said.addAll(this.scored)
    return said
  }
}

/** How much more was counted in a place than the rows say. */
function more(counted: OutcomeSums, said: OutcomeSums, place: SumPlace): SumLine {
  const saidThere = said.at(place)
  return [...place, ...counted.at(place).map((number, at) => number - (saidThere[at] ?? 0))]
}

function first([id]: readonly [id: string, seq: number]): string {
  return id
}
