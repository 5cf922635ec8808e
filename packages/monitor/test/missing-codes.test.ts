/** Texts and numbers that stand for a missing value: each that programs write is known, texts in any case and between spaces. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MISSING_CODES, isMissingText } from '../src/feeds/knowledge/missing-codes.ts'

/** Separated by spaces; the empty text is the first of the table below. */
const WRITTEN =
  '. - -- ? NA N/A N.A. <NA> #N/A #NA #N/D #NV #NULL! NAN NAT ND NULL NONE NIL UNK UNKNOWN MISSING NASK'

const ROWS: readonly (readonly [text: string, isMissing: boolean])[] = [
  ['', true],
  ...WRITTEN.split(' ').flatMap((text) => [[text, true] as const, [text.toLowerCase(), true] as const]),
  [' na ', true],
  // As long as the longest that is looked at, and a character longer.
  [' UNKNOWN', true],
  [' UNKNOWN ', false],
  ['F', false],
  ['0', false],
  ['NAS', false],
]
for (const [text, isMissing] of ROWS) {
  test(`${JSON.stringify(text)} ${isMissing ? 'stands for a missing value' : 'is a value'}`, () => {
    assert.equal(isMissingText(text), isMissing)
  })
}

test('nines in every length and negative codes stand for a missing value, and no other number does', () => {
  const numbers = [0, -1, -8, -9, -99, -999, 9, 99, 999, 9_999, 9.9, 99.9, 199]
  const others = [1, 8, 90, 98, 998, 99_999, -2, -7, -98]
  const isCode = (number: number): boolean => MISSING_CODES.some((each) => each === number)
  assert.deepEqual([...numbers, ...others].filter(isCode), numbers)
  assert.equal(MISSING_CODES.length, numbers.length)
})
