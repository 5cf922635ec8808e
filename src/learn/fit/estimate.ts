/** Fits a specification to its data: rows in, estimates out, with everything that a report needs. */
import { STATE } from '../../engine/read/slots.ts'
import { DataError } from '../data/data-error.ts'
import { Sample } from '../data/sample.ts'
import type { Predictions } from '../figures/predictions.ts'
import { type Optimism, type Resampling, optimismOf } from '../figures/resampling.ts'
import { type GatherInput, type Scored, gather, refuseOneSided, stageOf } from '../gather.ts'
import { type Draft, draftModel, fieldsWithOpenKnots, setKnots, withAbsence } from '../model/draft.ts'
import type { FitOptionsType, ModelSpecificationType } from '../specification.ts'
import { RowNotes } from '../row-notes.ts'
import { factorise } from '../numbers/cholesky.ts'
import { type Design, RowList } from './design.ts'
import { TOGETHER, addTogether } from './pass.ts'
import { type LogisticFit, NotEstimable, fitByPatient, fitLogistic } from './logistic.ts'
import { type RidgeChoice, chooseRidge } from './ridge.ts'

export interface Estimates extends Omit<Scored, 'predictions'> {
  readonly draft: Draft
  readonly design: Design
  /** Its covariance is by patient where patients repeat or rows have weights. */
  readonly fit: LogisticFit
  readonly ridge: RidgeChoice | undefined
}

export interface EstimateInput extends GatherInput {
  readonly model: ModelSpecificationType
  readonly options: FitOptionsType
}

export const DEFAULT_SEED = 20260101
export const SAMPLES = 200
const DEFAULT_FOLDS = 10
/** With more numbers than this in the columns the optimism is negligible, and resampling takes minutes. */
const MOST_TO_RESAMPLE = 2_000_000

export async function estimate(
  input: EstimateInput,
  check: (design: Design) => void = () => undefined,
): Promise<Estimates> {
  const draft = await prepare(input)
  const list = new RowList()
  const notes = new RowNotes(input.data)
  const values = new Float64Array(draft.columns.length)
  const gathered = await gather(input, draft.reader, (row, { plan, compiled }) => {
    for (let column = 0; column < values.length; column++) {
      values[column] = compiled.terms[column]?.points(row.slots.values, row.slots.states) ?? Number.NaN
    }
    list.add(values, row)
    notes.add(row, plan)
  })
  const design = list.design(draft.columns, input.data.weights !== undefined)
  refuseOneSided(input, design.rows, design.events)
  check(design)
  const reasons = whyNotEstimable(design, input.options.ridge !== undefined)
  if (reasons.length > 0) throw new DataError(reasons.map((reason) => `${input.path}: ${reason}`))
  return { draft, design, gathered, notes, ...solveFor(input, design) }
}

function solveFor(input: EstimateInput, design: Design): Pick<Estimates, 'fit' | 'ridge'> {
  const { ridge: wanted, seed = DEFAULT_SEED } = input.options
  try {
    const ridge =
      wanted &&
      chooseRidge(design, wanted.folds ?? DEFAULT_FOLDS, seed, stageOf(input, 'choosing the penalty'))
    return { fit: fitByPatient(design, { penalty: ridge?.penalty ?? 0 }), ridge }
  } catch (error) {
    if (!(error instanceof NotEstimable)) throw error
    const names = error.columns.map((column) => `“${design.columns[column] ?? ''}”`).join(', ')
    throw new DataError([
      `${input.path}: the estimates run away, because ${names} together tell the outcome perfectly (separation); leave out or merge, or ask for a ridge penalty`,
    ])
  }
}

/** The terms with their columns. Knots at quantiles need a first look at the data. */
async function prepare(input: EstimateInput): Promise<Draft> {
  const terms = withAbsence(input.model)
  const open = fieldsWithOpenKnots(input.model)
  if (open.length === 0) return draftModel(input.model, terms, input.catalog)
  const samples = new Map(open.map((field) => [field, new Sample()]))
  const known = terms.filter((term) => term.kind !== 'spline' || Array.isArray(term.knots))
  const straight = open.map((field) => ({ kind: 'linear' as const, field }))
  const look = draftModel(input.model, [...known, ...straight], input.catalog)
  await gather(input, look.reader, ({ slots }, { plan }) => {
    for (const [field, sample] of samples) {
      const slot = plan.slotByName.get(field) ?? -1
      if (slots.stateOf(slot) !== STATE.assumed) sample.add(slots.valueOf(slot))
    }
  })
  const quantile = (field: string, share: number): number => samples.get(field)?.quantile(share) ?? Number.NaN
  return draftModel(input.model, setKnots(terms, quantile), input.catalog)
}

