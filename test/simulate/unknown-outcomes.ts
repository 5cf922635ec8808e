/**
 * The calibration alarm where outcomes are late, missing, unknown or sent twice: how often it goes off in ten years although the risks are
 * right, and after how many patients where they are wrong. Months are invented as in `calibration-alarm.ts`, in bins of 0.001. All
 * situations of a table have the same patients, who are drawn once.
 */
import {
  type BoundedBin,
  type PartOfBin,
  CalibrationDetector,
  type Copies,
  alarmLimits,
  alternativeWeight,
  boundedParts,
  copiesIn,
  gainsOf,
  randomFrom,
} from '@patient-risk/statistics'
import { CENTRES, type Prevalence, TRUTHS, type Truth, quantile } from './calibration-alarm.ts'
import {
  MONTHS_OF_YEAR,
  NOT_TRUE,
  OTHER_SITUATIONS,
  type Patient,
  SITUATIONS,
  type Sender,
  TWICE_AND_MISSING,
  drawWards,
  drawnPatient,
  missing,
} from './outcome-senders.ts'
import { type SimulateOptions, type Table, isChosen } from './table.ts'

const BINS = 1_000
const PARTS = 2
const UNITS = 10_000
const FLAGGED_FROM = 0.15
const SEASON = 0.15
const TEN_YEARS = 120
const SEED = 20_261_119
const LIMIT = alarmLimits(0).whole

const expit = (odds: number): number => 1 / (1 + Math.exp(-odds))
const logit = (risk: number): number => Math.log(risk / (1 - risk))

/** How risks lie, and how many patients come, where they are not those of the tables of others. */
export interface Mix {
  /** The log odds of a patient, from a normal number. */
  readonly oddsOf?: (normal: number, centre: number) => number
  readonly perMonth?: (month: number) => number
}

export interface Population {
  readonly prevalence: Prevalence
  readonly perMonth: number
  readonly months?: number
  readonly truth?: Truth
  /** The log odds of all patients rise and fall by this much in a year. */
  readonly season?: number
  readonly tolerance?: number
  /** As a deployment that answers Yes or No is watched. */
  readonly isYesNo?: boolean
  readonly mix?: Mix
}

export interface UnknownFeed extends Population {
  readonly sender: Sender
}

/** Of whom an outcome comes, where it belongs, and what it is. */
interface Drawn {
  readonly patient: Patient
  readonly bin: number
  /** The risk of the answer in ten-thousandths. */
  readonly own: number
  readonly isEvent: boolean
  readonly draw: number
}

/** Those scored, by place: the bins of a month that are not empty, of each part after the other. */
interface Scored {
  readonly numbers: Float64Array
  readonly units: Float64Array
}

/** One month of patients, the same for every sender. */
interface Month extends Scored {
  readonly drawn: readonly Drawn[]
  /** The place of each bin; −1 where nobody was scored. */
  readonly places: Int16Array
  readonly size: number
}

function drawMonth(feed: Population, month: number, random: () => number): Month {
  const { prevalence, truth = (_odds, risk) => risk, season = 0, isYesNo = false, mix = {} } = feed
  const { oddsOf = (normal, centre) => centre + normal, perMonth = () => feed.perMonth } = mix
  const shift = season * Math.sin((2 * Math.PI * month) / MONTHS_OF_YEAR)
  const ofWards = drawWards(random)
  const places = new Int16Array(BINS).fill(-1)
  let size = 0
  const drawn = Array.from({ length: perMonth(month) }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    const odds = oddsOf(normal, CENTRES[prevalence])
    const risk = expit(odds)
    const isEvent = random() < truth(odds, shift === 0 ? risk : expit(odds + shift))
    const own = Math.round(risk * UNITS)
    const bin = isYesNo ? Number(own >= FLAGGED_FROM * UNITS) : Math.min(BINS - 1, Math.floor(own / 10))
    if (places[bin] === -1) places[bin] = size++
    const draw = random()
    return { patient: drawnPatient({ odds, month, isEvent, ofWards }, random), bin, own, isEvent, draw }
  })
  return { drawn, places, size, ...scoredOf({ drawn, places, size }) }
}

