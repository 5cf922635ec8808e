/** The worklist without a browser: what is filtered, counted and sorted, and why a row has its risk. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ListResults, type RowRange } from '../src/list/score/list-results.ts'
import { reasonsOf, type Effect } from '../src/list/score/row-reasons.ts'
import { summarise } from '../src/list/summary/quality.ts'
import { Duplicates } from '../src/list/table/duplicates.ts'
import { NO_FILTER, passesCheck, type Check } from '../src/list/table/filter-rows.ts'
import { orderRows } from '../src/list/table/order-rows.ts'
import type { Explained, Explanation, Notice } from '../src/shapes/answers.ts'
import type { Model } from '../src/shapes/model.ts'

const MODEL = {
  id: 'm',
  version: '1.0.0',
  deployment: { digest: 'sha-256=:a:' },
} as unknown as Model

type Code = Notice['code']
type Range = readonly [low: number, high: number, decided: 'Yes' | 'No' | null]

interface Row {
  readonly risk?: number
  readonly missing?: string
  readonly wrong?: string
  readonly notices?: readonly Code[]
  readonly range?: Range
}

const ROWS: readonly Row[] = [
  { risk: 0.3 },
  { missing: 'stayDays', range: [0.1, 0.2, null] },
  { missing: 'stayDays', range: [0.2, 0.6, 'Yes'] },
  { risk: 0.1, notices: ['unit-doubt', 'outside-data'] },
  { wrong: 'age' },
  { risk: 0.15, notices: ['assumed'], range: [0.1, 0.4, null] },
  { risk: 0.2, notices: ['feed-doubt'] },
]

function answerOf({ risk, missing, wrong, notices = [], range }: Row, row: number): Explained {
  const problem = (Field: string, said: string) => ({ Field, FieldDate: '', ExtendError: said })
  const problems = [
    ...(missing === undefined ? [] : [problem(missing, `ValueMissing for value ${missing}`)]),
    ...(wrong === undefined ? [] : [problem(wrong, `ValueError for value ${wrong} (out of range)`)]),
  ]
  return {
    idx: row,
    risk: risk ?? null,
    error_message: problems.length === 0 ? null : problems,
    explanation: null,
    scales: [],
    notices: notices.map((code) => ({ code, field: 'age', text: '' })),
    range:
      range === undefined
        ? null
        : { inputs: ['stayDays'], possible: range.slice(0, 2) as number[], usual: null, decided: range[2] },
  }
}

const results = new ListResults(ROWS.length)
ROWS.forEach((each, row) => results.putAnswer(row, answerOf(each, row), 1, MODEL))

const CHECKED: readonly (readonly [Check, readonly number[]])[] = [
  ['problems', [1, 2, 4]],
  ['clean', [0, 3, 5, 6]],
  ['missing', [1, 2, 5]],
  ['notices', [3, 5, 6]],
  ['doubts', [3, 6]],
]

for (const [check, expected] of CHECKED) {
  test(`rows to check for ${check}`, () => {
    const rows = [...ROWS.keys()].filter((row) => passesCheck(results, row, check))
    assert.deepEqual(rows, expected)
    const quality = summarise(results, 0.15, { rows: 2 })
    assert.equal(quality.checks[check], expected.length, 'counted as they are filtered')
  })
}

/** Whether a notice says that a value may not be the patient's. A code that is not here does not compile. */
const IS_DOUBT: Readonly<Record<Code, boolean>> = {
  'act-on-item': false,
  'outside-data': false,
  assumed: false,
  'incomplete-scale': true,
  'old-assessment': true,
  contradiction: true,
  'unit-doubt': true,
  'feed-doubt': true,
  'range-not-computed': false,
  'contributions-not-computed': false,
}
for (const [code, isDoubt] of Object.entries(IS_DOUBT)) {
  test(`a row with the notice ${code} is ${isDoubt ? 'among' : 'not among'} the doubts`, () => {
    const one = new ListResults(1)
    one.putAnswer(0, answerOf({ risk: 0.1, notices: [code as Code] }, 0), 1, MODEL)
    assert.equal(passesCheck(one, 0, 'doubts'), isDoubt)
    assert.equal(passesCheck(one, 0, 'notices'), true)
  })
}

test('notices are counted by kind, a row once', () => {
  const { notices, high, checks } = summarise(results, 0.15, { rows: 2 })
  assert.deepEqual(notices.map(({ code, rows }) => `${code} ${rows}`).sort(), [
    'assumed 1',
    'feed-doubt 1',
    'outside-data 1',
    'unit-doubt 1',
  ])
  assert.equal(high, 3, 'a risk at the threshold counts as high')
  assert.equal(checks.duplicates, 2)
})

