/** Bins of risk: those of the outcomes that came, and those of everybody who was scored, with bounds of their events. */
import { type BinCell, type DeathAs, OUTCOME, knownOutcomes } from './outcome-kinds.ts'

/** Outcomes of the same risk. For a bin that is its mean risk: by Jensen's inequality the evidence then only shrinks. */
export interface RiskBin {
  readonly risk: number
  readonly events: number
  readonly others: number
}

/** Of so many patients scored, at least `least` and at most `most` had the event. */
export interface BoundedBin {
  /** The mean risk of those scored. */
  readonly risk: number
  readonly scored: number
  readonly least: number
  readonly most: number
}

/** Patients that were scored, counted together when they were. */
export interface ScoredCell {
  readonly number: number
  /** The sum of their risks in ten-thousandths. */
  readonly units: number
  readonly bin?: number
  readonly flagged?: number
}

const UNITS = 10_000

/** What is counted of a bin while its cells are added up. */
interface BinSums {
  readonly flagged: number
  units: number
  events: number
  others: number
}

/** Risks, events and others of each bin. What is neither an event nor none is left out. */
export function binsOf(
  cells: Iterable<BinCell>,
  death?: DeathAs,
): readonly (RiskBin & { readonly flagged: number })[] {
  return [...sumsOf(knownOutcomes(cells, death)).values()].map(({ flagged, units, events, others }) => {
    return { flagged, events, others, risk: units / (events + others) / UNITS }
  })
}

/** Bins whose outcomes are all known. */
export function allKnown(bins: Iterable<RiskBin>): readonly BoundedBin[] {
  return [...bins].map(({ risk, events, others }) => {
    return { risk, scored: events + others, least: events, most: events }
  })
}

/**
 * Bounds of the events of each bin of scored patients. They hold where outcomes are missing, late or unknown, and where they came several
 * times; they need not hold for a bin in which some are missing and others came twice. Outcomes of a bin in which nobody was scored are
 * left out.
 */
export function boundedBins(
  scored: Iterable<ScoredCell>,
  sent: Iterable<BinCell>,
  death?: DeathAs,
): readonly BoundedBin[] {
  const outcomes = sumsOf(knownOutcomes(sent, death))
  const all = new Map<string, { number: number; units: number }>()
  for (const cell of scored) {
    const known = all.get(keyOf(cell)) ?? { number: 0, units: 0 }
    known.number += cell.number
    known.units += cell.units
    all.set(keyOf(cell), known)
  }
  return [...all].flatMap(([key, { number, units }]) => {
    const { events = 0, others = 0 } = outcomes.get(key) ?? {}
    return number === 0 ? [] : [boundedBin(units / number / UNITS, number, { events, others })]
  })
}

/** Events that came are a lower bound and others that came leave an upper one; where outcomes came several times it is the reverse. */
export function boundedBin(
  risk: number,
  scored: number,
  { events, others }: Pick<RiskBin, 'events' | 'others'>,
): BoundedBin {
  const least = Math.max(0, Math.min(events, scored - others))
  const most = Math.min(scored, Math.max(events, scored - others))
  return { risk, scored, least, most }
}

function sumsOf(cells: Iterable<BinCell>): Map<string, BinSums> {
  const bins = new Map<string, BinSums>()
  for (const cell of cells) {
    const known = bins.get(keyOf(cell)) ?? { flagged: cell.flagged ?? 0, units: 0, events: 0, others: 0 }
    bins.set(keyOf(cell), known)
    known[cell.outcome === OUTCOME.event ? 'events' : 'others'] += cell.number
    known.units += cell.units
  }
  return bins
}

function keyOf({ bin = 0, flagged = 0 }: Pick<ScoredCell, 'bin' | 'flagged'>): string {
  return `${bin} ${flagged}`
}
