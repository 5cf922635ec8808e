/**
 * The calibration alarm where outcomes are late, missing, unknown or sent twice: how often it goes off in ten years although the risks are
 * right, and after how many patients where they are wrong. Months are invented as in `calibration-alarm.ts`, in bins of 0.001.
 */
import {
  type BoundedBin,
  CalibrationDetector,
  alarmLimits,
  boundedBin,
  randomFrom,
} from '@patient-risk/statistics'
import { CENTRES, type Prevalence, TRUTHS, type Truth, quantile } from './calibration-alarm.ts'
import type { SimulateOptions, Table } from './table.ts'

const BINS = 1_000
const UNITS = 10_000
const FLAGGED_FROM = 0.15
const SEASON = 0.15
const MONTHS_OF_YEAR = 12
const TEN_YEARS = 120
const SEED = 20_261_119

const expit = (odds: number): number => 1 / (1 + Math.exp(-odds))

/** Of whom an outcome is. */
interface Patient {
  readonly odds: number
  /** From 0 to 9. */
  readonly ward: number
  readonly month: number
  /** Whether the patient died before the event, which the model takes as no event. */
  readonly hasDied: boolean
}

/** What becomes of an outcome before it is sent: how often it comes. */
interface Sender {
  readonly event: (draw: number, patient: Patient) => number
  readonly other: (draw: number, patient: Patient) => number
  /** Others are sent until so many of all outcomes have come. */
  readonly share?: number
}

const always = (): number => 1
export const SITUATIONS: Readonly<Record<string, Sender>> = {
  complete: { event: always, other: always },
  'events first, to 80 %': { event: always, other: always, share: 0.8 },
  '20 % of events unknown': { event: (draw) => (draw < 0.2 ? 0 : 1), other: always },
  '10 % of others missing': { event: always, other: (draw) => (draw < 0.1 ? 0 : 1) },
  'events sent twice': { event: () => 2, other: always },
  '20 % missing at random': { event: (draw) => (draw < 0.2 ? 0 : 1), other: (draw) => (draw < 0.2 ? 0 : 1) },
  'events only': { event: always, other: () => 0 },
}
const WARDS = 10
const isOfHalf = ({ ward }: Patient): boolean => ward < WARDS / 2
const DIED_SHARE = 0.2
const unknownByAge = (draw: number, { odds }: Patient): number => (draw < expit(odds) ? 0 : 1)
/** Situations that are not those for which the rule was chosen. */
export const OTHER_SITUATIONS: Readonly<Record<string, Sender>> = {
  'half of the wards send': {
    event: (_draw, patient) => Number(isOfHalf(patient)),
    other: (_draw, patient) => Number(isOfHalf(patient)),
  },
  'half of the wards send events only': {
    event: always,
    other: (_draw, patient) => Number(isOfHalf(patient)),
  },
  'half of the events of half of the wards are late for ever': {
    event: (draw, patient) => (isOfHalf(patient) && draw < 0.5 ? 0 : 1),
    other: always,
  },
  'unknown, the more often the higher the risk': { event: unknownByAge, other: unknownByAge },
  'events unknown, the more often the higher the risk': { event: unknownByAge, other: always },
  'all sent twice': { event: () => 2, other: () => 2 },
  'others sent twice': { event: always, other: () => 2 },
  'twice in even months, 30 % missing in odd ones': {
    event: (draw, { month }) => (month % 2 === 0 ? 2 : Number(draw >= 0.3)),
    other: (draw, { month }) => (month % 2 === 0 ? 2 : Number(draw >= 0.3)),
  },
  'deaths not sent, events first to 80 %': {
    event: always,
    other: (_draw, { hasDied }) => Number(!hasDied),
    share: 0.8,
  },
  'nothing in the first year, then all': {
    event: (_draw, { month }) => Number(month >= MONTHS_OF_YEAR),
    other: (_draw, { month }) => Number(month >= MONTHS_OF_YEAR),
  },
  'winter events late, summer others missing': {
    event: (draw, { month }) => (month % MONTHS_OF_YEAR < 6 && draw < 0.4 ? 0 : 1),
    other: (draw, { month }) => (month % MONTHS_OF_YEAR >= 6 && draw < 0.4 ? 0 : 1),
  },
}

/** What counts cannot see: an event that came twice fills the place of another outcome of its bin. */
export const NOT_SEEN: Readonly<Record<string, Sender>> = {
  'events twice, 10 % of others missing': { event: () => 2, other: (draw) => (draw < 0.1 ? 0 : 1) },
}

export const missing = (share: number): Sender => {
  const send = (draw: number): number => (draw < share ? 0 : 1)
  return { event: send, other: send }
}

export interface UnknownFeed {
  readonly prevalence: Prevalence
  readonly perMonth: number
  readonly sender: Sender
  readonly months?: number
  readonly truth?: Truth
  /** The log odds of all patients rise and fall by this much in a year. */
  readonly season?: number
  readonly tolerance?: number
  /** As a deployment that answers Yes or No is watched. */
  readonly isYesNo?: boolean
}

