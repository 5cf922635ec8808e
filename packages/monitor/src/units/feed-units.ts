/**
 * Watches the units of one feed: whether the values of a field lie where they would in another unit. There are two references: where
 * values of the field lie elsewhere (absolute), and the feed's own first values (history). A change of the unit shows against the second
 * within some forty values. Kept are counts and a median, never a value.
 */
import { permits, type UnitsDefinition } from 'patient-risk-engine/definition'
import { type FieldPlan, type UnitSource, factorOf, unitFields } from 'patient-risk-engine'
import { ALARM_AT, Detector, testShare } from '@patient-risk/statistics'

/** Values beyond the middle between two units: at most half of them, while the unit is right. */
const BEYOND = testShare(0.5, [0.6, 0.75, 0.95])
/** Numbers that the received unit does not have and another one has, such as a Barthel index of 17 out of 100. */
const IMPOSSIBLE = testShare(0.02, [0.3, 0.6, 0.8])
/**
 * By the absolute reference every third value counts. A ward whose values lie near its cut would otherwise raise an alarm when a few of its
 * patients follow each other with several records each.
 */
const ABSOLUTE_EVERY = 3
/** How many values make a feed's own history. */
const HISTORY = 300
/** The history is counted in bins of 2 %, from 1/1,000 to 1,000 of the usual median. */
const STEP = Math.log(1.02)
const REACH = Math.ceil(Math.log(1_000) / STEP)
/** The weight of one value in the present level, which tells apart units on the same side. */
const LEVEL_WEIGHT = 1 / 16

/** A field that comes in several units, as one deployment receives it. */
export interface WatchedField {
  readonly field: string
  readonly received: string
  /** The usual median in the received unit. */
  readonly median: number
  /** What a number in the received unit is multiplied with to give one in each other unit. */
  readonly others: readonly (readonly [unit: string, ratio: number])[]
  /** The unit that has a number which the received one does not have; undefined where both or neither have it. */
  readonly unitOnlyOf: ((value: number) => string | undefined) | undefined
}

export type UnitReference = 'absolute' | 'history'

export interface UnitAlarm {
  readonly likely: string
  readonly reference: UnitReference
}

/** The inputs of a model that come in several units. */
export function watchedFields(source: UnitSource): readonly WatchedField[] {
  const { plan, model } = source
  return unitFields(source).map(({ field, slot, units, received }) => {
    const { ownDomain } = plan.fields[slot] as FieldPlan
    const own = factorOf(units, received)
    const names = [units.unit, ...Object.keys(units.others)].filter((unit) => unit !== received)
    const others = names.map((unit) => [unit, own / factorOf(units, unit)] as const)
    const profile = model.profile?.inputs[field]
    // The model's own data come first.
    const usual = (profile !== undefined && 'p50' in profile ? profile.p50 : undefined) ?? medianOf(units)
    const has = (unit: string, value: number): boolean => permits(ownDomain, value * factorOf(units, unit))
    const unitOnlyOf = (value: number): string | undefined =>
      has(received, value) ? undefined : names.find((unit) => has(unit, value))
    // Only a list of permitted numbers tells units apart by single numbers.
    const isList = ownDomain.kind === 'list'
    return { field, received, median: usual / own, others, unitOnlyOf: isList ? unitOnlyOf : undefined }
  })
}

function medianOf({ median, usual }: UnitsDefinition): number {
  return median ?? Math.sqrt(usual.from * usual.to)
}

/** One reason to doubt a unit: the share of values on one side of a cut, or of numbers that only another unit has. */
interface Rule {
  readonly reference: UnitReference
  readonly detector: Detector
  /** One of so many values counts. */
  readonly every: number
  readonly isSuch: (value: number) => boolean
  /** The unit that is likely when values lie around this level. */
  readonly likely: (level: number) => string
}

/** The test of one field of one feed. */
export class FeedField {
  private readonly about: WatchedField
  private readonly rules: Rule[]
  private counts: Uint16Array | undefined = new Uint16Array(2 * REACH + 1)
  private seen = 0
  private level: number

  /** With a confirmed unit only the feed's own history counts. */
  constructor(about: WatchedField, isConfirmed: boolean) {
    this.about = about
    this.rules = isConfirmed ? [] : absoluteRules(about)
    this.level = about.median
  }

  /** Takes a value in the received unit; returns the alarm that it raises. Zero is no measurement. */
  add(value: number): UnitAlarm | undefined {
    if (!(value > 0) || value === Infinity) return undefined
    this.seen++
    this.level += (value - this.level) * LEVEL_WEIGHT
    for (const { reference, detector, every, isSuch, likely } of this.rules) {
      if (this.seen % every !== 0) continue
      detector.add(isSuch(value))
      if (detector.mean >= ALARM_AT) return { likely: likely(this.level), reference }
    }
    if (this.counts !== undefined) this.learn(this.counts, value)
    return undefined
  }

  private learn(counts: Uint16Array, value: number): void {
    const { median, others } = this.about
    const bin = Math.round(Math.log(value / median) / STEP)
    const place = REACH + Math.max(-REACH, Math.min(REACH, bin))
    counts[place] = (counts[place] as number) + 1
    if (this.seen < HISTORY) return
    let seen = 0
    const middle = counts.findIndex((count) => {
      seen += count
      return seen * 2 >= HISTORY
    })
    this.rules.push(...cutRules('history', median * Math.exp((middle - REACH) * STEP), others, 1))
    this.counts = undefined
  }
}

function absoluteRules({ median, others, unitOnlyOf }: WatchedField): Rule[] {
  if (unitOnlyOf === undefined) return cutRules('absolute', median, others, ABSOLUTE_EVERY)
  const [[unit] = ['']] = others
  const isSuch = (value: number): boolean => unitOnlyOf(value) !== undefined
  const detector = new Detector(IMPOSSIBLE)
  return [{ reference: 'absolute', detector, every: 1, isSuch, likely: () => unit }]
}

/** The cut on each side is the geometric middle between the median and the same median in the nearest other unit. */
function cutRules(
  reference: UnitReference,
  median: number,
  others: WatchedField['others'],
  every: number,
): Rule[] {
  return [-1, 1].flatMap((side) => {
    const there = others.filter(([, ratio]) => Math.sign(Math.log(ratio)) === side)
    if (there.length === 0) return []
    const nearest = Math.min(...there.map(([, ratio]) => side * Math.log(ratio)))
    const cut = median * Math.exp((side * nearest) / 2)
    const likely = (level: number): string => {
      const distance = (ratio: number): number => Math.abs(Math.log(level / (median * ratio)))
      return [...there].sort(([, one], [, other]) => distance(one) - distance(other))[0]?.[0] ?? ''
    }
    const isSuch = (value: number): boolean => side * (value - cut) > 0
    return [{ reference, detector: new Detector(BEYOND), every, isSuch, likely }]
  })
}
