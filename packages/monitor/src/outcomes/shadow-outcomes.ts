/** What outcomes say of a deployment and its shadow: the member `outcomes` of `…/v0/shadow`. Only outcomes that came with both risks. */
import {
  type Comparison,
  type DeathAs,
  OUTCOME,
  type OutcomeMoves,
  type PairedCounts,
  type Performance,
  compareByOutcome,
  isEnough,
  knownOutcomes,
  performanceOf,
} from '@patient-risk/statistics'
import type { ShadowCounts } from './outcome-store.ts'

export interface ShadowOutcomes {
  /** The first and the last month of scoring that is counted. */
  readonly first: string
  readonly last: string
  /** Outcomes that came with both risks. */
  readonly outcomes: number
  readonly events: number
  /** The risk at which a flag is worth its cost; each model flags by its own threshold. */
  readonly threshold: number
  readonly answer: Performance
  readonly shadow: Performance
  readonly moves: OutcomeMoves
  /** Outcomes that came as unknown, with both risks. */
  readonly unsent: PairedCounts
  /** Others who were scored in these months, of whom no outcome came with both risks; null where nobody was counted at scoring. */
  readonly notSent: number | null
  readonly comparison: Comparison
  readonly text: string
}

interface ShadowOptions {
  readonly output: 'number' | 'yes-no'
  /** Of the model that answers; without one nothing is compared. */
  readonly threshold: number | null
  readonly eta: number
  readonly death: DeathAs
  /** The last month whose outcomes are complete: events of later ones come before those without. */
  readonly until: string
  /** Those who were counted at scoring, by month. */
  readonly scored: ReadonlyMap<string, number>
}

/** Null where too few outcomes came with both risks, or there is no threshold. */
export function shadowOutcomes(counts: ShadowCounts, options: ShadowOptions): ShadowOutcomes | null {
  const { threshold, eta, death, output, until, scored } = options
  if (threshold === null) return null
  // A correction that brings a risk of the shadow which the outcome did not have takes away what was never counted.
  const isCounted = ({ month, number }: { readonly month: string; readonly number: number }): boolean =>
    month <= until && number > 0
  const sent = counts.flags.filter(isCounted)
  const flags = knownOutcomes(
    sent.map((flag) => ({ ...flag, units: 0 })),
    death,
  )
  const moves = { events: pairsOf(flags, OUTCOME.event), others: pairsOf(flags, OUTCOME.none) }
  const { events, others } = moves
  if (!isEnough({ events: events.of, others: others.of })) return null
  const known = new Set<unknown>(flags.map(({ month }) => month))
  const lost = sent.filter(({ outcome }) => outcome === OUTCOME.unknown)
  const unsent = pairsOf(lost, OUTCOME.unknown)
  const notSent = notSentOf([...flags, ...lost], scored)
  const figuresOf = (isShadow: boolean, kind: 'number' | 'yes-no'): Performance => {
    const cells = counts.risks.filter((cell) => cell.isShadow === isShadow && isCounted(cell))
    return performanceOf(cells, { output: kind, threshold: null, eta, death }, true)
  }
  const compared = compareByOutcome(moves, { ...unsent, notSent: notSent ?? 0 }, threshold, eta)
  const comparison = notSent === null ? { ...compared, verdict: IF_ALIKE[compared.verdict] } : compared
  const months = [...known].map(String).sort()
  return {
    first: months[0] ?? '',
    last: months.at(-1) ?? '',
    outcomes: events.of + others.of,
    events: events.of,
    threshold,
    // Answers of Yes and No have no risk to be compared.
    answer: output === 'number' ? figuresOf(false, 'number') : figuresOf(true, 'yes-no'),
    shadow: figuresOf(true, 'number'),
    moves,
    unsent,
    notSent,
    comparison,
    text: textOf(comparison, events.of, others.of),
  }
}

/** Deaths before the event that the card leaves open are with those of whom nothing is known. */
function notSentOf(
  sent: readonly Pick<Flag, 'month' | 'number'>[],
  scored: ReadonlyMap<string, number>,
): number | null {
  const byMonth = Map.groupBy(sent, ({ month }) => month)
  let total = 0
  for (const [month, own] of byMonth) {
    const number = scored.get(month) ?? 0
    if (number === 0) return null
    total += Math.max(0, number - own.reduce((sum, flag) => sum + flag.number, 0))
  }
  return total
}

/** Where nobody knows how many did not come. */
const IF_ALIKE = {
  better: 'betterIfAlike',
  betterIfAlike: 'betterIfAlike',
  open: 'open',
  worseIfAlike: 'worseIfAlike',
  worse: 'worseIfAlike',
} as const satisfies Record<Comparison['verdict'], Comparison['verdict']>

type Flag = Pick<ShadowCounts['flags'][number], 'month' | 'flagged' | 'shadowFlagged' | 'outcome' | 'number'>

function pairsOf(flags: readonly Flag[], kind: number): PairedCounts {
  const own = flags.filter(({ outcome }) => outcome === kind)
  const sum = (isIn: (flag: Flag) => boolean): number =>
    own.reduce((total, flag) => total + (isIn(flag) ? flag.number : 0), 0)
  return {
    of: sum(() => true),
    up: sum(({ flagged, shadowFlagged }) => shadowFlagged > flagged),
    down: sum(({ flagged, shadowFlagged }) => shadowFlagged < flagged),
  }
}

const VERDICTS = {
  better: 'The shadow is better at the threshold, whatever the outcomes are that are not known.',
  betterIfAlike: 'The shadow is better at the threshold if outcomes that are not known are like the others.',
  open: 'Which of the two is better at the threshold is open.',
  worseIfAlike: 'The shadow is worse at the threshold if outcomes that are not known are like the others.',
  worse: 'The shadow is worse at the threshold, whatever the outcomes are that are not known.',
} as const satisfies Record<Comparison['verdict'], string>

function textOf(
  { verdict, netBenefit, events, others }: Comparison,
  ofEvents: number,
  ofOthers: number,
): string {
  const { value, from, to } = netBenefit
  const perThousand = (share: number): string => (1_000 * share).toFixed(1)
  const points = (share: number): string => (100 * share).toFixed(1)
  // "26.8 in 100 fewer", not "-26.8 in 100 more".
  const inWords = (found: Comparison['events'], above: string, below: string): string =>
    found.value < 0
      ? `${points(-found.value)} in 100 ${below} (${points(-found.to)} to ${points(-found.from)})`
      : `${points(found.value)} in 100 ${above} (${points(found.from)} to ${points(found.to)})`
  return (
    `${VERDICTS[verdict]} Net benefit in 1,000 patients: ${perThousand(value)} (95 % interval ${perThousand(from)} to ${perThousand(to)}). ` +
    `Of ${ofEvents} with the event it flags ${inWords(events, 'more', 'fewer')}; ` +
    `of ${ofOthers} others ${inWords(others, 'fewer', 'more')}.`
  )
}
