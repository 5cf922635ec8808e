/**
 * The calibration alarm on invented months, looked at after every day: how often it goes off in ten years although the risks are
 * right, and after how many outcomes where they are wrong. Log odds are normal with a standard deviation of 1. Risks are those of an
 * answer, with four decimals.
 */
import {
  CalibrationDetector,
  type RiskBin,
  alarmLimits,
  allKnown,
  etaOf,
  randomFrom,
} from '@patient-risk/statistics'
import type { Table } from './table.ts'

const DAYS = 30
const SPREAD = 1
/** The mean log odds that give the prevalence. */
export const CENTRES = { '5 %': -3.372, '15 %': -2.048, '30 %': -1.018 } as const
export type Prevalence = keyof typeof CENTRES

/** The true risk of a patient with the log odds of the model. */
export type Truth = (odds: number, risk: number) => number

const expit = (odds: number): number => 1 / (1 + Math.exp(-odds))
export const TRUTHS: Readonly<Record<string, (centre: number) => Truth>> = {
  'risk × 1.3': () => (_odds, risk) => Math.min(1, 1.3 * risk),
  'risk × 1.5': () => (_odds, risk) => Math.min(1, 1.5 * risk),
  'risk × 0.7': () => (_odds, risk) => 0.7 * risk,
  'slope 0.7': (centre) => (odds) => expit(centre + 0.7 * (odds - centre)),
}
const AS_MODELLED: Truth = (_odds, risk) => risk

export interface Feed {
  readonly prevalence: Prevalence
  readonly perMonth: number
  readonly months: number
  readonly truth?: Truth
  /** Months in which the risks are still right. */
  readonly rightMonths?: number
  readonly limit?: number
  /** Rows of a patient: this many at most, with a latent correlation of 0.5. */
  readonly rowsOfPatient?: number
  readonly eta?: number
}

/** Outcomes until the alarm; undefined where there is none. */
export function firstAlarm(feed: Feed, random: () => number): number | undefined {
  const { prevalence, perMonth, months, truth = AS_MODELLED, rightMonths = 0, rowsOfPatient = 1 } = feed
  const centre = CENTRES[prevalence]
  const { limit = alarmLimits(0).whole, eta = 1 } = feed
  const detector = new CalibrationDetector({ limit, eta, centre })
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  let sent = 0
  for (let month = 0; month < months; month++) {
    detector.beginMonth()
    const now = month < rightMonths ? AS_MODELLED : truth
    let due = 0
    for (let day = 0; day < DAYS; day++) {
      due += perMonth / DAYS
      const bins: RiskBin[] = []
      while (due >= 1) {
        const rows = rowsOfPatient === 1 ? 1 : 1 + Math.floor(random() * rowsOfPatient)
        const shared = rowsOfPatient === 1 ? 0 : normal()
        for (let row = 0; row < rows; row++) {
          const odds = centre + SPREAD * normal()
          const risk = Math.round(expit(odds) * 10_000) / 10_000
          const draw = rowsOfPatient === 1 ? random() : normalShare(Math.SQRT1_2 * (shared + normal()))
          const isEvent = draw < now(odds, expit(odds))
          bins.push({ risk, events: isEvent ? 1 : 0, others: isEvent ? 0 : 1 })
          due--
          if (month >= rightMonths) sent++
        }
      }
      detector.add(allKnown(bins))
      if (detector.isAlarm) return sent
    }
  }
  return undefined
}

/** The normal distribution function (Abramowitz and Stegun, 26.2.17; error below 1e-7). */
function normalShare(value: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(value))
  const poly =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  const tail = (Math.exp((-value * value) / 2) / Math.sqrt(2 * Math.PI)) * poly
  return value >= 0 ? 1 - tail : tail
}