function scoredOf(
  { drawn, places, size }: Pick<Month, 'drawn' | 'places' | 'size'>,
  { partOf, scored }: Pick<Sender, 'partOf' | 'scored'> = {},
): Scored {
  const numbers = new Float64Array(size * (partOf === undefined ? 1 : PARTS))
  const units = new Float64Array(numbers.length)
  for (const { patient, bin, own, draw } of drawn) {
    const place = (places[bin] as number) + size * (partOf?.(patient) ?? 0)
    const times = scored?.(draw, patient) ?? 1
    numbers[place] = (numbers[place] as number) + times
    units[place] = (units[place] as number) + times * own
  }
  return { numbers, units }
}

/** As the service bounds the events of each bin. */
function boundsOf({ numbers, units }: Scored, size: number, sent: SentCounts): readonly BoundedBin[] {
  const places = Array.from(numbers, (): PartOfBin[] => []).slice(0, size)
  for (let first = 0; first < numbers.length; first += size) {
    const bins: { scored: number; events: number; others: number; copies?: Copies }[] = []
    for (let at = first; at < first + size; at++)
      bins.push({
        scored: numbers[at] as number,
        events: sent.events[at] as number,
        others: sent.others[at] as number,
      })
    const unscored = { events: 0, others: 0 }
    for (const { scored, events, others } of bins) {
      if (scored > 0) continue
      unscored.events += events
      unscored.others += others
    }
    const copies = copiesIn(bins, unscored)
    bins.forEach((bin, place) => {
      bin.copies = copies
      places[place]?.push(bin)
    })
  }
  return places.flatMap((parts, place) => {
    let number = 0
    let sum = 0
    for (let at = place; at < numbers.length; at += size) {
      number += numbers[at] as number
      sum += units[at] as number
    }
    return number === 0 ? [] : [boundedParts(sum / number / UNITS, parts)]
  })
}

interface SentCounts {
  readonly events: Float64Array
  readonly others: Float64Array
}

/** The evidence where what was sent of earlier months is corrected: it is computed from all months again. */
class CorrectedEvidence {
  private readonly settings: Parameters<typeof gainsOf>[1]
  private months: Float64Array[] = []
  private first: Float64Array[] = []

  constructor(settings: Parameters<typeof gainsOf>[1]) {
    this.settings = settings
  }

  /** The bins as they were sent first, and as they are corrected at the end of the year. */
  addMonth(first: readonly BoundedBin[], corrected: readonly BoundedBin[]): number {
    this.months.push(gainsOf(corrected, this.settings).map(Math.exp))
    this.first.push(gainsOf(first, this.settings).map(Math.exp))
    if (this.months.length % MONTHS_OF_YEAR === 0) this.first = [...this.months]
    const ratios = new Float64Array(this.months[0]?.length ?? 0)
    for (const factors of this.first)
      factors.forEach((factor, each) => (ratios[each] = ((ratios[each] as number) + 1) * factor))
    return ratios.reduce((sum, ratio, each) => sum + alternativeWeight(each) * ratio, 0)
  }
}

/** An outcome that names the month after that of its answer. */
interface Late {
  readonly bin: number
  readonly isEvent: boolean
  readonly times: number
}

/** One who sends outcomes, and the alarm on them. */
class Watched {
  /** Patients scored until the alarm. */
  found: number | undefined
  private scored = 0
  private readonly sender: Sender
  private readonly detector: CalibrationDetector
  private readonly corrected: CorrectedEvidence
  private late: readonly Late[] = []

  constructor({ prevalence, tolerance = 0 }: Population, sender: Sender) {
    const settings = { limit: LIMIT, eta: 1, centre: CENTRES[prevalence], tolerance }
    this.sender = sender
    this.detector = new CalibrationDetector(settings)
    this.corrected = new CorrectedEvidence(settings)
  }

  addMonth(month: Month): void {
    this.scored += month.drawn.length
    const bins = this.binsOf(month, () => false)
    const { isNoneAtFirst } = this.sender
    const evidence =
      isNoneAtFirst === undefined
        ? this.detector.addMonth(bins)
        : this.corrected.addMonth(this.binsOf(month, isNoneAtFirst), bins)
    if (evidence >= LIMIT) this.found = this.scored
  }

