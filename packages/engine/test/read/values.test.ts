/** What each kind of field takes, and the reason for what it does not take. The type is checked, never converted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldDefinition } from '../../src/definition/field.ts'
import { TODAY, linear, model, results, scale, scorerOf } from '../../../../test/support/small-definitions.ts'

const FIELDS: Readonly<Record<string, FieldDefinition>> = {
  whole: { type: 'integer', from: 1, to: 120, meaning: 'whole' },
  share: { type: 'decimal', from: 0, to: 20, meaning: 'share' },
  kind: { type: 'code', values: { x: 'x', y: 'y' }, meaning: 'kind' },
  flag: { type: 'yesNo', meaning: 'flag' },
}
const LISTS = scale(
  'list',
  { ones: [0, 1, 5], halves: [0, 0.5, 1] },
  {
    total: { kind: 'rule', all: ['ones'] },
    measures: { step: { label: 'step', from: 0, to: 3, step: 0.5, unit: '1' } },
  },
)
const INTEGER = 'not an integer'
const RANGE = 'out of range'
const NUMBER = 'not a number'
const VALUE = 'not a permitted value'
const DATE = 'not a valid date'

/** Field · what a record writes · the reason that it is refused for, or undefined. */
const VALUES: readonly (readonly [field: string, text: string, reason: string | undefined])[] = [
  ['whole', '1', undefined],
  ['whole', '120', undefined],
  ['whole', '1.2e2', undefined],
  ['whole', '0', RANGE],
  ['whole', '121', RANGE],
  ['whole', '1.5', INTEGER],
  ['whole', '0.5', INTEGER],
  ['whole', '120.5', INTEGER],
  ['whole', '1e400', RANGE],
  ['whole', '-1e400', RANGE],
  ['whole', '"75"', INTEGER],
  ['whole', 'true', INTEGER],
  ['whole', '[75]', INTEGER],
  ['whole', '{}', INTEGER],
  ['whole', 'null', undefined],
  ['share', '0', undefined],
  ['share', '20', undefined],
  ['share', '19.99', undefined],
  ['share', '-0.01', RANGE],
  ['share', '20.01', RANGE],
  ['share', '1e400', RANGE],
  ['share', '"1"', NUMBER],
  ['share', 'true', NUMBER],
  ['share', '[]', NUMBER],
  ['kind', '"x"', undefined],
  ['kind', '"X"', VALUE],
  ['kind', '0', VALUE],
  ['kind', 'true', VALUE],
  ['kind', '["x"]', VALUE],
  ['flag', 'true', undefined],
  ['flag', 'false', undefined],
  ['flag', '1', VALUE],
  ['flag', '"true"', VALUE],
  ['list_ones', '5', undefined],
  ['list_ones', '5.0', undefined],
  ['list_ones', '2', RANGE],
  ['list_ones', '0.5', INTEGER],
  ['list_ones', '1e400', RANGE],
  ['list_ones', '"1"', INTEGER],
  ['list_ones', 'false', INTEGER],
  ['list_halves', '0.5', undefined],
  ['list_halves', '0.25', RANGE],
  ['list_halves', '"1"', NUMBER],
  ['list_step', '0', undefined],
  ['list_step', '2.5', undefined],
  ['list_step', '3', undefined],
  ['list_step', '2.4', RANGE],
  ['list_step', '3.5', RANGE],
  ['list_step', '-0.5', RANGE],
  ['list_step', '"1"', NUMBER],
  ['list_date', '"15-03-2026"', undefined],
  ['list_date', '"16-03-2026"', 'date in the future'],
  ['list_date', '"31-02-2026"', DATE],
  ['list_date', '"2026-03-15"', DATE],
  ['list_date', '20260315', DATE],
  ['list_date', 'true', DATE],
]

const scorers = (['bytes', 'reference'] as const).map((reader) =>
  scorerOf({
    fields: FIELDS,
    scales: [LISTS],
    model: model({ whole: { whenAbsent: 1, why: 'a test' } }, [linear('whole')]),
    options: { reader },
  }),
)
for (const [field, text, reason] of VALUES) {
  test(`${field} ${text}: ${reason ?? 'taken'}`, () => {
    for (const scorer of scorers) {
      const [result] = results(scorer, `[{"idx":1,"${field}":${text}}]`)
      const messages = result?.error_message?.map(({ ExtendError }) => ExtendError) ?? []
      const part = field.replace('list_', '')
      const item = part.charAt(0).toUpperCase() + part.slice(1)
      assert.deepEqual(
        messages,
        reason === undefined ? [] : [`ValueError for value ${item} in idx 1 (${reason})`],
      )
    }
  })
}

