/** Fits a model again from its specification on the data of a validation, to correct its figures for optimism. */
import { DataError } from './data/data-error.ts'
import type { Optimism } from './figures/optimism.ts'
import type { Predictions } from './figures/predictions.ts'
import { estimate } from './fit/estimate.ts'
import { fitOptimism } from './fit/fit-optimism.ts'
import { predictRounded, roundFit } from './fit/rounded-fit.ts'
import type { GatherInput } from './gather.ts'
import type { FitOptionsType, ModelSpecificationType } from './model/model-specification.ts'

/** The parts of a specification that say how a model is made. */
export interface Refit {
  readonly model: ModelSpecificationType
  readonly options: FitOptionsType
}

export interface RefitInput extends GatherInput {
  readonly samples?: number
  readonly seed?: number
  readonly onStage?: (stage: string, done: number, of: number) => void
}

export interface Correction {
  readonly optimism?: Optimism
  readonly uncorrected?: readonly string[]
}

/** Two risks of the same model for the same row differ by less than this. */
const SAME_RISK = 1e-9

/** Where the model cannot be fitted to these data, the validation stands and the report says why nothing is corrected. */
export async function refitOptimism(
  input: RefitInput,
  { model, options }: Refit,
  validated: Predictions,
): Promise<Correction> {
  if (input.samples === 0) return {}
  try {
    const estimates = await estimate({ ...input, model, options })
    const { samples, seed = options.seed } = input
    const found = fitOptimism(estimates, 'refit', { samples, seed }, (done, of) =>
      input.onStage?.('fitting the model again', done, of),
    )
    if (found === undefined) return {}
    const rounded = roundFit(estimates.fit.coefficients, options.decimals)
    const ownData = isSame(predictRounded(estimates.design, rounded), validated)
    return { optimism: { ...found, ownData } }
  } catch (error) {
    if (!(error instanceof DataError)) throw error
    return { uncorrected: error.reasons }
  }
}

/** A fit that gives the model's own risks to the same rows was made from them. */
function isSame({ risks }: Predictions, { risks: others }: Predictions): boolean {
  return (
    risks.length === others.length &&
    risks.every((risk, row) => Math.abs(risk - (others[row] as number)) < SAME_RISK)
  )
}
