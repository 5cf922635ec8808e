/** Bootstrap by patient: 95 % intervals of a model's figures, and their optimism. */
import type { OnProgress } from '../data/file-rows.ts'
import type { Estimates } from '../fit/estimate.ts'
import {
  fitCalibration,
  NotEstimable,
  fitLogistic,
  ifEstimable,
  DEFAULT_SEED,
  randomFrom,
  brierScore,
  meansOf,
  weightedC,
  type Predictions,
  type Times,
  clusterCount,
  orderOf,
} from '@patient-risk/statistics'
import { AT_THRESHOLD, thresholdTable } from './thresholds.ts'

const SAMPLES = 200
/** With more numbers than this in the columns the optimism is negligible, and resampling takes minutes. */
const MOST_TO_RESAMPLE = 2_000_000

export interface Resampling {
  /** 0 for none. */
  readonly samples?: number | undefined
  readonly seed?: number | undefined
  readonly onStep?: OnProgress
}

export interface Sampled {
  readonly samples: number
  readonly seed: number
  /** Samples that are left out: the estimates did not converge, or everybody or nobody has the event. */
  readonly failed: number
}

const MEASURES = ['cStatistic', 'brier', 'scaledBrier', 'slope'] as const
type Each<Names extends readonly string[], T> = Readonly<Record<Names[number], T>>
type Corrected = Each<readonly ['apparent', 'optimism', 'corrected'], number>

export interface Optimism extends Each<typeof MEASURES, Corrected>, Sampled {
  /** What was repeated in each sample: the fit, the fit of the specification, or the recalibration. */
  readonly of: 'fit' | 'refit' | 'recalibration'
  /** Whether a refit gives the validated model itself: then these are the data that it was made from. */
  readonly ownData?: boolean
}

interface Procedure extends Resampling, Pick<Optimism, 'of'> {
  /** What it gives for the whole data, and how many columns it fits. */
  readonly own: Predictions
  readonly columns: number
}

/**
 * How much better a procedure of fitting looks on its own data than on new patients, by Harrell's bootstrap: the whole procedure
 * is repeated in each sample of patients, and its model is evaluated on that sample and on the original data. The mean difference
 * is the optimism. Undefined without samples, and where the outcome is separated perfectly in the data, or in every sample.
 * `ownSlope` is the slope on the sample itself, if it is known without a fit.
 */
export function optimismOf(
  { of, own, columns, ...resampling }: Procedure,
  repeat: (times: Uint16Array) => {
    readonly predictions: Predictions
    readonly ownSlope?: number | undefined
  },
): Optimism | undefined {
  const { samples = own.risks.length * columns > MOST_TO_RESAMPLE ? 0 : SAMPLES } = resampling
  if (samples === 0) return undefined
  const once = new Uint16Array(clusterCount(own.clusters)).fill(1)
  const apparent = ifEstimable(() => measure(own, orderOf(own.risks), once))
  if (apparent === undefined) return undefined
  const { results, sampled } = inSamples(once.length, { ...resampling, samples }, (times) => {
    const { predictions, ownSlope } = repeat(times)
    const order = orderOf(predictions.risks)
    const there = measure(predictions, order, times, ownSlope)
    const here = measure(predictions, order, once)
    return MEASURES.map((name) => there[name] - here[name])
  })
  if (results.length === 0) return undefined
  const corrected = MEASURES.map((name, k): readonly [string, Corrected] => {
    const optimism = results.reduce((sum, gains) => sum + (gains[k] as number), 0) / results.length
    return [name, { apparent: apparent[name], optimism, corrected: apparent[name] - optimism }]
  })
  return { of, ...sampled, ...(Object.fromEntries(corrected) as Each<typeof MEASURES, Corrected>) }
}

