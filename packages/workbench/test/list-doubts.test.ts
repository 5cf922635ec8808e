/** What a list shows of doubts about its columns is what the header says: no quoted text and no unknown kind. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubtsIn, noteDoubts } from '../src/list/score/list-doubts.ts'
import { list } from '../src/list/list-state.ts'

const HEADERS: readonly (readonly [header: string | null, doubts: readonly (readonly [string, string])[]])[] =
  [
    [null, []],
    ['sex;doubt=codes', [['sex', 'codes']]],
    [
      'haemoglobin;doubt=unit;received="g/dL";likely="mmol/L, or another quantity", age;doubt=missing-code',
      [
        ['haemoglobin', 'unit'],
        ['age', 'missing-code'],
      ],
    ],
    ['age;doubt=digits;likely="a\\", sex;doubt=codes"', [['age', 'digits']]],
    ['age;doubt=of-a-newer-service', []],
  ]
for (const [header, doubts] of HEADERS) {
  test(`doubts of a list: ${header ?? 'no header'}`, () => {
    assert.deepEqual(
      doubtsIn(header).map(({ field, kind }) => [field, kind]),
      doubts,
    )
  })
}

test('the doubts of the last answer are those of the list', () => {
  noteDoubts(new Headers({ 'risk-feed-doubt': 'must_height;doubt=quantity' }))
  assert.deepEqual(list.get().doubts, [{ field: 'must_height', kind: 'quantity' }])
  noteDoubts(new Headers())
  assert.deepEqual(list.get().doubts, [])
})
