/**
 * How much better a procedure of fitting looks on its own data than on new patients, by Harrell's bootstrap: the whole
 * procedure is repeated in each sample of patients, and its model is evaluated on that sample and on the original data.
 * The mean difference is the optimism.
 */
import { NotEstimable, ifEstimable } from '../fit/not-estimable.ts'
import { orderOf } from '../numbers/radix-order.ts'
import { randomFrom, resample } from '../numbers/random.ts'
import { brierScore, fitCalibration } from './calibration.ts'
import { weightedC } from './discrimination.ts'
import { type Predictions, type Times, clusterCount } from './predictions.ts'

export interface Optimism extends Readonly<Record<keyof Measures, Corrected>> {
  /** What was repeated in each sample: the fit, the fit of the specification, or the recalibration. */
  readonly of: 'fit' | 'refit' | 'recalibration'
  /** Whether a refit gives the validated model itself: then these are the data that it was made from. */
  readonly ownData?: boolean
  readonly samples: number
  readonly seed: number
  /** Samples in which the estimates did not converge; they are left out. */
  readonly failed: number
}

export interface Corrected {
  readonly apparent: number
  readonly optimism: number
  readonly corrected: number
}

/** A model made from a sample of patients, and its risks for all rows. */
export type Procedure = (times: Uint16Array | undefined) => {
  readonly predictions: Predictions
  /** The slope on the very sample, where it is known without a fit. */
  readonly ownSlope?: number | undefined
}

/** Undefined without samples, and where the outcome is separated perfectly in the data, or in every sample. */
export function optimismOf(
  procedure: Procedure,
  { of, ...resampling }: { readonly of: Optimism['of'] } & Resampling,
): Optimism | undefined {
  const { samples, seed } = resampling
  if (samples === 0) return undefined
  const own = procedure(undefined).predictions
  const once = new Uint16Array(clusterCount(own.clusters)).fill(1)
  const apparent = ifEstimable(() => measure(own, orderOf(own.risks), once))
  if (apparent === undefined) return undefined
  const { results, failed } = inSamples(once.length, resampling, (times) => {
    const { predictions, ownSlope } = procedure(times)
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
  return {
    of,
    samples,
    seed,
    failed,
    ...(Object.fromEntries(corrected) as Record<keyof Measures, Corrected>),
  }
}

export type OnStep = (done: number, of: number) => void

export interface Resampling {
  readonly samples: number
  readonly seed: number
  readonly onStep?: OnStep | undefined
}

/** Repeats the work in each sample. Samples in which something cannot be estimated have failed. */
export function inSamples<T>(
  patients: number,
  { samples, seed, onStep }: Resampling,
  work: (times: Uint16Array) => T,
): { readonly results: readonly T[]; readonly failed: number } {
  const random = randomFrom(seed)
  const results: T[] = []
  for (let sample = 0; sample < samples; sample++) {
    const times = resample(patients, random)
    const result = ifEstimable(() => work(times))
    if (result !== undefined) results.push(result)
    onStep?.(sample + 1, samples)
  }
  return { results, failed: samples - results.length }
}

const MEASURES = ['cStatistic', 'brier', 'scaledBrier', 'slope'] as const
type Measures = Readonly<Record<(typeof MEASURES)[number], number>>

/** Throws NotEstimable for a sample in which everybody, or nobody, has the event. */
export function measure(
  predictions: Predictions,
  order: Uint32Array,
  times: Times,
  knownSlope?: number,
): Measures {
  const cStatistic = weightedC(predictions, order, times)
  if (Number.isNaN(cStatistic)) throw new NotEstimable()
  const { value: brier, scaled: scaledBrier } = brierScore(predictions, times)
  const fitted = (): number => fitCalibration(predictions, 'slope', times).coefficients[1] ?? Number.NaN
  return { cStatistic, brier, scaledBrier, slope: knownSlope ?? fitted() }
}
