/**
 * Expressions as functions of a record's slots. They are closures: generated source is faster, and a page that forbids it
 * (`script-src 'self'`) could not score.
 */
import { bandsIn } from './bands.ts'
import { compileForest } from './forest.ts'
import type { Comparison, ConditionNode, ConditionOfKind, Node, NumberNode, NumberOfKind } from './node.ts'

/** The value of an expression for the record in the slots; NaN if it has none. `today` is YYYYMMDD. */
export type NumberOf = (values: Float64Array, states: Uint8Array, today: number) => number
export type Holds = (values: Float64Array, states: Uint8Array, today: number) => boolean

/** Compiles expressions. What it is told to keep is computed once in a turn, and again after `beginTurn`. */
export class Evaluator {
  private readonly numbers = new Map<NumberNode, NumberOf>()
  private readonly conditions = new Map<ConditionNode, Holds>()
  private readonly keeps: ReadonlySet<Node>
  private turn = 0

  constructor(keeps: ReadonlySet<Node> = new Set()) {
    this.keeps = keeps
  }

  /** Forgets what was kept: to be called whenever the slots have changed. */
  beginTurn(): void {
    this.turn++
  }

  readonly number = (node: NumberNode): NumberOf => {
    const known = this.numbers.get(node)
    if (known !== undefined) return known
    const own = this.numberOf(node)
    const compiled = this.keeps.has(node) ? this.kept(own) : own
    this.numbers.set(node, compiled)
    return compiled
  }

  readonly condition = (node: ConditionNode): Holds => {
    const known = this.conditions.get(node)
    if (known !== undefined) return known
    const own = this.holdsOf(node)
    const compiled = this.keeps.has(node) ? this.kept(own) : own
    this.conditions.set(node, compiled)
    return compiled
  }

  private kept<Given extends number | boolean>(
    of: (values: Float64Array, states: Uint8Array, today: number) => Given,
  ): typeof of {
    let at = -1
    let found: Given
    return (values, states, today) => {
      if (at !== this.turn) {
        found = of(values, states, today)
        at = this.turn
      }
      return found
    }
  }

  private numberOf(node: NumberNode): NumberOf {
    switch (node.kind) {
      case 'number': {
        const { value } = node
        return () => value
      }
      case 'none':
        return () => Number.NaN
      case 'value': {
        const { slot } = node
        return (values) => values[slot] as number
      }
      case 'today':
        return (_values, _states, today) => today
      case 'add':
        return this.sumOf(node)
      case 'multiply':
        return productOf(node.of.map(this.number))
      case 'subtract': {
        const left = this.number(node.left)
        const right = this.number(node.right)
        return (values, states, today) => left(values, states, today) - right(values, states, today)
      }
      case 'divide':
        return this.quotientOf(node)
      case 'sqrt': {
        const of = this.number(node.of)
        return (values, states, today) => Math.sqrt(of(values, states, today))
      }
      case 'log': {
        const of = this.number(node.of)
        return (values, states, today) => {
          const number = of(values, states, today)
          return number > 0 ? Math.log(number) : Number.NaN
        }
      }
      case 'floor': {
        const of = this.number(node.of)
        return (values, states, today) => Math.floor(of(values, states, today))
      }
      case 'round': {
        const of = this.number(node.of)
        const units = 10 ** node.decimals
        return (values, states, today) => Math.floor(of(values, states, today) * units + 0.5) / units
      }
      case 'min':
        return extremeOf(node.of.map(this.number), Math.min)
      case 'max':
        return extremeOf(node.of.map(this.number), Math.max)
      case 'choose':
        return this.choiceOf(node)
      case 'lookup': {
        const of = this.number(node.of)
        const { from, table } = node
        return (values, states, today) => {
          const place = of(values, states, today)
          // A fraction next to a whole number may become that number when `from` is subtracted.
          return Number.isInteger(place) ? (table[place - from] ?? Number.NaN) : Number.NaN
        }
      }
      case 'forest':
        return compileForest(node.forest)
      case 'steps': {
        const of = this.number(node.of)
        const { at } = node.curve
        return (values, states, today) => {
          const number = of(values, states, today)
          return Number.isNaN(number) ? number : at(number)
        }
      }
    }
  }

