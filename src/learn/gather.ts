/** Reads labelled rows through a model's own eyes: the engine fills and judges each record, as in service. */
import type { Catalog } from '../catalog/catalog.ts'
import type { ModelDefinition } from '../definition/model.ts'
import { Assessor, type Outcome } from '../engine/assess.ts'
import { type CompiledModel, compileModel } from '../engine/score/model.ts'
import { type Plan, makePlan } from '../engine/plan.ts'
import { fillField } from '../engine/read/read-record.ts'
import type { Slots } from '../engine/read/slots.ts'
import { DataError } from './data/data-error.ts'
import type { DataSpecificationType } from './data/data-specification.ts'
import { fieldsToRead } from './data/fields.ts'
import { type Intake, leaveOut, newIntake, readLabelled } from './data/labelled.ts'
import type { OnProgress } from './data/row.ts'
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
}

export interface Eyes {
  readonly plan: Plan
  readonly compiled: CompiledModel
}

/** Visits each row that the model can score, and counts the reasons why it cannot score others. */
export async function gather(
  input: GatherInput,
  model: ModelDefinition,
  also: readonly string[],
  visit: (row: SeenRow, eyes: Eyes) => void,
  visitAll: (row: SeenRow) => void = () => undefined,
): Promise<Intake> {
  const plan = makePlan(input.catalog.knowledge, model)
  const compiled = compileModel(model, plan)
  const eyes = { plan, compiled }
  const assessor = new Assessor(plan, compiled)
  const { slots } = assessor
  const { today } = input
  const intake = newIntake()
  const seen = {
    line: 0,
    outcome: 0 as 0 | 1,
    patient: 0,
    groups: [] as readonly string[],
    slots,
    outcomeOfEngine: assessor.outcome,
  }
  const fields = fieldsToRead(model.inputs, input.data, also)
  const places = fields.map((field) => plan.slotByName.get(field) ?? -1)
  const source = {
    path: input.path,
    data: input.data,
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
    seen.groups = row.groups
    visitAll(seen)
    if (outcome.blocked) leaveOut(intake, whyBlocked(outcome))
    else visit(seen, eyes)
  })
  return intake
}

/** The first problem that keeps a record from being scored: its field and its kind. */
function whyBlocked(outcome: Outcome): string {
  const problem = outcome.problems.find(({ blocking }) => blocking)
  if (problem === undefined) return 'not computable'
  return problem.kind === 'ValueMissing'
    ? `${problem.field} missing`
    : `${problem.field} ${problem.reason ?? 'invalid'}`
}

/** Refuses data from which nothing can be learnt, before anything is worked out. */
export function refuseOneSided(path: string, rows: number, events: number, column: string | null): void {
  if (rows === 0) throw new DataError([`${path}: no row is left to learn from`])
  if (events === 0 || events === rows) {
    throw new DataError([
      `${path}, column ${column ?? 'none'}: the outcome has one value only (${events} events in ${rows} rows), so nothing can be learnt`,
    ])
  }
}

/** Figures that do not come out of the data are refused in words. */
export function orRefuse<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof NotEstimable)) throw error
    throw new DataError([
      `${path}: calibration cannot be estimated, because the risks are the same in every row or tell the outcome perfectly; more rows are needed`,
    ])
  }
}
