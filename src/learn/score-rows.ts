/** The risks that a model gives to labelled rows. */
import type { ModelDefinition } from '../definition/model.ts'
import type { Predictions } from './figures/predictions.ts'
import { type GatherInput, type Gathered, type SeenRow, gather, refuseOneSided } from './gather.ts'
import { RowNotes } from './row-notes.ts'

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
