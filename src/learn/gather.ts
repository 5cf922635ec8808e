/** Reads labelled rows through a model's own eyes: the engine fills and judges each record, as in service. */
import type { Catalog } from '../catalog/catalog.ts'
import type { ModelDefinition } from '../definition/model.ts'
import { Assessor, type Outcome } from '../engine/assess.ts'
import { type CompiledModel, compileModel } from '../engine/model.ts'
import { type Plan, makePlan } from '../engine/plan.ts'
import type { Slots } from '../engine/slots.ts'
import type { OnProgress } from './data/bytes.ts'
import { DataError } from './data/data-error.ts'
import type { DataSpecificationType } from './data/data-specification.ts'
import { fieldsToRead } from './data/fields.ts'
import { type Intake, type LabelledRow, newIntake, readLabelled } from './data/labelled.ts'

export interface GatherInput {
  readonly catalog: Catalog
  readonly data: DataSpecificationType
  readonly path: string
  /** Today as YYYYMMDD. */
  readonly today: number
  readonly onProgress?: OnProgress
}

/** Overwritten by the next row. */
export interface SeenRow extends LabelledRow {
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
  const options = { today: input.today, reportUnknown: false, maxKeys: Infinity }
  const intake = newIntake()
  // One object for all rows: a million short-lived ones would keep the collector busy.
  const seen: { -readonly [Key in keyof SeenRow]: SeenRow[Key] } = {
    line: 0,
    record: {},
    outcome: 0,
    patient: 0,
    groups: [],
    slots: assessor.slots,
    outcomeOfEngine: assessor.outcome,
  }
  const source = {
    path: input.path,
    data: input.data,
    fields: fieldsToRead(model.inputs, input.data, also),
    domains: input.catalog.domains,
    ...(input.onProgress === undefined ? {} : { onProgress: input.onProgress }),
  }
  await readLabelled(source, intake, (row) => {
    const outcome = assessor.assess(row.record, 0, options)
    seen.line = row.line
    seen.record = row.record
    seen.outcome = row.outcome
    seen.patient = row.patient
    seen.groups = row.groups
    visitAll(seen)
    if (!outcome.blocked) {
      visit(seen, eyes)
      return
    }
    const why = whyBlocked(outcome)
    intake.leftOut.set(why, (intake.leftOut.get(why) ?? 0) + 1)
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
