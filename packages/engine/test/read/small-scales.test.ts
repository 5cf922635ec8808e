/** Every form of scale in small definitions: which records the byte reader takes itself, and that its answers are right. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldDefinition } from '../../src/definition/field.ts'
import type { DerivedDefinition, ScaleDefinition } from '../../src/definition/scale.ts'
import { TODAY, linear, model, scale } from '../../../../test/support/small-definitions.ts'
import { type Answerer, type WatchedReader, watchReader } from './watched-reader.ts'

const AGE: FieldDefinition = { type: 'integer', from: 0, to: 120, meaning: 'age' }
const SEX: FieldDefinition = { type: 'code', values: { F: 'f', M: 'm' }, meaning: 'sex' }
const BASE = new Map<string, FieldDefinition>([
  ['age', AGE],
  ['sex', SEX],
])
const READING: DerivedDefinition = {
  kind: 'banded',
  of: 'reading',
  bands: [
    { to: 5, points: 0 },
    { above: 5, points: 2 },
  ],
}
const OLD: DerivedDefinition = {
  kind: 'banded',
  of: 'record:age',
  bands: [
    { to: 64, points: 0 },
    { from: 65, points: 1 },
  ],
}
const THREE = { a: [0, 1, 2], b: [0, 1, 2], c: [0, 1, 2] } as const
const FORMS = { low: { meaning: 'from 0' }, high: { meaning: 'from 1', shift: 1 } } as const
const coded = (id: string, byDefault: 'low' | 'high' | null): ScaleDefinition =>
  scale(id, THREE, {
    codings: { default: byDefault, forms: FORMS },
    context: { school: { label: 'school', values: { yes: 'yes', no: 'no' } } },
    derived: { mean: { kind: 'mean', of: ['a', 'b'], decimals: 1 } },
  })
const SCALES: readonly ScaleDefinition[] = [
  scale('sum', THREE),
  scale('one', { a: [0, 1, 2] }),
  scale('split', THREE, {
    subtotals: { front: { label: 'front', items: ['a', 'b'] }, back: { label: 'back', items: ['c'] } },
  }),
  scale('either', THREE, { total: { kind: 'sum', alternatives: [['a', 'b']] } }),
  scale('worst', THREE, { total: { kind: 'sum', hierarchies: [{ severe: 'a', replaces: 'b' }] } }),
  scale('most', THREE, { total: { kind: 'sum', to: 4 } }),
  scale('rule', THREE, { total: { kind: 'rule', all: ['a', { any: ['b', 'c'] }] } }),
  scale('mean', THREE, { derived: { mean: { kind: 'mean', of: ['a', 'b'], decimals: 1 } } }),
  scale('read', THREE, {
    measures: { reading: { label: 'reading', from: 0, to: 10, step: 1, unit: '1' } },
    computed: { a: READING },
  }),
  scale('when', THREE, {
    measures: { reading: { label: 'reading', from: 0, to: 10, step: 1, unit: '1' } },
    computed: { a: { ...READING, bands: [{ when: { b: 1 }, points: 2 }] } },
  }),
  scale('aged', { old: [0, 1], b: [0, 1] }, { computed: { old: OLD } }),
  coded('low', 'low'),
  coded('high', 'high'),
  coded('none', null),
]
const scales = { fields: BASE, scales: SCALES }
const totals = SCALES.map(({ id }) => `${id}_total`)
const needsTotals = model(
  {
    age: { whenAbsent: 50, why: 'a test' },
    ...Object.fromEntries(totals.map((name) => [name, { whenAbsent: 0, why: 'a test' }])),
  },
  totals.map((name, at) => linear(name, 0.01 * (at + 1))),
)
const needsAge = model({ age: {} }, [linear('age')])

/** The reader asks the engine for the rules of a scale that are no plain sums, where the record has what they need. */
type ScaleAnswerer = Answerer | 'asks'
/** What a record says · who answers it for a model that needs every total, and for one that needs age alone. */
type ScaleRow = readonly [
  fields: Readonly<Record<string, unknown>>,
  needing: ScaleAnswerer,
  other?: ScaleAnswerer,
]
const GIVEN: readonly ScaleRow[] = [
  [{ sum_a: 1 }, 'reader'],
  [{ sum_total: 6 }, 'reader'],
  [{ sum_a: 1, sum_b: 1 }, 'reader'],
  [{ sum_a: 1, sum_b: 1, sum_c: 2 }, 'reader'],
  [{ sum_a: 1, sum_b: 1, sum_c: 2, sum_total: 4 }, 'reader'],
  [{ sum_a: 1, sum_b: 1, sum_c: 2, sum_total: 5 }, 'engine'],
  [{ sum_a: 1, sum_total: 2 }, 'engine'],
  [{ sum_date: '01-01-2026' }, 'reader'],
  [{ one_a: 1 }, 'reader'],
  [{ one_total: 1 }, 'reader'],
  [{ one_a: 1, one_total: 1 }, 'reader'],
  [{ one_a: 1, one_total: 2 }, 'engine'],
  [{ split_front: 2 }, 'reader'],
  [{ split_front: 2, split_total: 3 }, 'reader'],
  [{ split_front: 2, split_back: 1, split_total: 3 }, 'reader'],
  [{ split_front: 2, split_back: 2, split_total: 3 }, 'engine'],
  [{ split_a: 2, split_b: 1, split_front: 3 }, 'reader'],
  [{ split_a: 2, split_b: 1, split_front: 2 }, 'engine'],
  [{ split_c: 2, split_back: 1 }, 'engine'],
  [{ split_a: 2, split_b: 1, split_c: 1 }, 'reader'],
  [{ either_a: 1 }, 'asks', 'reader'],
  [{ either_a: 1, either_c: 1 }, 'asks', 'reader'],
  [{ either_b: 1, either_c: 1, either_total: 2 }, 'asks', 'asks'],
  [{ either_b: 1, either_c: 1, either_total: 3 }, 'engine'],
  [{ either_a: 1, either_b: 1 }, 'engine'],
  [{ worst_a: 1, worst_b: 2, worst_c: 1, worst_total: 2 }, 'asks', 'asks'],
  [{ worst_a: 1, worst_b: 2, worst_c: 1, worst_total: 4 }, 'engine'],
  [{ worst_a: 0, worst_b: 2, worst_c: 1 }, 'asks', 'reader'],
  [{ most_a: 2, most_b: 2, most_c: 2 }, 'asks', 'reader'],
  [{ most_a: 2, most_b: 2, most_c: 2, most_total: 4 }, 'asks', 'asks'],
  [{ rule_a: 1, rule_b: 0, rule_c: 1 }, 'asks', 'reader'],
  [{ rule_a: 0, rule_total: 1 }, 'engine'],
  [{ rule_b: 1, rule_total: 1 }, 'asks', 'asks'],
  [{ mean_a: 1, mean_b: 2, mean_c: 0 }, 'asks', 'reader'],
  [{ mean_a: 1, mean_b: 2, mean_mean: 1.5 }, 'asks', 'asks'],
  [{ mean_a: 1, mean_b: 2, mean_mean: 1.4 }, 'engine'],
  [{ read_reading: 6 }, 'asks', 'asks'],
  [{ read_reading: 6, read_b: 1, read_c: 1 }, 'asks', 'asks'],
  [{ read_reading: 6, read_a: 2 }, 'asks', 'asks'],
  [{ read_reading: 6, read_a: 1 }, 'engine'],
  [{ read_reading: 6, read_total: 1 }, 'engine'],
  [{ read_a: 2, read_b: 1, read_c: 1, read_total: 4 }, 'reader'],
  [{ read_a: 2, read_b: 1, read_c: 1, read_total: 3 }, 'engine'],
  [{ when_a: 2, when_b: 1 }, 'reader'],
  [{ when_b: 1, when_c: 1 }, 'reader'],
  [{ when_reading: 1, when_b: 1, when_c: 0 }, 'asks', 'asks'],
  [{ when_reading: 1, when_b: 1, when_a: 1 }, 'engine'],
  [{ when_reading: 1, when_b: 0, when_a: 1 }, 'asks', 'asks'],
  [{ age: 70, aged_b: 1 }, 'asks', 'reader'],
  [{ age: 70, aged_b: 1, aged_total: 1 }, 'asks', 'reader'],
  [{ age: 70, aged_b: 1, aged_total: 2 }, 'engine'],
  [{ low_a: 1, low_b: 1, low_c: 2 }, 'asks', 'reader'],
  [{ low_a: 1, low_b: 1, low_c: 2, low_total: 4 }, 'asks', 'asks'],
  [{ low_a: 1, low_b: 1, low_c: 2, low_total: 5 }, 'engine'],
  [{ low_mean: 1.5 }, 'engine'],
  [{ low_a: 3 }, 'engine'],
  [{ low_total: 7 }, 'engine'],
  [{ low_coding: 'low' }, 'engine'],
  [{ low_coding: 'high', low_a: 3, low_b: 3, low_c: 1, low_total: 7 }, 'engine'],
  [{ low_school: 'yes', low_date: '01-01-2026' }, 'reader'],
  [{ high_a: 1, high_b: 1, high_c: 2 }, 'engine'],
  [{ high_a: 0 }, 'engine'],
  [{ high_school: 'yes' }, 'reader'],
  [{ none_a: 1 }, 'engine'],
  [{ none_school: 'yes' }, 'reader'],
]
const needing = watchReader(scales, needsTotals)
const other = watchReader(scales, needsAge)
const both: readonly (readonly [string, WatchedReader, 1 | 2])[] = [
  ['a model of every total', needing, 1],
  ['a model of age', other, 2],
]
for (const row of GIVEN) {
  for (const [name, reader, place] of both) {
    const answerer = row[place] ?? row[1]
    test(`${JSON.stringify(row[0])}: ${answerer}, for ${name}`, () => {
      const record = (idx: number, more: object): string => JSON.stringify({ idx, age: 40, ...more })
      // What is worked out for a record must not reach the next one.
      const body = `[${record(0, {})},${record(1, row[0])},${record(2, {})},${record(3, row[0])}]`
      const own = answerer === 'asks' ? 'reader' : answerer
      reader.asked()
      assert.deepEqual(reader.whoAnswers(body, TODAY), ['reader', own, 'reader', own])
      if (own === 'reader')
        assert.deepEqual(reader.asked(), { rules: answerer === 'asks' ? 2 : 0, points: 0 })
    })
  }
}

/** Totals that are not those of items that are all 1. */
const WRONG_TOTALS: Readonly<Record<string, number>> = { rule: 0, aged: 1, either: 3, worst: 3 }
test('a record of many scales is reconciled in all of them', () => {
  const carried = SCALES.filter(({ id }) => !['high', 'none'].includes(id))
  const items = carried.flatMap(({ id, items: own }) => Object.keys(own).map((name) => [`${id}_${name}`, 1]))
  const right = { age: 40, ...(Object.fromEntries(items) as object), either_b: null, when_a: 2 }
  for (const { id } of carried) {
    const wrong = { ...right, [`${id}_total`]: WRONG_TOTALS[id] ?? 2 }
    const body = JSON.stringify([right, wrong].map((record, idx) => ({ idx, ...record })))
    assert.deepEqual(needing.whoAnswers(body, TODAY), ['reader', 'engine'], id)
  }
})
