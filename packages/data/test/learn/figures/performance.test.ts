/** Figures from bins equal those of the rows within the stated error, and no small part is shown or follows from others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type BinCell,
  performanceOf,
  type Counts,
  hiddenByMonth,
  hiddenGroups,
  hiddenParts,
  isEnough,
  type Predictions,
  expit,
  randomFrom,
} from '@patient-risk/statistics'
import { figuresOf } from '../../../src/learn/figures/figures.ts'

const THRESHOLD = 0.15

function rowsOf(count: number, spread: number, seed: number): Predictions {
  const random = randomFrom(seed)
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const risks = Float64Array.from({ length: count }, () => expit(-2 + spread * normal()))
  const outcomes = Uint8Array.from(risks, (risk) =>
    random() < expit(0.1 + 0.9 * Math.log(risk / (1 - risk))) ? 1 : 0,
  )
  return { risks, outcomes, clusters: Int32Array.from(risks.keys()) }
}

/** What the service counts of the rows. */
function cellsOf({ risks, outcomes }: Predictions): readonly BinCell[] {
  const cells = new Map<string, BinCell>()
  risks.forEach((risk, row) => {
    const units = Math.min(9_999, Math.max(1, Math.round(risk * 10_000)))
    const bin = Math.floor(units / 10)
    const flagged = units >= THRESHOLD * 10_000 ? 1 : 0
    const outcome = outcomes[row] ?? 0
    const key = `${bin} ${flagged} ${outcome}`
    const cell = cells.get(key) ?? { bin, flagged, outcome, number: 0, units: 0 }
    cells.set(key, { ...cell, number: cell.number + 1, units: cell.units + units })
  })
  return [...cells.values()]
}

const close = (name: string, actual: number | null | undefined, expected: number, within: number): void =>
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) <= within, `${name}: ${actual} and ${expected}`)

/** The stated errors: of the slope and of c, by spread of the log odds and number of rows. */
const SIZES = [
  [71_162, 0.5, 0.0006, 0.0003],
  [71_162, 1.2, 0.0006, 0.0003],
  [1_000, 0.8, 0.0028, 0.0013],
] as const
for (const [count, spread, slopeError, cError] of SIZES) {
  test(`${count} rows, spread ${spread}: figures from bins of 0.001 equal those of the rows within the stated error`, () => {
    const rows = rowsOf(count, spread, 17)
    const expected = figuresOf(rows, THRESHOLD)
    const found = performanceOf(cellsOf(rows), { output: 'number', threshold: THRESHOLD, eta: 1 }, true)
    const { risks, atThreshold } = found
    assert.deepEqual([found.outcomes, found.events], [expected.rows, expected.events])
    close('mean', risks?.meanPredicted, expected.calibration.meanPredicted, 0.00005)
    for (const end of ['value', 'from', 'to'] as const) {
      close(`in the large, ${end}`, risks?.inTheLarge?.[end], expected.calibration.inTheLarge[end], 0.0001)
      close(`slope, ${end}`, risks?.slope?.[end], expected.calibration.slope[end], slopeError)
      close(`c, ${end}`, risks?.cStatistic[end], expected.cStatistic[end], cError)
    }
    const bound = risks?.cStatistic.bound ?? 0
    assert.ok(bound > 0 && bound < 0.02)
    close('c within its bound', risks?.cStatistic.value, expected.cStatistic.value, bound)
    close('Brier', risks?.brier, expected.brier.value, 0.00003)
    const at = expected.thresholds.find(({ threshold }) => threshold === THRESHOLD)
    for (const name of ['sensitivity', 'specificity', 'positiveValue', 'negativeValue'] as const)
      close(name, atThreshold?.[name]?.value, at?.[name] ?? 0, 1e-12)
    if (count < 10_000) return
    assert.equal(risks?.groups?.length, 10)
    risks.groups.forEach((group, index) => {
      close(`group ${index}`, group.predicted, expected.groups[index]?.predicted ?? 0, 0.001)
      close(`group ${index}`, group.observed, expected.groups[index]?.observed ?? 0, 0.01)
    })
  })
}

test('an exponent below 1 widens the intervals as fewer outcomes would', () => {
  const cells = cellsOf(rowsOf(4_000, 1, 5))
  const widthOf = (eta: number): readonly number[] => {
    const { observed, risks, atThreshold } = performanceOf(cells, {
      output: 'number',
      threshold: THRESHOLD,
      eta,
    })
    return [observed, risks?.slope, risks?.cStatistic, atThreshold?.sensitivity].map(
      (each) => (each?.to ?? 0) - (each?.from ?? 0),
    )
  }
  widthOf(0.25).forEach((width, at) => close('width', width / (widthOf(1)[at] ?? 1), 2, 0.02))
})

test('groups of risk that are too small are joined with the next', () => {
  const cells = cellsOf(rowsOf(120, 1, 3))
  const groups = performanceOf(cells, { output: 'number', threshold: null, eta: 1 }, true).risks?.groups ?? []
  assert.ok(groups.length >= 1)
  assert.equal(
    groups.reduce((sum, { rows }) => sum + rows, 0),
    120,
  )
  for (const { rows, events } of groups)
    assert.ok(isEnough({ events, others: rows - events }), JSON.stringify(groups))
})

