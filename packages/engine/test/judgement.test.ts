/** The judgement of one record with small definitions, by both readers: totals that are not plain sums, codings, dates, and names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScaleDefinition } from '../src/definition/scale.ts'
import type { Scorer } from '../src/scorer.ts'
import {
  type ErrorItem,
  type Result,
  missing,
  sumReason,
  valueError,
} from '../../../test/support/contract-records.ts'
import {
  type Definitions,
  linear,
  model,
  results,
  scale,
  scorerOf,
} from '../../../test/support/small-definitions.ts'

const ITEMS = { a: [0, 1, 2], b: [0, 1, 2], c: [0, 1, 2] } as const
const scaleWith = (total: ScaleDefinition['total'], more: Partial<ScaleDefinition> = {}): ScaleDefinition =>
  scale('s', ITEMS, { total, ...more })
const needing = once((of: ScaleDefinition): Definitions => ({
  scales: [of],
  model: model({ s_total: {} }, [linear('s_total', 1)]),
}))
/** Of a scale that no input needs. */
const beside = once((of: ScaleDefinition): Definitions => ({
  scales: [scale('other', { only: [0, 1] }), of],
  model: model({ other_total: {} }, [linear('other_total', 1)]),
}))
const READERS = ['bytes', 'reference'] as const
const scorersOf = once((definitions: Definitions): readonly Scorer[] =>
  READERS.map((reader) => scorerOf({ ...definitions, options: { ...definitions.options, reader } })),
)

/** Makes each value once: a scorer takes longer to make than a record to judge. */
function once<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>()
  return (key) => {
    const value = made.get(key) ?? make(key)
    made.set(key, value)
    return value
  }
}

/** The result for one record, which both readers must agree on. */
function judge(definitions: Definitions, record: object | string): Result {
  const text = typeof record === 'string' ? `[${record}]` : [{ idx: 1, ...record }]
  const [bytes, reference] = scorersOf(definitions).map((scorer) => results(scorer, text))
  assert.deepEqual(bytes, reference)
  return reference?.[0] as Result
}

/** 1 / (1 + e^-total), to four decimals. */
const RISK = [0.5, 0.7311, 0.8808, 0.9526, 0.982, 0.9933, 0.9975] as const
const risk = (total: number): number => RISK[total] as number
const differs = (sum: number): ErrorItem => valueError('s_total', 'Total', 1, sumReason(sum))
const all = (a: number, b: number, c: number): object => ({ s_a: a, s_b: b, s_c: c })

const severe = scaleWith({ kind: 'sum', hierarchies: [{ severe: 'a', replaces: 'b' }] })
const capped = scaleWith({ kind: 'sum', to: 4 })
const either = scaleWith({ kind: 'sum', alternatives: [['a', 'b']] })
const rule = scaleWith({ kind: 'rule', all: ['a', { any: ['b', 'c'] }] })
const grade = scale('s', { a: [0, 1, 2] }, { total: { kind: 'grade', item: 'a' } })

/** Title, scale, fields, and the total that follows, or the problems. */
const TOTALS: readonly (readonly [string, ScaleDefinition, object, number | readonly ErrorItem[]])[] = [
  ['a severe form replaces the mild one', severe, all(1, 2, 2), 3],
  ['a severe form of 0 does not', severe, all(0, 2, 2), 4],
  ['a given total beside both forms', severe, { ...all(1, 2, 2), s_total: 3 }, 3],
  ['the sum of both forms differs', severe, { ...all(1, 2, 2), s_total: 4 }, [differs(3)]],
  ['a mild form without the severe one', severe, { s_b: 2, s_c: 1, s_total: 3 }, 3],
  ['a sum beyond the highest total', capped, all(2, 2, 2), 4],
  ['a sum below the highest total', capped, all(1, 0, 2), 3],
  [
    'the sum without the highest total is out of range, and differs',
    capped,
    { ...all(2, 2, 2), s_total: 6 },
    [valueError('s_total', 'Total', 1, 'out of range'), differs(4)],
  ],
  ['one of two alternatives is enough', either, { s_a: 2, s_c: 1 }, 3],
  ['both alternatives', either, all(1, 1, 1), [valueError('s_b', 'B', 1, 'given twice'), missing('s_total')]],
  ['none of the alternatives', either, { s_c: 1 }, [missing('s_total')]],
  ['an item is missing', capped, { s_a: 1, s_b: 1 }, [missing('s_total')]],
  ['a rule that holds', rule, all(1, 0, 2), 1],
  ['a rule of which one part fails', rule, all(1, 0, 0), 0],
  ['a rule that fails in its first part', rule, all(0, 1, 1), 0],
  ['a rule that cannot hold, with one item given', rule, { s_a: 0, s_total: 1 }, [differs(0)]],
  ['a rule that holds, with two items given', rule, { s_a: 1, s_b: 1, s_total: 0 }, [differs(1)]],
  ['a rule that is open', rule, { s_a: 1, s_b: 0, s_total: 1 }, 1],
  ['a rule that is open the other way', rule, { s_a: 1, s_b: 0, s_total: 0 }, 0],
  ['an open rule is not worked out', rule, { s_a: 1, s_b: 1 }, [missing('s_total')]],
  ['a grade is its item', grade, { s_a: 2 }, 2],
  ['another grade than its item', grade, { s_a: 2, s_total: 1 }, [differs(2)]],
]
for (const [title, of, fields, expected] of TOTALS) {
  test(title, () => {
    const result = judge(needing(of), fields)
    if (typeof expected === 'number') {
      assert.deepEqual(result, { idx: 1, risk: risk(expected), error_message: null })
    } else assert.deepEqual(result, { idx: 1, risk: null, error_message: expected })
  })
}

