/**
 * Collects what speaks against counts. A finding counts only by a level that is shared by all questions of one look, so many questions do
 * not raise more false doubts than few.
 */
import type { DoubtKind } from '../feed-doubt.ts'

export interface Finding {
  /** The places of the fields that it names. */
  readonly places: readonly number[]
  readonly doubt: DoubtKind
  readonly likely?: string
  /** Of several findings about one field the one that explains most is said: the lowest. */
  readonly rank: number
  /** Minus the logarithm of the probability that right counts look like this. */
  readonly evidence: number
}

/** What explains most comes first. */
export const RANK = {
  form: 1,
  code: 2,
  constant: 2,
  level: 3,
  digits: 4,
  common: 5,
  share: 5,
  order: 6,
  pair: 7,
} as const

export class Evidence {
  private asked = 0
  private readonly findings: Finding[] = []

  /** Asks whether so many of these are more than the share `most`. Chernoff's bound: no approximation. */
  most(such: number, of: number, most: number, finding: Omit<Finding, 'evidence'>): void {
    this.asked++
    if (of > 0 && such > most * of) this.findings.push({ ...finding, evidence: bound(such, of, most) })
  }

  /** Asks whether they are fewer than the share `least`. */
  least(such: number, of: number, least: number, finding: Omit<Finding, 'evidence'>): void {
    this.most(of - such, of, 1 - least, finding)
  }

  /** Asks whether the odds of the cells lie below a ratio: neither, only the other, only the one, both. */
  odds(
    [neither, onlyOther, onlyOne, both]: readonly [number, number, number, number],
    least: number,
    finding: Omit<Finding, 'evidence'>,
  ): void {
    this.asked++
    const cells = [neither, onlyOther, onlyOne, both].map((count) => count + 0.5) as [
      number,
      number,
      number,
      number,
    ]
    const log = Math.log((cells[0] * cells[3]) / (cells[1] * cells[2]))
    const variance = cells.reduce((sum, count) => sum + 1 / count, 0)
    const short = Math.log(least) - log
    if (short > 0) this.findings.push({ ...finding, evidence: short ** 2 / (2 * variance) })
  }

  /** What right counts show with at most this probability, all questions together. */
  beyond(level: number): readonly Finding[] {
    const least = Math.log(this.asked / level)
    return this.findings.filter(({ evidence }) => evidence >= least)
  }
}

/** Minus the logarithm of the bound: the count times the divergence of the two shares. */
function bound(such: number, of: number, most: number): number {
  if (most <= 0) return Infinity
  const share = such / of
  const rest = share >= 1 ? 0 : (1 - share) * Math.log((1 - share) / (1 - most))
  return of * (share * Math.log(share / most) + rest)
}
