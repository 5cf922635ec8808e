/** Changes of slots: what reconciling a scale does to a record, as data. The engine runs them, SQL prints them. */
import { Evaluator, type Holds, type NumberOf } from './evaluate.ts'
import type { ConditionNode, Node, NumberNode } from './node.ts'
import { countUses } from './walk.ts'

/** What happens to a slot where a condition holds. What is left out stays as it is. */
export interface Change {
  readonly when: ConditionNode
  readonly state?: number
  readonly value?: NumberNode
  /** A second figure, which the slot's value should be. */
  readonly disagreement?: NumberNode
}

/** Of the changes, the first one whose condition holds. */
export interface Assignment {
  readonly slot: number
  readonly changes: readonly Change[]
}

/** Assignments that all see the slots as they were before the step. */
export type Step = readonly Assignment[]

/** The slots of a record. */
export interface Assignable {
  readonly values: Float64Array
  readonly states: Uint8Array
  set(slot: number, state: number, value: number): void
  disagree(slot: number, figure: number): void
}

export type RunSteps = (slots: Assignable, today: number) => void

/** Every expression of a step. */
export function nodesOfStep(step: Step): readonly Node[] {
  return step.flatMap(({ changes }) =>
    changes.flatMap(({ when, value, disagreement }) => [when, value ?? [], disagreement ?? []].flat()),
  )
}

export function compileSteps(steps: readonly Step[]): RunSteps {
  const compiled = steps.map(compileStep)
  return (slots, today) => {
    for (const run of compiled) run(slots, today)
  }
}

/** A change that has been found to apply, with its numbers. */
interface Found {
  readonly slot: number
  readonly state: number
  readonly value: number
  readonly disagreement: number | undefined
}

type FindChange = (slots: Assignable, today: number) => Found | undefined

function compileStep(step: Step): RunSteps {
  let made: Evaluator | undefined
  const evaluator = (): Evaluator => (made ??= evaluatorFor(step))
  const finders = step.map((assignment) => compileAssignment(assignment, evaluator))
  const [only] = finders
  if (only !== undefined && finders.length === 1)
    return (slots, today) => {
      made?.beginTurn()
      const found = only(slots, today)
      if (found !== undefined) apply(slots, found)
    }
  return (slots, today) => {
    made?.beginTurn()
    const found = finders.map((find) => find(slots, today))
    for (const each of found) if (each !== undefined) apply(slots, each)
  }
}

/** What several expressions of a step use is computed once in it. */
function evaluatorFor(step: Step): Evaluator {
  const uses = countUses(nodesOfStep(step))
  return new Evaluator(new Set([...uses].flatMap(([node, count]) => (count > 1 ? [node] : []))))
}

function apply(slots: Assignable, { slot, state, value, disagreement }: Found): void {
  if (state !== slots.states[slot] || !Object.is(value, slots.values[slot])) slots.set(slot, state, value)
  if (disagreement !== undefined) slots.disagree(slot, disagreement)
}

interface CompiledChange {
  /** The states of the slot in which it may happen, each as a bit. */
  readonly in: number
  readonly holds: Holds
  readonly state: number | undefined
  readonly value: NumberOf | undefined
  readonly disagreement: NumberOf | undefined
}

/**
 * Most slots are in a state in which nothing happens to them, and most figures are of scales that few records carry: a change is
 * compiled when a slot is first in a state in which it may happen.
 */
function compileAssignment({ slot, changes }: Assignment, evaluator: () => Evaluator): FindChange {
  const masks = changes.map(({ when }) => statesIn(when, slot))
  const anyMask = masks.reduce((any, mask) => any | mask, 0)
  let compiled: readonly CompiledChange[] | undefined
  const compile = (): readonly CompiledChange[] =>
    changes.map(({ when, state, value, disagreement }, place) => ({
      in: masks[place] as number,
      holds: evaluator().condition(when),
      state,
      value: value && evaluator().number(value),
      disagreement: disagreement && evaluator().number(disagreement),
    }))
  return ({ values, states }, today) => {
    const own = states[slot] as number
    if (((anyMask >> own) & 1) === 0) return undefined
    compiled ??= compile()
    for (const { in: mask, holds, state = own, value, disagreement } of compiled) {
      if (((mask >> own) & 1) === 0 || !holds(values, states, today)) continue
      return {
        slot,
        state,
        value: value === undefined ? (values[slot] as number) : value(values, states, today),
        disagreement: disagreement?.(values, states, today),
      }
    }
    return undefined
  }
}

/** The states of a slot in which a condition may hold, each as a bit. */
function statesIn(condition: ConditionNode, slot: number): number {
  if (condition.kind === 'stateIn' && condition.slot === slot) return condition.states
  if (condition.kind !== 'and') return ~0
  return condition.of.reduce((states, each) => states & statesIn(each, slot), ~0)
}
