/** The total of a scale while its items are filled in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumScale } from '../../workbench/src/patient/form/scale-sum.ts'
import type { Scale } from '../../workbench/src/shapes/fields.ts'

const scale = (total: Scale['total']): Scale => ({
  id: 's',
  title: '',
  purpose: '',
  direction: 'categorical',
  verified: true,
  total,
  source: '',
  licence: '',
})

for (const [name, rule, values, total, isComplete] of [
  ['a sum of some items', 'sum', { a: 5 }, 5, false],
  ['a sum of all items', 'sum', { a: 5, b: 1, c: 0.5 }, 6.5, true],
  ['of two ways one', { kind: 'sum', alternatives: [['b', 'c']] }, { a: 5, c: 2 }, 7, true],
  [
    'severe for mild',
    { kind: 'sum', hierarchies: [{ severe: 'b', replaces: 'a' }] },
    { a: 1, b: 3, c: 0 },
    3,
    true,
  ],
  ['a grade', { kind: 'grade', item: 'a' }, { a: 4 }, 4, true],
  ['a rule that holds', { kind: 'rule', all: ['a', { any: ['b', 'c'] }] }, { a: 1, b: 0, c: 1 }, 1, true],
  ['a rule that is not known yet', { kind: 'rule', all: ['a'] }, { a: 1 }, undefined, false],
] as const) {
  test(`the live total: ${name}`, () => {
    const given: Readonly<Record<string, number>> = values
    const sum = sumScale(scale(rule), undefined, ['a', 'b', 'c'], (item) => given[item])
    assert.deepEqual([sum.total, sum.isComplete], [total, isComplete])
  })
}
