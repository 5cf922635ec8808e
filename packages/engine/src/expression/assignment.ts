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
  const uses = countUses(nodesOfStep(step))
  const evaluator = new Evaluator(new Set([...uses].flatMap(([node, count]) => (count > 1 ? [node] : []))))
  const finders = step.map((assignment) => compileAssignment(assignment, evaluator))
  const [only] = finders
  if (only !== undefined && finders.length === 1)
    return (slots, today) => {
      evaluator.beginTurn()
      const found = only(slots, today)
      if (found !== undefined) apply(slots, found)
    }
  return (slots, today) => {
    evaluator.beginTurn()
    const found = finders.map((find) => find(slots, today))
    for (const each of found) if (each !== undefined) apply(slots, each)
  }
}

function apply(slots: Assignable, { slot, state, value, disagreement }: Found): void {
  if (state !== slots.states[slot] || !Object.is(value, slots.values[slot])) slots.set(slot, state, value)
  if (disagreement !== undefined) slots.disagree(slot, disagreement)
}

interface CompiledChange {
  readonly holds: Holds
  readonly state: number | undefined
  readonly value: NumberOf | undefined
  readonly disagreement: NumberOf | undefined
}

const STATES = 32

function compileAssignment({ slot, changes }: Assignment, evaluator: Evaluator): FindChange {
  const compiled = changes.map(({ when, state, value, disagreement }): CompiledChange => ({
    holds: evaluator.condition(when),
    state,
    value: value && evaluator.number(value),
    disagreement: disagreement && evaluator.number(disagreement),
  }))
  // Most slots are in a state in which nothing happens to them, so each state has a list of its own.
  const byState = Array.from({ length: STATES }, (_, state) =>
    compiled.filter((_change, place) => mayHoldIn((changes[place] as Change).when, slot, state)),
  )
  return ({ values, states }, today) => {
    const own = states[slot] as number
    for (const { holds, state = own, value, disagreement } of byState[own] as readonly CompiledChange[]) {
      if (!holds(values, states, today)) continue
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

/** Whether a condition may hold while a slot is in this state. */
function mayHoldIn(condition: ConditionNode, slot: number, state: number): boolean {
  if (condition.kind === 'stateIn' && condition.slot === slot) return ((condition.states >> state) & 1) === 1
  return condition.kind !== 'and' || condition.of.every((each) => mayHoldIn(each, slot, state))
}
