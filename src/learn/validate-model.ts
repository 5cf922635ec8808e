/** `learn validate` without files: evaluates any model of the catalogue on labelled data. */
import type { ModelDefinition } from '../definition/model.ts'
import { figuresOf } from './figures/figures.ts'
import { bootstrapIntervals } from './figures/intervals.ts'
import { DEFAULT_SEED } from './fit/estimate.ts'
import { SAMPLES } from './fit/fit-optimism.ts'
import { type GatherInput, orRefuse } from './gather.ts'
import { type Refit, refitOptimism } from './refit.ts'
import { dataReport, modelReport, partsReport, withWarnings } from './report/build-report.ts'
import type { Report } from './report/report.ts'
import { scoreRows } from './score-rows.ts'
import { splitReport } from './split.ts'

export interface ValidateInput extends GatherInput {
  readonly model: ModelDefinition
  readonly threshold?: number
  /** Samples of patients for the intervals and the correction; 0 for none. */
  readonly samples?: number
  readonly seed?: number
  /** How the model was made, where that is known: it is fitted again to see how optimistic its figures are. */
  readonly refit?: Refit
  /** YYYY-MM-DD. */
  readonly made: string
  readonly onStage?: (stage: string, done: number, of: number) => void
}

export async function validateModel(input: ValidateInput): Promise<Report> {
  const { model } = input
  const scored = await scoreRows(input, model)
  const { predictions } = scored
  const threshold = input.threshold ?? model.threshold?.risk
  const figures = orRefuse(input.path, () => figuresOf(predictions, threshold))
  const options = { samples: input.samples ?? SAMPLES, seed: input.seed ?? DEFAULT_SEED }
  const intervals =
    options.samples === 0
      ? undefined
      : bootstrapIntervals(predictions, threshold, options, (done, of) =>
          input.onStage?.('resampling patients', done, of),
        )
  const correction = input.refit === undefined ? {} : await refitOptimism(input, input.refit, predictions)
  return withWarnings({
    kind: 'validation',
    made: input.made,
    model: modelReport(model, threshold),
    data: dataReport(input, model, scored),
    figures,
    ...partsReport(scored, predictions, threshold),
    ...splitReport(scored.notes, predictions, threshold),
    ...(intervals === undefined ? {} : { intervals }),
    ...correction,
  })
}
