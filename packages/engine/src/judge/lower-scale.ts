/**
 * What reconciling does to the slots of a scale: it finds the coding, compares totals with items, and computes what follows from
 * the items. The engine runs these steps, and SQL prints them.
 */
import { permitsNode } from '../definition/domain.ts'
import type { Assignment, Change, Step } from '../expression/assignment.ts'
import {
  NEVER,
  add,
  and,
  areApart,
  choose,
  compare,
  not,
  number,
  or,
  stateIn,
  subtract,
  value,
  when,
} from '../expression/build.ts'
import type { ConditionNode, NumberNode } from '../expression/node.ts'
import { type Computation, isUsable, usableValue } from '../plan/computation.ts'
import type { FormPlan, ScalePlan } from '../plan/plan-scale.ts'
import type { FieldPlan, Plan } from '../plan/plan.ts'
import { FIRST_INVALID, STATE } from '../plan/slots.ts'

/** Two figures that lie closer together are the same. */
export const SAME = 1e-9

/** An invalid total must still coincide with its items: both are problems of the record. */
const WRONG_NUMBERS = [STATE.outOfRange, STATE.notAnInteger, STATE.notANumber] as const
const DISTRUSTED = Object.values(STATE).filter((state) => state >= FIRST_INVALID || state === STATE.untrusted)

export interface ScaleSteps {
  /** The place of the form that the record uses, or −1 where that is unknown. */
  readonly form: NumberNode
  /** The steps of each form, made when they are asked for. */
  readonly forms: readonly (() => readonly Step[])[]
  /** Where the form is unknown. */
  readonly undeclared: () => readonly Step[]
}

/** The steps for a record that carries something of the scale. */
export function lowerScale(plan: Plan, scale: ScalePlan): ScaleSteps {
  return {
    form: formNode(scale),
    forms: scale.forms.map((form) => () => lowerForm(plan, scale, form)),
    undeclared: () => (scale.codingSlot < 0 ? [] : [lowerUndeclared(scale)]),
  }
}

/** The form that the record declares, or the scale's default where it declares none. */
export function formNode({ codingSlot, forms, defaultForm }: ScalePlan): NumberNode {
  if (codingSlot < 0) return number(0)
  return choose(
    [
      { when: stateIn(codingSlot, STATE.valid), then: value(codingSlot) },
      {
        when: stateIn(codingSlot, STATE.absent),
        then: number(defaultForm === undefined ? -1 : forms.indexOf(defaultForm)),
      },
    ],
    number(-1),
  )
}

function lowerForm(plan: Plan, scale: ScalePlan, form: FormPlan): readonly Step[] {
  const coded = scale.codingSlot < 0 ? [] : scale.codedSlots
  const reconciled = (computation: Computation): Step => [lowerComputation(plan, computation)]
  return [
    ...coded.map((slot): Step => [
      { slot, changes: [{ when: isForeign(form, slot), state: STATE.otherCoding }] },
    ]),
    // Several given alternatives state the same thing twice.
    ...form.alternatives.map((group): Step =>
      group.slice(1).map((slot, before) => {
        const isSecond = and(isUsable(slot), or(...group.slice(0, before + 1).map(isUsable)))
        return { slot, changes: [{ when: isSecond, state: STATE.givenTwice }] }
      }),
    ),
    ...form.computed.map(reconciled),
    ...form.totals.map(reconciled),
    ...form.shifts.map(({ slot, by }): Step => [
      { slot, changes: [{ when: isUsable(slot), value: subtract(value(slot), number(by)) }] },
    ]),
    ...form.derived.map(reconciled),
  ]
}

/** Every figure of a form, also those that no model needs. */
export function lowerFigures(plan: Plan, { computed, totals, derived }: FormPlan): readonly Step[] {
  return [...computed, ...totals, ...derived].map((each): Step => [
    lowerComputation(plan, each, each.fillsIn),
  ])
}

