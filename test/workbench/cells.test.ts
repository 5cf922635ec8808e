/** How the page reads files and cells, and what it writes: only what can be read in one way is converted. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { convertCell, PLAIN_READING, type Reading } from '../../workbench/src/list/match/convert-cell.ts'
import { binEdges, countBins } from '../../workbench/src/list/summary/bins.ts'
import { ListResults } from '../../workbench/src/list/score/list-results.ts'
import { suggestMatches } from '../../workbench/src/list/match/match-columns.ts'
import { csvRows, findDelimiter, type Delimiter } from '../../workbench/src/list/read/read-csv.ts'
import { csvCell, csvText } from '../../workbench/src/list/export/write-csv.ts'
import { rankTexts } from '../../workbench/src/list/table/rank-texts.ts'
import { readSheet } from '../../workbench/src/list/read/read-sheet.ts'
import { repeatedKeys } from '../../workbench/src/list/read/repeated-keys.ts'
import { SheetFault } from '../../workbench/src/list/read/sheet.ts'
import { sumScale } from '../../workbench/src/patient/scale-sum.ts'
import type { Field, Scale } from '../../workbench/src/shapes/fields.ts'

const field = (type: Field['type']): Field => ({
  name: 'x',
  type,
  meaning: '',
  role: 'input',
  use: 'unused',
  models: [],
  verified: true,
})

/** The rules that the command line follows too. */
const CASES = JSON.parse(readFileSync(new URL('../csv-cases.json', import.meta.url), 'utf8')) as {
  readonly tables: readonly TableCase[]
  readonly numbers: readonly CellCase[]
  readonly dates: readonly CellCase[]
  readonly yesNo: readonly CellCase[]
}

interface TableCase {
  readonly name: string
  readonly text?: string
  readonly base64?: string
  readonly options?: { readonly delimiter?: Delimiter; readonly encoding?: 'utf-8' | 'windows-1252' }
  readonly encoding?: string
  readonly delimiter?: string
  readonly header?: readonly string[]
  readonly rows?: readonly { readonly line: number; readonly cells: readonly string[] }[]
  readonly faults?: readonly { readonly line: number; readonly reason: string }[]
  readonly error?: { readonly line?: number; readonly reason: string }
}

interface CellCase {
  readonly text: string
  readonly decimal?: 'comma' | 'point'
  readonly dates?: 'DD/MM/YYYY'
  readonly value?: unknown
  readonly reason?: string
}

for (const each of CASES.tables) {
  test(`csv: ${each.name}`, async () => {
    const bytes = Buffer.from(each.base64 ?? each.text ?? '', each.base64 === undefined ? 'utf8' : 'base64')
    const read = readSheet({ name: 'list', bytes }, each.options ?? {})
    if (each.error !== undefined) {
      const { reason, line } = each.error
      await assert.rejects(
        read,
        (error) => error instanceof SheetFault && error.reason === reason && error.line === line,
      )
      return
    }
    if (each.rows?.length === 0) {
      await assert.rejects(read, (error) => error instanceof SheetFault && error.reason === 'noRows')
      return
    }
    const { columns, rows, lines, rejected, delimiter, encoding } = await read
    assert.deepEqual(columns, each.header)
    assert.equal(delimiter, each.delimiter)
    if (each.encoding !== undefined) assert.equal(encoding, each.encoding)
    const scored = rows
      .map((cells, row) => ({ line: lines[row], cells, row }))
      .filter(({ row }) => !rejected.has(row))
    assert.deepEqual(
      scored.map(({ line, cells }) => ({ line, cells })),
      each.rows,
    )
    assert.deepEqual(
      [...rejected].map(([row, { reason }]) => ({ line: lines[row], reason })),
      each.faults ?? [],
    )
  })
}

for (const [kind, type] of [
  ['numbers', 'number'],
  ['dates', 'date'],
  ['yesNo', 'boolean'],
] as const) {
  for (const { text, decimal, dates, value, reason } of CASES[kind]) {
    const said = [decimal, dates].filter((each) => each !== undefined).join()
    test(`${kind}: ${JSON.stringify(text)}${said === '' ? '' : ` (${said})`}`, () => {
      const reading: Reading = { ...PLAIN_READING, decimal: decimal ?? '', dates: dates ?? '' }
      const expected = reason === undefined ? { value } : { fault: reason }
      assert.deepEqual(convertCell(field(type), text, reading), expected)
    })
  }
}

