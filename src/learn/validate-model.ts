/** `learn validate` without files: any model of the catalogue on labelled data. */
import { basename } from 'node:path'
import type { ModelDefinition } from '../definition/model.ts'
import { STATE } from '../engine/read/slots.ts'
import { GroupCollector } from './data/collect-groups.ts'
import type { Intake } from './data/labelled.ts'
import { figuresOf } from './figures/figures.ts'
import { bootstrapIntervals } from './figures/intervals.ts'
import type { Predictions } from './figures/predictions.ts'
import { type Grouping, subgroupsOf } from './figures/subgroups.ts'
import { DEFAULT_SEED } from './fit/estimate.ts'
import { SAMPLES } from './fit/fit-optimism.ts'
import { type Refit, refitOptimism } from './refit.ts'
import { type GatherInput, type SeenRow, gather, orRefuse, refuseOneSided } from './gather.ts'
import { type Report, dataReport, modelReport } from './report/report.ts'

export interface ValidateInput extends GatherInput {
  readonly model: ModelDefinition
  readonly threshold?: number
  /** Samples of patients for the intervals and the correction; 0 for none. */
  readonly samples?: number
  readonly seed?: number
  /** How the model was made, where that is known: it is made anew to see how much it flatters itself. */
  readonly refit?: Refit
  /** YYYY-MM-DD. */
  readonly made: string
  readonly onStage?: (stage: string, done: number, of: number) => void
}

export interface Scored {
  readonly predictions: Predictions
  readonly intake: Intake
  readonly groupings: readonly Grouping[]
  /** How many rows lack each input for whose absence the model states a value. */
  readonly assumed: ReadonlyMap<string, number>
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
  const collector = new GroupCollector(input.data.groups ?? [])
  const assumed = new Map(assumedInputs(model).map((name) => [name, 0]))
  const intake = await gather(input, model, [], (row, { plan, compiled }) => {
    risks.push(compiled.probability(row.outcomeOfEngine.score))
    outcomes.push(row.outcome)
    clusters.push(row.patient)
    collector.add(plan, row.slots, row.groups)
    for (const [name, count] of assumed) {
      const isAssumed = row.slots.stateOf(plan.slotByName.get(name) ?? -1) === STATE.assumed
      if (isAssumed) assumed.set(name, count + 1)
    }
    visit(row)
  })
  const events = outcomes.reduce((sum, outcome) => sum + outcome, 0)
  refuseOneSided(input.path, risks.length, events, input.data.outcome.column)
  return {
    predictions: {
      risks: Float64Array.from(risks),
      outcomes: Uint8Array.from(outcomes),
      clusters: Int32Array.from(clusters),
    },
    intake,
    groupings: collector.groupings(),
    assumed,
  }
}

/** Inputs for whose absence a model states a value. */
export function assumedInputs({ inputs }: Pick<ModelDefinition, 'inputs'>): readonly string[] {
  return Object.entries(inputs).flatMap(([name, { whenAbsent }]) => (whenAbsent === undefined ? [] : [name]))
}

export async function validateModel(input: ValidateInput): Promise<Report> {
  const { model } = input
  const { predictions, intake, groupings, assumed } = await scoreRows(input, model)
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
  return {
    kind: 'validation',
    made: input.made,
    model: modelReport(model, threshold),
    data: dataReport(
      basename(input.path),
      input.data.noun ?? 'rows',
      model.card.outcome,
      predictions.risks.length,
      intake,
      assumed,
    ),
    figures,
    subgroups: subgroupsOf(predictions, groupings, threshold),
    ...(intervals === undefined ? {} : { intervals }),
    ...correction,
  }
}
