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
  /** Its part of the level, compared with other questions. A question whose wrong feeds are gross needs little. */
  readonly weight?: number
  /** Two fields go together the wrong way round, and not only less than they should. */
  readonly isInverted?: boolean
}

type Question = Omit<Finding, 'evidence' | 'isInverted'>

/** The part of the level of questions about forms and orders: there are many of them, and wrong feeds answer them grossly. */
export const LIGHT = 0.05

/** What explains most comes first. */
export const RANK = {
  form: 1,
  code: 2,
  constant: 2,
  level: 3,
  digits: 4,
  common: 5,
  share: 5,
  past: 5,
  order: 6,
  pair: 7,
} as const

const CORRELATED = 0.3

export class Evidence {
  private weight = 0
  private readonly findings: Finding[] = []

  /** Asks whether so many of these are more than the share `most`. Chernoff's bound: no approximation. */
  most(such: number, of: number, most: number, finding: Question): void {
    this.weight += finding.weight ?? 1
    if (of > 0 && such > most * of) this.findings.push({ ...finding, evidence: bound(such, of, most) })
  }

  /** Asks whether they are fewer than the share `least`. */
  least(such: number, of: number, least: number, finding: Question): void {
    this.most(of - such, of, 1 - least, finding)
  }

  /** Asks whether the odds of the cells lie below a ratio: neither, only the other, only the one, both. */
  odds(
    [neither, onlyOther, onlyOne, both]: readonly [number, number, number, number],
    least: number,
    finding: Question,
  ): void {
    this.weight += finding.weight ?? 1
    const { log, variance } = logOdds([neither, onlyOther, onlyOne, both])
    const short = Math.log(least) - log
    const isInverted = log < -2 * Math.sqrt(variance)
    if (short > 0) this.findings.push({ ...finding, isInverted, evidence: short ** 2 / (2 * variance) })
  }

  /** Asks whether several odds with one field, each of them above 1 in right feeds, speak against it together. */
  together(scores: readonly number[], finding: Question): void {
    const count = scores.length
    if (count < 2) return
    this.weight += finding.weight ?? 1
    const sum = scores.reduce((total, score) => total + score, 0)
    // The other fields go together too: their scores may be correlated by so much.
    const score = sum / Math.sqrt(count + CORRELATED * count * (count - 1))
    if (score > 0) this.findings.push({ ...finding, isInverted: true, evidence: score ** 2 / 2 })
  }

  /** What right counts show with at most this probability, all questions together. */
  beyond(level: number): readonly Finding[] {
    return this.findings.filter(
      ({ evidence, weight = 1 }) => evidence >= Math.log(this.weight / (weight * level)),
    )
  }
}

/** The logarithm of the odds ratio with its variance; half a record in each cell keeps both finite. */
export function logOdds(cells: readonly [number, number, number, number]): { log: number; variance: number } {
  const [neither, onlyOther, onlyOne, both] = cells
  const log = Math.log(((neither + 0.5) * (both + 0.5)) / ((onlyOther + 0.5) * (onlyOne + 0.5)))
  const variance = cells.reduce((sum, count) => sum + 1 / (count + 0.5), 0)
  return { log, variance }
}

/** Minus the logarithm of the bound: the count times the divergence of the two shares. */
function bound(such: number, of: number, most: number): number {
  if (most <= 0) return Infinity
  const share = such / of
  const rest = share >= 1 ? 0 : (1 - share) * Math.log((1 - share) / (1 - most))
  return of * (share * Math.log(share / most) + rest)
}
