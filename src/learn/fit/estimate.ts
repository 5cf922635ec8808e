/** Fits a specification to its data: rows in, estimates out, with everything that a report needs. */
import { STATE } from '../../engine/read/slots.ts'
import { DataError } from '../data/data-error.ts'
import { Sample } from '../data/sample.ts'
import { type OnStep, type Optimism, optimismOf } from '../figures/optimism.ts'
import type { Predictions } from '../figures/predictions.ts'
import { type GatherInput, type Gathered, gather, refuseOneSided } from '../gather.ts'
import { type Draft, draftModel, fieldsWithOpenKnots, setKnots, withAbsence } from '../model/draft.ts'
import type { FitOptionsType, ModelSpecificationType } from '../model/model-specification.ts'
import { RowNotes } from '../row-notes.ts'
import { Design } from './design.ts'
import { whyNotEstimable } from './estimable.ts'
import { type LogisticFit, fitLogistic, isRobust, robustCovariance } from './logistic.ts'
import { NotEstimable } from './not-estimable.ts'
import { type RidgeChoice, chooseRidge } from './ridge.ts'

export interface Estimates {
  readonly draft: Draft
  readonly design: Design
  readonly fit: LogisticFit
  readonly ridge: RidgeChoice | undefined
  /** Of the coefficients: by patient where patients repeat or rows have weights. */
  readonly covariance: Float64Array
  readonly gathered: Gathered
  /** Of each used row, in their order: the part of the data it belongs to, and what may make it special. */
  readonly notes: RowNotes
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
  const design = new Design(draft.columns, { weights: input.data.weights !== undefined })
  const notes = new RowNotes(input.data)
  const values = new Float64Array(draft.columns.length)
  const gathered = await gather(input, draft.reader, (row, { plan, compiled }) => {
    for (let column = 0; column < values.length; column++) {
      values[column] = compiled.terms[column]?.points(row.slots.values, row.slots.states) ?? Number.NaN
    }
    design.add(values, row.outcome, row.patient, 0, row.weight)
    notes.add(row, plan)
  })
  refuseOneSided(input.path, design.rows, design.events, input.data.outcome.column)
  check(design)
  const reasons = whyNotEstimable(design, input.options.ridge !== undefined)
  if (reasons.length > 0) throw new DataError(reasons.map((reason) => `${input.path}: ${reason}`))
  return { draft, design, gathered, notes, ...solveFor(input, design) }
}

function solveFor(
  { path, options, onStage }: EstimateInput,
  design: Design,
): Pick<Estimates, 'fit' | 'ridge' | 'covariance'> {
  try {
    const { ridge: wanted, seed = DEFAULT_SEED } = options
    const ridge =
      wanted === undefined
        ? undefined
        : chooseRidge(design, wanted.folds ?? DEFAULT_FOLDS, seed, (done, of) =>
            onStage?.('choosing the penalty', done, of),
          )
    const fit = fitLogistic(design, { penalty: ridge?.penalty ?? 0 })
    return { fit, ridge, covariance: isRobust(design) ? robustCovariance(design, fit) : fit.covariance }
  } catch (error) {
    if (!(error instanceof NotEstimable)) throw error
    const names = error.columns.map((column) => `“${design.columns[column] ?? ''}”`).join(', ')
    throw new DataError([
      `${path}: the estimates run away, because ${names} together tell the outcome perfectly (separation); leave out or merge, or ask for a ridge penalty`,
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
  wanted: {
    readonly samples?: number | undefined
    readonly seed?: number | undefined
    readonly onStep?: OnStep
  },
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
