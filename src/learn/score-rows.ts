/** The risks that a model gives to labelled rows. */
import type { ModelDefinition } from '../definition/model.ts'
import { type Predictions, eventsOf } from './figures/predictions.ts'
import { RowList } from './fit/design.ts'
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

/** The model's risk for each row that it can score. */
export async function scoreRows(
  input: GatherInput,
  model: ModelDefinition,
  visit: (row: SeenRow, reader: Reader) => void = () => undefined,
): Promise<Scored> {
  const list = new RowList()
  const notes = new RowNotes(input.data)
  const gathered = await gather(input, model, (row, reader) => {
    list.add([reader.compiled.probability(row.outcomeOfEngine.score)], row.outcome, row.patient, row.weight)
    notes.add(row, reader.plan)
    visit(row, reader)
  })
  const predictions = {
    risks: new Float64Array(list.values),
    ...list.labels(input.data.weights !== undefined),
  }
  refuseOneSided(input.path, predictions.risks.length, eventsOf(predictions), input.data.outcome.column)
  return { predictions, gathered, notes }
}
