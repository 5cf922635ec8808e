/**
 * The expressions that clinical definitions compile into. The engine evaluates them, SQL prints them, explanations walk them: what a
 * rule means is said here and nowhere else.
 *
 * A number is a double or none. None is NaN in the engine and NULL in SQL; it is what an operation without a result gives, and what
 * every operation with such an operand gives. A condition is true or false and never unknown: a comparison with none is false.
 * A node that two others use is one object, which SQL computes once.
 */
import type { Forest } from './forest.ts'

export type Comparison = '<' | '<=' | '>' | '>=' | '='

interface NumberKinds {
  readonly number: { readonly value: number }
  readonly none: object
  /** What the slot holds at this step. */
  readonly value: { readonly slot: number }
  /** The current day as YYYYMMDD. */
  readonly today: object
  /** From left to right, which is part of the meaning: sums of doubles depend on their order. */
  readonly add: { readonly of: readonly NumberNode[] }
  readonly multiply: { readonly of: readonly NumberNode[] }
  readonly subtract: { readonly left: NumberNode; readonly right: NumberNode }
  /** None where the divisor is 0. */
  readonly divide: { readonly left: NumberNode; readonly right: NumberNode }
  /** None of a number below 0. */
  readonly sqrt: { readonly of: NumberNode }
  /** The natural logarithm. None of 0 and less. */
  readonly log: { readonly of: NumberNode }
  readonly floor: { readonly of: NumberNode }
  /** floor(x · 10^decimals + 0.5) ÷ 10^decimals, each operation in doubles. */
  readonly round: { readonly of: NumberNode; readonly decimals: number }
  readonly min: { readonly of: readonly NumberNode[] }
  readonly max: { readonly of: readonly NumberNode[] }
  /** The number of the first branch whose condition holds. */
  readonly choose: { readonly branches: readonly Branch[]; readonly otherwise: NumberNode }
  /** The number in this place of a table, counted from `from`. None for a fraction and outside of the table. */
  readonly lookup: { readonly of: NumberNode; readonly from: number; readonly table: readonly number[] }
  /** The points of decision trees. */
  readonly forest: { readonly forest: Forest }
  /** A function of the runtime, such as a curve with `exp`, whose last digit differs between engines. SQL finds its steps. */
  readonly steps: { readonly of: NumberNode; readonly curve: Curve }
}

interface ConditionKinds {
  readonly compare: { readonly operator: Comparison; readonly left: NumberNode; readonly right: NumberNode }
  /** Whether the state of a slot is one of these; bit n stands for state n. */
  readonly stateIn: { readonly slot: number; readonly states: number }
  readonly and: { readonly of: readonly ConditionNode[] }
  readonly or: { readonly of: readonly ConditionNode[] }
  readonly not: { readonly of: ConditionNode }
}

type NodeOf<Kinds> = { [Kind in keyof Kinds]: { readonly kind: Kind } & Kinds[Kind] }
type AnyOf<Kinds> = NodeOf<Kinds>[keyof Kinds]

export type NumberNode = AnyOf<NumberKinds>
export type ConditionNode = AnyOf<ConditionKinds>
export type Node = NumberNode | ConditionNode
export type NumberOfKind<Kind extends keyof NumberKinds> = NodeOf<NumberKinds>[Kind]
export type ConditionOfKind<Kind extends keyof ConditionKinds> = NodeOf<ConditionKinds>[Kind]

export interface Branch {
  readonly when: ConditionNode
  readonly then: NumberNode
}

/** A function of a number, and where it must be known. */
export interface Curve {
  readonly at: (value: number) => number
  /**
   * `everywhere`: it only rises or only falls. `unit`: so between 0 and 1, and none elsewhere. A range: of whole numbers in it alone,
   * and none elsewhere.
   */
  readonly over: 'everywhere' | 'unit' | { readonly from: number; readonly to: number }
  /** Equal keys have equal functions, so that what was found for one can be used for the other. */
  readonly key: string
}