for (const [type, cell, reading, expected] of [
  ['string', 'Female', { values: { Female: 'F' } }, { value: 'F' }],
  ['boolean', 1, {}, { value: true }],
  ['date', '46082', { dates: 'spreadsheet' }, { value: '01-03-2026' }],
  ['integer', '', {}, { value: undefined }],
  ['integer', 84, {}, { value: 84 }],
] as const) {
  test(`the cell ${JSON.stringify(cell)} of a field of type ${type}`, () => {
    assert.deepEqual(convertCell(field(type), cell, { ...PLAIN_READING, ...reading }), expected)
  })
}

test('headers with units in brackets are matched', () => {
  const named = (name: string): Field => ({ ...field('integer'), name })
  const aliases = ({ name }: Field): readonly string[] => (name === 'stayDays' ? ['los'] : [])
  const columns = ['AGE (yrs)', 'LoS (days)', 'MRN']
  assert.deepEqual(suggestMatches(columns, [named('age'), named('stayDays')], aliases, {}), [
    'age',
    'stayDays',
    '@identifier',
  ])
})

for (const [column, given, match] of [
  ['Hb (g/dL)', { unit: 'g/dL' }, 'hb'],
  ['Hb (mmol/L)', { unit: 'g/dL' }, ''],
  ['Hb [g/l]', { unit: 'g/dL' }, ''],
  ['Hb (μmol/l)', { unit: 'µmol/L' }, 'hb'],
  ['Hb (horas)', { unit: 'days' }, ''],
  ['Hb (días)', { unit: 'days' }, 'hb'],
  ['Hb (6 meses)', { unit: 'visits', window: '12 months before the index stay' }, ''],
  ['Hb (12 months)', { unit: 'visits', window: '12 months before the index stay' }, 'hb'],
  ['Hb (0-100)', {}, 'hb'],
] as const) {
  test(`the column ${column} and a field in ${JSON.stringify(given)}`, () => {
    const own: Field = { ...field('integer'), name: 'hb', ...given }
    assert.deepEqual(
      suggestMatches([column], [own], () => [], {}),
      [match],
    )
  })
}

test('the threshold is the edge of a bar, whatever the risks are', () => {
  const risk = fc.integer({ min: 1, max: 9_999 }).map((each) => each / 10_000)
  fc.assert(
    fc.property(fc.array(risk, { minLength: 1, maxLength: 30 }), risk, (risks, threshold) => {
      const results = new ListResults(risks.length)
      risks.forEach((each, row) => results.put(row, { idx: row, risk: each, error_message: null }))
      const edges = binEdges(results, threshold)
      const cut = edges.findIndex((each) => Math.abs(each - threshold) < 2e-6)
      assert.ok(cut > 0, `${threshold} is not among ${edges.join()}`)
      const counts = countBins(results, edges)
      const sum = (part: readonly number[]): number => part.reduce((total, count) => total + count, 0)
      assert.equal(sum(counts), risks.length)
      assert.equal(sum(counts.slice(cut)), risks.filter((each) => each >= threshold).length)
    }),
  )
})

test('what is written is read back, whatever it holds but a formula or surrounding spaces', () => {
  const cell = fc
    .string({ maxLength: 8 })
    .filter((text) => text.trim() === text && !/[=+\-@]/.test(text) && !/^[\t\r\n]/.test(text))
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(table, fc.constantFrom<Delimiter>(',', ';', '\t', '|'), (rows, delimiter) => {
      const read = [...csvRows(csvText(rows, delimiter), delimiter)].map(({ cells }) => cells)
      assert.deepEqual(read, rows)
    }),
  )
})

