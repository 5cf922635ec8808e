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

/** Patients and outcomes that are counted apart from others of the same month, as those of one digest. */
export interface CountedPart {
  readonly scored: Iterable<ScoredCell>
  readonly sent: Iterable<BinCell>
  /** Patients that are not among those scored, whose outcomes may be among those sent. */
  readonly strangers?: Iterable<ScoredCell>
}

/** What is counted of a bin in one part. */
export interface PartOfBin extends Pick<RiskBin, 'events' | 'others'> {
  readonly scored: number
  readonly strangers?: number
  readonly copies?: Copies
}

/** How often outcomes of each kind came: at most, and at most in the mean. */
export type Copies = Readonly<Record<'events' | 'others', { readonly most: number; readonly mean: number }>>

const ONCE = { most: 1, mean: 1 }
/** How many standard errors more may have come twice than are seen. */
const CAUTION = 2

/**
 * How often outcomes came, as bins with one patient show: there a second one cannot stand in the place of one that is missing. In larger
 * bins it can, and the bounds would not hold.
 */
export function copiesIn(bins: Iterable<PartOfBin>, unscored = { events: 0, others: 0 }): Copies {
  const seen = { events: { came: 0, repeated: 0, most: 1 }, others: { came: 0, repeated: 0, most: 1 } }
  const all = { events: 0, others: 0 }
  let scored = 0
  let alone = 0
  for (const bin of bins) {
    scored += bin.scored
    all.events += bin.events
    all.others += bin.others
    if (bin.scored !== 1) continue
    alone++
    for (const kind of ['events', 'others'] as const) {
      const times = bin[kind]
      if (times === 0) continue
      seen[kind].came++
      if (times > 1) seen[kind].repeated++
      seen[kind].most = Math.max(seen[kind].most, times)
    }
  }
  const of = (kind: 'events' | 'others'): Copies['events'] => {
    const { came, repeated, most } = seen[kind]
    const share = repeated === 0 ? 0 : Math.min(1, cautious(repeated) / came)
    const mean = 1 + share * (most - 1)
    if (unscored[kind] === 0) return { most, mean }
    // A patient drawn like those scored has a risk of nobody else with the share of those who are alone in their bin (Good and Turing).
    const strangers = (cautious(unscored[kind]) * scored) / Math.max(1, alone) - unscored[kind]
    const own = 1 - Math.max(0, strangers) / Math.max(1, all[kind])
    return own <= 0 ? { most: Infinity, mean: Infinity } : { most: Infinity, mean: mean / own }
  }
  return { events: of('events'), others: of('others') }
}

/** Two standard errors more than were counted. */
function cautious(counted: number): number {
  return counted + CAUTION * Math.sqrt(counted)
}

/**
 * Bounds of the events of each bin of scored patients. They hold where outcomes are missing, late or unknown, and where they came several
 * times. In a bin of a part in which some are missing and others came twice they hold as far as bins with one patient show how often
 * outcomes came. Outcomes of a bin in which nobody was scored are left out.
 */
export function boundedBins(parts: Iterable<CountedPart>, death?: DeathAs): readonly BoundedBin[] {
  const all = new Map<string, { units: number; readonly parts: PartOfBin[] }>()
  for (const part of parts) {
    const outcomes = sumsOf(knownOutcomes(part.sent, death))
    const strangers = scoredOf(part.strangers ?? [])
    const scored = scoredOf(part.scored)
    const bins = new Map(
      [...scored].map(([key, { number }]) => {
        const { events = 0, others = 0 } = outcomes.get(key) ?? {}
        return [key, { scored: number, events, others }]
      }),
    )
    // Of patients who were not counted at scoring: their risk is that of nobody who was.
    const unscored = { events: 0, others: 0 }
    for (const [key, { events, others }] of outcomes) {
      if (bins.has(key)) continue
      unscored.events += events
      unscored.others += others
    }
    const copies = copiesIn(bins.values(), unscored)
    for (const [key, bin] of bins) {
      const known = all.get(key) ?? { units: 0, parts: [] }
      all.set(key, known)
      known.units += scored.get(key)?.units ?? 0
      known.parts.push({ ...bin, copies, strangers: strangers.get(key)?.number ?? 0 })
    }
  }
  return [...all.values()].flatMap(({ units, parts: ofBin }) => {
    const number = ofBin.reduce((sum, { scored }) => sum + scored, 0)
    return number === 0 ? [] : [boundedParts(units / number / UNITS, ofBin)]
  })
}

/** Events that came are a lower bound and others that came leave an upper one; where outcomes came several times it is the reverse. */
export function boundedBin(risk: number, part: PartOfBin): BoundedBin {
  const { scored, events, others, strangers = 0, copies } = part
  const leastEvents = patientsOf(events, copies?.events)
  const leastOthers = patientsOf(others, copies?.others)
  const least = Math.max(0, Math.min(leastEvents, scored - others) - strangers)
  const most = Math.min(scored, Math.max(events, scored - leastOthers) + strangers)
  return { risk, scored, least, most }
}

/**
 * A bin of several parts. In the sum of the parts, what came twice in one could stand for what is missing in another, so each part has
 * bounds of its own; those of the sum are taken too, so that parts never say more than the sum.
 */
export function boundedParts(risk: number, parts: readonly PartOfBin[]): BoundedBin {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return boundedBin(risk, only)
  const sum = { scored: 0, events: 0, others: 0, strangers: 0 }
  const copies = { events: ONCE, others: ONCE }
  let least = 0
  let most = 0
  for (const part of parts) {
    sum.scored += part.scored
    sum.events += part.events
    sum.others += part.others
    sum.strangers += part.strangers ?? 0
    copies.events = larger(copies.events, part.copies?.events)
    copies.others = larger(copies.others, part.copies?.others)
    const own = boundedBin(risk, part)
    least += own.least
    most += own.most
  }
  const whole = boundedBin(risk, { ...sum, copies })
  return { ...whole, least: Math.min(least, whole.least), most: Math.max(most, whole.most) }
}

/** Of how many patients so many outcomes are at least. */
function patientsOf(outcomes: number, { most, mean } = ONCE): number {
  if (most === 1) return outcomes
  // Where some may be of others, not even one is certain.
  const least = most === Infinity ? 0 : Math.ceil(outcomes / most)
  return Math.max(least, outcomes / mean)
}

function larger(one: typeof ONCE, other = ONCE): typeof ONCE {
  return { most: Math.max(one.most, other.most), mean: Math.max(one.mean, other.mean) }
}

function scoredOf(cells: Iterable<ScoredCell>): ReadonlyMap<string, { number: number; units: number }> {
  const bins = new Map<string, { number: number; units: number }>()
  for (const cell of cells) {
    const known = bins.get(keyOf(cell)) ?? { number: 0, units: 0 }
    bins.set(keyOf(cell), known)
    known.number += cell.number
    known.units += cell.units
  }
  return bins
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
