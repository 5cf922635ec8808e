/** What is said at the end of a run goes to a terminal: control characters in a name from a file must not reach it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Summary } from '../../src/bulk/summary.ts'

test('a name with control characters is printed without them', () => {
  const summary = new Summary({ kind: 'number' })
  const strange = [
    '\x1b[2Jage',
    'a\r\nb',
    'bell\x07',
    'c1\x9b31m',
    '\u2028',
    '\u202egnp',
    'a\u200bb',
    '\ud800',
  ]
  const problems = new Map(strange.map((name) => [name, new Map([['ValueError', 1]])]))
  summary.add({ tally: { records: 1, scored: 0, problems }, risks: new Int16Array([-1]) })
  const text = summary.text()
  assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{C}\p{Zl}\p{Zp}]/u)
  assert.equal(text.split('\n').length, 3 + strange.length)
  assert.match(text, /^ {2}\?\[2Jage +ValueError +1$/m)
})

for (const [units, yes] of [
  [1_499, 0],
  [1_500, 1],
  [1_501, 1],
] as const) {
  test(`a risk of ${units} ten-thousandths at a threshold of 0.15 counts as ${yes === 1 ? 'Yes' : 'No'}`, () => {
    const summary = new Summary({ kind: 'yes-no', threshold: 0.15 })
    summary.add({
      tally: { records: 1, scored: 1, problems: new Map() },
      risks: Int16Array.of(units, -1),
    })
    assert.equal(summary.yes, yes)
  })
}
