import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FeedDoubt } from '../src/feeds/feed-doubt.ts'
import { doubtText, noticeOf } from '../src/watch/doubt-text.ts'

/** A doubt, what of its sentence is said, and the codes that the notice is about. */
const SENTENCES: readonly (readonly [FeedDoubt, RegExp, readonly string[]])[] = [
  [
    { field: 'sex', doubt: 'codes' },
    /^sex: this sender also writes codes of another convention, where .*"M".* may mean something else\./,
    ['M'],
  ],
  [
    { field: 'dementia', doubt: 'codes' },
    /^dementia: its codes are refused, or go with the wrong patients\./,
    [],
  ],
  [
    { field: 'haemoglobin', doubt: 'missing-code' },
    /: many values are a number or a text that systems write/,
    [],
  ],
  [
    { field: 'haemoglobin', doubt: 'unit', received: 'g/dL', likely: 'mmol/L, or another quantity' },
    /not look like values in g\/dL; they may be in mmol\/L, or another quantity\./,
    [],
  ],
  [
    { field: 'charlson_total', doubt: 'misaligned' },
    /shifted, and whether a default stands for missing values\.$/,
    [],
  ],
]

for (const [doubt, said, codes] of SENTENCES) {
  test(`${doubt.field}: a doubt of the kind ${doubt.doubt} as a sentence and as a notice`, () => {
    assert.match(doubtText(doubt), said)
    const notice = noticeOf(doubt)
    assert.equal(notice.field, doubt.field)
    assert.deepEqual(
      (notice.codes ?? []).filter((code) => codes.includes(code)),
      codes,
    )
    assert.equal(notice.codes === undefined, codes.length === 0)
  })
}
