/**
 * The calibration alarm: a test that may be looked at every day for years. It is the Shiryaev–Roberts e-detector (Shin, Ramdas, Rinaldo
 * 2023): under risks that are right the evidence exceeds a limit A within T months with a probability of at most T ÷ A. That holds
 * whichever outcomes are not known: each alternative is given the completion that speaks against it, and its factor rises or falls with
 * the number of events, so that the evidence is never more than that of the true outcomes.
 */
import { type Predictions, expit, logOdds, varianceByPatient } from '../numbers/predictions.ts'
import type { BoundedBin } from './bounded-bins.ts'

export interface DetectorSettings {
  /** From which evidence on there is an alarm. */
  readonly limit: number
  /** The exponent of every factor: 1 where each patient has one outcome. */
  readonly eta: number
  /** The mean log odds of the development data, which the alternatives of the slope turn around. */
  readonly centre: number
  /** Log odds by which risks may be wrong and still count as right; 0 where it is absent. */
  readonly tolerance?: number
}

/** Ten years of months at a level of 5 %. */
const LIMIT = 2_400
/** A larger number says nothing more. */
const MOST_EVIDENCE = 1e9
export const SHIFTS: readonly number[] = [-0.8, -0.5, -0.3, -0.15, 0.15, 0.3, 0.5, 0.8]
const SHIFT_WEIGHT = 0.1
const TIMES_OF_SHIFTS: readonly number[] = SHIFTS.map(Math.expm1)
const SLOPES = [0.5, 0.75, 1.33]
/** Patients of a bin whose factors are multiplied. */
const FEW = 8
/** Far from where a product of the factors of a bin would not fit a number. */
const FAR = 1e100
const ALTERNATIVES = SHIFTS.length + SLOPES.length

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
    const sum = this.ratios.reduce((total, ratio, each) => total + alternativeWeight(each) * ratio, 0)
    return Math.min(MOST_EVIDENCE, sum)
  }

  get isAlarm(): boolean {
    return this.evidence >= this.settings.limit
  }

  /** A change may begin with any month. */
  beginMonth(): void {
    for (let each = 0; each < ALTERNATIVES; each++) this.ratios[each] = (this.ratios[each] as number) + 1
  }

  /**
   * Only sums of logarithms change within a month, so the order and the number of calls do not matter. A bin whose outcomes are not all
   * known must come in one piece.
   */
  add(bins: Iterable<BoundedBin>): void {
    gainsOf(bins, this.settings).forEach((gain, each) => {
      const ratio = (this.ratios[each] as number) * Math.exp(gain)
      this.ratios[each] = Math.min(Number.MAX_VALUE, ratio)
    })
  }

  /** A whole month. Returns the evidence after it. */
  addMonth(bins: Iterable<BoundedBin>): number {
    this.beginMonth()
    this.add(bins)
    return this.evidence
  }
}

/** What each alternative counts in the evidence. */
export function alternativeWeight(alternative: number): number {
  if (alternative < SHIFTS.length) return SHIFT_WEIGHT
  return (1 - SHIFT_WEIGHT * SHIFTS.length) / SLOPES.length
}

/**
 * For each alternative, the logarithm of what some bins multiply its evidence by, at the completion that speaks most against it. Years of
 * months are judged again with every outcome that comes, so what does not depend on the alternative is computed once for each bin.
 */
export function gainsOf(
  bins: Iterable<BoundedBin>,
  { eta, centre, tolerance = 0 }: Omit<DetectorSettings, 'limit'>,
): Float64Array {
  const gains = new Float64Array(ALTERNATIVES)
  // What each alternative loses, as a product: most bins have few patients, and a logarithm for each of them would take most of the time.
  const losses = new Float64Array(ALTERNATIVES).fill(1)
  for (const { risk, scored, least, most } of bins) {
    const odds = logOdds(risk)
    const highest = expit(odds + tolerance)
    const lowest = tolerance === 0 ? highest : expit(odds - tolerance)
    for (let each = 0; each < ALTERNATIVES; each++) {
      const isShift = each < SHIFTS.length
      const shift = isShift
        ? (SHIFTS[each] as number)
        : ((SLOPES[each - SHIFTS.length] as number) - 1) * (odds - centre)
      const times = isShift ? (TIMES_OF_SHIFTS[each] as number) : Math.expm1(shift)
      const isMore = shift > 0
      const loss = 1 + (isMore ? highest : lowest) * times
      let gain = (gains[each] as number) + shift * (isMore ? least : most)
      if (scored <= FEW) {
        let product = losses[each] as number
        for (let patient = 0; patient < scored; patient++) product *= loss
        const isFar = product < 1 / FAR || product > FAR
        if (isFar) gain -= Math.log(product)
        losses[each] = isFar ? 1 : product
      } else gain -= scored * Math.log(loss)
      gains[each] = gain
    }
  }
  return gains.map((gain, each) => eta * (gain - Math.log(losses[each] as number)))
}

/** The mean log odds of some risks. */
export function centreOf(bins: Iterable<Pick<BoundedBin, 'risk' | 'scored'>>): number {
  let sum = 0
  let total = 0
  for (const { risk, scored } of bins) {
    sum += logOdds(risk) * scored
    total += scored
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
