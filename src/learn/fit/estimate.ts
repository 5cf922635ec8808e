/** Fits a specification to its data: rows in, estimates out, with everything that a report needs. */
import type { Plan } from '../../engine/plan.ts'
import { type GatherInput, type SeenRow, gather, refuseOneSided } from '../gather.ts'
import { DataError } from '../data/data-error.ts'
import type { Intake } from '../data/labelled.ts'
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
import { robustCovariance } from './robust.ts'

export interface Estimates {
  readonly draft: Draft
  readonly design: Design
  readonly intake: Intake
  readonly fit: LogisticFit
  readonly ridge: RidgeChoice | undefined
  /** Of the coefficients: by patient where the specification asks for it. */
  readonly covariance: Float64Array
  /** The values of each input, and how many rows have none. */
  readonly inputs: ReadonlyMap<string, InputSample>
}

export interface InputSample {
  readonly sample: Sample
  missing: number
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
  visit: (row: SeenRow, plan: Plan) => void = () => undefined,
): Promise<Estimates> {
  const draft = await prepare(input)
  const design = new Design(draft.columns)
  const inputs = new Map<string, InputSample>(
    Object.keys(draft.reader.inputs).map((field) => [field, { sample: new Sample(), missing: 0 }]),
  )
  const values = new Float64Array(draft.columns.length)
  let slots: readonly (readonly [InputSample, number])[] | undefined
  const intake = await gather(input, draft.reader, [], (row, { plan, compiled }) => {
    for (let column = 0; column < values.length; column++) {
      values[column] = compiled.terms[column]?.points(row.slots.values, row.slots.states) ?? Number.NaN
    }
    design.add(values, row.outcome, row.patient)
    visit(row, plan)
    slots ??= [...inputs].map(([field, sample]) => [sample, plan.slotByName.get(field) ?? -1] as const)
    for (const [input, slot] of slots) {
      if (row.slots.stateOf(slot) === STATE.assumed) input.missing++
      else input.sample.add(row.slots.valueOf(slot))
    }
  })
  refuseOneSided(input.path, design.rows, design.events, input.data.outcome.column)
  const reasons = whyNotEstimable(design, input.options.ridge !== undefined)
  if (reasons.length > 0) throw new DataError(reasons.map((reason) => `${input.path}: ${reason}`))
  return { draft, design, intake, inputs, ...solveFor(input, design) }
}

function solveFor(
  { path, options, onStage }: EstimateInput,
  design: Design,
): Pick<Estimates, 'fit' | 'ridge' | 'covariance'> {
  try {
    const { ridge: wanted, seed = DEFAULT_SEED, clustered = false } = options
    const ridge =
      wanted === undefined
        ? undefined
        : chooseRidge(design, wanted.folds ?? DEFAULT_FOLDS, seed, (done, of) =>
            onStage?.('choosing the penalty', done, of),
          )
    const fit = fitLogistic(design, ridge === undefined ? {} : { penalty: ridge.penalty })
    return { fit, ridge, covariance: clustered ? robustCovariance(design, fit) : fit.covariance }
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
  const plain = terms.filter((term) => term.kind !== 'spline')
  const stand = open.map((field) => ({ kind: 'linear' as const, field }))
  const look = draftModel(
    input.model,
    [...plain, ...stand, ...terms.filter((term) => term.kind === 'spline' && Array.isArray(term.knots))],
    input.catalog,
  )
  await gather(input, look.reader, [], ({ slots }, { plan }) => {
    for (const [field, sample] of samples) {
      const slot = plan.slotByName.get(field) ?? -1
      if (slots.stateOf(slot) !== STATE.assumed) sample.add(slots.valueOf(slot))
    }
  })
  const quantile = (field: string, share: number): number => samples.get(field)?.quantile(share) ?? Number.NaN
  return draftModel(input.model, setKnots(terms, quantile), input.catalog)
}
