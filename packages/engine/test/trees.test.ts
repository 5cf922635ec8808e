/** Trees in the engine: compared with a plain reading of the file, by both readers, with absent values and every kind of rounding. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Domain, fieldDomain } from '../src/definition/domain.ts'
import type { FieldDefinition } from '../src/definition/field.ts'
import type { TreesDefinition } from '../src/definition/term.ts'
import { createScorer } from '../src/scorer.ts'
import { roundRisk } from '../src/score/link.ts'
import { Random } from '../../../test/support/random.ts'
import { plainPoints, randomTrees } from '../../../test/support/random-trees.ts'
import { OPTIONS, TODAY, model } from '../../../test/support/small-definitions.ts'

const FIELDS: Readonly<Record<string, FieldDefinition>> = {
  a: { type: 'integer', from: 0, to: 120, meaning: 'a' },
  b: { type: 'decimal', from: 0, to: 20, meaning: 'b' },
  c: { type: 'code', values: { x: 'x', y: 'y', z: 'z', w: 'w' }, meaning: 'c' },
  d: { type: 'yesNo', meaning: 'd' },
  e: { type: 'decimal', from: -5, to: 5, meaning: 'e' },
}
const NAMES = Object.keys(FIELDS)
const DOMAINS = new Map<string, Domain>(
  NAMES.map((name) => [name, fieldDomain(FIELDS[name] as FieldDefinition)]),
)
const DEFINITIONS = { fields: new Map(Object.entries(FIELDS)), scales: [] }

type Values = Record<string, number | string | boolean>

function randomRecord(random: Random, term: TreesDefinition, absent: ReadonlySet<string>): Values {
  const edges = (field: string): readonly number[] =>
    term.trees
      .flat()
      .flatMap((node) =>
        typeof node === 'number' || node.field !== field ? [] : [node.below ?? node.upTo ?? 0],
      )
  const decimal = (field: string, from: number, to: number): number => {
    const own = edges(field)
    // Often on an edge itself, where rounding and `upTo` matter.
    if (own.length > 0 && random.chance(0.5)) return random.pick(own)
    return Math.round((from + random.next() * (to - from)) * 10) / 10
  }
  const all: Values = {
    a: random.below(121),
    b: decimal('b', 0, 20),
    c: random.pick(['x', 'y', 'z', 'w']),
    d: random.chance(0.5),
    e: decimal('e', -5, 5),
  }
  const given = Object.entries(all).filter(([name]) => !absent.has(name) || random.chance(0.6))
  return Object.fromEntries(given)
}

for (const rounding of ['none', 'value', 'both'] as const) {
  for (const combine of ['sum', 'mean'] as const) {
    for (const absent of [new Set<string>(), new Set(['b', 'c', 'd', 'e'])]) {
      const kind = `${combine}, rounding ${rounding}, ${absent.size} inputs that may be absent`
      test(`both readers score trees as the file is read: ${kind}`, () => {
        const random = new Random(5)
        for (let round = 0; round < 12; round++) {
          const shape = { count: 1 + random.below(8), depth: 1 + random.below(5), rounding, combine, absent }
          const term = randomTrees(random, DOMAINS, shape)
          const inputs = Object.fromEntries(
            NAMES.map((name) => [name, absent.has(name) ? { whenAbsent: null, why: 'a test' } : {}]),
          )
          const definition = model(inputs, [term])
          const records = Array.from({ length: 60 }, () => randomRecord(random, term, absent))
          const body = Buffer.from(JSON.stringify(records.map((record, idx) => ({ idx, ...record }))))
          const [fast, reference] = (['bytes', 'reference'] as const).map((reader) =>
            Buffer.from(
              createScorer(DEFINITIONS, definition, { ...OPTIONS, reader }).score(body, TODAY).bytes,
            ).toString(),
          )
          assert.equal(fast, reference)
          const expected = records.map((record, idx) => {
            const score = plainPoints(term, record)
            return { idx, risk: roundRisk(1 / (1 + Math.exp(-score))), error_message: null }
          })
          assert.deepEqual(JSON.parse(reference as string), expected)
        }
      })
    }
  }
}

const ONE = (rounding: TreesDefinition['rounding'], keys: object): TreesDefinition => ({
  kind: 'trees',
  combine: 'sum',
  ...(rounding && { rounding }),
  trees: [[{ field: 'b', then: 1, else: 2, ...keys }, -1, 1]],
})

/** 0.7 is a little more than the nearest number of 32 bits, 0.1 a little less. */
const EDGES: readonly (readonly [TreesDefinition['rounding'], object, number, -1 | 1])[] = [
  [undefined, { below: 0.7 }, 0.7, 1],
  [undefined, { upTo: 0.7 }, 0.7, -1],
  [undefined, { below: 0.7 }, 0.69999999, -1],
  ['both', { below: 0.7 }, 0.7, 1],
  ['both', { below: 0.7 }, 0.69999999, 1],
  ['both', { upTo: 0.7 }, 0.70000001, -1],
  ['value', { below: 0.7 }, 0.7, -1],
  ['value', { below: 0.1 }, 0.1, 1],
  ['value', { upTo: 0.1 }, 0.1, 1],
]
for (const [rounding, keys, value, points] of EDGES) {
  test(`${value} at ${JSON.stringify(keys)}, rounding ${rounding ?? 'left out'}, gives ${points}`, () => {
    const definition = model({ b: {} }, [ONE(rounding, keys)])
    const { score } = createScorer(DEFINITIONS, definition, OPTIONS).assess({ idx: 1, b: value }, TODAY)
    assert.equal(score, points)
  })
}
