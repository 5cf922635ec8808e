/** Reads labelled rows as the service would: the engine fills and judges each record. */
import type { Catalog } from '../catalog/catalog.ts'
import type { ModelDefinition } from '../definition/model.ts'
import { Assessor, type Outcome } from '../engine/assess.ts'
import { type CompiledModel, compileModel } from '../engine/score/model.ts'
import { type Plan, makePlan } from '../engine/plan.ts'
import { fillField } from '../engine/read/read-record.ts'
import { STATE, type Slots } from '../engine/read/slots.ts'
import { DataError } from './data/data-error.ts'
import type { DataSpecificationType } from './data/data-specification.ts'
import { fieldsToRead } from './data/fields.ts'
import { type Intake, type LabelledRow, leaveOut, newIntake, readLabelled } from './data/labelled.ts'
import type { OnProgress } from './data/row.ts'
import { Sample } from './data/sample.ts'
import { NotEstimable } from './fit/not-estimable.ts'

export interface GatherInput {
  readonly catalog: Catalog
  readonly data: DataSpecificationType
  readonly path: string
  /** Today as YYYYMMDD. */
  readonly today: number
  readonly onProgress?: OnProgress
}

/** The same object for every row: what it says holds until the next one. */
export interface SeenRow {
  readonly line: number
  readonly outcome: 0 | 1
  readonly patient: number
  readonly groups: readonly string[]
  readonly slots: Slots
  readonly outcomeOfEngine: Outcome
  /** 1 where the data have no column of weights. */
  readonly weight: number
  /** The value of the column of `splitBy`. */
  readonly split: string
  /** Whether another event, such as death, kept the outcome from happening. */
  readonly isCompeting: boolean
  /** Whether no stated value stands in for a missing one. */
  readonly isComplete: boolean
}

export interface Reader {
  readonly plan: Plan
  readonly compiled: CompiledModel
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
  const plan = makePlan(input.catalog.knowledge, model)
  const compiled = compileModel(model, plan)
  const reader = { plan, compiled }
  const assessor = new Assessor(plan, compiled)
  const { slots } = assessor
  const { today } = input
  const intake = newIntake()
  const inputs = new Map<string, InputSummary>(
    Object.keys(model.inputs).map((name) => [name, { sample: new Sample(), assumed: 0, missing: 0 }]),
  )
  const summaries = [...inputs].map(([name, summary]) => ({ summary, slot: plan.slotByName.get(name) ?? -1 }))
  const seen = {
    line: 0,
    outcome: 0 as 0 | 1,
    patient: 0,
    groups: [] as readonly string[],
    slots,
    outcomeOfEngine: assessor.outcome,
    weight: 1,
    split: '',
    isCompeting: false,
    isComplete: true,
  }
  let looked = 0
  const fields = fieldsToRead(model.inputs, input.data)
  const places = fields.map((field) => plan.slotByName.get(field) ?? -1)
  const { data, readExtra } = withExtraColumns(input)
  const source = {
    path: input.path,
    data,
    fields,
    domains: input.catalog.domains,
    ...(input.onProgress === undefined ? {} : { onProgress: input.onProgress }),
  }
  // Values go straight into the slots: a million records as objects would keep the collector busy.
  await readLabelled(source, intake, (row) => {
    slots.clear()
    for (let index = 0; index < places.length; index++) {
      const value = row.values[index]
      if (value !== null) fillField(plan, places[index] as number, value, slots, today)
    }
    const outcome = assessor.assessSlots()
    seen.line = row.line
    seen.outcome = row.outcome
    seen.patient = row.patient
    readExtra(row, seen)
    looked++
    seen.isComplete = true
    for (const { summary, slot } of summaries) {
      const state = slots.stateOf(slot)
      if (state !== STATE.assumed && state !== STATE.absent) continue
      summary.missing++
      seen.isComplete = false
    }
    visitAll(seen)
    if (outcome.blocked) {
      leaveOut(intake, whyBlocked(outcome))
      return
    }
    for (const { summary, slot } of summaries) {
      if (slots.stateOf(slot) === STATE.assumed) summary.assumed++
      else summary.sample.add(slots.valueOf(slot))
    }
    visit(seen, reader)
  })
  return { intake, inputs, looked }
}

type ExtraColumns = Pick<
  { -readonly [key in keyof SeenRow]: SeenRow[key] },
  'groups' | 'weight' | 'split' | 'isCompeting'
>

/** Weights, parts and competing events are read as further columns of groups, after those of the specification. */
function withExtraColumns({ data, path }: GatherInput): {
  readonly data: DataSpecificationType
  readonly readExtra: (row: LabelledRow, into: ExtraColumns) => void
} {
  const { weights, splitBy, competing, groups = [] } = data
  const all = [...groups]
  const placeOf = (column: string | undefined): number => (column === undefined ? -1 : all.push(column) - 1)
  const weightAt = placeOf(weights)
  const splitAt = placeOf(splitBy)
  const competingAt = placeOf(competing?.column)
  const competingTexts = new Set(competing?.values ?? [])
  return {
    data: all.length === groups.length ? data : { ...data, groups: all },
    readExtra(row, into) {
      into.groups = all.length === groups.length ? row.groups : row.groups.slice(0, groups.length)
      if (weightAt >= 0) {
        into.weight = Number(row.groups[weightAt])
        if (!(into.weight > 0 && into.weight < Infinity)) {
          throw new DataError([
            `${path}, line ${row.line}, column ${weights ?? ''}: the weight is not a number above 0`,
          ])
        }
      }
      if (splitAt >= 0) into.split = row.groups[splitAt] ?? ''
      if (competingAt >= 0) into.isCompeting = competingTexts.has(row.groups[competingAt] ?? '')
    },
  }
}

/** The first problem that keeps a record from being scored: its field and its kind. */
function whyBlocked(outcome: Outcome): string {
  const problem = outcome.problems.find(({ blocking }) => blocking)
  if (problem === undefined) return 'not computable'
  return problem.kind === 'ValueMissing'
    ? `${problem.field} missing`
    : `${problem.field} ${problem.reason ?? 'invalid'}`
}

/** Refuses data with one outcome only, before anything is worked out. */
export function refuseOneSided(path: string, rows: number, events: number, column: string | null): void {
  if (rows === 0) throw new DataError([`${path}: no rows are left to learn from`])
  if (events === 0 || events === rows) {
    throw new DataError([
      `${path}, column ${column ?? 'none'}: the outcome has one value only (${events} events in ${rows} rows), so nothing can be estimated`,
    ])
  }
}

/** Refuses data from which the figures cannot be estimated. */
export function orRefuse<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof NotEstimable)) throw error
    throw new DataError([
      `${path}: calibration cannot be estimated, because the risks are the same in every row or predict the outcome perfectly; more rows are needed`,
    ])
  }
}
