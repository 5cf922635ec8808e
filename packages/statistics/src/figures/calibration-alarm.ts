/**
 * The calibration alarm: a test that may be looked at every day for years. It is the Shiryaev–Roberts e-detector (Shin, Ramdas, Rinaldo
 * 2023): under risks that are right the evidence exceeds a limit A within T months with a probability of at most T ÷ A.
 */
import { type Predictions, logOdds, varianceByPatient } from '../numbers/predictions.ts'

/** Outcomes of the same risk. For a bin that is its mean risk: by Jensen's inequality the evidence then only shrinks. */
export interface RiskBin {
  readonly risk: number
  readonly events: number
  readonly others: number
}

/** Outcomes that are counted together. */
export interface BinCell {
  readonly outcome: number
  readonly number: number
  /** The sum of their risks in ten-thousandths. */
  readonly units: number
  readonly bin?: number
  readonly flagged?: number
}

export interface DetectorSettings {
  /** From which evidence on there is an alarm. */
  readonly limit: number
  /** The exponent of every factor: 1 where each patient has one outcome. */
  readonly eta: number
  /** The mean log odds of the development data, which the alternatives of the slope turn around. */
  readonly centre: number
}

/** Ten years of months at a level of 5 %. */
const LIMIT = 2_400
/** A larger number says nothing more. */
const MOST_EVIDENCE = 1e9
const SHIFTS = [-0.8, -0.5, -0.3, -0.15, 0.15, 0.3, 0.5, 0.8]
const SHIFT_WEIGHT = 0.1
const SLOPES = [0.5, 0.75, 1.33]
const ALTERNATIVES = SHIFTS.length + SLOPES.length
const UNITS = 10_000

/** The limits for the whole and for each of its groups, so that all together keep the level. */
export function alarmLimits(groups: number): { readonly whole: number; readonly group: number } {
  return groups === 0 ? { whole: LIMIT, group: Infinity } : { whole: 2 * LIMIT, group: 2 * LIMIT * groups }
}

export class CalibrationDetector {
  private readonly settings: DetectorSettings
  private readonly ratios = new Float64Array(ALTERNATIVES)

  constructor(settings: DetectorSettings) {
    this.settings = settings
  }

  /** The evidence that the risks are wrong. */
  get evidence(): number {
    const { ratios } = this
    const sum = (from: number, to: number): number =>
      ratios.subarray(from, to).reduce((total, ratio) => total + ratio, 0)
    const ofSlopes = ((1 - SHIFT_WEIGHT * SHIFTS.length) / SLOPES.length) * sum(SHIFTS.length, ALTERNATIVES)
    return Math.min(MOST_EVIDENCE, SHIFT_WEIGHT * sum(0, SHIFTS.length) + ofSlopes)
  }

  get isAlarm(): boolean {
    return this.evidence >= this.settings.limit
  }

  /** A change may begin with any month. */
  beginMonth(): void {
    for (let each = 0; each < ALTERNATIVES; each++) this.ratios[each] = (this.ratios[each] as number) + 1
  }

  /** Only sums of logarithms change within a month, so the order and the number of calls do not matter. */
  add(bins: Iterable<RiskBin>): void {
    const sums = new Float64Array(ALTERNATIVES)
    for (const { risk, events, others } of bins) {
      const odds = logOdds(risk)
      const held = 1 / (1 + Math.exp(-odds))
      for (let each = 0; each < ALTERNATIVES; each++) {
        const shift =
          SHIFTS[each] ?? ((SLOPES[each - SHIFTS.length] as number) - 1) * (odds - this.settings.centre)
        const gain = shift * events - (events + others) * Math.log1p(held * Math.expm1(shift))
        sums[each] = (sums[each] as number) + gain
      }
    }
    sums.forEach((sum, each) => {
      const ratio = (this.ratios[each] as number) * Math.exp(this.settings.eta * sum)
      this.ratios[each] = Math.min(Number.MAX_VALUE, ratio)
    })
  }

  /** A whole month. Returns the evidence after it. */
  addMonth(bins: Iterable<RiskBin>): number {
    this.beginMonth()
    this.add(bins)
    return this.evidence
  }
}

/** What is counted of a bin while its cells are added up. */
interface BinSums {
  readonly flagged: number
  units: number
  events: number
  others: number
}

/** Risks, events and others of each bin. */
export function binsOf(cells: Iterable<BinCell>): readonly (RiskBin & { readonly flagged: number })[] {
  const bins = new Map<string, BinSums>()
  for (const { bin = 0, flagged = 0, outcome, number, units } of cells) {
    const key = `${bin} ${flagged}`
    const known = bins.get(key) ?? { flagged, units: 0, events: 0, others: 0 }
    bins.set(key, known)
    known[outcome === 1 ? 'events' : 'others'] += number
    known.units += units
  }
  return [...bins.values()].map(({ flagged, units, events, others }) => {
    return { flagged, events, others, risk: units / (events + others) / UNITS }
  })
}

/** The mean log odds of some risks. */
export function centreOf(bins: Iterable<RiskBin>): number {
  let sum = 0
  let total = 0
  for (const { risk, events, others } of bins) {
    sum += logOdds(risk) * (events + others)
    total += events + others
  }
  return sum / total
}

/** The mean log odds of the risks that a development profile counts in bins. */
export function centreOfProfile(risk: {
  readonly cuts: readonly number[]
  readonly shares: readonly number[]
}): number {
  const { cuts, shares } = risk
  const edges = [cuts[0], ...cuts, cuts.at(-1)].map((cut) => logOdds(cut ?? 0.5))
  const middle = (bin: number): number => ((edges[bin] as number) + (edges[bin + 1] as number)) / 2
  return shares.reduce((sum, share, bin) => sum + share * middle(bin), 0)
}

/**
 * The exponent for rows of patients that come back: 1 ÷ (1 + (m − 1) r), with the mean size m of the patient of a row, and the
 * correlation r of the residuals of a patient. Simulated, not proved.
 */
export function etaOf(rows: Predictions): number {
  const { risks, outcomes } = rows
  const residual = (row: number): number => (outcomes[row] as number) - (risks[row] as number)
  const deviation = (row: number): number => Math.sqrt((risks[row] as number) * (1 - (risks[row] as number)))
  const squaresOf = (part: (row: number) => number): number =>
    risks.reduce((sum, _risk, row) => sum + part(row) ** 2, 0)
  const squares = squaresOf(residual)
  const variances = squaresOf(deviation)
  const pairs = varianceByPatient(rows, deviation) - variances
  if (pairs <= 0) return 1
  const correlation = ((varianceByPatient(rows, residual) - squares) / pairs) * (variances / squares)
  const size = varianceByPatient(rows, () => 1) / risks.length
  return 1 / (1 + (size - 1) * Math.min(1, Math.max(0, correlation)))
}
