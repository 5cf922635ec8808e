/** What is shown of a whole: no small part, and none from which a small one follows by subtraction. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Counts, hiddenParts, isEnough } from '../src/suppression.ts'

const counts = (events: number, others: number): Counts => ({ events, others })

/** Twenty outcomes, five of each kind: below, at and above each. */
const ENOUGH = [
  [9, 10, false],
  [10, 10, true],
  [10, 11, true],
  [4, 100, false],
  [5, 100, true],
  [6, 100, true],
  [100, 4, false],
  [100, 5, true],
  [0, 0, false],
] as const
for (const [events, others, isShown] of ENOUGH) {
  test(`${events} events and ${others} others are ${isShown ? '' : 'not '}enough`, () => {
    assert.equal(isEnough(counts(events, others)), isShown)
  })
}

/** Parts by name, and those that are not shown. */
const WHOLES: readonly (readonly [what: string, parts: Readonly<Record<string, Counts>>, hidden: string])[] =
  [
    ['large parts are shown', { a: counts(10, 10), b: counts(50, 50) }, ''],
    [
      'beside one small part the next larger one is hidden',
      { a: counts(1, 1), b: counts(50, 50), c: counts(10, 10) },
      'a c',
    ],
    [
      'two small parts that are enough together',
      { a: counts(9, 9), b: counts(9, 9), c: counts(50, 50) },
      'a b',
    ],
    [
      'two small parts that are not enough together',
      { a: counts(1, 1), b: counts(2, 2), c: counts(50, 50), d: counts(60, 60) },
      'a b c',
    ],
    ['an empty part says nothing', { a: counts(0, 0), b: counts(50, 50) }, ''],
    ['all are small', { a: counts(1, 1), b: counts(2, 2) }, 'a b'],
    ['a single small part', { a: counts(1, 1) }, 'a'],
  ]
for (const [what, parts, hidden] of WHOLES) {
  test(what, () => {
    assert.equal([...hiddenParts(new Map(Object.entries(parts)))].sort().join(' '), hidden)
  })
}