  private sumOf({ of }: NumberOfKind<'add'>): NumberOf {
    const usable = of.map(valueWhere)
    if (usable.every((each) => each !== undefined)) return sumWhere(usable)
    const [first, ...rest] = of.map(this.number) as [NumberOf, ...NumberOf[]]
    return (values, states, today) => {
      let sum = first(values, states, today)
      for (const each of rest) sum += each(values, states, today)
      return sum
    }
  }

  private quotientOf({ left, right }: NumberOfKind<'divide'>): NumberOf {
    const dividend = this.number(left)
    if (right.kind === 'number' && right.value !== 0) {
      const divisor = right.value
      return (values, states, today) => dividend(values, states, today) / divisor
    }
    const divisorOf = this.number(right)
    return (values, states, today) => {
      const divisor = divisorOf(values, states, today)
      return divisor === 0 ? Number.NaN : dividend(values, states, today) / divisor
    }
  }

  private choiceOf(node: NumberOfKind<'choose'>): NumberOf {
    const usable = valueWhere(node)
    if (usable !== undefined) {
      const { slot, states: mask, otherwise } = usable
      return (values, states) =>
        (mask >> (states[slot] as number)) & 1 ? (values[slot] as number) : otherwise
    }
    const bands = bandsIn(node)
    if (bands !== undefined) {
      const of = this.number(bands.of)
      const { first, last, gives, otherwise } = bands
      return (values, states, today) => {
        const number = of(values, states, today)
        for (let place = 0; place < first.length; place++)
          if (number >= (first[place] as number) && number <= (last[place] as number))
            return gives[place] as number
        return otherwise
      }
    }
    const otherwise = this.number(node.otherwise)
    const numbers = node.branches.map(({ then }) => this.number(then))
    const place = this.choice(node)
    return (values, states, today) => {
      const chosen = place(values, states, today)
      return (chosen < 0 ? otherwise : (numbers[chosen] as NumberOf))(values, states, today)
    }
  }

  /** The place of the branch that a choice takes, or −1. */
  choice({ branches }: NumberOfKind<'choose'>): NumberOf {
    const [only, second] = branches.map(({ when }) => this.condition(when))
    if (only !== undefined && second === undefined)
      return (values, states, today) => (only(values, states, today) ? 0 : -1)
    const whens = branches.map(({ when }) => this.condition(when))
    return (values, states, today) => {
      for (let place = 0; place < whens.length; place++)
        if ((whens[place] as Holds)(values, states, today)) return place
      return -1
    }
  }

  private holdsOf(node: ConditionNode): Holds {
    switch (node.kind) {
      case 'compare':
        return this.comparisonOf(node)
      case 'stateIn': {
        const { slot, states: mask } = node
        return (_values, states) => ((mask >> (states[slot] as number)) & 1) === 1
      }
      case 'and': {
        const inStates = statesOf(node.of, 1)
        if (inStates !== undefined) return inStates
        const [first, second, ...rest] = node.of.map(this.condition)
        if (first !== undefined && second !== undefined && rest.length === 0)
          return (values, states, today) => first(values, states, today) && second(values, states, today)
        const all = node.of.map(this.condition)
        return (values, states, today) => {
          for (const each of all) if (!each(values, states, today)) return false
          return true
        }
      }
      case 'or': {
        const inStates = statesOf(node.of, 0)
        if (inStates !== undefined) return inStates
        const any = node.of.map(this.condition)
        return (values, states, today) => {
          for (const each of any) if (each(values, states, today)) return true
          return false
        }
      }
      case 'not': {
        const of = this.condition(node.of)
        return (values, states, today) => !of(values, states, today)
      }
    }
  }

  private comparisonOf({ operator, left, right }: ConditionOfKind<'compare'>): Holds {
    const one = this.number(left)
    if (left === right) return sameOf(operator, one)
    if (right.kind === 'number') return comparisonWith(operator, one, right.value)
    const other = this.number(right)
    switch (operator) {
      case '<':
        return (values, states, today) => one(values, states, today) < other(values, states, today)
      case '<=':
        return (values, states, today) => one(values, states, today) <= other(values, states, today)
      case '>':
        return (values, states, today) => one(values, states, today) > other(values, states, today)
      case '>=':
        return (values, states, today) => one(values, states, today) >= other(values, states, today)
      case '=':
        return (values, states, today) => one(values, states, today) === other(values, states, today)
    }
  }
}

const numbers = new WeakMap<NumberNode, NumberOf>()
const conditions = new WeakMap<ConditionNode, Holds>()

