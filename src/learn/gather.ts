/** Reads labelled rows as the service would: the engine fills and judges each record. */
import type { Catalog } from '../catalog/catalog.ts'
import type { ModelDefinition } from '../definition/model.ts'
import { Assessor, type Outcome } from '../engine/assess.ts'
import { type Plan, makePlan } from '../engine/plan.ts'
import { fillField } from '../engine/read/read-record.ts'
import { STATE } from '../engine/read/slots.ts'
import { type CompiledModel, compileModel } from '../engine/score/model.ts'
import { DataError } from './data/data-error.ts'
import type { DataSpecificationType } from './specification.ts'
import { type Intake, type LabelledRow, readLabelled } from './data/labelled.ts'
import type { OnProgress } from './data/row.ts'
import { Sample } from './data/sample.ts'
import { type Predictions, eventsOf } from './figures/predictions.ts'
import { RowList } from './fit/design.ts'
import { ifEstimable } from './fit/logistic.ts'
import { type NotedRow, RowNotes } from './row-notes.ts'

export interface GatherInput {
  readonly catalog: Catalog
  readonly data: DataSpecificationType
  readonly path: string
  /** Today as YYYYMMDD. */
  readonly today: number
  readonly onProgress?: OnProgress
  readonly onStage?: (stage: string, done: number, of: number) => void
}

/** Reports the steps of a stage of the work. */
export function stageOf({ onStage }: GatherInput, stage: string): OnProgress {
  return (done, of) => onStage?.(stage, done, of)
}

