/** Changes of a list, undone and redone, without a browser: the cell, its first text, what was no record, and what is said of a row. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { changeRows } from '../../src/list/export/export-changes.ts'
import { change, redo, undo } from '../../src/list/history/history.ts'
import { markOf, nextState } from '../../src/list/history/marks.ts'
import { EMPTY_LIST, list, textOfCell } from '../../src/list/list-state.ts'
import { IDENTIFIER } from '../../src/list/match/match-columns.ts'
import type { Sheet } from '../../src/list/read/sheet.ts'
import { ListResults } from '../../src/list/score/list-results.ts'

const AGE = 1

function newSheet(): Sheet {
  return {
    name: 'ward.csv',
    kind: 'csv',
    delimiter: ',',
    headerLine: 1,
    columns: ['id', 'age'],
    rows: [
      ['a', '840'],
      ['b', '85'],
      [undefined, undefined],
    ],
    lines: [2, 3, 5],
    rejected: new Map([[2, { reason: 'tooManyCells', cells: ['c', '86', 'x'] }]]),
    nonRecords: new Map([[0, 'text']]),
    repeated: new Map([[0, new Set(['age'])]]),
    corrected: new Map(),
  } as unknown as Sheet
}

let sheet: Sheet

beforeEach(() => {
  sheet = newSheet()
  list.set({ ...EMPTY_LIST, sheet, matches: [IDENTIFIER, 'age'], results: new ListResults(3) })
})

const age = (row: number): string => textOfCell(sheet, row, AGE)

test('a correction is undone and redone, and the first text of the file is known all the time', () => {
  change([0], AGE, '84')
  change([0], AGE, '83')
  assert.deepEqual([age(0), sheet.corrected.get(0)?.get(AGE)], ['83', '840'])
  undo()
  assert.deepEqual([age(0), sheet.corrected.get(0)?.get(AGE)], ['84', '840'])
  undo()
  assert.deepEqual([age(0), sheet.corrected.has(0)], ['840', false])
  redo()
  redo()
  assert.deepEqual([age(0), sheet.corrected.get(0)?.get(AGE)], ['83', '840'])
})

test('what was no record, or gave the name twice, is a plain record after a correction, and is not after undoing it', () => {
  change([0], AGE, '84')
  assert.deepEqual([sheet.nonRecords.has(0), sheet.repeated.get(0)?.has('age')], [false, false])
  undo()
  assert.deepEqual([sheet.nonRecords.get(0), sheet.repeated.get(0)?.has('age')], ['text', true])
})

test('undoing a correction of a plain record makes it no other', () => {
  change([1], AGE, '86')
  undo()
  assert.deepEqual([sheet.nonRecords.has(1), sheet.repeated.has(1)], [false, false])
})

test('rows that do not fit the header are left alone, and nothing is noted for them', () => {
  change([1, 2], AGE, '90')
  assert.deepEqual([age(1), age(2)], ['90', ''])
  change([2], AGE, '91')
  assert.equal(list.get().history.log.length, 1)
})

test('a new change ends what could be redone, and the log keeps everything', () => {
  change([0], AGE, '84')
  undo()
  change([1], AGE, '86')
  redo()
  assert.deepEqual([age(0), age(1)], ['840', '86'])
  assert.deepEqual(
    list.get().history.log.map(({ kind }) => kind),
    ['changed', 'undone', 'changed'],
  )
})

test('undo without a change, and redo without an undo, do nothing', () => {
  undo()
  redo()
  assert.deepEqual([age(0), list.get().history.log, list.get().isUnsaved], ['840', [], false])
})

test('a mark is undone for each row by itself; a row that has it already is not changed', () => {
  change([0], 'state', 'seen')
  change([0, 1], 'state', 'seen')
  const states = (): readonly string[] => [0, 1].map((row) => markOf(list.get().marks, row).state)
  assert.deepEqual(states(), ['seen', 'seen'])
  undo()
  assert.deepEqual(states(), ['seen', 'open'])
  undo()
  assert.deepEqual(states(), ['open', 'open'])
})

test('a note does not change the state beside it', () => {
  change([1], 'state', 'done')
  change([1], 'note', 'called the ward')
  undo()
  assert.deepEqual(markOf(list.get().marks, 1), { state: 'done', note: '' })
})

test('the states follow each other and begin again', () => {
  assert.deepEqual((['open', 'seen', 'done', 'notApplicable'] as const).map(nextState), [
    'seen',
    'done',
    'notApplicable',
    'open',
  ])
})

test('the table of changes says what was there before, also for one that was undone', () => {
  change([0], AGE, '84')
  undo()
  change([1], 'state', 'notApplicable')
  const [header, ...rows] = changeRows(list.get())
  assert.deepEqual(header, ['time', 'action', 'line', 'identifier', 'column', 'old value', 'new value'])
  assert.deepEqual(
    rows.map((row) => row.slice(1)),
    [
      ['changed', 2, 'a', 'age', '840', '84'],
      ['undone', 2, 'a', 'age', '84', '840'],
      ['changed', 3, 'b', 'state', 'open', 'not applicable'],
    ],
  )
})
