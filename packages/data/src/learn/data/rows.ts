/** The rows of a file that a model can score: some values of each, its label and its attributes. */
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { GrowingBuffer } from 'patient-risk-engine'
import { type Labels, type Predictions, eventsOf } from '@patient-risk/statistics'
import { DataError } from '../../tables/data-error.ts'
import { type GatherInput, type Gathered, type ModelRun, gather, modelRunFor } from './gather.ts'
import type { LabelledRow } from './read-labelled.ts'
import { RowAttributes } from './row-attributes.ts'

/** Rows as they come from a file: the same number of values each, the outcome, the patient and the weight. */
export class RowList {
  private readonly numbers = new GrowingBuffer<Float64Array>(Float64Array)
  private readonly outcomes: number[] = []
  private readonly clusters: number[] = []
  private readonly weights: number[] = []

  add(values: Iterable<number>, row: { outcome: 0 | 1; patient: number }, weight?: number): void {
    for (const value of values) this.numbers.add(value)
    this.outcomes.push(row.outcome)
    this.clusters.push(row.patient)
    if (weight !== undefined) this.weights.push(weight)
  }

  /** The values of all rows, row by row. */
  get values(): Float64Array {
    return this.numbers.view()
  }

  labels(): Labels {
    const labels = { outcomes: Uint8Array.from(this.outcomes), clusters: Int32Array.from(this.clusters) }
    return this.weights.length === 0 ? labels : { ...labels, weights: Float64Array.from(this.weights) }
  }
}

export interface Rows extends Gathered {
  readonly run: ModelRun
  /** Row by row. */
  readonly values: Float64Array
  readonly labels: Labels
  readonly attributes: RowAttributes
}

export async function collectRows(
  input: GatherInput,
  model: ModelDefinition,
  valuesOf: (run: ModelRun, row: LabelledRow) => Iterable<number>,
): Promise<Rows> {
  const { path, data } = input
  const run = modelRunFor(input, model)
  const list = new RowList()
  const attributes = new RowAttributes(data, run.plan, run.assessor.slots)
  const gathered = await gather(input, run, (row, isComplete, weight) => {
    list.add(valuesOf(run, row), row, weight)
    attributes.add(row, isComplete)
  })
  const labels = list.labels()
  const rows = labels.outcomes.length
  const events = eventsOf(labels)
  if (rows === 0) throw new DataError([`${path}: no rows are left to learn from`])
  if (events === 0 || events === rows)
    throw new DataError([
      `${path}, column ${data.outcome.column ?? 'none'}: the outcome has one value only (${events} events in ${rows} rows), so nothing can be estimated`,
    ])
  return { ...gathered, run, values: list.values, labels, attributes }
}

export async function scoreRows(
  input: GatherInput,
  model: ModelDefinition,
  visit: (row: LabelledRow, run: ModelRun) => void = () => undefined,
): Promise<Rows & { readonly predictions: Predictions }> {
  const rows = await collectRows(input, model, (run, row) => {
    visit(row, run)
    return [run.compiled.probability(run.assessor.result.score)]
  })
  return { ...rows, predictions: { risks: rows.values, ...rows.labels } }
}
