/** Every kind of field in small definitions: which values the byte reader takes itself, and that its answers are right. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldDefinition } from '../../src/definition/field.ts'
import type { ScaleDefinition } from '../../src/definition/scale.ts'
import { TODAY, linear, model, scale } from '../../../../test/support/small-definitions.ts'
import { type Answerer, watchReader } from './watched-reader.ts'

const long = (length: number): string => 'c'.repeat(length)
const CODES = ['x', '', 'a b', '~!#[]', long(31), long(32), 'a"b', 'a\\b', 'ü', '\u007f']
const FIELDS: Readonly<Record<string, FieldDefinition>> = {
  whole: { type: 'integer', from: 1, to: 120, meaning: 'whole' },
  signed: { type: 'integer', from: -5, to: 5, meaning: 'signed' },
  wide: { type: 'integer', from: 0, to: 4_000_000_000, meaning: 'wide' },
  share: { type: 'decimal', from: 0, to: 20, meaning: 'share' },
  change: { type: 'decimal', from: -5, to: 5, meaning: 'change' },
  kind: { type: 'code', values: Object.fromEntries(CODES.map((code) => [code, code])), meaning: 'kind' },
  flag: { type: 'yesNo', meaning: 'flag' },
}
const measure = (from: number, to: number, step: number): object => ({
  ...{ label: 'm', unit: '1', from, to, step },
})
const LISTS = scale(
  'lists',
  {
    ones: [0, 1, 2, 5],
    halves: [0, 0.5, 1],
    quarters: [0.25, 0.5],
    eighths: [0.125, 0.375],
    tiny: [0.0625, 1],
    minus: [-1, 0, 1],
    huge: [4_294_967_301],
  },
  {
    total: { kind: 'rule', all: ['ones'] },
    measures: {
      half: measure(0, 30, 0.5),
      below: measure(-2, 2, 0.5),
    } as NonNullable<ScaleDefinition['measures']>,
  },
)

/** Field · what a record writes · who answers it. */
const VALUES: readonly (readonly [field: string, text: string, answerer: Answerer])[] = [
  ['whole', '1', 'reader'],
  ['whole', '120', 'reader'],
  ['whole', '120.00', 'reader'],
  ['whole', '0', 'engine'],
  ['whole', '121', 'engine'],
  ['whole', '-1', 'engine'],
  ['whole', '1.5', 'engine'],
  ['whole', '1e1', 'reference'],
  ['whole', '"1"', 'engine'],
  ['whole', 'true', 'engine'],
  ['whole', 'false', 'engine'],
  ['share', 'false', 'engine'],
  ['kind', 'true', 'engine'],
  ['whole', 'null', 'reader'],
  ['signed', '0', 'reader'],
  ['signed', '5', 'reader'],
  ['signed', '6', 'engine'],
  ['signed', '-5', 'engine'],
  ['signed', '-6', 'engine'],
  ['wide', '999999999', 'reader'],
  ['wide', '1000000000', 'engine'],
  ['wide', '4000000000', 'engine'],
  ['wide', '4000000001', 'engine'],
  ['share', '0', 'reader'],
  ['share', '20.000', 'reader'],
  ['share', '19.999', 'reader'],
  ['share', '20.001', 'engine'],
  ['share', '-0.001', 'engine'],
  ['share', '1.23456789012345', 'reader'],
  ['share', '1.234567890123456', 'engine'],
  ['change', '-5', 'reader'],
  ['change', '-5.001', 'engine'],
  ['change', '5', 'reader'],
  ['change', '-0', 'engine'],
  ['kind', '"x"', 'reader'],
  ['kind', '""', 'reader'],
  ['kind', '"a b"', 'reader'],
  ['kind', '"~!#[]"', 'reader'],
  ['kind', `"${long(31)}"`, 'reader'],
  ['kind', `"${long(32)}"`, 'engine'],
  ['kind', `"${long(33)}"`, 'engine'],
  ['kind', '"X"', 'engine'],
  ['kind', '1', 'engine'],
  ['kind', '"a\\"b"', 'reference'],
  ['kind', '"a\\\\b"', 'reference'],
  ['kind', '"a\\b"', 'reference'],
  ['kind', '"ü"', 'reference'],
  ['kind', '"\u007f"', 'reference'],
  ['flag', 'true', 'reader'],
  ['flag', 'false', 'reader'],
  ['flag', '1', 'engine'],
  ['flag', '"true"', 'engine'],
  ['lists_ones', '0', 'reader'],
  ['lists_ones', '5', 'reader'],
  ['lists_ones', '2.0', 'reader'],
  ['lists_ones', '3', 'engine'],
  ['lists_ones', '6', 'engine'],
  ['lists_ones', '2.5', 'engine'],
  ['lists_ones', '"2"', 'engine'],
  ['lists_halves', '0.5', 'reader'],
  ['lists_halves', '1', 'reader'],
  ['lists_halves', '0.6', 'engine'],
  ['lists_quarters', '0.25', 'reader'],
  ['lists_quarters', '0.5', 'reader'],
  ['lists_quarters', '0.24', 'engine'],
  ['lists_eighths', '0.375', 'reader'],
  ['lists_eighths', '0.374', 'engine'],
  ['lists_tiny', '1', 'engine'],
  ['lists_tiny', '0.0625', 'engine'],
  ['lists_minus', '1', 'reader'],
  ['lists_minus', '-1', 'engine'],
  ['lists_huge', '4294967301', 'engine'],
  ['lists_huge', '5', 'engine'],
  ['lists_half', '29.5', 'reader'],
  ['lists_half', '30', 'reader'],
  ['lists_half', '30.5', 'engine'],
  ['lists_half', '29.4', 'engine'],
  ['lists_below', '2', 'reader'],
  ['lists_below', '0.5', 'reader'],
  ['lists_below', '-0.5', 'engine'],
  ['lists_date', '"15-03-2026"', 'reader'],
  ['lists_date', '"16-03-2026"', 'engine'],
  ['lists_date', '"15-03-2026 "', 'engine'],
  ['lists_date', '20260315', 'engine'],
]