export interface SeenRow extends NotedRow, Pick<LabelledRow, 'outcome' | 'patient'> {
  readonly outcomeOfEngine: Outcome
  /** 1 where the data have no column of weights. */
  readonly weight: number
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

/** A model that is ready to read records. */
export interface Reader {
  readonly plan: Plan
  readonly compiled: CompiledModel
  readonly assessor: Assessor
  readonly assess: (record: Readonly<Record<string, unknown>>) => Outcome
}

export function readerFor(
  { catalog, today }: Pick<GatherInput, 'catalog' | 'today'>,
  model: ModelDefinition,
): Reader {
  const plan = makePlan(catalog.knowledge, model)
  const compiled = compileModel(model, plan)
  const assessor = new Assessor(plan, compiled)
  const options = { today, reportUnknown: false, maxKeys: Infinity }
  return { plan, compiled, assessor, assess: (record) => assessor.assess({ idx: 0, ...record }, 0, options) }
}

/** The values of an input, in how many of the used rows a stated value stands in, and how many rows lack it at all. */
export interface InputSummary {
  readonly sample: Sample
  assumed: number
  missing: number
}

export interface Gathered {
  readonly intake: Intake
  readonly inputs: ReadonlyMap<string, InputSummary>
  /** Rows that no exclusion left out: the shares of missing values refer to them. */
  readonly looked: number
}

/** Visits each row that the model can score, and counts the reasons why it cannot score others. */
export async function gather(
  input: GatherInput,
  model: ModelDefinition,
  visit: (row: SeenRow, reader: Reader) => void,
  visitAll: (row: SeenRow) => void = () => undefined,
): Promise<Gathered> {
  const { path, data, today, onProgress } = input
  const reader = readerFor(input, model)
  const { plan, assessor } = reader
  const { slots } = assessor
  const inputs = new Map<string, InputSummary>(
    Object.keys(model.inputs).map((name) => [name, { sample: new Sample(), assumed: 0, missing: 0 }]),
  )
  const summaries = [...inputs].map(([name, summary]) => ({ summary, slot: plan.slotByName.get(name) ?? -1 }))
  let looked = 0
  const fields = fieldsToRead(model.inputs, data)
  const places = fields.map((field) => plan.slotByName.get(field) ?? -1)
  const { groups = [], weights, splitBy, competing } = data
  const extra = [...groups, weights, splitBy, competing?.column].filter((column) => column !== undefined)
  const source = { path, data, fields, domains: input.catalog.domains, extra, onProgress }
  // Values go straight into the slots: a million records as objects would keep the collector busy.
  const seen: Mutable<SeenRow> = {
    outcome: 0,
    patient: 0,
    text: () => '',
    slots,
    outcomeOfEngine: assessor.outcome,
    weight: 1,
    isComplete: true,
  }
  const intake = await readLabelled(source, (row) => {
    const { values } = row
    slots.clear()
    for (let index = 0; index < places.length; index++) {
      const value = values[index]
      if (value !== null) fillField(plan, places[index] as number, value, slots, today)
    }
    const outcomeOfEngine = assessor.assessSlots()
    if (data.weights !== undefined) seen.weight = weightIn(input, row.line, row.text)
    looked++
    seen.outcome = row.outcome
    seen.patient = row.patient
    seen.text = row.text
    seen.isComplete = true
    for (const { summary, slot } of summaries) {
      const state = slots.stateOf(slot)
      if (state !== STATE.assumed && state !== STATE.absent) continue
      summary.missing++
      seen.isComplete = false
    }
    visitAll(seen)
    if (outcomeOfEngine.blocked) return whyBlocked(outcomeOfEngine)
    for (const { summary, slot } of summaries) {
      if (slots.stateOf(slot) === STATE.assumed) summary.assumed++
      else summary.sample.add(slots.valueOf(slot))
    }
    visit(seen, reader)
    return undefined
  })
  return { intake, inputs, looked }
}

/** How much a row counts: 1 where the data have no column of weights. */
export function weightIn(
  { path, data: { weights } }: Pick<GatherInput, 'path' | 'data'>,
  line: number,
  text: LabelledRow['text'],
): number {
  if (weights === undefined) return 1
  const weight = Number(text(weights))
  if (weight > 0 && weight < Infinity) return weight
  throw new DataError([`${path}, line ${line}, column ${weights}: the weight is not a number above 0`])
}

/**
 * Every field that the specification names, and every input that it does not: such an input has a column of
 * its own name. An input of a scale is worked out from the scale's other fields when those are named.
 */
function fieldsToRead(inputs: ModelDefinition['inputs'], data: DataSpecificationType): readonly string[] {
  const named = Object.keys(data.columns ?? {})
  const hasScale = (field: string): boolean => {
    const end = field.indexOf('_')
    return end > 0 && named.some((name) => name.startsWith(field.slice(0, end + 1)))
  }
  return [...named, ...Object.keys(inputs).filter((field) => !named.includes(field) && !hasScale(field))]
}

/** The first problem that keeps a record from being scored: its field and its kind. */
function whyBlocked({ problems }: Outcome): string {
  const { field, kind, reason = 'invalid' } = problems.find(({ blocking }) => blocking) ?? {}
  if (field === undefined) return 'not computable'
  return `${field} ${kind === 'ValueMissing' ? 'missing' : reason}`
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
  visit: (row: SeenRow, reader: Reader) => void = () => undefined,
): Promise<Scored> {
  const list = new RowList()
  const notes = new RowNotes(input.data)
  const gathered = await gather(input, model, (row, reader) => {
    list.add([reader.compiled.probability(row.outcomeOfEngine.score)], row)
    notes.add(row, reader.plan)
    visit(row, reader)
  })
  const labels = list.labels(input.data.weights !== undefined)
  refuseOneSided(input, labels.outcomes.length, eventsOf(labels))
  return { predictions: { risks: list.values, ...labels }, gathered, notes }
}

/** Refuses data with one outcome only, before anything is worked out. */
export function refuseOneSided({ path, data }: GatherInput, rows: number, events: number): void {
  if (rows === 0) throw new DataError([`${path}: no rows are left to learn from`])
  if (events === 0 || events === rows) {
    throw new DataError([
      `${path}, column ${data.outcome.column ?? 'none'}: the outcome has one value only (${events} events in ${rows} rows), so nothing can be estimated`,
    ])
  }
}

/** Refuses data from which the figures cannot be estimated. */
export function orRefuse<T>(path: string, work: () => T): T {
  const result = ifEstimable(work)
  if (result !== undefined) return result
  throw new DataError([
    `${path}: calibration cannot be estimated, because the risks are the same in every row or predict the outcome perfectly; more rows are needed`,
  ])
}
