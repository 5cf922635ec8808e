/** CSV is read by the rules of `csv-cases.json`, through the engine, and cells in SQL as in JavaScript. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { BadFile } from '../../src/tables/bad-file.ts'
import {
  type CellForms,
  cellFaultSql,
  dateSql,
  numberSql,
  trimmedSql,
  yesNoSql,
} from '../../src/tables/cell-sql.ts'
import type { Encoding } from '../../src/tables/open-input.ts'
import { trimCell } from '../../src/tables/csv-scanner.ts'
import { TableEngine, literal } from '../../src/tables/engine.ts'
import { useTable } from '../../src/tables/open-table.ts'
import { readDate, readNumber, readYesNo } from './read-cell.ts'

/** What the message says of a file that is refused, by the reason. */
const SAID: Readonly<Record<string, RegExp>> = {
  empty: /^is empty$/,
  unclosedQuote: /the quote is not closed$/,
  textAfterQuote: /text follows a closed quote$/,
  repeatedColumn: /of the header have the same name$/,
}

interface TableCase {
  readonly name: string
  readonly text?: string
  readonly base64?: string
  readonly options?: { readonly delimiter?: string; readonly encoding?: Encoding }
  readonly encoding?: string
  readonly header?: readonly string[]
  readonly rows?: readonly { readonly line: number; readonly cells: readonly string[] }[]
  readonly faults?: readonly { readonly line: number; readonly reason: string }[]
  readonly error?: { readonly line?: number; readonly reason: string }
}

type CellCase = CellForms & {
  readonly text: string
  readonly value?: number | string | boolean
  readonly reason?: string
}

const CASES = JSON.parse(
  readFileSync(new URL('../../../../test/support/csv-cases.json', import.meta.url), 'utf8'),
) as {
  readonly tables: readonly TableCase[]
  readonly numbers: readonly CellCase[]
  readonly dates: readonly CellCase[]
  readonly yesNo: readonly CellCase[]
}

let engine: TableEngine
before(async () => {
  engine = await TableEngine.open()
})
after(() => engine[Symbol.dispose]())

for (const [each, isScanned] of CASES.tables.flatMap((each) =>
  [false, true].map((is) => [each, is] as const),
)) {
  test(`table: ${each.name}${isScanned ? ', scanned before' : ''}`, async () => {
    const path = join(engine.folder, 'case.csv')
    writeFileSync(path, each.base64 === undefined ? (each.text ?? '') : Buffer.from(each.base64, 'base64'))
    const options = { ...each.options, isScanned }
    const read = useTable(engine, { path, format: 'csv' }, options, async (table) => {
      const cells = table.columns.map(({ sql }, place) => `${trimmedSql(sql)} AS c${place}`)
      const rows = await engine.rows(
        `SELECT ${cells.join(', ')}, ${table.refused ?? 'false'} AS refused FROM ${table.from}`,
      )
      return { table, rows }
    })
    const { error } = each
    if (error !== undefined) {
      await assert.rejects(read, (found) => {
        assert.ok(found instanceof BadFile)
        assert.equal(found.line, error.line)
        assert.match(found.message, SAID[error.reason] as RegExp)
        return true
      })
      return
    }
    const { table, rows } = await read
    assert.deepEqual(
      table.columns.map(({ name }) => name),
      each.header,
    )
    if (each.encoding !== undefined) assert.equal(table.encoding, each.encoding)
    const found = rows.flatMap(({ refused, ...values }, row) =>
      refused === true
        ? []
        : [{ line: table.lineOf(row), cells: Object.values(values).map((cell) => cell ?? '') }],
    )
    assert.deepEqual(found, each.rows)
    assert.deepEqual(table.faults, each.faults ?? [])
  })
}

/** What a cell is in SQL: an expression over the column `x`. */
async function inSql(text: string, expression: string): Promise<unknown> {
  const [row] = await engine.rows(`SELECT ${expression} AS value FROM (SELECT ${literal(text)} AS x)`)
  return row?.['value']
}

for (const { text, value, reason, decimal } of CASES.numbers) {
  const said = decimal === undefined ? '' : ` with a decimal ${decimal}`
  test(`number: ${JSON.stringify(text)}${said} is ${String(value ?? reason)}`, async () => {
    assert.equal(readNumber(text, { decimal }), value ?? reason)
    assert.deepEqual(await inSql(text, numberSql('x', { decimal })), value ?? Number.NaN)
    const fault = await inSql(text, cellFaultSql('x', { decimal }))
    if (value === undefined) assert.equal(fault ?? 'notANumber', reason)
  })
}

