/** Figures of the verdict: in which direction a bound holds, and how many of a hundred. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  boundsTexts,
  findingText,
  type Finding,
  type Performance,
} from '../../src/still-right/verdict-words.ts'

/** Says the key and its parts. */
const words = {
  say: (key: string, parts: Readonly<Record<string, string>> = {}) =>
    [key, ...Object.entries(parts).map(([name, part]) => `${name}=${part}`)].join(' '),
  number: (value: number, decimals = 0) => String(Number(value.toFixed(decimals))),
  month: (month: string) => month,
  percent: (share: number, decimals = 0) => `${Number((100 * share).toFixed(decimals))} %`,
} as unknown as Parameters<typeof findingText>[0]

const finding = (of: Partial<Finding>): Finding =>
  ({
    direction: 'more',
    from: '2025-11',
    scored: 1000,
    expected: 220,
    least: 310,
    most: 310,
    ...of,
  }) as Finding

const FINDINGS: readonly (readonly [Partial<Finding>, string])[] = [
  [{}, 'right.more month=2025-11 seen=31 expected=22'],
  [{ most: 400 }, 'right.more month=2025-11 seen=right.atLeast n=31 expected=22'],
  [
    { direction: 'fewer', least: 100, most: 150 },
    'right.fewer month=2025-11 seen=right.atMost n=15 expected=22',
  ],
  [
    { direction: 'tooNarrow', most: 400 },
    'right.tooNarrow month=2025-11 seen=right.atLeast n=31 expected=22',
  ],
  // Below ten of a hundred a decimal keeps the size; from ten on there is none.
  [{ expected: 99.4, least: 99.6, most: 99.6 }, 'right.more month=2025-11 seen=10 expected=9.9'],
  [{ scored: 0, expected: 0, least: 0, most: 0 }, 'right.more month=2025-11 seen=0 expected=0'],
]

for (const [given, text] of FINDINGS) test(text, () => assert.equal(findingText(words, finding(given)), text))

const BOUNDS = {
  scored: 400,
  expected: 9.54,
  least: 8,
  most: 8,
  unknown: 0.0349,
  tooLow: { canNotice: true, unknownAtMost: 0.1 },
  tooHigh: { canNotice: true, unknownAtMost: 0.02 },
} as unknown as NonNullable<Performance['bounds']>

test('what is known, and what could be noticed', () => {
  assert.deepEqual(boundsTexts(words, BOUNDS), [
    'right.bounds scored=400 events=8 expected=9.5',
    'right.tooLowYes',
    'right.tooHighYes',
  ])
})

test('what could not be noticed comes with the share that is unknown and the most that may be', () => {
  const tooHigh = { ...BOUNDS.tooHigh, canNotice: false }
  const tooLow = { ...BOUNDS.tooLow, canNotice: false }
  assert.deepEqual(boundsTexts(words, { ...BOUNDS, expected: 10.4, most: 22, tooHigh, tooLow }), [
    'right.bounds scored=400 events=right.between least=8 most=22 expected=10',
    'right.tooLowNo unknown=3.5 % most=10 %',
    'right.tooHighNo unknown=3.5 % most=2 %',
  ])
})
