/** What an alarm has found, in numbers that a sentence can say: since when, in which direction, and how large it is at least. */
import type { BoundedBin } from './bounded-bins.ts'
import { type DetectorSettings, SHIFTS, alternativeWeight, gainsOf } from './calibration-alarm.ts'
import { logOdds } from '../numbers/predictions.ts'

/** `tooExtreme`: high risks are too high and low ones too low. `tooNarrow`: the other way round. */
export type AlarmDirection = 'more' | 'fewer' | 'tooExtreme' | 'tooNarrow'

export interface AlarmFinding {
  readonly direction: AlarmDirection
  /** The month with which the change began most probably. */
  readonly since: string
  /** Whom the numbers below are about: everybody, or those with a risk above the middle, where the spread of the risks is wrong. */
  readonly about: 'all' | 'higher'
  readonly scored: number
  readonly expected: number
  /** Events, whatever the outcomes that are not known are. */
  readonly least: number
  readonly most: number
}

const ROUNDING = 1e-6

export interface MonthOfBins {
  readonly month: string
  readonly bins: readonly BoundedBin[]
}

/** Of the months up to that of the alarm; undefined where there are none. */
export function findingOf(
  months: readonly MonthOfBins[],
  settings: Omit<DetectorSettings, 'limit'>,
): AlarmFinding | undefined {
  if (months.length === 0) return undefined
  const gains = months.map(({ bins }) => gainsOf(bins, settings))
  const alternative = strongest(gains)
  const first = beginOf(gains.map((each) => each[alternative] as number))
  const bins = months.slice(first).flatMap((each) => each.bins)
  const shift = SHIFTS[alternative]
  const isSlope = shift === undefined
  const shown = isSlope ? bins.filter(({ risk }) => logOdds(risk) > settings.centre) : bins
  return {
    direction: directionOf(alternative),
    since: (months[first] as MonthOfBins).month,
    about: isSlope ? 'higher' : 'all',
    ...countsOfBins(shown),
  }
}

/** Those scored in some bins, the events that their risks give, and bounds of those that happened. */
export function countsOfBins(
  bins: readonly BoundedBin[],
): Pick<AlarmFinding, 'scored' | 'expected' | 'least' | 'most'> {
  const sum = (of: (bin: BoundedBin) => number): number => bins.reduce((total, bin) => total + of(bin), 0)
  return {
    scored: sum(({ scored }) => scored),
    expected: sum(({ scored, risk }) => scored * risk),
    // Where outcomes came twice the bounds of a bin need not be whole.
    least: Math.floor(sum(({ least }) => least) + ROUNDING),
    most: Math.ceil(sum(({ most }) => most) - ROUNDING),
  }
}

function directionOf(alternative: number): AlarmDirection {
  const shift = SHIFTS[alternative]
  if (shift !== undefined) return shift > 0 ? 'more' : 'fewer'
  return alternative < SHIFTS.length + 2 ? 'tooExtreme' : 'tooNarrow'
}

/** The alternative with the most evidence after the last month, in logarithms: large evidence would not fit a number. */
function strongest(gains: readonly Float64Array[]): number {
  const logs = new Float64Array((gains[0] as Float64Array).length).fill(-Infinity)
  for (const month of gains) {
    month.forEach((gain, each) => {
      const before = logs[each] as number
      logs[each] = Math.max(0, before) + Math.log1p(Math.exp(-Math.abs(before))) + gain
    })
  }
  const weighed = logs.map((log, each) => log + Math.log(alternativeWeight(each)))
  return weighed.indexOf(Math.max(...weighed))
}

/** The month from which on the gains add up to most. */
function beginOf(gains: readonly number[]): number {
  let best = gains.length - 1
  let most = -Infinity
  let sum = 0
  for (let month = gains.length - 1; month >= 0; month--) {
    sum += gains[month] as number
    if (sum <= most) continue
    most = sum
    best = month
  }
  return best
}
