/** Of many doubts each file's first is shown, so that no file looks right because another has many. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownOf } from '../../src/cli/score/report-doubts.ts'

const doubtsOf = (file: string, count: number) =>
  Array.from({ length: count }, (_each, at) => ({ file, field: `field${at}`, doubt: 'format' as const }))

const CASES = [
  { first: 29, shown: [29, 1] },
  { first: 30, shown: [29, 1] },
  { first: 31, shown: [29, 1] },
] as const
for (const { first, shown } of CASES) {
  test(`${first} doubts of one file, and one of the next`, () => {
    const files = shownOf([...doubtsOf('a.csv', first), ...doubtsOf('b.csv', 1)]).map(({ file }) => file)
    assert.deepEqual(files, [
      ...Array.from({ length: shown[0] }, () => 'a.csv'),
      ...Array.from({ length: shown[1] }, () => 'b.csv'),
    ])
  })
}
