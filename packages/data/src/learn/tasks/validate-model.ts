/** `learn validate` without files: evaluates any model of the catalogue on labelled data. */
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { DataError } from '../../tables/data-error.ts'
import type { Predictions } from '@patient-risk/statistics'
import { type Resampling, bootstrapIntervals, fitOptimism } from '../figures/resampling.ts'
import { subgroupsOf } from '../figures/subgroups.ts'
import { type EstimateInput, estimate, roundedFit } from '../fit/estimate.ts'
import { hasTrees } from '../fit/recalibrate-candidates.ts'
import { type GatherInput, stageOf } from '../data/gather.ts'
import { scoreRows } from '../data/rows.ts'
import { type Report, buildReport } from '../report/report.ts'
import { splitReport } from '../figures/split.ts'

export interface ValidateInput extends GatherInput, Omit<Resampling, 'onStep'> {
  readonly model: ModelDefinition
  readonly threshold?: number | undefined
  /** How the model was made, where that is known: it is fitted again to see how optimistic its figures are. */
  readonly refit?: Pick<EstimateInput, 'model' | 'options'> | undefined
}

export async function validateModel(input: ValidateInput): Promise<Report> {
  const { model, samples, seed } = input
  const rows = await scoreRows(input, model)
  const { predictions } = rows
  const threshold = input.threshold ?? model.threshold?.risk
  const resampling = { samples, seed, onStep: stageOf(input, 'resampling patients') }
  const grouping = rows.attributes.split()
  const parts = subgroupsOf(predictions, grouping ? [grouping] : [], threshold)
  return buildReport({ ...input, kind: 'validation', threshold }, rows, predictions, {
    ...(grouping && { split: splitReport(grouping.by, 'the model as it is', parts) }),
    ...(samples !== 0 && { intervals: bootstrapIntervals(predictions, threshold, resampling) }),
    ...(await refitOptimism(input, predictions)),
  })
}

const NO_REFIT =
  'The model has decision trees, which are not fitted here. If it was made from these data, its figures are too good.'
/** Two risks of the same model for the same row differ by less than this. */
const SAME_RISK = 1e-9

/**
 * Fits the model again on the data of the validation, to correct its figures for optimism. Where it cannot be fitted to
 * these data, the validation stands and the report says why nothing is corrected.
 */
async function refitOptimism(
  input: ValidateInput,
  validated: Predictions,
): Promise<Pick<Report, 'optimism' | 'uncorrected'>> {
  const { samples, refit } = input
  if (samples === 0) return {}
  if (hasTrees(input.model)) return { uncorrected: [NO_REFIT] }
  if (refit === undefined) return {}
  const { seed = refit.options.seed } = input
  try {
    const estimates = await estimate({ ...input, ...refit, allowSmallSample: true })
    const onStep = stageOf(input, 'fitting the model again')
    const found = fitOptimism(estimates, 'refit', { samples, seed, onStep })
    if (found === undefined) return {}
    // If the fit gives the same risks as the model, the model was made from these rows.
    const { risks } = roundedFit(estimates, refit.options.decimals).predictions
    const isSame = (risk: number, row: number): boolean =>
      Math.abs(risk - (validated.risks[row] as number)) < SAME_RISK
    const ownData = risks.length === validated.risks.length && risks.every(isSame)
    return { optimism: { ...found, ownData } }
  } catch (error) {
    if (!(error instanceof DataError)) throw error
    return { uncorrected: error.reasons }
  }
}
