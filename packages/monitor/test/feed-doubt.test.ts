import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FeedDoubt, DOUBT_KINDS, SERIOUS_DOUBTS, feedDoubtHeader } from '../src/feeds/feed-doubt.ts'

const HEADERS: readonly (readonly [readonly FeedDoubt[], string | undefined])[] = [
  [[], undefined],
  [[{ field: 'sex', doubt: 'codes' }], 'sex;doubt=codes'],
  [
    [
      { field: 'haemoglobin', doubt: 'unit', received: 'g/dL', likely: 'mmol/L' },
      { field: 'sex', doubt: 'codes' },
    ],
    'haemoglobin;doubt=unit;received="g/dL";likely="mmol/L", sex;doubt=codes',
  ],
  [[{ field: 'creatinine', doubt: 'unit', likely: 'µmol/L' }], 'creatinine;doubt=unit;likely="umol/L"'],
  [[{ field: 'age', doubt: 'quantity', likely: 'a "year"' }], 'age;doubt=quantity;likely="a \\"year\\""'],
]

for (const [doubts, header] of HEADERS) {
  test(`${doubts.length} doubts: ${header ?? 'no header'}`, () => {
    assert.equal(feedDoubtHeader(doubts), header)
  })
}

/** Those for which `score` ends with exit code 4 (contract, section 13). */
const SERIOUS = ['unit', 'quantity', 'period', 'codes', 'missing-code', 'format', 'selective']

for (const kind of DOUBT_KINDS) {
  test(`a doubt of the kind ${kind} is ${SERIOUS.includes(kind) ? '' : 'not '}serious`, () => {
    assert.equal(SERIOUS_DOUBTS.has(kind), SERIOUS.includes(kind))
  })
}

test('every serious kind is a kind', () => {
  for (const kind of [...SERIOUS, ...SERIOUS_DOUBTS])
    assert.ok(
      DOUBT_KINDS.some((each) => each === kind),
      kind,
    )
})
