/** 95 % intervals of a model's figures from samples of patients: several rows of one patient are one draw. */
import { NotEstimable } from '../fit/not-estimable.ts'
import { randomFrom, resample } from '../numbers/random.ts'
import { orderOf } from '../numbers/radix-order.ts'
import { fitCalibration, meansOf } from './calibration.ts'
import { measure } from './measures.ts'
import type { OnStep } from './optimism.ts'
import { type Predictions, clusterCount } from './predictions.ts'
import { ThresholdTable } from './thresholds.ts'

export type Span = readonly [number, number]

export interface BootstrapIntervals {
  readonly samples: number
  readonly seed: number
  /** Samples without a figure: everybody in them, or nobody, has the event. */
  readonly failed: number
  readonly cStatistic: Span
  readonly brier: Span
  readonly scaledBrier: Span
  readonly inTheLarge: Span
  readonly intercept: Span
  readonly slope: Span
  /** Observed over expected events. */
  readonly ratio: Span
  /** Of the figures at the threshold, where there is one. */
  readonly atThreshold?: Readonly<Record<(typeof AT_THRESHOLD)[number], Span>>
}

const AT_THRESHOLD = [
  'flagged',
  'sensitivity',
  'specificity',
  'positiveValue',
  'negativeValue',
  'netBenefit',
] as const

export function bootstrapIntervals(
  predictions: Predictions,
  threshold: number | undefined,
  options: { readonly samples: number; readonly seed: number },
  onStep: OnStep = () => undefined,
): BootstrapIntervals {
  const { samples, seed } = options
  const random = randomFrom(seed)
  const order = orderOf(predictions.risks)
  const patients = clusterCount(predictions.clusters)
  const drawn = new Map<string, number[]>()
  const note = (figures: Readonly<Record<string, number>>): void => {
    for (const [name, value] of Object.entries(figures)) {
      const values = drawn.get(name) ?? []
      values.push(value)
      drawn.set(name, values)
    }
  }
  let failed = 0
  for (let sample = 0; sample < samples; sample++) {
    const times = resample(patients, random)
    try {
      const line = fitCalibration(predictions, 'slope', times)
      const [inTheLarge = Number.NaN] = fitCalibration(predictions, 'intercept', times).coefficients
      const [intercept = Number.NaN, slope = Number.NaN] = line.coefficients
      const measures = measure(predictions, order, times, slope)
      note({ ...measures, inTheLarge, intercept, ratio: meansOf(predictions, times).ratio })
      if (threshold !== undefined) note({ ...new ThresholdTable(predictions, times).at(threshold) })
    } catch (error) {
      if (!(error instanceof NotEstimable)) throw error
      failed++
    }
    onStep(sample + 1, samples)
  }
  const span = (name: string): Span => middle95(drawn.get(name) ?? [])
  return {
    samples,
    seed,
    failed,
    cStatistic: span('cStatistic'),
    brier: span('brier'),
    scaledBrier: span('scaledBrier'),
    inTheLarge: span('inTheLarge'),
    intercept: span('intercept'),
    slope: span('slope'),
    ratio: span('ratio'),
    ...(threshold === undefined
      ? {}
      : {
          atThreshold: Object.fromEntries(AT_THRESHOLD.map((name) => [name, span(name)])) as Record<
            (typeof AT_THRESHOLD)[number],
            Span
          >,
        }),
  }
}

/** A figure that some samples lack (nobody flagged, so no predictive value) is bracketed by those that have it. */
function middle95(values: readonly number[]): Span {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN
  return [at(0.025), at(0.975)]
}