for (const text of [
  '=1+1',
  '+1+1',
  '-1+1',
  '@cmd',
  '\t=1',
  '\r=1',
  '\n=1',
  ' =1',
  '＝1+1',
  '−1+1',
  '\u200b=1',
]) {
  test(`${JSON.stringify(text)} is written so that it does not run`, () => {
    assert.match(csvCell(text, ','), /^"?[\s\u200b]*'/)
  })
}

test('a formula after a semicolon does not run where semicolons separate cells', () => {
  assert.equal(csvCell('note;=cmd()', ','), "note;'=cmd()")
})

for (const text of ['-5', '+3.2', '-0,5', '2026-03-01', 'well, thanks']) {
  test(`${text} is written as it is`, () => assert.equal(csvCell(text, ';'), text))
}

for (const [head, delimiter] of [
  ['a,b,c', ','],
  ['a;"b,c,d,e";f', ';'],
  ['a\tb', '\t'],
  ['a', ','],
] as const) {
  test(`${JSON.stringify(head)} is parted by ${JSON.stringify(delimiter)}`, () => {
    assert.equal(findDelimiter(`${head}\n1;2;3;4;5`), delimiter)
  })
}

for (const [text, reason, line] of [
  ['  ', 'empty', undefined],
  ['a,b\n', 'noRows', undefined],
  ['[1, null]', 'notRecords', undefined],
  ['[{]', 'json', undefined],
  ['{"a":1}\n{"a":', 'json', 2],
] as const) {
  test(`${JSON.stringify(text)} is refused: ${reason}`, async () => {
    await assert.rejects(
      readSheet({ name: 'list', bytes: Buffer.from(text) }),
      (error) => error instanceof SheetFault && error.reason === reason && error.line === line,
    )
  })
}

test('texts are ranked as a collator orders them, whatever they hold', () => {
  const collator = new Intl.Collator(undefined, { numeric: true })
  const numbered = fc
    .tuple(fc.constantFrom('', 'H', 'h', 'AB-', 'é'), fc.nat({ max: 2_000 }))
    .map((each) => each.join(''))
  const text = fc.oneof(numbered, fc.constantFrom('', '007', 'H007'), fc.string({ maxLength: 6 }))
  for (const each of [numbered, fc.oneof(numbered, fc.constantFrom('', 'H007')), text]) {
    fc.assert(
      fc.property(fc.array(each, { maxLength: 40 }), (texts) => {
        const ranks = rankTexts(texts)
        texts.forEach((a, left) => {
          texts.forEach((b, right) => {
            const apart = (ranks[left] ?? 0) - (ranks[right] ?? 0)
            assert.equal(Math.sign(apart), Math.sign(collator.compare(a, b)), `${a} and ${b}`)
          })
        })
      }),
    )
  }
})

const REPEATED = [
  ['[{"age":84,"age":48}]', 2, { 0: ['age'] }],
  ['[{"age":84},{"sex":"F","\\u0073ex":"M"}]', 2, { 1: ['sex'] }],
  ['[5,"a,{b",null,[{"x":1,"x":2}],{"age":1,"age":2}]', 2, { 4: ['age'] }],
  ['[{"a":{"age":1},"b":{"age":2},"age":3}]', 2, {}],
  ['{"note":"age: 84, \\"age\\": 48","age":84}', 1, {}],
  ['{"age" : 84, "age" : 84}', 1, { 0: ['age'] }],
] as const

for (const [text, depth, expected] of REPEATED) {
  test(`names given twice in ${text}`, () => {
    const found = [...repeatedKeys(text, depth)].map(([place, names]) => [place, [...names]])
    assert.deepEqual(Object.fromEntries(found), expected)
  })
}

test('what is no record keeps its place among records', async () => {
  const { rows, strays, columns } = await readText('[{"age":84},5,null,{"age":71}]')
  assert.deepEqual(
    [rows.length, [...strays], columns],
    [
      4,
      [
        [1, 5],
        [2, null],
      ],
      ['age'],
    ],
  )
})

test('records with different keys become one sheet', async () => {
  const { columns, rows } = await readText('{"age":84}\n{"sex":"F","age":71}')
  assert.deepEqual(columns, ['age', 'sex'])
  assert.deepEqual(rows, [[84], [71, 'F']])
})

function readText(text: string): ReturnType<typeof readSheet> {
  return readSheet({ name: 'list', bytes: Buffer.from(text) })
}

const scale = (total: Scale['total']): Scale => ({
  id: 's',
  title: '',
  purpose: '',
  direction: '',
  verified: true,
  total,
  source: '',
  licence: '',
})

for (const [name, rule, values, total, isComplete] of [
  ['a sum of some items', 'sum', { a: 5 }, 5, false],
  ['a sum of all items', 'sum', { a: 5, b: 1, c: 0.5 }, 6.5, true],
  ['of two ways one', { kind: 'sum', alternatives: [['b', 'c']] }, { a: 5, c: 2 }, 7, true],
  [
    'severe for mild',
    { kind: 'sum', hierarchies: [{ severe: 'b', replaces: 'a' }] },
    { a: 1, b: 3, c: 0 },
    3,
    true,
  ],
  ['a grade', { kind: 'grade', item: 'a' }, { a: 4 }, 4, true],
  ['a rule that holds', { kind: 'rule', all: ['a', { any: ['b', 'c'] }] }, { a: 1, b: 0, c: 1 }, 1, true],
  ['a rule that is not known yet', { kind: 'rule', all: ['a'] }, { a: 1 }, undefined, false],
] as const) {
  test(`the live total: ${name}`, () => {
    const given: Readonly<Record<string, number>> = values
    const sum = sumScale(scale(rule), undefined, ['a', 'b', 'c'], (item) => given[item])
    assert.deepEqual([sum.total, sum.isComplete], [total, isComplete])
  })
}
