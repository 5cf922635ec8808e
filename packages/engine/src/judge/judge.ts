/** Turns the slots of a record into problems, in the order of the contract. Records without problems do not come here. */
import { formatDate } from '../read/calendar.ts'
import type { CompiledModel } from '../score/model.ts'
import { type FieldPlan, type Plan, capitalise } from '../plan/plan.ts'
import { REASONS, type Problem, reasonOf, sumReason, valueError, valueMissing } from './problem.ts'
import { FIRST_INVALID, STATE, type Slots } from '../plan/slots.ts'

/** Longer names are cut in messages, so that a name cannot inflate an answer. */
const NAME_LENGTH = 128

/** States that keep a record from being scored wherever they occur: the record contradicts itself. */
export const ALWAYS_BLOCKING: ReadonlySet<number> = new Set([
  STATE.givenTwice,
  STATE.mismatch,
  STATE.otherCoding,
])

export interface Judgement {
  readonly plan: Plan
  readonly model: CompiledModel
  readonly slots: Slots
  /** The record's idx, or its position where it has no usable one. */
  readonly idx: number
  readonly unknown: readonly string[]
  /** Unknown names that the record carries twice. */
  readonly unknownTwice: ReadonlySet<string>
}

export function judgeFields(judgement: Judgement): Problem[] {
  const { plan, model, slots, idx } = judgement
  const problems: Problem[] = []
  const absent = model.required.filter((slot) => slots.stateOf(slot) === STATE.absent)
  // Only these slots can have a problem; they are few among hundreds.
  for (const slot of [...slots.invalid(), ...absent].sort((a, b) => a - b)) {
    const state = slots.stateOf(slot)
    const field = plan.fields[slot] as FieldPlan
    if (state === STATE.undeclared) problems.push(valueMissing(field.name, model.blocks(slot)))
    else if (state >= FIRST_INVALID) {
      const place = { field: field.name, item: field.item, date: dateOfScale(plan, slots, field.scale), idx }
      const blocking = ALWAYS_BLOCKING.has(state) || model.blocks(slot)
      problems.push(valueError(place, reasonOf(state, slots.valueOf(slot)), blocking))
      const figure = slots.disagreements.get(slot)
      if (figure !== undefined) problems.push(valueError(place, sumReason(figure), true))
    } else problems.push(valueMissing(field.name, true))
  }
  if (judgement.unknown.length + judgement.unknownTwice.size > 0) judgeUnknown(judgement, problems)
  return problems
}

function judgeUnknown({ plan, slots, idx, unknown, unknownTwice }: Judgement, problems: Problem[]): void {
  for (const name of [...new Set([...unknown, ...unknownTwice])].sort()) {
    const field = name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH)}…` : name
    const end = field.indexOf('_')
    const scale = end > 0 ? plan.scaleByPrefix.get(field.slice(0, end)) : undefined
    // A prefix with nothing after it names no item, so the whole name is used.
    const isItem = scale !== undefined && end < field.length - 1
    const item = capitalise(isItem ? field.slice(end + 1) : field)
    const place = { field, item, date: isItem ? dateOfScale(plan, slots, scale) : '', idx }
    const isTwice = unknownTwice.has(name)
    problems.push(valueError(place, isTwice ? REASONS.givenTwice : REASONS.unknownField, isTwice))
  }
}

/** The date that a scale's values relate to. A problem on the date itself has none, since that date is not valid. */
function dateOfScale(plan: Plan, slots: Slots, scale: number): string {
  const dateSlot = plan.scales[scale]?.dateSlot ?? -1
  return slots.stateOf(dateSlot) === STATE.valid ? formatDate(slots.valueOf(dateSlot)) : ''
}
