/** Fits a specification to its data: rows in, estimates out, with everything that a report needs. */
import { DataError } from '../../tables/data-error.ts'
import {
  type Predictions,
  clusterCount,
  factorise,
  DEFAULT_SEED,
  randomFrom,
  Design,
  type LogisticFit,
  NotEstimable,
  fitByPatient,
  fitLogistic,
  ifEstimable,
  newtonStepAt,
} from '@patient-risk/statistics'
import type { OnProgress } from '../data/file-rows.ts'
import { type GatherInput, gather, modelRunFor, stageOf } from '../data/gather.ts'
import { type Rows, collectRows } from '../data/rows.ts'
import { type Draft, type FittedTerm, draftModel, hasOpenKnots, withAbsence } from '../model/draft.ts'
import { refuseSmallSample } from './sample-size.ts'
import type { FitOptions, ModelSpecification } from '../data/specification.ts'

export interface Estimates extends Rows {
  readonly draft: Draft
  readonly design: Design
  /** Its covariance is by patient where patients repeat or rows have weights, unless the options say otherwise. */
  readonly fit: LogisticFit
  readonly ridge: RidgeChoice | undefined
}

export interface RidgeChoice {
  readonly penalty: number
  readonly folds: number
  /** Each penalty that was tried, and the mean log likelihood of a row left out. */
  readonly tried: readonly { readonly penalty: number; readonly logLikelihood: number }[]
}

export interface EstimateInput extends GatherInput {
  readonly model: ModelSpecification
  readonly options: FitOptions
  /** Fits although there are fewer events than the stated minimum. */
  readonly allowSmallSample?: boolean | undefined
}

const DEFAULT_FOLDS = 10

export async function estimate(input: EstimateInput): Promise<Estimates> {
  const { path, options, allowSmallSample = false } = input
  const isPenalised = options.ridge !== undefined
  const draft = await prepare(input)
  const rows = await collectRows(input, draft.reader, ({ points }) => points)
  const design = new Design(draft.columns, rows.values, rows.labels)
  if (!allowSmallSample) refuseSmallSample(path, design.labels, isPenalised ? 0 : draft.columns.length)
  const reasons = whyNotEstimable(design, isPenalised)
  if (reasons.length > 0) throw new DataError(reasons.map((reason) => `${path}: ${reason}`))
  const { ridge: wanted, seed = DEFAULT_SEED, clustered = true } = options
  try {
    const onStep = stageOf(input, 'choosing the penalty')
    const ridge = wanted && chooseRidge(design, wanted.folds ?? DEFAULT_FOLDS, seed, onStep)
    const fit = (clustered ? fitByPatient : fitLogistic)(design, { penalty: ridge?.penalty ?? 0 })
    return { ...rows, draft, design, fit, ridge }
  } catch (error) {
    if (!(error instanceof NotEstimable)) throw error
    const names = error.columns.map((column) => `“${design.columns[column] ?? ''}”`).join(', ')
    throw new DataError([
      `${path}: the estimates diverge, because ${names} together predict the outcome perfectly (separation); leave out or merge, or ask for a ridge penalty`,
    ])
  }
}

/** No penalty, and half decades from a tenth to ten thousand. */
const PENALTIES = [0, ...Array.from({ length: 11 }, (_each, step) => 10 ** (step / 2 - 1))]

/** Chooses a ridge penalty by cross-validation. Rows of one patient always share a fold. */
export function chooseRidge(design: Design, folds: number, seed: number, onStep?: OnProgress): RidgeChoice {
  const foldOf = assignFolds(clusterCount(design.labels.clusters), folds, seed)
  const starts = new Array<Float64Array | undefined>(folds)
  // From the strongest penalty down: each fit starts from the one before it, and none starts far away.
  const tried = [...PENALTIES].reverse().map((penalty, step) => {
    let sum = 0
    for (let fold = 0; fold < folds; fold++) {
      const inside = Uint8Array.from(foldOf, (own) => (own === fold ? 0 : 1))
      const outside = Uint8Array.from(foldOf, (own) => (own === fold ? 1 : 0))
      const start = starts[fold]
      // A penalty that is too weak for the fit to converge is not chosen.
      const standard = ifEstimable(() => fitLogistic(design, { times: inside, penalty, start }).standard)
      starts[fold] = standard ?? start
      sum += standard === undefined ? -Infinity : newtonStepAt(design, standard, outside).logLikelihood
      onStep?.(step * folds + fold + 1, PENALTIES.length * folds)
    }
    return { penalty, logLikelihood: sum / design.rows }
  })
  const best = tried.reduce((a, b) => (b.logLikelihood >= a.logLikelihood ? b : a))
  return { penalty: best.penalty, folds, tried: tried.reverse() }
}