const counts = (events: number, others: number): Counts => ({ events, others })
const HIDDEN: readonly (readonly [string, Record<string, Counts>, readonly string[]])[] = [
  ['all are large', { a: counts(5, 15), b: counts(9, 90) }, []],
  [
    '19 outcomes, and the next smallest with it',
    { a: counts(9, 10), b: counts(9, 90), c: counts(20, 200) },
    ['a', 'b'],
  ],
  ['four events', { a: counts(4, 100), b: counts(9, 90), c: counts(20, 200) }, ['a', 'b']],
  ['four others', { a: counts(100, 4), b: counts(9, 90), c: counts(20, 200) }, ['a', 'b']],
  [
    'two small ones that are small together',
    { a: counts(2, 3), b: counts(2, 3), c: counts(9, 90) },
    ['a', 'b', 'c'],
  ],
  [
    'two small ones that are large together',
    { a: counts(4, 12), b: counts(4, 12), c: counts(9, 90) },
    ['a', 'b'],
  ],
  ['an empty one tells nothing', { a: counts(0, 0), b: counts(9, 90) }, []],
]
for (const [name, parts, expected] of HIDDEN) {
  test(`parts that are not shown: ${name}`, () => {
    assert.deepEqual([...hiddenParts(new Map(Object.entries(parts)))].sort(), expected)
  })
}

/** Months of groups, with gaps and with small cells. */
function tableFrom(random: () => number): Map<string, Map<string, Counts>> {
  const names = Array.from({ length: 2 + Math.floor(random() * 5) }, (_each, at) => `g${at}`)
  const density = 0.5 + random() / 2
  return new Map(
    names.map((name) => {
      const size = 10 + 200 * random()
      const own = MONTHS.filter(() => random() < density)
      const cell = (): Counts => counts(Math.floor(size * 0.3 * random()), Math.floor(size * random()) + 1)
      return [name, new Map(own.map((month) => [month, cell()]))] as const
    }),
  )
}

const MONTHS = ['2026-01', '2026-02', '2026-03', '2026-04']
const sumOf = (parts: Iterable<Counts>): Counts =>
  [...parts].reduce(
    (sum, { events, others }) => counts(sum.events + events, sum.others + others),
    counts(0, 0),
  )

/** The unknown numbers that equations with the coefficients 0 and 1 determine, by elimination. */
function determined(equations: readonly (readonly number[])[], unknowns: number): readonly number[] {
  const left = equations.map((row) => [...row])
  const solved: number[][] = []
  for (let column = 0; column < unknowns; column++) {
    const pivot = left.findIndex((row) => Math.abs(row[column] ?? 0) > 1e-9)
    if (pivot < 0) continue
    const [row = []] = left.splice(pivot, 1)
    const unit = row.map((value) => value / (row[column] ?? 1))
    for (const other of [...left, ...solved]) {
      const times = other[column] ?? 0
      unit.forEach((value, at) => (other[at] = (other[at] ?? 0) - times * value))
    }
    solved.push(unit)
  }
  const used = solved.map((row) => row.flatMap((value, at) => (Math.abs(value) > 1e-9 ? [at] : [])))
  return used.flatMap((places) => (places.length === 1 ? places : []))
}

test('months of groups: no small number can be computed from the totals of months and groups and from what is shown', () => {
  const random = randomFrom(9)
  let shown = 0
  let partly = 0
  for (let round = 0; round < 2_000; round++) {
    const cells = tableFrom(random)
    const months = new Map(
      MONTHS.map((month) => [month, sumOf([...cells.values()].flatMap((own) => own.get(month) ?? []))]),
    )
    if (!isEnough(sumOf(months.values()))) continue
    const withoutMonths = hiddenParts(months)
    const withoutGroups = hiddenGroups(cells, withoutMonths)
    const hidden = hiddenByMonth(cells, withoutGroups)
    shown += cells.size - hidden.size
    if (hidden.size > 0 && hidden.size < cells.size) partly++
    const unknown = [...cells].flatMap(([group, own]) =>
      hidden.has(group) ? [...own].map(([month, cell]) => ({ group, month, cell })) : [],
    )
    for (const [group, own] of cells)
      for (const cell of own.values()) assert.ok(hidden.has(group) || isEnough(cell))
    // Of a total that is not shown, what all such have together is known.
    const known = [...MONTHS, ...cells.keys()].filter(
      (name) => !withoutMonths.has(name) && !withoutGroups.has(name),
    )
    const equations = [
      ...known.map((name) => unknown.map(({ group, month }) => (group === name || month === name ? 1 : 0))),
      unknown.map(({ group }) => (withoutGroups.has(group) ? 1 : 0)),
      unknown.map(({ month }) => (withoutMonths.has(month) ? 1 : 0)),
    ]
    for (const place of determined(equations, unknown.length)) {
      const { group, month, cell } = unknown[place] ?? { cell: counts(0, 0) }
      assert.ok(isEnough(cell), `round ${round}: ${group} in ${month}`)
    }
  }
  assert.ok(shown > 500 && partly > 100, `${shown} groups shown, in ${partly} tables beside hidden ones`)
})
