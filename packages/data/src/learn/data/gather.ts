/** Reads labelled rows as the service would: the engine fills and judges each record. */
import type { Catalog } from '@patient-risk/catalog'
import { type Domain, type Domains, narrow, type ModelDefinition } from 'patient-risk-engine/definition'
import {
  Assessor,
  type RecordResult,
  type Plan,
  makePlan,
  STATE,
  type CompiledModel,
  type Term,
  compileModel,
} from 'patient-risk-engine'
import { DataError } from '../../tables/data-error.ts'
import type { DataSpecificationType } from './specification.ts'
import type { OnProgress } from './file-rows.ts'
import { type Intake, type LabelledRow, readLabelled } from './read-labelled.ts'
import { Sample } from './sample.ts'

export interface Setting {
  readonly catalog: Catalog
  /** Today as YYYYMMDD. */
  readonly today: number
}

export interface GatherInput extends Setting {
  readonly data: DataSpecificationType
  readonly path: string
  /** What a task reads of each row beside the fields. */
  readonly also?: {
    readonly columns: readonly string[]
    /** Why the row is left out, before it is scored. */
    readonly whyLeftOut: (row: LabelledRow) => string | undefined
  }
  readonly onStage?: (stage: string, done: number, of: number) => void
}

export function stageOf({ onStage }: GatherInput, stage: string): OnProgress {
  return (done, of) => onStage?.(stage, done, of)
}

export interface ModelRun {
  readonly model: ModelDefinition
  readonly plan: Plan
  readonly compiled: CompiledModel
  readonly assessor: Assessor
  readonly assess: (record: Readonly<Record<string, unknown>>) => RecordResult
  /** The points of each term for the record that was scored last. */
  readonly points: Float64Array
}

export function modelRunFor({ catalog, today }: Setting, model: ModelDefinition): ModelRun {
  const plan = makePlan(catalog.definitions, model)
  const compiled = compileModel(model, plan)
  const { terms } = compiled
  const points = new Float64Array(terms.length)
  const score: CompiledModel['score'] = (values, states) => {
    let sum = 0
    for (let k = 0; k < terms.length; k++) {
      const own = (terms[k] as Term).points(values, states)
      points[k] = own
      sum += own
    }
    return sum
  }
  const assessor = new Assessor(plan, { ...compiled, score })
  const options = { today, reportUnknown: false, maxKeys: Infinity }
  // A copy of every record would cost more than reading it.
  const assess: ModelRun['assess'] = (record) =>
    assessor.assess('idx' in record ? record : { idx: 0, ...record }, 0, options)
  return { model, plan, compiled, assessor, assess, points }
}

export interface SeenInput {
  readonly name: string
  readonly slot: number
  /** What the input may hold in the model: the field's domain, narrowed to its population. */
  readonly domain: Domain
  readonly isRequired: boolean
  readonly sample: Sample
  /** How many of the used rows get a stated value for it, and how many rows lack it. */
  assumed: number
  missing: number
}

export interface Gathered {
  readonly intake: Intake
  readonly inputs: readonly SeenInput[]
  /** Rows that no exclusion left out: the shares of missing values refer to them. */
  readonly eligible: number
}

/** The inputs of a model before any row. */
export function unseenInputs(
  { inputs }: ModelDefinition,
  plan: Plan,
  domains: Domains,
): readonly SeenInput[] {
  return Object.entries(inputs).map(([name, given]) => ({
    name,
    slot: plan.slotByName.get(name) ?? -1,
    domain: narrow(domains.get(name) as Domain, given),
    isRequired: given.whenAbsent === undefined,
    sample: new Sample(),
    assumed: 0,
    missing: 0,
  }))
}

/**
 * Visits each row that the model can score, and counts the reasons why it cannot score others. A row is complete when no missing
 * value was replaced by a stated one. Before each visit the run holds the record of the row.
 */
export async function gather(
  input: GatherInput,
  { model, plan, assessor, assess }: ModelRun,
  visit: (row: LabelledRow, isComplete: boolean, weight?: number) => void = () => undefined,
  visitAll: (row: LabelledRow, result: RecordResult) => void = () => undefined,
): Promise<Gathered> {
  const { path, data, catalog } = input
  const { domains } = catalog
  const { slots } = assessor
  const inputs = unseenInputs(model, plan, domains)
  let eligible = 0
  const fields = fieldsToRead(model.inputs, data)
  const { groups = [], weights, splitBy, competing } = data
  const named = [...groups, weights, splitBy, competing?.column, ...(input.also?.columns ?? [])]
  const extra = named.filter((column) => column !== undefined)
  const source = { path, data, fields, domains, extra, onProgress: stageOf(input, 'reading') }
  const intake = await readLabelled(source, (row) => {
    const reason = input.also?.whyLeftOut(row)
    if (reason !== undefined) return reason
    const result = assess(row.record)
    const weight = weightIn(input, row)
    eligible++
    let isComplete = true
    for (const seen of inputs) {
      const state = slots.stateOf(seen.slot)
      if (state !== STATE.assumed && state !== STATE.absent) continue
      seen.missing++
      isComplete = false
    }
    visitAll(row, result)
    if (result.blocked) return whyBlocked(result)
    for (const seen of inputs) {
      if (slots.stateOf(seen.slot) === STATE.assumed) seen.assumed++
      else seen.sample.add(slots.valueOf(seen.slot))
    }
    visit(row, isComplete, weight)
    return undefined
  })
  return { intake, inputs, eligible }
}

export function weightIn(
  { path, data: { weights } }: Pick<GatherInput, 'path' | 'data'>,
  row: LabelledRow,
): number | undefined {
  if (weights === undefined) return undefined
  const weight = Number(row.text(weights))
  if (weight > 0 && weight < Infinity) return weight
  throw new DataError([`${path}, line ${row.line}, column ${weights}: the weight is not a number above 0`])
}

/**
 * Every field that the specification names, and every input that it does not: such an input has a column of its own name. An
 * input of a scale is computed from the scale's other fields if those are named.
 */
function fieldsToRead(inputs: ModelDefinition['inputs'], data: DataSpecificationType): readonly string[] {
  const named = Object.keys(data.columns ?? {})
  const hasScale = (field: string): boolean => {
    const end = field.indexOf('_')
    return end > 0 && named.some((name) => name.startsWith(field.slice(0, end + 1)))
  }
  return [...named, ...Object.keys(inputs).filter((field) => !named.includes(field) && !hasScale(field))]
}

function whyBlocked({ problems }: RecordResult): string {
  const { field, kind, reason = 'invalid' } = problems.find(({ blocking }) => blocking) ?? {}
  if (field === undefined) return 'not computable'
  return `${field} ${kind === 'ValueMissing' ? 'missing' : reason}`
}