/** Folds of nearly the same number of patients, in an order drawn from the seed. */
export function assignFolds(clusters: number, folds: number, seed: number): Uint8Array {
  const random = randomFrom(seed)
  const order = Array.from({ length: clusters }, (_each, index) => index)
  for (let last = clusters - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[order[last], order[other]] = [order[other] as number, order[last] as number]
  }
  const foldOf = new Uint8Array(clusters)
  order.forEach((cluster, place) => (foldOf[cluster] = place % folds))
  return foldOf
}

/** Quantiles in common use, by the number of knots. */
const KNOT_SHARES: Readonly<Record<number, readonly number[]>> = {
  3: [0.1, 0.5, 0.9],
  4: [0.05, 0.35, 0.65, 0.95],
  5: [0.05, 0.275, 0.5, 0.725, 0.95],
  6: [0.05, 0.23, 0.41, 0.59, 0.77, 0.95],
  7: [0.025, 0.1833, 0.3417, 0.5, 0.6583, 0.8167, 0.975],
}

/** The terms with their columns. If only the number of knots is given, they are put at quantiles, which needs a first look at the data. */
async function prepare(input: EstimateInput): Promise<Draft> {
  const { model, catalog } = input
  const terms = withAbsence(model)
  if (!terms.some(hasOpenKnots)) return draftModel(model, terms, catalog)
  const straight = terms.map((term): FittedTerm =>
    hasOpenKnots(term) ? { kind: 'linear', field: term.field } : term,
  )
  const { inputs } = await gather(input, modelRunFor(input, draftModel(model, straight, catalog).reader))
  const knotted = terms.map((term) => {
    if (!hasOpenKnots(term)) return term
    const sample = inputs.find(({ name }) => name === term.field)?.sample
    const knots = new Set(KNOT_SHARES[term.knots]?.map((share) => sample?.quantile(share) ?? Number.NaN))
    if (knots.size >= 3) return { ...term, knots: [...knots] }
    throw new DataError([
      `${term.field} takes too few values for a curve with ${term.knots} knots; use fewer, or another term`,
    ])
  })
  return draftModel(model, knotted, catalog)
}

/** One minus the share of a column's variance that others explain, below which it adds nothing of its own. */
const COLLINEAR = 1e-9
const VISIBLE_WEIGHT = 1e-6

/** The reasons why the columns cannot be estimated. With a penalty only constant columns are a reason. */
export function whyNotEstimable(design: Design, isPenalised: boolean): readonly string[] {
  const single = design.ranges.flatMap(({ width, lowest, highest }, column) => {
    const name = design.columns[column] ?? ''
    if (width === 0) return [`“${name}” is the same in every row, so nothing can be learnt from it`]
    // Every value of one outcome is at or below every value of the other.
    const separates = highest[0] <= lowest[1] || highest[1] <= lowest[0]
    if (isPenalised || !separates) return []
    return [
      `“${name}” predicts the outcome perfectly on one side (perfect separation): every row beyond one of its values has the same outcome; leave it out or merge it with another, or ask for a ridge penalty`,
    ]
  })
  if (single.length > 0 || isPenalised) return single
  const { columns } = design
  // The information at coefficients of 0: the products of the columns, in which the intercept comes first.
  const { information } = newtonStepAt(design, new Float64Array(columns.length + 1), undefined)
  const { dependence } = factorise(information, columns.length + 1, COLLINEAR)
  if (dependence === undefined) return []
  const others = columns.filter((_name, k) => Math.abs(dependence.weights[k + 1] ?? 0) > VISIBLE_WEIGHT)
  return [
    `“${columns[dependence.row - 1] ?? ''}” follows from ${others.map((name) => `“${name}”`).join(', ')} (collinear); leave one of them out`,
  ]
}

/** The estimates as a model's file holds them, intercept first, and the risks that they give. */
export function roundedFit(
  { fit, design }: Estimates,
  decimals: number | undefined,
): { readonly rounded: readonly number[]; readonly predictions: Predictions } {
  const rounded = Array.from(fit.coefficients, (value) =>
    decimals === undefined ? value : Number(value.toFixed(decimals)),
  )
  return { rounded, predictions: design.predict(design.toStandard(rounded)) }
}