  private binsOf(month: Month, isNone: (draw: number) => boolean): readonly BoundedBin[] {
    const { drawn, places, size } = month
    const { event, other, share, scored, partOf, isOfNextMonth, hasReceipts = false } = this.sender
    const counted = scored === undefined && partOf === undefined ? month : scoredOf(month, this.sender)
    const length = counted.numbers.length
    const sent = { events: new Float64Array(length), others: new Float64Array(length) }
    const add = (cells: Float64Array, place: number, times: number): void => {
      if (place >= 0) cells[place] = (cells[place] as number) + times
    }
    for (const { bin, isEvent, times } of this.late)
      add(isEvent ? sent.events : sent.others, places[bin] as number, times)
    const late: Late[] = []
    const waiting: [place: number, times: number][] = []
    let came = 0
    for (const { patient, bin, isEvent, draw } of drawn) {
      const place = (places[bin] as number) + (partOf === undefined ? 0 : size * partOf(patient))
      const often = isEvent ? event(draw, patient) : other(draw, patient)
      const times = hasReceipts ? Math.min(1, often) : often
      if (isOfNextMonth?.(draw) === true) late.push({ bin, isEvent, times })
      else if (share !== undefined && !isEvent) waiting.push([place, times])
      else add(isEvent && !isNone(draw) ? sent.events : sent.others, place, times)
      if (isEvent) came += times
    }
    for (const [place, times] of waiting) {
      if (came >= (share ?? 0) * drawn.length) break
      add(sent.others, place, times)
      came += times
    }
    this.late = late
    return boundsOf(counted, size, sent)
  }
}

/** For each sender, after how many patients the runs alarm that do, sorted. All have the same patients. */
export function alarmsOfSenders(
  population: Population,
  senders: readonly Sender[],
  runs: number,
  seed = SEED,
): readonly (readonly number[])[] {
  const { months = TEN_YEARS } = population
  const found = senders.map((): number[] => [])
  for (let run = 0; run < runs; run++) {
    const random = randomFrom(seed + run)
    const watched = senders.map((sender) => new Watched(population, sender))
    for (let month = 0; month < months; month++) {
      const quiet = watched.filter((each) => each.found === undefined)
      if (quiet.length === 0) break
      const drawn = drawMonth(population, month, random)
      for (const each of quiet) each.addMonth(drawn)
    }
    watched.forEach((each, at) => {
      if (each.found !== undefined) found[at]?.push(each.found)
    })
  }
  return found.map((each) => each.sort((one, other) => one - other))
}

/** After how many patients the runs of one sender alarm that do, sorted. */
export function alarmsOfUnknown({ sender, ...population }: UnknownFeed, runs: number): readonly number[] {
  return alarmsOfSenders(population, [sender], runs)[0] ?? []
}

const percent = (part: number, runs: number): string => `${((100 * part) / runs).toFixed(1)} %`
const whole = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',')
const PREVALENCES = Object.keys(CENTRES) as Prevalence[]

interface FalseAlarms {
  readonly perMonth: number
  readonly runs: number
  readonly situations: Readonly<Record<string, Sender>>
  readonly isYesNo?: boolean
}

function falseAlarms({ perMonth, runs, situations, isYesNo = false }: FalseAlarms): Table {
  const columns = PREVALENCES.map((prevalence) =>
    alarmsOfSenders({ prevalence, perMonth, isYesNo }, Object.values(situations), runs),
  )
  const answers = isYesNo ? ', answers Yes and No' : ''
  return {
    title: `False alarms in ten years, ${whole(perMonth)} a month${answers}, ${whole(runs)} runs`,
    head: ['risks are right, outcomes are', ...PREVALENCES],
    rows: Object.keys(situations).map((name, at) => {
      return [name, ...columns.map((found) => percent(found[at]?.length ?? 0, runs))]
    }),
  }
}

/** Risks that lie otherwise, and months that are not alike. */
export const MIXES: Readonly<Record<string, Mix>> = {
  'all risks equal': { oddsOf: (_normal, centre) => centre },
  'two risks': { oddsOf: (normal, centre) => centre + (normal > 1 ? 2 : -0.5) },
  'no risk above 20 %': { oddsOf: (normal, centre) => Math.min(logit(0.2), centre + normal) },
  'risks of 1 % and less': { oddsOf: (normal) => Math.min(logit(0.01), logit(0.005) + normal) },
  'risks of 90 % and more': { oddsOf: (normal) => Math.max(logit(0.9), logit(0.95) + normal) },
  'risks from nearly 0 to nearly 1': { oddsOf: (normal, centre) => centre + 3 * normal },
  '2 a month': { perMonth: () => 2 },
  'none in most months': { perMonth: (month) => (month % MONTHS_OF_YEAR === 0 ? 200 : 0) },
  '20 to 600 a month': { perMonth: (month) => [20, 600, 60, 200][month % 4] ?? 0 },
  '20 a month, from the sixth year 1,000': { perMonth: (month) => (month < TEN_YEARS / 2 ? 20 : 1_000) },
}
const OF_MIXES = [
  'complete',
  'events first, to 80 %',
  'events sent twice',
  '20 % of events unknown',
  'events only',
] as const