const coded = scaleWith('sum', {
  codings: {
    default: 'plain',
    forms: { plain: { meaning: 'plain' }, upper: { meaning: 'upper', shift: 1 } },
  },
})
const undeclared = scaleWith('sum', {
  codings: { default: null, forms: { plain: { meaning: 'plain' }, upper: { meaning: 'upper', shift: 1 } } },
})
const outOfRange = (item: string): ErrorItem => valueError(`s_${item.toLowerCase()}`, item, 1, 'out of range')
const wrongCoding = valueError('s_coding', 'Coding', 1, 'not a permitted value')

const CODINGS: readonly (readonly [string, Definitions, object, number | null, readonly ErrorItem[]])[] = [
  ['the default holds where none is declared', needing(coded), all(1, 1, 1), risk(3), []],
  ['a declared coding shifts', needing(coded), { s_coding: 'upper', ...all(1, 2, 3) }, risk(3), []],
  ['a given total is shifted as its items', needing(coded), { s_coding: 'upper', s_total: 6 }, risk(3), []],
  [
    'a value of another coding',
    needing(coded),
    { s_coding: 'plain', ...all(1, 1, 3) },
    null,
    [outOfRange('C'), missing('s_total')],
  ],
  ['a value of another coding beside', beside(coded), { other_total: 1, s_a: 3 }, null, [outOfRange('A')]],
  [
    'an unknown coding',
    needing(coded),
    { s_coding: 'x', ...all(1, 1, 1) },
    null,
    [wrongCoding, missing('s_total')],
  ],
  ['an unknown coding with a total', needing(coded), { s_coding: 'x', s_total: 2 }, null, [wrongCoding]],
  [
    'an unknown coding and nothing else, beside',
    beside(coded),
    { other_total: 1, s_coding: 'x' },
    risk(1),
    [wrongCoding],
  ],
  [
    'no coding where one must be declared',
    needing(undeclared),
    all(1, 1, 1),
    null,
    [missing('s_coding'), missing('s_total')],
  ],
  ['no coding and no value', beside(undeclared), { other_total: 1 }, risk(1), []],
  ['no coding, with a date alone', beside(undeclared), { other_total: 1, s_date: '01-01-2025' }, risk(1), []],
  ['no coding, beside', beside(undeclared), { other_total: 1, s_a: 1 }, risk(1), [missing('s_coding')]],
  [
    'values that no coding has together',
    beside(undeclared),
    { other_total: 1, s_a: 0, s_b: 1, s_c: 3 },
    null,
    [outOfRange('C'), missing('s_coding')],
  ],
]
for (const [title, definitions, fields, number, problems] of CODINGS) {
  test(`codings: ${title}`, () => {
    const result = judge(definitions, fields)
    assert.equal(result.risk, number)
    const sort = (items: readonly ErrorItem[]): readonly ErrorItem[] =>
      [...items].sort((one, other) => (one.Field < other.Field ? -1 : 1))
    assert.deepEqual(sort(result.error_message ?? []), sort(problems))
  })
}

const on = '28-02-2026'
const named: Definitions = { ...needing(scaleWith('sum')), options: { reportUnknown: true } }
const long = (length: number): string => `s_${'x'.repeat(length - 2)}`

/** An unknown name, how messages write field and item, and whether the date of the scale belongs to it. */
const NAMES = [
  ['s_x', 's_x', 'X', on],
  ['sx', 'sx', 'Sx', ''],
  ['s', 's', 'S', ''],
  ['s_', 's_', 'S_', ''],
  ['_s', '_s', '_s', ''],
  ['_', '_', '_', ''],
  ['other_x', 'other_x', 'Other_x', ''],
  [long(128), long(128), `X${'x'.repeat(125)}`, on],
  [long(129), `${long(128)}…`, `X${'x'.repeat(125)}…`, on],
] as const
for (const [name, field, item, date] of NAMES) {
  test(`the unknown name ${name.slice(0, 12)} of ${name.length} characters is reported as ${item.slice(0, 12)}`, () => {
    const { error_message } = judge(named, { s_total: 1, s_date: on, [name]: 1 })
    assert.deepEqual(error_message, [valueError(field, item, 1, 'unknown field', date)])
  })
}

test('unknown names are reported in their order, each once, and those that come twice block', () => {
  const record = '{"idx":1,"s_total":1,"zz":1,"aa":1,"mm":1,"aa":2}'
  const { risk: number, error_message } = judge(named, record)
  assert.equal(number, null)
  assert.deepEqual(error_message, [
    valueError('aa', 'Aa', 1, 'given twice'),
    valueError('mm', 'Mm', 1, 'unknown field'),
    valueError('zz', 'Zz', 1, 'unknown field'),
  ])
})

test('a problem of a scale has the date of that scale, if it has one', () => {
  const two: Definitions = {
    scales: [scaleWith('sum'), scale('t', { a: [0, 1] })],
    model: model({ s_total: {} }, [linear('s_total', 1)]),
  }
  const { error_message } = judge(two, { s_total: 1, s_date: on, s_a: 9, t_a: 9, t_total: 7 })
  assert.deepEqual(error_message, [
    valueError('s_a', 'A', 1, 'out of range', on),
    valueError('t_a', 'A', 1, 'out of range'),
    valueError('t_total', 'Total', 1, 'out of range'),
  ])
})