/** A node that is compiled again has the same function. */
export function compileNumber(node: NumberNode): NumberOf {
  const known = numbers.get(node) ?? new Evaluator().number(node)
  numbers.set(node, known)
  return known
}

export function compileCondition(node: ConditionNode): Holds {
  const known = conditions.get(node) ?? new Evaluator().condition(node)
  conditions.set(node, known)
  return known
}

/** The place of the branch that a choice takes, or −1. */
export function compileChoice(node: NumberOfKind<'choose'>): NumberOf {
  return new Evaluator().choice(node)
}

/** The value of a slot in some states, and another number in all others. */
interface ValueWhere {
  readonly slot: number
  readonly states: number
  readonly otherwise: number
}

function valueWhere(node: NumberNode): ValueWhere | undefined {
  if (node.kind !== 'choose' || node.branches.length !== 1) return undefined
  const [{ when, then }] = node.branches as readonly [(typeof node.branches)[number]]
  if (when.kind !== 'stateIn' || then.kind !== 'value' || then.slot !== when.slot) return undefined
  const { otherwise } = node
  if (otherwise.kind === 'none') return { slot: when.slot, states: when.states, otherwise: Number.NaN }
  if (otherwise.kind !== 'number') return undefined
  return { slot: when.slot, states: when.states, otherwise: otherwise.value }
}

function sumWhere(parts: readonly ValueWhere[]): NumberOf {
  const slots = Int32Array.from(parts, ({ slot }) => slot)
  const masks = Int32Array.from(parts, ({ states }) => states)
  const others = Float64Array.from(parts, ({ otherwise }) => otherwise)
  return (values, states) => {
    let sum = 0
    for (let place = 0; place < slots.length; place++) {
      const slot = slots[place] as number
      const isIn = ((masks[place] as number) >> (states[slot] as number)) & 1
      sum += (isIn === 1 ? values[slot] : others[place]) as number
    }
    return sum
  }
}

function productOf(factors: readonly NumberOf[]): NumberOf {
  const [first, second, ...rest] = factors as readonly [NumberOf, NumberOf, ...NumberOf[]]
  if (rest.length === 0)
    return (values, states, today) => first(values, states, today) * second(values, states, today)
  return (values, states, today) => {
    let product = first(values, states, today) * second(values, states, today)
    for (const each of rest) product *= each(values, states, today)
    return product
  }
}

function extremeOf(of: readonly NumberOf[], end: (one: number, other: number) => number): NumberOf {
  const [first, ...rest] = of as readonly [NumberOf, ...NumberOf[]]
  return (values, states, today) => {
    let found = first(values, states, today)
    for (const each of rest) found = end(found, each(values, states, today))
    return found
  }
}

/**
 * Many slots, each in some states: all of them where `wanted` is 1, one of them where it is 0. Undefined where a condition is
 * something else.
 */
function statesOf(conditions: readonly ConditionNode[], wanted: 0 | 1): Holds | undefined {
  const parts: ConditionOfKind<'stateIn'>[] = []
  for (const each of conditions) {
    if (each.kind === 'stateIn') parts.push(each)
    else if (each.kind === 'not' && each.of.kind === 'stateIn')
      parts.push({ ...each.of, states: ~each.of.states })
    else return undefined
  }
  const slots = Int32Array.from(parts, ({ slot }) => slot)
  const masks = Int32Array.from(parts, ({ states }) => states)
  return (_values, states) => {
    for (let place = 0; place < slots.length; place++) {
      const isIn = ((masks[place] as number) >> (states[slots[place] as number] as number)) & 1
      if (isIn !== wanted) return wanted === 0
    }
    return wanted === 1
  }
}

/** A number compared with itself: whether there is one, or never. */
function sameOf(operator: Comparison, of: NumberOf): Holds {
  if (operator === '<' || operator === '>') return () => false
  return (values, states, today) => !Number.isNaN(of(values, states, today))
}

function comparisonWith(operator: Comparison, of: NumberOf, edge: number): Holds {
  switch (operator) {
    case '<':
      return (values, states, today) => of(values, states, today) < edge
    case '<=':
      return (values, states, today) => of(values, states, today) <= edge
    case '>':
      return (values, states, today) => of(values, states, today) > edge
    case '>=':
      return (values, states, today) => of(values, states, today) >= edge
    case '=':
      return (values, states, today) => of(values, states, today) === edge
  }
}
