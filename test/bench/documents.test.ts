/** Figures of speed in the documents come from the recorded run: they are made from bench/results.json, and none is typed. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { DOCUMENTS, FIGURES, documentsOf, fillIn, readResults } from '../../bench/documents.ts'
import { FEWEST_ROUNDS, type Results, printResults } from '../../bench/results.ts'

const results = readResults()
const MARK = /<!-- bench ([\w-]+) -->([^]*?)<!-- \/bench -->/g
/** A ratio or a speed, as somebody would type it. */
const TYPED = new RegExp(
  [
    '\\d ?× (the|as|faster|slower|FastAPI)',
    '\\d times (as|faster|slower|fastify|FastAPI|Rust|the floor)',
    '\\d (µs|processor seconds)',
    '\\d (records|requests|rows|patients|req) ?(a second|/s)',
    '[+−]\\d[\\d.]* %',
  ].join('|'),
)

test('the recorded run had three rounds or more on an idle machine, with every server', () => {
  assert.ok(results.run.rounds >= FEWEST_ROUNDS)
  assert.deepEqual(results.run.faults, [])
})

test('bench/results.md and the documents hold the figures of bench/results.json', async () => {
  for (const [file, text] of await documentsOf(results)) {
    assert.equal(readFileSync(file, 'utf8'), text, `${file} differs: run node bench/documents.ts`)
  }
})

test('every figure that the documents quote is in bench/results.md, and every figure is quoted', () => {
  const printed = printResults(results)
  const quoted = DOCUMENTS.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(MARK)])
  for (const [, name, text = ''] of quoted) {
    for (const figure of text.matchAll(/\d[\d.,]*\d|\d/g)) {
      assert.ok(printed.includes(figure[0]), `${name}: ${figure[0]} is not in the results`)
    }
  }
  assert.deepEqual([...new Set(quoted.map(([, name]) => name))].sort(), Object.keys(FIGURES).sort())
})

for (const file of [...DOCUMENTS, 'docs/operations.md']) {
  test(`${file} has no typed figure of speed`, () => {
    assert.deepEqual(typedFigures(readFileSync(file, 'utf8')), [])
  })
}

const PLANTED = [
  ['33 times FastAPI with pydantic 2', 1],
  ['It answers 12,345 records a second.', 1],
  ['A record takes 76 µs.', 1],
  ['This gained +24 %.', 1],
  ['1.9 × the floor, and 940 processor seconds', 1],
  ['<!-- bench times-peer -->33<!-- /bench --> times fastify', 0],
  ['1,000 × 50 fields, 20,000 random records, p99 in 2 ms', 0],
] as const

for (const [text, count] of PLANTED) {
  test(`typed figures are found: ${text}`, () => assert.equal(typedFigures(text).length, count))
}

/** The results with other ratios against Rust, of one process in each row. */
function withRustRatios(...ratios: readonly string[]): Results {
  let at = 0
  const changed = (row: readonly string[]): readonly string[] =>
    row[2] === 'Rust, axum, sonic-rs' ? row.with(3, ratios[at++] ?? '0.50') : row
  const sections = results.sections.map((section) => {
    if (!section.title.startsWith('The service against other servers')) return section
    return {
      ...section,
      tables: section.tables.map((table) => ({ ...table, rows: table.rows.map(changed) })),
    }
  })
  return { ...results, sections }
}

const AHEAD: readonly (readonly [ratios: readonly string[], text: string])[] = [
  [[], 'every row'],
  [['0.99'], 'every row'],
  [['1.00'], '5 of 6 rows'],
  [['1.01', '2.00', '3.00'], '3 of 6 rows'],
]

for (const [ratios, text] of AHEAD) {
  test(`with ratios of ${ratios.join(', ') || 'less than 1'} against Rust the README says “${text}”`, () => {
    assert.equal(FIGURES['rust-ahead']?.(withRustRatios(...ratios)), text)
  })
}

test('a result that is no number is not counted as a race', () => {
  assert.throws(() => FIGURES['rust-ahead']?.(withRustRatios('n/a')), /do not compare with Rust/)
})

test('an unknown mark is refused', () => {
  assert.throws(
    () => fillIn('<!-- bench nothing -->1<!-- /bench -->', results),
    /no figure is called nothing/,
  )
})

/** Lines with a figure outside the marks. */
function typedFigures(text: string): readonly string[] {
  return text
    .replace(MARK, 'FIGURE')
    .split('\n')
    .filter((line) => TYPED.test(line))
}
