/** Terms, risks and unknown names of small models: what the byte reader works out alone, and that its answers are right. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldDefinition } from '../../src/definition/field.ts'
import type { ModelDefinition } from '../../src/definition/model.ts'
import type { ScaleDefinition } from '../../src/definition/scale.ts'
import {
  OPTIONS,
  TODAY,
  linear,
  model,
  results,
  scale,
  scorerOf,
} from '../../../../test/support/small-definitions.ts'
import { type Answerer, watchReader } from './watched-reader.ts'

const about = { meaning: 'a test' }
const FIELDS: Readonly<Record<string, FieldDefinition>> = {
  small: { type: 'integer', from: -3, to: 120, ...about },
  span: { type: 'integer', from: 100, to: 4_196, ...about },
  wider: { type: 'integer', from: 100, to: 4_197, ...about },
  share: { type: 'decimal', from: 0, to: 1, ...about },
  kind: { type: 'code', values: { x: 'x', y: 'y', z: 'z' }, ...about },
  flag: { type: 'yesNo', ...about },
}
const SCALES = [
  scale('list', { a: [-1, 0, 0.5, 2], far: [0, 4_096], farther: [0, 4_097], odd: [0, 0.0625] }),
  scale(
    'mean',
    { a: [0, 1], b: [0, 2] },
    { derived: { mean: { kind: 'mean', of: ['a', 'b'], decimals: 1 } } },
  ),
]
const definitions = { fields: new Map(Object.entries(FIELDS)), scales: SCALES }

/** A term · values of its fields · whether the reader has its points in a table. Others are asked for. */
const TERMS: readonly (readonly [ModelDefinition['terms'][number], readonly unknown[], boolean])[] = [
  [linear('small', 0.1), [0, 1, 120], true],
  [linear('span', 0.001), [100, 101, 4_196], true],
  [linear('wider', 0.001), [100, 101, 4_197], false],
  [linear('share', 1), [0, 0.25, 1], false],
  [{ kind: 'square', field: 'small', coefficient: 0.01 }, [0, 3, 12], true],
  [{ kind: 'category', field: 'kind', points: { x: 0.5, y: -1, z: 2 } }, ['x', 'y', 'z'], true],
  [{ kind: 'flag', field: 'flag', points: 1.5 }, [true, false], true],
  [linear('list_a', 1), [0, 0.5, 2], true],
  [linear('list_far', 0.001), [0, 4_096], true],
  [linear('list_farther', 0.001), [0, 4_097], false],
  [linear('mean_mean', 1), [0, 0.5, 1.5], false],
  [linear('mean_total', 1), [0, 1, 3], true],
  [
    { kind: 'product', coefficient: 1, factors: [linear('small', 0.1), linear('flag', 1)] } as never,
    [1, 2],
    false,
  ],
]
for (const [term, values, hasTable] of TERMS) {
  const field = term.kind === 'product' ? 'small' : (term as { readonly field: string }).field
  const more = term.kind === 'product' ? { flag: true } : {}
  test(`points by ${term.kind} of ${field} are ${hasTable ? 'in a table' : 'asked for'}`, () => {
    const inputs = Object.fromEntries([field, ...Object.keys(more)].map((name) => [name, {}]))
    const reader = watchReader(definitions, model(inputs, [term]))
    const records = values.map((value, idx) => ({ idx, [field]: value, ...more }))
    const answerers = reader.whoAnswers(JSON.stringify(records), TODAY)
    assert.deepEqual(
      answerers,
      values.map(() => 'reader'),
    )
    assert.deepEqual(reader.asked(), { rules: 0, points: hasTable ? 0 : values.length })
  })

  test(`points by ${term.kind} of ${field} where it is absent`, () => {
    const names = [field, ...Object.keys(more)]
    const standIn = { kind: 'y', flag: true }[field] ?? 0.5
    const inputs = Object.fromEntries(
      names.map((name) => [name, { whenAbsent: name === 'flag' ? true : standIn, why: 'a test' }]),
    )
    const terms = [term, { kind: 'absent', field, points: 0.7 } as const]
    const reader = watchReader(definitions, model(inputs, terms))
    const records = [{}, ...values.map((value) => ({ [field]: value })), { [field]: null }]
    const body = JSON.stringify(records.map((record, idx) => ({ idx, ...record })))
    assert.deepEqual(
      reader.whoAnswers(body, TODAY),
      records.map(() => 'reader'),
    )
  })
}

test('trees that ask for nothing give their points to every record', () => {
  const leaf = { kind: 'trees', combine: 'sum', trees: [[0.25], [1]] } as const
  const terms = [leaf, linear('small')] as unknown as ModelDefinition['terms']
  const reader = watchReader(definitions, model({ small: {} }, terms))
  assert.deepEqual(reader.whoAnswers('[{"idx":1,"small":6}]', TODAY), ['reader'])
  assert.deepEqual(reader.asked(), { rules: 0, points: 1 })
})

