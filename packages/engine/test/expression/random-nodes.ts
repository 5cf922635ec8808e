/** Random expressions of every kind, with none among their leaves. */
import {
  TODAY,
  add,
  and,
  choose,
  compare,
  divide,
  floor,
  log,
  lookup,
  max,
  min,
  multiply,
  none,
  not,
  number,
  or,
  round,
  sqrt,
  stateIn,
  subtract,
  value,
} from '../../src/expression/build.ts'
import type { Comparison, ConditionNode, Node, NumberNode } from '../../src/expression/node.ts'
import { compileTrees } from '../../src/score/trees.ts'
import type { Random } from '../../../../test/support/random.ts'

/** The first holds whole numbers from 0 to `MOST`, so that logarithms of it can be tabulated; the last is never given. */
export const SLOTS = 5
export const WHOLE_SLOT = 0
export const ABSENT_SLOT = SLOTS - 1
export const MOST = 12

const NUMBERS = [0, 1, -1, 0.5, -0.5, 2.5, -2.5, 0.1, 3, 7.25, -4.75, 0.49999999999999994, 12.345, 1e-3]
const OPERATORS: readonly Comparison[] = ['<', '<=', '>', '>=', '=']
type Make<Made> = (random: Random, depth: number) => Made

export function anyReading(random: Random): number {
  return random.chance(0.5) ? random.pick(NUMBERS) : Math.round((random.next() * 40 - 20) * 1_000) / 1_000
}

function leaf(random: Random): NumberNode {
  if (random.chance(0.1)) return none()
  return random.chance(0.3) ? number(anyReading(random)) : value(random.below(SLOTS))
}

function numbers(random: Random, depth: number): readonly NumberNode[] {
  const list = Array.from({ length: 2 + random.below(2) }, () => anyNumber(random, depth))
  // The same object twice: what is shared becomes a column.
  if (random.chance(0.3)) list.push(list[0] as NumberNode)
  return list
}

function conditions(random: Random, depth: number): readonly ConditionNode[] {
  const list = Array.from({ length: random.below(4) }, () => anyCondition(random, depth))
  if (list.length > 0 && random.chance(0.3)) list.push(list[0] as ConditionNode)
  return list
}

type NumberKind = NumberNode['kind']
type ConditionKind = ConditionNode['kind']

/** A node of each kind from random nodes that are one level less deep. A new kind needs a line here. */
const OF_NUMBERS: Readonly<Record<NumberKind, Make<NumberNode>>> = {
  number: (random) => number(anyReading(random)),
  none: () => none(),
  value: (random) => value(random.below(SLOTS)),
  today: () => TODAY,
  add: (random, depth) => add(...numbers(random, depth)),
  multiply: (random, depth) => multiply(...numbers(random, depth)),
  subtract: (random, depth) => subtract(anyNumber(random, depth), anyNumber(random, depth)),
  divide: (random, depth) => divide(anyNumber(random, depth), anyNumber(random, depth)),
  sqrt: (random, depth) => sqrt(anyNumber(random, depth)),
  log: (random) => {
    const of = add(value(WHOLE_SLOT), number(random.below(3) - 1))
    return random.chance(0.5) ? log(of) : multiply(number(0.3), log(of))
  },
  floor: (random, depth) => floor(anyNumber(random, depth)),
  round: (random, depth) => round(anyNumber(random, depth), random.below(4)),
  min: (random, depth) => min(...numbers(random, depth)),
  max: (random, depth) => max(...numbers(random, depth)),
  choose: (random, depth) => {
    const branches = Array.from({ length: 1 + random.below(3) }, () => ({
      when: anyCondition(random, depth),
      then: anyNumber(random, depth),
    }))
    return random.chance(0.5) ? choose(branches) : choose(branches, anyNumber(random, depth))
  },
  lookup: (random, depth) => {
    const of = random.chance(0.5) ? value(WHOLE_SLOT) : floor(anyNumber(random, depth))
    const table = Array.from({ length: random.pick([3, 100]) }, () =>
      random.chance(0.2) ? Number.NaN : anyReading(random),
    )
    return lookup(random.chance(0.7) ? of : anyNumber(random, depth), random.below(5) - 2, table)
  },
  forest: (random) => ({ kind: 'forest', forest: randomForest(random) }),
  steps: (random, depth) => {
    const of = anyNumber(random, depth)
    const slope = random.pick([1, -0.5])
    const over = random.pick(['everywhere', 'unit', { from: -3, to: 40 }] as const)
    const at = (score: number): number => {
      const isInside =
        over === 'everywhere' ||
        (over === 'unit'
          ? score >= 0 && score <= 1
          : score >= over.from && score <= over.to && Number.isInteger(score))
      return isInside ? Math.round(1_000 / (1 + Math.exp(-slope * score))) / 1_000 : Number.NaN
    }
    return { kind: 'steps', of, curve: { at, over, key: `test ${slope} ${JSON.stringify(over)}` } }
  },
}

const OF_CONDITIONS: Readonly<Record<ConditionKind, Make<ConditionNode>>> = {
  compare: (random, depth) => {
    const left = anyNumber(random, depth)
    const right = random.chance(0.2) ? left : anyNumber(random, depth)
    return compare(left, random.pick(OPERATORS), right)
  },
  stateIn: (random) => {
    const states = Array.from({ length: 1 + random.below(6) }, () => random.below(15))
    return stateIn(random.below(SLOTS), ...states)
  },
  and: (random, depth) => and(...conditions(random, depth)),
  or: (random, depth) => or(...conditions(random, depth)),
  not: (random, depth) => not(anyCondition(random, depth)),
}

export const NUMBER_KINDS = Object.keys(OF_NUMBERS) as readonly NumberKind[]
export const CONDITION_KINDS = Object.keys(OF_CONDITIONS) as readonly ConditionKind[]

/** An expression whose root is of this kind. */
export function randomNode(kind: Node['kind'], random: Random, depth: number): Node {
  const make = { ...OF_NUMBERS, ...OF_CONDITIONS }[kind]
  return make(random, depth - 1)
}

function anyNumber(random: Random, depth: number): NumberNode {
  if (depth <= 0 || random.chance(0.15)) return leaf(random)
  return OF_NUMBERS[random.pick(NUMBER_KINDS)](random, depth - 1)
}

function anyCondition(random: Random, depth: number): ConditionNode {
  const kind = depth <= 0 ? random.pick(['compare', 'stateIn'] as const) : random.pick(CONDITION_KINDS)
  return OF_CONDITIONS[kind](random, depth - 1)
}

function randomForest(random: Random): ReturnType<typeof compileTrees> {
  const split = (then: number, otherwise: number) => {
    const absent = random.pick(['then', 'else'] as const)
    const edge = anyReading(random)
    const field = String(random.below(SLOTS))
    return random.chance(0.5)
      ? { field, below: edge, then, else: otherwise, absent }
      : { field, upTo: edge, then, else: otherwise, absent }
  }
  const leaves = Array.from({ length: 4 }, () => anyReading(random))
  const trees = Array.from({ length: 1 + random.below(3) }, () => [
    split(1, 2),
    split(3, 4),
    split(5, 6),
    ...leaves,
  ])
  const rounding = random.pick(['none', 'value', 'both'] as const)
  return compileTrees(
    { kind: 'trees', combine: random.pick(['sum', 'mean'] as const), rounding, trees },
    { slotOf: Number, domainOf: () => ({ kind: 'decimal', from: -100, to: 100 }) },
  )
}
