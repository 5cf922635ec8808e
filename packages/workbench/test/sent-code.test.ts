/** Fields whose codes the service lists: what the page sends for a value, for a cell, and what it shows of a cell. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellText, convertCell, PLAIN_READING } from '../src/list/match/convert-cell.ts'
import type { Cell, Sheet } from '../src/list/read/sheet.ts'
import { recordOfRow } from '../src/list/score/row-text.ts'
import type { Field, Value } from '../src/shapes/fields.ts'
import { meaningOfCode, sentCode } from '../src/shapes/sent-code.ts'

const ABOUT = { meaning: '', role: 'base', use: 'required', models: [], verified: true } as const
const sex = (codes?: Record<string, string | null>): Field => ({
  ...{ name: 'sex', type: 'string', values: ['F', 'M', 'X'], ...ABOUT },
  ...(codes && { codes }),
})
const flag = (codes?: Record<string, boolean | null>): Field => ({
  ...{ name: 'dementia', type: 'boolean', ...ABOUT },
  ...(codes && { codes }),
})
const H_M = { H: 'M', M: 'F', '9': null }

/** A field, a value that the page shows, and what it sends. */
const SENT: readonly (readonly [Field, Value, Value])[] = [
  [sex(), 'M', 'M'],
  [sex(H_M), 'M', 'H'],
  [sex(H_M), 'F', 'M'],
  [sex(H_M), 'X', 'X'],
  // Nothing means F, and F means M: it is refused, and never taken for a man.
  [sex({ F: 'M' }), 'F', ''],
  [flag(), true, true],
  [flag({ S: true }), true, 'S'],
  [flag({ S: true }), false, false],
  [flag({ S: true }), 7, 7],
]
for (const [field, value, sent] of SENT) {
  test(`${JSON.stringify(field.codes ?? null)}: ${String(value)} is sent as ${JSON.stringify(sent)}`, () =>
    assert.equal(sentCode(field, value), sent))
}

function sheetOf(kind: Sheet['kind'], name: string, cells: readonly Cell[]): Sheet {
  return {
    ...{
      name: 'list',
      kind,
      delimiter: ',',
      headerLine: 1,
      columns: [name],
      lines: cells.map((_, at) => at + 2),
    },
    rows: cells.map((cell) => [cell]),
    rejected: new Map(),
    nonRecords: new Map(),
    repeated: new Map(),
    corrected: new Map(),
  }
}

/** A field, a cell, what the reader says that it means, and what is sent. */
const CELLS: readonly (readonly [Field, Cell, string | undefined, unknown])[] = [
  // The codes of a file are those of the sender.
  [sex(H_M), 'H', undefined, 'H'],
  [sex(H_M), ' M ', undefined, 'M'],
  [sex(H_M), 9, undefined, '9'],
  [sex(H_M), 'F', undefined, 'F'],
  // What the reader says is a value of the field.
  [sex(H_M), 'Mujer', 'F', 'M'],
  [sex(H_M), 'M', 'M', 'H'],
  [flag({ S: true, '1': false }), 'S', undefined, 'S'],
  [flag({ S: true, '1': false }), 1, undefined, '1'],
  [flag({ S: true, '1': false }), 'yes', undefined, true],
  [flag({ S: true }), 'Sure', 'true', 'S'],
  [flag({ S: true }), 'No way', 'false', false],
]
for (const [field, cell, said, value] of CELLS) {
  test(`a cell ${JSON.stringify(cell)} that means ${said ?? 'what it says'} is sent as ${JSON.stringify(value)}`, () => {
    const reading = { ...PLAIN_READING, values: said === undefined ? {} : { [cellText(cell)]: said } }
    assert.deepEqual(convertCell(field, cell, reading), { value })
  })
}

test('values of JSON are sent as they are, and what the reader says with its code', () => {
  const sheet = sheetOf('json', 'sex', ['M', 'Mujer'])
  const columns = [{ column: 0, field: sex(H_M), reading: { ...PLAIN_READING, values: { Mujer: 'F' } } }]
  assert.equal(recordOfRow(sheet, 0, columns)['sex'], 'M')
  assert.equal(recordOfRow(sheet, 1, columns)['sex'], 'M')
})

test('what a code stands for', () => {
  assert.deepEqual(
    ['H', 'M', '9', 'X', 'constructor'].map((text) => meaningOfCode(sex(H_M), text)),
    ['M', 'F', null, undefined, undefined],
  )
})