/** The reader has a table for a list that spans 65,536 units, and for none that is longer. */
const SPANS: readonly (readonly [field: string, text: string, answerer: Answerer])[] = [
  ['wide_far', '65535', 'reader'],
  ['wide_far', '1', 'engine'],
  ['wide_farther', '65536', 'engine'],
  ['wide_fine', '65.535', 'reader'],
  ['wide_finer', '65.536', 'engine'],
]
test('lists of up to 65,536 units are read by a table', () => {
  const measure = (to: number): object => ({ label: 'm', unit: '1', from: 0, to, step: 0.001 })
  const wide = scale(
    'wide',
    { far: [0, 65_535], farther: [0, 65_536] },
    {
      total: { kind: 'rule', all: ['far'] },
      measures: { fine: measure(65.535), finer: measure(65.536) } as NonNullable<ScaleDefinition['measures']>,
    },
  )
  const inputs = Object.fromEntries(SPANS.map(([field]) => [field, { whenAbsent: 0, why: 'a test' }]))
  const terms = Object.keys(inputs).map((field) => linear(field, 1e-5))
  const reader = watchReader({ ...definitions, scales: [wide] }, model(inputs, terms))
  for (const [field, text, answerer] of SPANS)
    assert.deepEqual(reader.whoAnswers(`[{"idx":1,"${field}":${text}}]`, TODAY), [answerer], field)
})

test('every risk of four decimals is printed as the reference prints it', () => {
  const reader = watchReader(
    definitions,
    model({ share: {} }, [linear('share', 1)], { link: { kind: 'identity' } }),
    { maxRecords: 20_000 },
  )
  const records = Array.from({ length: 10_001 }, (_, idx) => ({ idx, share: idx / 10_000 }))
  const answerers = reader.whoAnswers(JSON.stringify(records), TODAY)
  assert.ok(answerers?.every((answerer) => answerer === 'reader'))
})

test('a value without points has no risk, and the record beside it has its own', () => {
  const banded = model({ small: {} }, [{ kind: 'banded', field: 'small', bands: [{ to: 5, points: 1 }] }])
  const reader = watchReader(definitions, banded)
  assert.deepEqual(reader.whoAnswers('[{"idx":1,"small":6},{"idx":2,"small":5}]', TODAY), [
    'engine',
    'reader',
  ])
})

/** What a record has beside its input · who answers it · the same where unknown names are reported. */
const NAMES: readonly (readonly [string, Answerer, Answerer])[] = [
  ['"patient":1', 'reader', 'engine'],
  ['"patient":"a","ward":"b"', 'reader', 'engine'],
  ['"patient":"a","patient":"b"', 'reference', 'reference'],
  ['"patient":1,"ward":2,"bed":3,"ward":4', 'reference', 'reference'],
  ['"patient":1,"share":7,"patient":1', 'reference', 'reference'],
  ['"patient":1,"share":7', 'engine', 'engine'],
  ['"share":"patient","patient":1', 'engine', 'engine'],
  ['"share":7,"patient":1,"ward":2', 'engine', 'engine'],
  ['"Share":1', 'engine', 'engine'],
  ['"patient":1,"list_b":1', 'engine', 'engine'],
  ['"_b":1', 'reader', 'engine'],
  ['"list":1', 'reader', 'engine'],
  ['"listen_b":1', 'reader', 'engine'],
]
for (const [place, reportUnknown] of [
  [1, false],
  [2, true],
] as const) {
  const reader = watchReader(definitions, model({ small: {} }, [linear('small')]), { reportUnknown })
  for (const row of NAMES) {
    test(`${row[0]}, ${reportUnknown ? 'reported' : 'ignored'}: answered by the ${row[place]}`, () => {
      const record = (idx: number): string => `{"idx":${idx},"small":1,${row[0]}}`
      const body = `[${record(1)},{"idx":2,"small":1},${record(3)}]`
      assert.deepEqual(reader.whoAnswers(body, TODAY), [row[place], 'reader', row[place]])
    })
  }
}

test('a record with eight wrong values is answered by the engine, and one with nine by the reference', () => {
  const wrong = { small: 500, span: 1, wider: 1, share: 2, kind: 'a', flag: 'no', list_a: 9, mean_b: 1 }
  const reader = watchReader(definitions, model({ small: {} }, [linear('small')]))
  assert.deepEqual(reader.whoAnswers(JSON.stringify([{ idx: 1, ...wrong }]), TODAY), ['engine'])
  assert.deepEqual(reader.whoAnswers(JSON.stringify([{ idx: 1, ...wrong, mean_a: 7 }]), TODAY), ['reference'])
})

test('a body that was given up leaves nothing to the next one', () => {
  const fields = { small: FIELDS['small'] as FieldDefinition }
  const scorer = scorerOf({ fields, model: model({ small: {} }, [linear('small')]), options: OPTIONS })
  const wrong = Array.from({ length: 200 }, (_, idx) => ({ idx, small: 500 }))
  const budget = {
    beforeParse: () => undefined,
    step: () => {
      throw new Error('too expensive')
    },
    work: () => undefined,
  }
  const body = Buffer.from(JSON.stringify(wrong))
  assert.throws(() => scorer.score(body, TODAY, budget), /too expensive/)
  const [first] = results(scorer, [{ idx: 777, small: 'x' }])
  assert.equal(first?.idx, 777)
  assert.match(JSON.stringify(first.error_message), /idx 777 \(not an integer\)/)
})