/** What the engine itself would take or skip in a number. */
for (const mark of ['_', 'e', 'E', 'n', 'N', '+', ' ', '\t', '\v', '\f', '\n', '\r', '-', '.', ',']) {
  test(`a number with ${JSON.stringify(mark)} before, in or after it is what the rules say`, async () => {
    for (const text of [`${mark}12`, `1${mark}2`, `12${mark}`, `${mark}1.5`, `1.5${mark}`]) {
      const value = readNumber(text, {})
      const expected = typeof value === 'number' ? value : Number.NaN
      assert.deepEqual(await inSql(text, numberSql('x', {})), expected, JSON.stringify(text))
    }
  })
}

for (const { text, value, dates } of CASES.dates) {
  test(`date: ${JSON.stringify(text)}${dates === undefined ? '' : ` as ${dates}`}`, async () => {
    assert.equal(readDate(text, { dates }), value)
    assert.equal(await inSql(text, dateSql('x', { dates })), value ?? text)
  })
}

for (const { text, value } of CASES.yesNo) {
  test(`yes or no: ${JSON.stringify(text)}`, async () => {
    assert.equal(readYesNo(text), value)
    assert.equal(await inSql(text, yesNoSql('x')), value === undefined ? text : String(value))
  })
}

test('every text of one or two characters is the same number in SQL as in JavaScript', async () => {
  const ascii = Array.from({ length: 96 }, (_each, place) =>
    String.fromCharCode(place === 95 ? 9 : 32 + place),
  )
  const texts = [...ascii, ...ascii.flatMap((first) => ascii.map((second) => first + second))]
  for (const decimal of [undefined, 'point', 'comma'] as const) {
    const list = texts.map((text) => `(${literal(text)})`).join(', ')
    const rows = await engine.rows(
      `SELECT ${numberSql('x', { decimal })} AS value FROM (VALUES ${list}) AS t(x)`,
    )
    texts.forEach((text, place) => {
      const value = trimCell(text) === '' ? null : readNumber(text, { decimal })
      const expected = typeof value === 'string' ? Number.NaN : value
      // A comparison with a message takes longer than the query.
      if (!Object.is(rows[place]?.['value'], expected))
        assert.fail(`${JSON.stringify(text)}, ${String(decimal)}: ${String(rows[place]?.['value'])}`)
    })
  }
})

test('a cell that is taken for a number at once is the number that the exact rules give', async () => {
  const texts = fc.sample(
    fc.oneof(
      fc.stringMatching(/^[0-9.,+\-eE_ ]{0,8}$/),
      fc.stringMatching(/^-?[0-9.]{1,6}$/),
      fc.double({ noNaN: true }).map(String),
      fc.constantFrom(
        'inf',
        'nan',
        'Infinity',
        '0x1F',
        '1e-400',
        '1.000',
        '1.000 ',
        '1.000\t',
        '+-5',
        '1234.567',
        '.5',
        '5.',
        '9'.repeat(20),
      ),
    ),
    { numRuns: 3_000, seed: 5 },
  )
  assert.ok(texts.every((text) => !/[";\n\r]/.test(text)))
  for (const [name, cell] of [
    ['quoted', (text: string) => `"${text}"`],
    ['bare', (text: string) => text],
  ] as const) {
    const path = join(engine.folder, `${name}.csv`)
    writeFileSync(path, `a;b\n${texts.map((text) => `${cell(text)};1`).join('\n')}\n`)
    await useTable(engine, { path, format: 'csv' }, {}, async ({ from, marks }) => {
      for (const decimal of [undefined, 'point', 'comma'] as const) {
        const rows = await engine.rows(`SELECT ${numberSql('c0', { decimal }, marks)} AS value FROM ${from}`)
        let plain = 0
        rows.forEach(({ value }, row) => {
          const text = texts[row] ?? ''
          const expected = trimCell(text) === '' ? null : readNumber(text, { decimal })
          if (typeof expected === 'number') plain++
          if (!Object.is(value, typeof expected === 'string' ? Number.NaN : expected))
            assert.fail(`${text}, ${String(decimal)}: ${String(value)}`)
        })
        assert.ok(plain > 200, `${plain} of ${texts.length} are plain numbers`)
      }
    })
  }
})
