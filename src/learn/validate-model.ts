/** `learn validate` without files: evaluates any model of the catalogue on labelled data. */
import type { ModelDefinition } from '../definition/model.ts'
import { DataError } from './data/data-error.ts'
import { figuresOf } from './figures/figures.ts'
import type { Predictions } from './figures/predictions.ts'
import { bootstrapIntervals } from './figures/resampling.ts'
import { DEFAULT_SEED, SAMPLES, estimate, fitOptimism, roundFit } from './fit/estimate.ts'
import { type GatherInput, orRefuse } from './gather.ts'
import type { FitOptionsType, ModelSpecificationType } from './model/model-specification.ts'
import { dataReport, modelReport, partsReport } from './report/build-report.ts'
import type { Report } from './report/report.ts'
import { withWarnings } from './report/warnings.ts'
import { scoreRows } from './score-rows.ts'
import { splitReport } from './split.ts'

/** The parts of a specification that say how a model is made. */
export interface Refit {
  readonly model: ModelSpecificationType
  readonly options: FitOptionsType
}

export interface ValidateInput extends GatherInput {
  readonly model: ModelDefinition
  readonly threshold?: number | undefined
  /** Samples of patients for the intervals and the correction; 0 for none. */
  readonly samples?: number | undefined
  readonly seed?: number | undefined
  /** How the model was made, where that is known: it is fitted again to see how optimistic its figures are. */
  readonly refit?: Refit | undefined
  /** YYYY-MM-DD. */
  readonly made: string
}

export async function validateModel(input: ValidateInput): Promise<Report> {
  const { model, samples = SAMPLES, seed = DEFAULT_SEED } = input
  const scored = await scoreRows(input, model)
  const { predictions } = scored
  const threshold = input.threshold ?? model.threshold?.risk
  const figures = orRefuse(input.path, () => figuresOf(predictions, threshold))
  const onStep = (done: number, of: number): void => input.onStage?.('resampling patients', done, of)
  const intervals =
    samples === 0 ? {} : { intervals: bootstrapIntervals(predictions, threshold, { samples, seed, onStep }) }
  return withWarnings({
    kind: 'validation',
    made: input.made,
    model: modelReport(model, threshold),
    data: dataReport(input, model, scored),
    figures,
    ...partsReport(scored, predictions, threshold),
    ...splitReport(scored.notes, predictions, threshold),
    ...intervals,
    ...(input.refit === undefined ? {} : await refitOptimism(input, input.refit, predictions)),
  })
}

/** Two risks of the same model for the same row differ by less than this. */
const SAME_RISK = 1e-9

/**
 * Fits the model again on the data of the validation, to correct its figures for optimism. Where it cannot be fitted to
 * these data, the validation stands and the report says why nothing is corrected.
 */
async function refitOptimism(
  input: ValidateInput,
  { model, options }: Refit,
  validated: Predictions,
): Promise<Pick<Report, 'optimism' | 'uncorrected'>> {
  const { samples, seed = options.seed } = input
  if (samples === 0) return {}
  try {
    const estimates = await estimate({ ...input, model, options })
    const onStep = (done: number, of: number): void => input.onStage?.('fitting the model again', done, of)
    const found = fitOptimism(estimates, 'refit', { samples, seed, onStep })
    if (found === undefined) return {}
    // A fit that gives the model's own risks to the same rows was made from them.
    const { risks } = roundFit(estimates, options.decimals).predictions
    const isSame = (risk: number, row: number): boolean =>
      Math.abs(risk - (validated.risks[row] as number)) < SAME_RISK
    const ownData = risks.length === validated.risks.length && risks.every(isSame)
    return { optimism: { ...found, ownData } }
  } catch (error) {
    if (!(error instanceof DataError)) throw error
    return { uncorrected: error.reasons }
  }
}