/** A month of patients with what was sent of them, by bin. */
function drawMonth(feed: UnknownFeed, month: number, random: () => number): readonly BoundedBin[] {
  const { prevalence, perMonth, sender, truth = (_odds, risk) => risk, season = 0, isYesNo = false } = feed
  const centre = CENTRES[prevalence]
  const scored = new Float64Array(BINS)
  const units = new Float64Array(BINS)
  const events = new Float64Array(BINS)
  const others = new Float64Array(BINS)
  const shift = season * Math.sin((2 * Math.PI * month) / MONTHS_OF_YEAR)
  const otherBins: number[] = []
  let came = 0
  for (let patient = 0; patient < perMonth; patient++) {
    const odds = centre + Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    const isEvent = random() < truth(odds, expit(odds + shift))
    const own = Math.round(expit(odds) * UNITS)
    const bin = isYesNo ? Number(own >= FLAGGED_FROM * UNITS) : Math.min(BINS - 1, Math.floor(own / 10))
    const draw = random()
    const ward = Math.floor(random() * WARDS)
    const patientOf = { odds, ward, month, hasDied: !isEvent && random() < DIED_SHARE }
    scored[bin] = (scored[bin] as number) + 1
    units[bin] = (units[bin] as number) + own
    if (isEvent) events[bin] = (events[bin] as number) + sender.event(draw, patientOf)
    else for (let time = sender.other(draw, patientOf); time > 0; time--) otherBins.push(bin)
    if (isEvent) came += sender.event(draw, patientOf)
  }
  const most = sender.share === undefined ? otherBins.length : Math.max(0, sender.share * perMonth - came)
  for (const bin of otherBins.slice(0, most)) others[bin] = (others[bin] as number) + 1
  const bins: BoundedBin[] = []
  scored.forEach((number, bin) => {
    const counts = { events: events[bin] as number, others: others[bin] as number }
    if (number > 0) bins.push(boundedBin((units[bin] as number) / number / UNITS, number, counts))
  })
  return bins
}

/** Patients scored until the alarm; undefined where there is none. */
function patientsToAlarm(feed: UnknownFeed, random: () => number): number | undefined {
  const { prevalence, perMonth, months = TEN_YEARS, tolerance = 0 } = feed
  const limit = alarmLimits(0).whole
  const detector = new CalibrationDetector({ limit, eta: 1, centre: CENTRES[prevalence], tolerance })
  for (let month = 0; month < months; month++) {
    detector.addMonth(drawMonth(feed, month, random))
    if (detector.isAlarm) return (month + 1) * perMonth
  }
  return undefined
}

/** After how many patients the runs alarm that do, sorted. */
export function alarmsOfUnknown(feed: UnknownFeed, runs: number, seed = SEED): readonly number[] {
  const found: number[] = []
  for (let run = 0; run < runs; run++) {
    const patients = patientsToAlarm(feed, randomFrom(seed + run))
    if (patients !== undefined) found.push(patients)
  }
  return found.sort((one, other) => one - other)
}

const percent = (part: number, runs: number): string => `${((100 * part) / runs).toFixed(1)} %`
const whole = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',')
const PREVALENCES = Object.keys(CENTRES) as Prevalence[]

const FACTS = { ...SITUATIONS, ...NOT_SEEN }

function falseAlarms(perMonth: number, runs: number, isYesNo = false, situations = FACTS): Table {
  const rows = Object.entries(situations).map(([name, sender]) => {
    const cells = PREVALENCES.map((prevalence) =>
      percent(alarmsOfUnknown({ prevalence, perMonth, sender, isYesNo }, runs).length, runs),
    )
    return [name, ...cells]
  })
  const answers = isYesNo ? ', answers Yes and No' : ''
  return {
    title: `False alarms in ten years, ${whole(perMonth)} a month${answers}, ${whole(runs)} runs`,
    head: ['risks are right, outcomes are', ...PREVALENCES],
    rows,
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
    const cells = shares.map((share) => {
      const feed = { prevalence, perMonth: 200, months: 180, sender: missing(share), truth } as const
      const found = alarmsOfUnknown(feed, runs)
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
export function* simulate({ reduced, share }: SimulateOptions): Generator<Table> {
  const scale = share ?? (reduced ? 0.05 : 1)
  yield falseAlarms(200, Math.ceil(400 * scale))
  yield falseAlarms(200, Math.ceil(400 * scale), false, OTHER_SITUATIONS)
  yield falseAlarms(20, Math.ceil(400 * scale), false, { ...SITUATIONS, ...OTHER_SITUATIONS })
  yield falseAlarms(2_000, Math.ceil(60 * scale))
  yield falseAlarms(200, Math.ceil(400 * scale), true)
  yield seasons(scale)
  yield timesToAlarm(Math.ceil(200 * scale))
}