/** Repeats the work in each sample. Samples in which something cannot be estimated have failed. */
export function inSamples<T>(
  patients: number,
  { samples = SAMPLES, seed = DEFAULT_SEED, onStep }: Resampling,
  work: (times: Uint16Array) => T,
): { readonly results: readonly T[]; readonly sampled: Sampled } {
  const random = randomFrom(seed)
  const results: T[] = []
  for (let sample = 0; sample < samples; sample++) {
    const times = new Uint16Array(patients)
    for (let draw = 0; draw < patients; draw++) {
      const patient = Math.floor(random() * patients)
      times[patient] = (times[patient] as number) + 1
    }
    const result = ifEstimable(() => work(times))
    if (result !== undefined) results.push(result)
    onStep?.(sample + 1, samples)
  }
  return { results, sampled: { samples, seed, failed: samples - results.length } }
}

/** Throws NotEstimable for a sample in which everybody, or nobody, has the event. */
function measure(predictions: Predictions, order: Uint32Array, times: Times, knownSlope?: number) {
  const cStatistic = weightedC(predictions, order, times)
  if (Number.isNaN(cStatistic)) throw new NotEstimable()
  const { value: brier, scaled: scaledBrier } = brierScore(predictions, times)
  const fitted = (): number => fitCalibration(predictions, 'slope', times).coefficients[1] ?? Number.NaN
  return { cStatistic, brier, scaledBrier, slope: knownSlope ?? fitted() }
}

export type Span = readonly [number, number]

const OVERALL = ['cStatistic', 'brier', 'scaledBrier', 'inTheLarge', 'intercept', 'slope', 'ratio'] as const

export interface BootstrapIntervals extends Each<typeof OVERALL, Span>, Sampled {
  /** Of the figures at the threshold, where there is one. */
  readonly atThreshold?: Each<typeof AT_THRESHOLD, Span>
}

export function bootstrapIntervals(
  predictions: Predictions,
  threshold: number | undefined,
  resampling: Resampling,
): BootstrapIntervals {
  const order = orderOf(predictions.risks)
  const patients = clusterCount(predictions.clusters)
  const { results, sampled } = inSamples<Readonly<Record<string, number>>>(patients, resampling, (times) => {
    const line = fitCalibration(predictions, 'slope', times)
    const [inTheLarge = Number.NaN] = fitCalibration(predictions, 'intercept', times).coefficients
    const [intercept = Number.NaN, slope = Number.NaN] = line.coefficients
    const table = threshold === undefined ? {} : thresholdTable(predictions, times)(threshold)
    const { ratio } = meansOf(predictions, times)
    return { ...measure(predictions, order, times, slope), inTheLarge, intercept, ratio, ...table }
  })
  const spans = <Names extends readonly string[]>(names: Names): Each<Names, Span> => {
    const found = names.map((name) => [name, spanOf(results.map((each) => each[name] ?? Number.NaN))])
    return Object.fromEntries(found) as Each<Names, Span>
  }
  return {
    ...sampled,
    ...spans(OVERALL),
    ...(threshold !== undefined && { atThreshold: spans(AT_THRESHOLD) }),
  }
}

/** The middle 95 %. The interval of a figure that some samples lack (nobody flagged, so no predictive value) comes from the others. */
export function spanOf(values: readonly number[]): Span {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN
  return [at(0.025), at(0.975)]
}

/** The penalty and the knots of the whole data are kept. */
export function fitOptimism(
  estimates: Estimates,
  of: 'fit' | 'refit',
  wanted: Resampling,
): Optimism | undefined {
  const { design, fit, ridge } = estimates
  const penalty = ridge?.penalty ?? 0
  const own = design.predict(fit.standard)
  return optimismOf({ of, own, columns: design.columns.length, ...wanted }, (times) => {
    const { standard } = fitLogistic(design, { times, penalty, start: fit.standard })
    // Without a penalty a fit's slope on its own sample is 1 by construction.
    return { predictions: design.predict(standard), ownSlope: penalty === 0 ? 1 : undefined }
  })
}