const definitions = { fields: new Map(Object.entries(FIELDS)), scales: [LISTS] }
const items = [...Object.keys(LISTS.items), ...Object.keys(LISTS.measures ?? {})].map(
  (name) => `lists_${name}`,
)
/** Every value changes the risk, so that a value that is read wrong is seen. */
const everything = model(
  {
    ...Object.fromEntries(
      Object.keys(FIELDS).map((name) => [
        name,
        { whenAbsent: { kind: 'x', flag: false }[name] ?? 2, why: 'a test' },
      ]),
    ),
    ...Object.fromEntries(items.map((name) => [name, { whenAbsent: 1, why: 'a test' }])),
  },
  [
    ...['whole', 'signed', 'share', 'change', ...items.filter((name) => !name.includes('huge'))].map(
      (name, at) => linear(name, 0.001 * (at + 1)),
    ),
    ...['wide', 'lists_huge'].map((name) => linear(name, 1e-10)),
    { kind: 'category', field: 'kind', points: Object.fromEntries(CODES.map((code, at) => [code, at / 7])) },
    { kind: 'flag', field: 'flag', points: 0.3 },
  ],
)
const fields = watchReader(definitions, everything)
for (const [field, text, answerer] of VALUES) {
  test(`${field} ${text} is answered by the ${answerer}, as the reference does`, () => {
    const record = `{"idx":1,"${field}":${text}}`
    assert.deepEqual(fields.whoAnswers(`[${record}]`, TODAY), [answerer])
    assert.deepEqual(fields.whoAnswersLines(record, TODAY), [answerer])
  })
}

/** Received in other units: a number without steps is converted by the reader, any other by the engine. */
const CONVERTED: readonly (readonly [field: string, text: string, answerer: Answerer])[] = [
  ['share', '200', 'reader'],
  ['share', '201', 'engine'],
  ['share', '12.5', 'reader'],
  ['change', '5', 'reader'],
  ['lists_half', '7.77', 'reader'],
  ['lists_half', '60', 'reader'],
  ['lists_half', '60.01', 'engine'],
  ['lists_ones', '1', 'engine'],
  ['lists_ones', '0.2', 'engine'],
  ['whole', '10', 'engine'],
]
const conversions = Object.fromEntries(
  Object.entries({ share: [1, 10], lists_half: [0.5, 1], lists_ones: [5, 1], whole: [1, 10] }).map(
    ([name, [times = 1, per = 1]]) => [name, { unit: 'other', own: 'own', times, per }],
  ),
)
const converted = watchReader(definitions, everything, { conversions })
for (const [field, text, answerer] of CONVERTED) {
  test(`${field} ${text} in another unit is answered by the ${answerer}`, () => {
    assert.deepEqual(converted.whoAnswers(`[{"idx":1,"${field}":${text}}]`, TODAY), [answerer])
  })
}