/** One computation: a given figure is compared with its parts, and one that is not given is computed if `fills` says so. */
function lowerComputation(
  plan: Plan,
  computation: Computation,
  fills = plan.fillsIn(computation),
): Assignment {
  const { target, parts, figure, isComplete, isDecided, tolerance = SAME } = computation
  const isDistrusted = or(...parts.map((part) => stateIn(part, ...DISTRUSTED)))
  const isGiven = or(...parts.map((part) => not(stateIn(part, STATE.absent))))
  const changes: Change[] = []
  if (fills) {
    const isOpen = [target, ...computation.unless].map((slot) => stateIn(slot, STATE.absent))
    // Age and sex alone do not begin a scale. All other figures have parts of their own.
    const begins = computation.compares ? [] : [isCarried(plan, target)]
    const isFillable = and(...isOpen, not(isDistrusted), isComplete, ...begins)
    const isPermitted = permitsNode((plan.fields[target] as FieldPlan).domain, figure)
    changes.push(
      { when: and(isFillable, isPermitted), state: STATE.computed, value: figure },
      { when: isFillable, state: STATE.outOfRange, value: figure },
    )
  }
  if (computation.compares) {
    const isValid = stateIn(target, STATE.valid)
    // A total whose items cannot be trusted cannot be trusted either; the item's own problem says why.
    // Figures that are only compared with it, such as subtotals, do not affect it.
    if (computation.fillsIn) changes.push({ when: and(isValid, isDistrusted), state: STATE.untrusted })
    const isOther = and(
      not(isDistrusted),
      computation.comparesPartly ? isGiven : isDecided,
      areApart(figure, value(target), tolerance),
    )
    changes.push(
      { when: and(isValid, isOther), state: STATE.mismatch, value: figure },
      { when: and(stateIn(target, ...WRONG_NUMBERS), isOther), disagreement: figure },
    )
  }
  return { slot: target, changes }
}

/** Whether a record gives something of the scale that this slot belongs to. */
function isCarried(plan: Plan, slot: number): ConditionNode {
  const own = plan.fields[slot]?.scale
  const parts = plan.fields.flatMap(({ scale }, part) => (scale === own ? [part] : []))
  return or(...parts.map((part) => not(stateIn(part, STATE.absent))))
}

/** Whether a slot has a value that the form does not permit. */
function isForeign(form: FormPlan, slot: number): ConditionNode {
  const domain = form.domains.get(slot)
  const isPermitted = domain === undefined ? NEVER : permitsNode(domain, usableValue(slot))
  return and(stateIn(slot, STATE.valid), not(isPermitted))
}

/** A scale without a known coding: its values are not used, and values that no single form permits contradict each other. */
function lowerUndeclared({ forms, codedSlots, codingSlot }: ScalePlan): Step {
  /** By form and then by slot: whether the form does not have the value. */
  const foreign = forms.map((form) => codedSlots.map((slot) => isForeign(form, slot)))
  const counts = foreign.map((each) => add(...each.map((is) => when(is, number(1), number(0)))))
  // The form with the fewest values that it does not permit; the first of several.
  const nearest = choose(
    counts.slice(0, -1).map((count, form) => ({
      when: and(...counts.slice(form + 1).map((other) => compare(count, '<=', other))),
      then: number(form),
    })),
    number(counts.length - 1),
  )
  const assignments = codedSlots.map((slot, at): Assignment => {
    const isStrange = foreign.map((each, form) =>
      and(each[at] as ConditionNode, compare(nearest, '=', number(form))),
    )
    return {
      slot,
      changes: [
        { when: or(...isStrange), state: STATE.otherCoding },
        { when: isUsable(slot), state: STATE.untrusted },
      ],
    }
  })
  const isGiven = or(...codedSlots.map((slot) => not(stateIn(slot, STATE.absent))))
  const isUndeclared = and(stateIn(codingSlot, STATE.absent), isGiven)
  return [...assignments, { slot: codingSlot, changes: [{ when: isUndeclared, state: STATE.undeclared }] }]
}