/** One minus the share of a column's variance that others explain, below which it adds nothing of its own. */
const COLLINEAR = 1e-9
const VISIBLE_WEIGHT = 1e-6

/** Everything, in words, that keeps the columns from being estimated. Empty when nothing does. A penalty settles all but constants. */
export function whyNotEstimable(design: Design, isPenalised: boolean): readonly string[] {
  const single = design.standardise().flatMap(({ lowest, highest }, column) => {
    const name = design.columns[column] ?? ''
    if (Math.min(...lowest) === Math.max(...highest)) {
      return [`“${name}” is the same in every row, so nothing can be learnt from it`]
    }
    // All values of one outcome lie at or below all values of the other.
    const separates = highest[0] <= lowest[1] || highest[1] <= lowest[0]
    if (isPenalised || !separates) return []
    return [
      `“${name}” tells the outcome perfectly on one side (perfect separation): every row beyond one of its values has the same outcome; leave it out or merge it with another, or ask for a ridge penalty`,
    ]
  })
  return single.length > 0 || isPenalised ? single : collinear(design)
}

function collinear(design: Design): readonly string[] {
  const { columns } = design
  const { dependence } = factorise(correlations(design), columns.length, COLLINEAR)
  if (dependence === undefined) return []
  const others = columns.filter((_name, k) => Math.abs(dependence.weights[k] ?? 0) > VISIBLE_WEIGHT)
  return [
    `“${columns[dependence.row] ?? ''}” follows from ${others.map((name) => `“${name}”`).join(', ')} (collinear); leave one of them out`,
  ]
}

/** The lower triangle. */
function correlations({ columns, values, rows }: Design): Float64Array {
  const size = columns.length
  const sums = new Float64Array(size * size)
  const together = new Float64Array(TOGETHER * size)
  for (let start = 0; start < values.length; start += together.length) {
    for (let k = 0; k < together.length; k++) together[k] = values[start + k] ?? 0
    addTogether(sums, together, together, size)
  }
  return sums.map((sum) => sum / rows)
}

/** Estimates as a model's file holds them, and the risks that they give. */
export interface RoundedFit {
  readonly intercept: number
  /** One for each column of the draft. */
  readonly coefficients: readonly number[]
  readonly predictions: Predictions
}

export function roundFit({ fit, design }: Estimates, decimals: number | undefined): RoundedFit {
  const rounded = Array.from(fit.coefficients, (value) =>
    decimals === undefined ? value : Number(value.toFixed(decimals)),
  )
  const [intercept = 0, ...coefficients] = rounded
  return { intercept, coefficients, predictions: design.predict(design.toStandard(rounded)) }
}

/** How many samples to draw by default. */
export function usualSamples(rows: number, columns: number): number {
  return rows * columns > MOST_TO_RESAMPLE ? 0 : SAMPLES
}

/**
 * The optimism of a fit: it is repeated in samples of patients. Undefined where no samples are wanted or none can be
 * evaluated. The penalty and the knots stay those of the whole data.
 */
export function fitOptimism(
  { design, fit, ridge }: Estimates,
  of: 'fit' | 'refit',
  wanted: { readonly samples?: number | undefined; readonly seed?: number | undefined } & Pick<
    Resampling,
    'onStep'
  >,
): Optimism | undefined {
  const { samples = usualSamples(design.rows, design.columns.length), seed = DEFAULT_SEED, onStep } = wanted
  const penalty = ridge?.penalty ?? 0
  return optimismOf(
    (times) => {
      if (times === undefined) return { predictions: design.predict(fit.standard) }
      const { standard } = fitLogistic(design, { times, penalty, start: fit.standard })
      // Without a penalty a fit's slope on its own sample is 1 by construction.
      return { predictions: design.predict(standard), ownSlope: penalty === 0 ? 1 : undefined }
    },
    { of, samples, seed, onStep },
  )
}
