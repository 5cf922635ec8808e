/** `learn validate` without files: evaluates any model of the catalogue on labelled data. */
import type { ModelDefinition } from '../definition/model.ts'
import { figuresOf } from './figures/figures.ts'
import { bootstrapIntervals } from './figures/intervals.ts'
import type { Predictions } from './figures/predictions.ts'
import { DEFAULT_SEED } from './fit/estimate.ts'
import { SAMPLES } from './fit/fit-optimism.ts'
import { type GatherInput, type Gathered, type SeenRow, gather, orRefuse, refuseOneSided } from './gather.ts'
import { type Refit, refitOptimism } from './refit.ts'
import { type Report, dataReport, modelReport, partsReport, withWarnings } from './report/report.ts'
import { RowNotes } from './row-notes.ts'
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

export interface Scored {
  readonly predictions: Predictions
  readonly gathered: Gathered
  readonly notes: RowNotes
}

/** The model's risk for each row that it can score. */
export async function scoreRows(
  input: GatherInput,
  model: ModelDefinition,
  visit: (row: SeenRow) => void = () => undefined,
): Promise<Scored> {
  const risks: number[] = []
  const outcomes: number[] = []
  const clusters: number[] = []
  const weights: number[] = []
  const notes = new RowNotes(input.data)
  const gathered = await gather(input, model, (row, { plan, compiled }) => {
    risks.push(compiled.probability(row.outcomeOfEngine.score))
    outcomes.push(row.outcome)
    clusters.push(row.patient)
    weights.push(row.weight)
    notes.add(row, plan)
    visit(row)
  })
  const events = outcomes.reduce((sum, outcome) => sum + outcome, 0)
  refuseOneSided(input.path, risks.length, events, input.data.outcome.column)
  return {
    predictions: {
      risks: Float64Array.from(risks),
      outcomes: Uint8Array.from(outcomes),
      clusters: Int32Array.from(clusters),
      ...(input.data.weights === undefined ? {} : { weights: Float64Array.from(weights) }),
    },
    gathered,
    notes,
  }
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
