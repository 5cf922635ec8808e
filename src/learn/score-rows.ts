/** The risks that a model gives to labelled rows. */
import type { ModelDefinition } from '../definition/model.ts'
import { type Predictions, eventsOf } from './figures/predictions.ts'
import {
  type GatherInput,
  type Gathered,
  type Reader,
  type SeenRow,
  gather,
  refuseOneSided,
} from './gather.ts'
import { RowNotes } from './row-notes.ts'

export interface Scored {
  readonly predictions: Predictions
  readonly gathered: Gathered
  readonly notes: RowNotes
}

/** Risks, outcomes and patients as they come, row by row. */
export class PredictionList {
  private readonly rows = { risks: [] as number[], outcomes: [] as number[], clusters: [] as number[] }
  private readonly weights: number[] = []

  add(risk: number, { outcome, patient }: Pick<SeenRow, 'outcome' | 'patient'>, weight = 1): void {
    this.rows.risks.push(risk)
    this.rows.outcomes.push(outcome)
    this.rows.clusters.push(patient)
    this.weights.push(weight)
  }

  predictions(isWeighted: boolean): Predictions {
    return {
      risks: Float64Array.from(this.rows.risks),
      outcomes: Uint8Array.from(this.rows.outcomes),
      clusters: Int32Array.from(this.rows.clusters),
      ...(isWeighted ? { weights: Float64Array.from(this.weights) } : {}),
    }
  }
}

/** The model's risk for each row that it can score. */
export async function scoreRows(
  input: GatherInput,
  model: ModelDefinition,
  visit: (row: SeenRow, reader: Reader) => void = () => undefined,
): Promise<Scored> {
  const list = new PredictionList()
  const notes = new RowNotes(input.data)
  const gathered = await gather(input, model, (row, reader) => {
    list.add(reader.compiled.probability(row.outcomeOfEngine.score), row, row.weight)
    notes.add(row, reader.plan)
    visit(row, reader)
  })
  const predictions = list.predictions(input.data.weights !== undefined)
  refuseOneSided(input.path, predictions.risks.length, eventsOf(predictions), input.data.outcome.column)
  return { predictions, gathered, notes }
}
