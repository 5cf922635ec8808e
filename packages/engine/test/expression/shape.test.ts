/** What the range asks of an expression: its edges in one input, and that it is straight between them unless it is said to be bent. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SimpleTermDefinition } from '../../src/definition/term.ts'
import { compileNumber } from '../../src/expression/evaluate.ts'
import type { NumberNode } from '../../src/expression/node.ts'
import { shapeOf } from '../../src/expression/shape.ts'
import { makePlan } from '../../src/plan/plan.ts'
import { compileTerms } from '../../src/score/model.ts'
import { Random } from '../../../../test/support/random.ts'
import { NUMBER_KINDS, SLOTS, anyReading, randomNode } from './random-nodes.ts'

const measured = { type: 'decimal', from: 0, to: 100, meaning: 'a test' } as const
const plan = makePlan({
  fields: new Map([
    ['a', measured],
    ['b', measured],
  ]),
  scales: [],
})
const bands = [
  { below: 2, points: 0 },
  { from: 2, to: 7.5, points: 1 },
  { above: 7.5, points: 3 },
]

const TERMS: readonly (readonly [SimpleTermDefinition, readonly number[], boolean])[] = [
  [{ kind: 'linear', field: 'a', coefficient: 2, per: 10 }, [], false],
  [{ kind: 'square', field: 'a', coefficient: 2 }, [], true],
  [{ kind: 'logarithm', field: 'a', plus: 1, coefficient: 2 }, [], true],
  [{ kind: 'power', field: 'a', plus: 1, exponent: -0.5, coefficient: 2 }, [], true],
  [{ kind: 'spline', field: 'a', knots: [3, 5.5, 9], coefficients: [1, 0.5] }, [3, 5.5, 9], true],
  [{ kind: 'banded', field: 'a', bands }, [2, 7.5], false],
  [{ kind: 'count', below: { a: 4, b: 6 }, bands }, [4], false],
  [{ kind: 'absent', field: 'a', points: 1 }, [], false],
  [{ kind: 'linear', field: 'b', coefficient: 2 }, [], false],
]

describe('the shape of a term in one input', () => {
  for (const [term, edges, isBent] of TERMS) {
    test(`${term.kind} of ${'field' in term ? term.field : 'both'}`, () => {
      const nodes = compileTerms([term], plan).map(({ node }) => node)
      const shape = shapeOf(nodes, plan.slotByName.get('a') as number)
      assert.deepEqual({ ...shape, edges: [...new Set(shape.edges)] }, { edges, isBent })
    })
  }

  test('a product of one input with itself is bent, of two inputs it is not', () => {
    const linear = (field: string) => ({ kind: 'linear', field, coefficient: 1 }) as const
    const isBent = (...fields: readonly string[]): boolean => {
      const [term] = compileTerms([{ kind: 'product', coefficient: 1, factors: fields.map(linear) }], plan)
      return shapeOf(term === undefined ? [] : [term.node], plan.slotByName.get('a') as number).isBent
    }
    assert.deepEqual([isBent('a', 'a'), isBent('a', 'b')], [true, false])
  })
})

const EXPRESSIONS = 12_000
const DEPTH = 4
const ENDS = [-20, 20] as const

test('random expressions are straight between their edges unless they are bent', () => {
  let straight = 0
  for (let seed = 1; seed <= EXPRESSIONS; seed++) {
    const random = new Random(seed)
    const node = randomNode(random.pick(NUMBER_KINDS), random, DEPTH) as NumberNode
    const slot = random.below(SLOTS)
    const { edges, isBent } = shapeOf([node], slot)
    if (isBent) continue
    const compute = compileNumber(node)
    const values = Float64Array.from({ length: SLOTS }, () => anyReading(random))
    const states = Uint8Array.from({ length: SLOTS }, () => random.below(15))
    const at = (value: number): number => {
      values[slot] = value
      return compute(values, states, 20_260_131)
    }
    const ends = [...new Set([...ENDS, ...edges.filter((edge) => Math.abs(edge) < ENDS[1])])].sort(
      (one, other) => one - other,
    )
    for (const [place, end] of ends.entries()) {
      const width = (ends[place + 1] ?? Number.NaN) - end
      // Next to an edge the last digits decide.
      if (!(width > 1e-6)) continue
      const [low, middle, high] = [0.01, 0.5, 0.99].map((share) => at(end + share * width)) as [
        number,
        number,
        number,
      ]
      const size = Math.max(1, Math.abs(low), Math.abs(high))
      const isOnLine = Math.abs((low + high) / 2 - middle) <= 1e-9 * size
      assert.ok(isOnLine || [low, middle, high].every(Number.isNaN), `seed ${seed}: ${JSON.stringify(node)}`)
      straight += Number(high !== low)
    }
  }
  assert.ok(straight > 500, `${straight} pieces rise or fall`)
})
