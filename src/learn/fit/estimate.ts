/** Fits a specification to its data: rows in, estimates out, with everything that a report needs. */
import { type GatherInput, type Gathered, gather, refuseOneSided } from '../gather.ts'
import { DataError } from '../data/data-error.ts'
import { Sample } from '../data/sample.ts'
import { type Draft, draftModel, withAbsence } from '../model/draft.ts'
import { fieldsWithOpenKnots, setKnots } from '../model/knots.ts'
import type { FitOptionsType, ModelSpecificationType } from '../model/model-specification.ts'
import { STATE } from '../../engine/read/slots.ts'
import { Design } from './design.ts'
import { whyNotEstimable } from './estimable.ts'
import { type LogisticFit, fitLogistic } from './logistic.ts'
import { NotEstimable } from './not-estimable.ts'
import { type RidgeChoice, chooseRidge } from './ridge.ts'
import { RowNotes } from '../row-notes.ts'
import { robustCovariance } from './robust.ts'

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
  readonly onStage?: (stage: string, done: number, of: number) => void
}

export const DEFAULT_SEED = 20260101
export const DEFAULT_FOLDS = 10

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
    const fit = fitLogistic(design, ridge === undefined ? {} : { penalty: ridge.penalty })
    return { fit, ridge, covariance: isRobust(design) ? robustCovariance(design, fit) : fit.covariance }
  } catch (error) {
    if (!(error instanceof NotEstimable)) throw error
    const names = error.columns.map((column) => `“${design.columns[column] ?? ''}”`).join(', ')
    throw new DataError([
      `${path}: the estimates run away, because ${names} together tell the outcome perfectly (separation); leave out or merge, or ask for a ridge penalty`,
    ])
  }
}

/** Whether rows are not independent, or do not count once each. */
export function isRobust(design: Design): boolean {
  return design.clusters < design.rows || design.blocks[0]?.weights !== undefined
}

/** The terms with their columns. Knots at quantiles need a first look at the data. */
async function prepare(input: EstimateInput): Promise<Draft> {
  const terms = withAbsence(input.model)
  const open = fieldsWithOpenKnots(input.model)
  if (open.length === 0) return draftModel(input.model, terms, input.catalog)
  const samples = new Map(open.map((field) => [field, new Sample()]))
  const plain = terms.filter((term) => term.kind !== 'spline')
  const stand = open.map((field) => ({ kind: 'linear' as const, field }))
  const look = draftModel(
    input.model,
    [...plain, ...stand, ...terms.filter((term) => term.kind === 'spline' && Array.isArray(term.knots))],
    input.catalog,
  )
  await gather(input, look.reader, ({ slots }, { plan }) => {
    for (const [field, sample] of samples) {
      const slot = plan.slotByName.get(field) ?? -1
      if (slots.stateOf(slot) !== STATE.assumed) sample.add(slots.valueOf(slot))
    }
  })
  const quantile = (field: string, share: number): number => samples.get(field)?.quantile(share) ?? Number.NaN
  return draftModel(input.model, setKnots(terms, quantile), input.catalog)
}
