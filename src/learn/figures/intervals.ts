/** 95 % intervals of a model's figures from samples of patients. */
import { orderOf } from '../numbers/radix-order.ts'
import { fitCalibration, meansOf } from './calibration.ts'
import { type Resampling, inSamples, measure } from './optimism.ts'
import { type Predictions, clusterCount } from './predictions.ts'
import { ThresholdTable } from './thresholds.ts'

export type Span = readonly [number, number]

/** `ratio` is observed over expected events. */
const OVERALL = ['cStatistic', 'brier', 'scaledBrier', 'inTheLarge', 'intercept', 'slope', 'ratio'] as const
const AT_THRESHOLD = [
  'flagged',
  'sensitivity',
  'specificity',
  'positiveValue',
  'negativeValue',
  'netBenefit',
] as const
type Spans<Name extends string> = Readonly<Record<Name, Span>>

export interface BootstrapIntervals extends Spans<(typeof OVERALL)[number]> {
  readonly samples: number
  readonly seed: number
  /** Samples without a figure: everybody in them, or nobody, has the event. */
  readonly failed: number
  /** Of the figures at the threshold, where there is one. */
  readonly atThreshold?: Spans<(typeof AT_THRESHOLD)[number]>
}

export function bootstrapIntervals(
  predictions: Predictions,
  threshold: number | undefined,
  resampling: Resampling,
): BootstrapIntervals {
  const { samples, seed } = resampling
  const order = orderOf(predictions.risks)
  const { results, failed } = inSamples(
    clusterCount(predictions.clusters),
    resampling,
    (times): Readonly<Record<string, number>> => {
      const line = fitCalibration(predictions, 'slope', times)
      const [inTheLarge = Number.NaN] = fitCalibration(predictions, 'intercept', times).coefficients
      const [intercept = Number.NaN, slope = Number.NaN] = line.coefficients
      const table = threshold === undefined ? {} : new ThresholdTable(predictions, times).at(threshold)
      const { ratio } = meansOf(predictions, times)
      const measures = measure(predictions, order, times, slope)
      return { ...measures, inTheLarge, intercept, ratio, ...table }
    },
  )
  const spans = <Name extends string>(names: readonly Name[]): Spans<Name> =>
    Object.fromEntries(
      names.map((name) => [name, middle95(results.map((each) => each[name] ?? Number.NaN))]),
    ) as Spans<Name>
  return {
    samples,
    seed,
    failed,
    ...spans(OVERALL),
    ...(threshold === undefined ? {} : { atThreshold: spans(AT_THRESHOLD) }),
  }
}

/** A figure that some samples lack (nobody flagged, so no predictive value) is bracketed by those that have it. */
function middle95(values: readonly number[]): Span {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN
  return [at(0.025), at(0.975)]
}
