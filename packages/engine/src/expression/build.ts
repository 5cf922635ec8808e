/** Builders of expressions. Numbers that are known are computed at once, by the operations of the engine itself. */
import type { Branch, Comparison, ConditionNode, NumberNode, NumberOfKind } from './node.ts'

const NONE: NumberNode = { kind: 'none' }
export const TODAY: NumberNode = { kind: 'today' }
export const ALWAYS: ConditionNode = { kind: 'and', of: [] }
export const NEVER: ConditionNode = { kind: 'or', of: [] }

export function none(): NumberNode {
  return NONE
}

/** A constant. NaN stands for no number. */
export function number(value: number): NumberNode {
  return Number.isNaN(value) ? NONE : { kind: 'number', value }
}

export function value(slot: number): NumberOfKind<'value'> {
  return { kind: 'value', slot }
}

export function add(...of: readonly NumberNode[]): NumberNode {
  if (of.length === 1) return of[0] as NumberNode
  return of.length === 0 ? number(0) : { kind: 'add', of }
}

export function multiply(...of: readonly NumberNode[]): NumberNode {
  const [left, right] = of
  if (of.length <= 1) return left ?? number(1)
  if (of.length === 2 && left?.kind === 'number' && right?.kind === 'number')
    return number(left.value * right.value)
  return { kind: 'multiply', of }
}

export function subtract(left: NumberNode, right: NumberNode): NumberNode {
  return { kind: 'subtract', left, right }
}

export function divide(left: NumberNode, right: NumberNode): NumberNode {
  // A quotient by 1 is the number itself.
  if (right.kind === 'number' && right.value === 1) return left
  return { kind: 'divide', left, right }
}

export function sqrt(of: NumberNode): NumberNode {
  return { kind: 'sqrt', of }
}

export function log(of: NumberNode): NumberNode {
  return { kind: 'log', of }
}

export function floor(of: NumberNode): NumberNode {
  return { kind: 'floor', of }
}

export function round(of: NumberNode, decimals: number): NumberNode {
  return { kind: 'round', of, decimals }
}

export function min(...of: readonly NumberNode[]): NumberNode {
  return of.length === 1 ? (of[0] as NumberNode) : { kind: 'min', of }
}

export function max(...of: readonly NumberNode[]): NumberNode {
  return of.length === 1 ? (of[0] as NumberNode) : { kind: 'max', of }
}

export function choose(branches: readonly Branch[], otherwise: NumberNode = NONE): NumberOfKind<'choose'> {
  return { kind: 'choose', branches, otherwise }
}

/** A number under a condition. */
export function when(condition: ConditionNode, then: NumberNode, otherwise?: NumberNode): NumberNode {
  return choose([{ when: condition, then }], otherwise)
}

export function lookup(of: NumberNode, from: number, table: readonly number[]): NumberNode {
  return { kind: 'lookup', of, from, table }
}

export function compare(left: NumberNode, operator: Comparison, right: NumberNode): ConditionNode {
  return { kind: 'compare', operator, left, right }
}

export function stateIn(slot: number, ...states: readonly number[]): ConditionNode {
  return { kind: 'stateIn', slot, states: states.reduce((bits, state) => bits | (1 << state), 0) }
}

export function and(...of: readonly ConditionNode[]): ConditionNode {
  const rest = of.flatMap((each) => (each.kind === 'and' ? each.of : [each]))
  if (rest.some((each) => each.kind === 'or' && each.of.length === 0)) return NEVER
  return rest.length === 1 ? (rest[0] as ConditionNode) : { kind: 'and', of: rest }
}

export function or(...of: readonly ConditionNode[]): ConditionNode {
  const rest = of.flatMap((each) => (each.kind === 'or' ? each.of : [each]))
  if (rest.some((each) => each.kind === 'and' && each.of.length === 0)) return ALWAYS
  return rest.length === 1 ? (rest[0] as ConditionNode) : { kind: 'or', of: rest }
}

export function not(of: ConditionNode): ConditionNode {
  return of.kind === 'not' ? of.of : { kind: 'not', of }
}

/** Whether there is a number. */
export function isSome(of: NumberNode): ConditionNode {
  return compare(of, '=', of)
}

export function isWhole(of: NumberNode): ConditionNode {
  return compare(floor(of), '=', of)
}

/** Whether two numbers are further apart than this. None is not apart from anything. */
export function areApart(one: NumberNode, other: NumberNode, than: number): ConditionNode {
  const edge = number(than)
  return or(compare(subtract(one, other), '>', edge), compare(subtract(other, one), '>', edge))
}

export interface Ends {
  readonly from?: number | undefined
  readonly above?: number | undefined
  readonly to?: number | undefined
  readonly below?: number | undefined
}

/** Whether a number lies within the ends that are stated. Without any, whether there is one. */
export function within(of: NumberNode, { from, above, to, below }: Ends): ConditionNode {
  const stated: readonly (readonly [Comparison, number | undefined])[] = [
    ['>', above],
    ['>=', from],
    ['<', below],
    ['<=', to],
  ]
  const ends = stated.flatMap(([operator, end]) =>
    end === undefined ? [] : [compare(of, operator, number(end))],
  )
  return ends.length === 0 ? isSome(of) : and(...ends)
}