test('a received number is converted before it is checked', () => {
  const conversions = {
    share: { unit: 'tenths', own: 'ones', times: 1, per: 10 },
    whole: { unit: 'dozens', own: 'ones', times: 12, per: 1 },
  }
  const scorer = scorerOf({
    fields: FIELDS,
    scales: [LISTS],
    model: model({ share: {} }, [linear('share', 1)]),
    options: { conversions, reader: 'reference' },
  })
  const rows = [
    { idx: 0, share: 20, whole: 10 },
    { idx: 1, share: 201 },
    { idx: 2, share: 20, whole: 11 },
    { idx: 3, share: '20' },
  ]
  const answers = results(scorer, rows).map(({ risk, error_message: problems }) => [
    risk,
    problems?.map(({ ExtendError }) => /\((.*)\)/.exec(ExtendError)?.[1]).join(),
  ])
  assert.deepEqual(answers, [
    [0.8808, undefined],
    [null, RANGE],
    [0.8808, RANGE],
    [null, NUMBER],
  ])
})

/** A name that no field has · whether it is reported although unknown names are not. */
const NAMES: readonly (readonly [string, boolean])[] = [
  ['patient', false],
  ['Whole', true],
  ['WHOLE', true],
  ['IDX', true],
  ['list_', true],
  ['list_x', true],
  ['list', false],
  ['_ones', false],
  ['lists_ones', false],
  ['list ones', false],
]
for (const [name, isReported] of NAMES) {
  test(`${name} is ${isReported ? 'reported' : 'ignored'}, and reported where all unknown names are`, () => {
    const reported = (reportUnknown: boolean): readonly (string | undefined)[] =>
      (['bytes', 'reference'] as const).map((reader) => {
        const small = { fields: FIELDS, scales: [LISTS], model: model({ whole: {} }, [linear('whole')]) }
        const scorer = scorerOf({ ...small, options: { reader, reportUnknown } })
        const [result] = results(scorer, [{ idx: 1, whole: 1, [name]: 1 }])
        return result?.error_message?.[0]?.Field
      })
    assert.deepEqual(reported(true), [name, name])
    assert.deepEqual(reported(false), isReported ? [name, name] : [undefined, undefined])
  })
}

test('dates are compared with the day of the call', () => {
  const body = Buffer.from('[{"idx":1,"list_date":"15-03-2026"}]')
  for (const scorer of scorers) {
    const text = (today: number): string => Buffer.from(scorer.score(body, today).bytes).toString()
    assert.match(text(TODAY - 1), /date in the future/)
    assert.match(text(TODAY), /"error_message":null/)
  }
})

test('true and false are different values', () => {
  const byFlag = model({ flag: {} }, [{ kind: 'flag', field: 'flag', points: 1 }])
  for (const reader of ['bytes', 'reference'] as const) {
    const scorer = scorerOf({ fields: FIELDS, model: byFlag, options: { reader } })
    const risks = results(scorer, '[{"idx":1,"flag":true},{"idx":2,"flag":false}]').map(({ risk }) => risk)
    assert.deepEqual(risks, [0.7311, 0.5])
  }
})

test('what is wrong with one record is reported once, and not for the next one', () => {
  const sum = scale('sum', { a: [0, 1], b: [0, 1] })
  for (const reader of ['bytes', 'reference'] as const) {
    const scorer = scorerOf({
      fields: FIELDS,
      scales: [sum],
      model: model({ whole: {} }, [linear('whole')]),
      options: { reader },
    })
    const fields = '"whole":1,"sum_total":7'
    const records = `[{"idx":1,${fields},"sum_a":1},{"idx":2,${fields}},{"idx":3,"whole":999,"whole":999}]`
    const reasons = results(scorer, records).map(({ error_message: problems }) =>
      problems?.map(({ ExtendError }) => /\((.*)\)/.exec(ExtendError)?.[1]),
    )
    const sumReason =
      'the sum of the given item values does not coincide with the provided total, computed sum 1'
    assert.deepEqual(reasons, [[RANGE, sumReason], [RANGE], ['given twice']])
  }
})
