/** Texts that stand for a missing value: each that programs write is known, in any case and between spaces. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMissingText } from '../src/feeds/knowledge/missing-codes.ts'

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