function otherMixes(runs: number): Table {
  const senders = OF_MIXES.map((name) => SITUATIONS[name])
  return {
    title: `False alarms in ten years, 15 % where nothing else is said, ${whole(runs)} runs`,
    head: ['risks are right, and', ...OF_MIXES],
    rows: Object.entries(MIXES).map(([name, mix]) => {
      const found = alarmsOfSenders({ prevalence: '15 %', perMonth: 200, mix }, senders, runs)
      return [name, ...found.map((each) => percent(each.length, runs))]
    }),
  }
}

function seasons(scale: number): Table {
  const rows = [
    [200, 100],
    [2_000, 15],
  ].flatMap(([perMonth = 0, fullRuns = 0]) =>
    [0, SEASON].map((tolerance) => {
      const runs = Math.ceil(fullRuns * scale)
      const cells = PREVALENCES.map((prevalence) => {
        const feed = { prevalence, perMonth, sender: missing(0), season: SEASON, tolerance }
        return `${alarmsOfUnknown(feed, runs).length} of ${runs}`
      })
      return [whole(perMonth), String(tolerance), ...cells]
    }),
  )
  return {
    title: 'Alarms in ten years, log odds that rise and fall by 0.15 in a year',
    head: ['a month', 'tolerance', ...PREVALENCES],
    rows,
  }
}

function timesToAlarm(runs: number): Table {
  const prevalence = '15 %'
  const shares = [0, 0.02, 0.05, 0.1]
  const rows = Object.entries(TRUTHS).map(([name, truthAt]) => {
    const truth = truthAt(CENTRES[prevalence])
    const population = { prevalence, perMonth: 200, months: 180, truth } as const
    const cells = alarmsOfSenders(population, shares.map(missing), runs).map((found) => {
      if (found.length < runs / 2) return `– (${percent(found.length, runs)} ever)`
      const [middle, late] = [0.5, 0.9].map((part) => {
        const at = Math.floor(part * runs)
        return at < found.length ? whole(quantile(found, at / found.length)) : '–'
      })
      return `${middle} (${late})`
    })
    return [name, ...cells]
  })
  return {
    title: `Patients until the alarm at 15 %, 200 a month, 15 years, median (90 %), ${whole(runs)} runs`,
    head: ['outcomes sent', ...shares.map((share) => `${100 - 100 * share} %`)],
    rows,
  }
}

/** Each table as soon as it is made. `share` is that of the runs. */
export function* simulate({ reduced, share, table, only }: SimulateOptions): Generator<Table> {
  const scale = share ?? (reduced ? 0.05 : 1)
  const of = (full: number): number => Math.ceil(full * scale)
  const rowsOf = (situations: FalseAlarms['situations']): FalseAlarms['situations'] =>
    Object.fromEntries(Object.entries(situations).filter(([name]) => isChosen(name, only)))
  const main = rowsOf({ ...SITUATIONS, ...TWICE_AND_MISSING, ...NOT_TRUE })
  const others = rowsOf(OTHER_SITUATIONS)
  const tables = [
    () => falseAlarms({ perMonth: 200, runs: of(400), situations: main }),
    () => falseAlarms({ perMonth: 200, runs: of(100), situations: others }),
    () =>
      falseAlarms({
        perMonth: 20,
        runs: of(100),
        situations: rowsOf({ ...SITUATIONS, ...OTHER_SITUATIONS }),
      }),
    () => falseAlarms({ perMonth: 2_000, runs: of(60), situations: main }),
    () => falseAlarms({ perMonth: 2_000, runs: of(15), situations: others }),
    () => falseAlarms({ perMonth: 200, runs: of(100), situations: main, isYesNo: true }),
    () => otherMixes(of(60)),
    () => seasons(scale),
    () => timesToAlarm(of(200)),
  ]
  for (const [at, make] of tables.entries()) if (table === undefined || table === at + 1) yield make()
}