const TEXTS = {
  cell: () => '',
  state: () => 'open' as const,
  searched: () => '',
  isDuplicate: (row: number) => row === 4 || row === 6,
}

const ORDERS = [
  // What decides the side of the threshold comes first, the widest range first; then what is certain; then what is known.
  ['change', [5, 1, 2, 0, 3, 4, 6]],
  ['problems', [1, 2, 4, 3, 5, 6, 0]],
  ['notices', [3, 5, 6, 1, 2, 4, 0]],
] as const

for (const [by, expected] of ORDERS) {
  test(`sorted by ${by}`, () => {
    const rows = orderRows(results, NO_FILTER, { by, isDescending: true }, 0.15, TEXTS)
    assert.deepEqual([...rows], expected)
  })
}

// A deployment that answers a number leaves it open; the page compares with the threshold of the model, 0.15.
const SIDES: readonly (readonly [...Range, RowRange['decided']])[] = [
  [0.07, 0.1499, null, 'No'],
  [0.07, 0.15, null, undefined],
  [0.1499, 0.4, null, undefined],
  [0.15, 0.4, null, 'Yes'],
  [0.07, 0.4, 'Yes', 'Yes'],
]
for (const [low, high, said, decided] of SIDES) {
  test(`a risk between ${low} and ${high} is ${decided ?? 'open'} where the service says ${said ?? 'nothing'}`, () => {
    const one = new ListResults(1)
    const model = { ...MODEL, threshold: { risk: 0.15 } } as Model
    one.putAnswer(0, answerOf({ missing: 'stayDays', range: [low, high, said] }, 0), 1, model)
    assert.equal(one.rangeOf(0)?.decided, decided)
  })
}

test('without a threshold nothing is decided', () => {
  const one = new ListResults(1)
  one.putAnswer(0, answerOf({ missing: 'stayDays', range: [0.2, 0.4, null] }, 0), 1, MODEL)
  assert.equal(one.rangeOf(0)?.decided, undefined)
})

const FILTERS = [
  [{ check: 'duplicates' }, [4, 6]],
  [{ notice: 'unit-doubt' }, [3]],
  [{ check: 'doubts', band: 'high' }, [6]],
] as const

for (const [parts, expected] of FILTERS) {
  test(`filtered by ${JSON.stringify(parts)}`, () => {
    const order = { by: 'row', isDescending: false } as const
    const rows = orderRows(results, { ...NO_FILTER, ...parts }, order, 0.15, TEXTS)
    assert.deepEqual([...rows], expected)
  })
}

test('the risk before the first correction is kept, also that there was none', () => {
  const own = new ListResults(2)
  own.putAnswer(0, answerOf({ risk: 0.3 }, 0), 1, MODEL)
  own.putAnswer(1, answerOf({ wrong: 'age' }, 1), 1, MODEL)
  assert.equal(own.firstRiskOf(0), undefined)
  for (const risk of [0.2, 0.1]) {
    for (const row of [0, 1]) {
      own.clear(row)
      own.putAnswer(row, answerOf({ risk }, row), 2, MODEL)
    }
  }
  assert.deepEqual([own.firstRiskOf(0), own.firstRiskOf(1)], [0.3, null])
  assert.equal(own.rangeOf(0), undefined)
})

test('rows with the same identifier know each other; an empty one is no identifier', () => {
  const duplicates = new Duplicates(['A', '', 'B', 'A', ''])
  assert.equal(duplicates.rows, 2)
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((row) => duplicates.others(row)),
    [[3], [], [], [0], []],
  )
})

test('the reasons of a row are its largest effects, with their direction, and no trifles', () => {
  const effects: Effect[] = []
  const of = (points: Readonly<Record<string, number>>): readonly number[] => {
    const contributions = Object.entries(points).map(([label, each]) => ({
      label,
      fields: [label],
      points: each,
    }))
    return reasonsOf({ contributions, terms: [] } as unknown as Explanation, effects)
  }
  assert.deepEqual(of({ age: 1, stay: -0.5, sex: 0.01, visits: 0 }), [1, -2])
  assert.deepEqual(of({ stay: 0.2, age: -0.9, beds: 0.4, visits: 0.3 }), [-1, 3, 4])
  assert.deepEqual(
    effects.map(({ label }) => label),
    ['age', 'stay', 'beds', 'visits'],
  )
  assert.deepEqual(reasonsOf(null, effects), [])
})