/** How many of the runs alarm, and after how many outcomes, sorted. */
export function alarmsOf(feed: Feed, runs: number, seed: number): readonly number[] {
  const found: number[] = []
  for (let run = 0; run < runs; run++) {
    const alarm = firstAlarm(feed, randomFrom(seed + run))
    if (alarm !== undefined) found.push(alarm)
  }
  return found.sort((a, b) => a - b)
}

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/** The exponent that patients with one to three rows get, from a large sample of them. */
export function etaOfRepeats(prevalence: Prevalence, rowsOfPatient: number): number {
  const random = randomFrom(7)
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const rows: [number, number, number][] = []
  for (let patient = 0; patient < 20_000; patient++) {
    const shared = normal()
    for (let row = Math.floor(random() * rowsOfPatient); row >= 0; row--) {
      const risk = expit(CENTRES[prevalence] + SPREAD * normal())
      rows.push([risk, normalShare(Math.SQRT1_2 * (shared + normal())) < risk ? 1 : 0, patient])
    }
  }
  const column = (at: 0 | 1 | 2): number[] => rows.map((row) => row[at])
  return etaOf({
    risks: Float64Array.from(column(0)),
    outcomes: Uint8Array.from(column(1)),
    clusters: Int32Array.from(column(2)),
  })
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
const whole = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',')

export function simulate({ reduced }: { readonly reduced: boolean }): Promise<Table[]> {
  const scale = reduced ? 0.05 : 1
  const prevalences = Object.keys(CENTRES) as Prevalence[]
  const seed = 20_261_117
  const falseRows = [20, 200, 2_000].map((perMonth) => {
    const runs = Math.ceil((perMonth === 2_000 ? 400 : 2_000) * scale)
    const cells = prevalences.map((prevalence) => {
      return percent(alarmsOf({ prevalence, perMonth, months: 120 }, runs, seed).length / runs)
    })
    return [whole(perMonth), whole(runs), ...cells]
  })
  const runs = Math.ceil(1_000 * scale)
  const detectionRows = prevalences.map((prevalence) => {
    const cells = Object.values(TRUTHS).map((truthAt) => {
      const truth = truthAt(CENTRES[prevalence])
      const found = alarmsOf({ prevalence, perMonth: 200, months: 240, truth }, runs, seed + 1)
      return `${whole(quantile(found, 0.5))} (${whole(quantile(found, 0.9))})`
    })
    return [prevalence, ...cells]
  })
  const wrong = TRUTHS['risk × 1.3']?.(CENTRES['15 %'])
  const feed = { prevalence: '15 %', perMonth: 200, months: 240, ...(wrong && { truth: wrong }) } as const
  const limits = alarmLimits(50)
  const laterRows = (
    [
      ['no groups', feed],
      ['no groups, right for three years first', { ...feed, rightMonths: 36 }],
      ['whole, with groups', { ...feed, limit: limits.whole }],
      ['one of 50 groups', { ...feed, limit: limits.group }],
    ] as const
  ).map(([name, each]) => {
    const found = alarmsOf(each, runs, seed + 2)
    return [name, `${whole(quantile(found, 0.5))} (${whole(quantile(found, 0.9))})`]
  })
  const eta = etaOfRepeats('15 %', 3)
  const repeats = { prevalence: '15 %', perMonth: 200, months: 120, rowsOfPatient: 3 } as const
  const repeatRuns = Math.ceil(1_000 * scale)
  const repeatRows = [1, eta].map((each) => {
    const count = alarmsOf({ ...repeats, eta: each }, repeatRuns, seed + 3).length
    return [each.toFixed(2), percent(count / repeatRuns)]
  })
  return Promise.resolve([
    {
      title: 'False alarms in ten years',
      head: ['outcomes a month', 'runs', ...prevalences],
      rows: falseRows,
    },
    {
      title: `Outcomes to the alarm, median (90 %), ${whole(runs)} runs`,
      head: ['events', ...Object.keys(TRUTHS)],
      rows: detectionRows,
    },
    {
      title: 'Risk × 1.3 at 15 %, outcomes after the change',
      head: ['detector', 'median (90 %)'],
      rows: laterRows,
    },
    {
      title: `False alarms in ten years, patients with one to three rows, ${whole(repeatRuns)} runs`,
      head: ['η', 'at 15 %'],
      rows: repeatRows,
    },
  ])
}
