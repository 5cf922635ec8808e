/** Cells of CSV: typed by the field, and never written as a formula. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cellJson } from '../../src/bulk/cell.ts'
import { printCell } from '../../src/bulk/print-cell.ts'
import { keyText } from '../../src/bulk/record-text.ts'

const CELLS = [
  ['75', 'number', '75'],
  ['-7.5', 'number', '-7.5'],
  ['7.5e1', 'number', '7.5e1'],
  ['75abc', 'number', '"75abc"'],
  [' 75', 'number', '" 75"'],
  ['75 ', 'number', '"75 "'],
  ['075', 'number', '"075"'],
  ['+75', 'number', '"+75"'],
  ['.5', 'number', '".5"'],
  ['0x10', 'number', '"0x10"'],
  ['NaN', 'number', '"NaN"'],
  ['12,5', 'number', '"12,5"'],
  ['', 'number', undefined],
  ['true', 'boolean', 'true'],
  ['TRUE', 'boolean', '"TRUE"'],
  ['1', 'boolean', '"1"'],
  ['75', 'text', '"75"'],
  ['', 'text', undefined],
] as const
for (const [cell, kind, json] of CELLS) {
  test(`the cell ${JSON.stringify(cell)} of a ${kind} field is ${json ?? 'no value'}`, () => {
    assert.equal(cellJson(cell, kind, false), json)
  })
}

test('a decimal comma is read where it is asked for, and only there', () => {
  assert.equal(cellJson('12,5', 'number', true), '12.5')
  assert.equal(cellJson('1,234,5', 'number', true), '"1,234,5"')
  assert.equal(cellJson('12,5', 'text', true), '"12,5"')
})

const DOTS_BESIDE_COMMAS = ['1.000', '12.5', '-0.5', '1.000,5', '1.5e3']
for (const cell of DOTS_BESIDE_COMMAS) {
  test(`where the comma is the decimal mark, ${cell} is no number`, () => {
    assert.equal(cellJson(cell, 'number', true), JSON.stringify(cell))
  })
}
for (const cell of ['0', '-1', '1000', '1e3']) {
  test(`where the comma is the decimal mark, ${cell} is the number that it is`, () => {
    assert.equal(cellJson(cell, 'number', true), cell)
  })
}

const PRINTED = [
  ['=1+1', "'=1+1"],
  ['+x', "'+x"],
  ['-x', "'-x"],
  ['@x', "'@x"],
  ['\tx', `"'\tx"`],
  ['-5', '-5'],
  ['-5.25', '-5.25'],
  ['a,b', '"a,b"'],
  ['a"b', 'a"b'.includes('"') ? '"a""b"' : ''],
  ['[{"a":1}]', '"[{""a"":1}]"'],
] as const
for (const [text, cell] of PRINTED) {
  test(`${JSON.stringify(text)} is written as ${cell}`, () => assert.equal(printCell(text), cell))
}

test('keys are renamed and kept in the text of a record, and nothing else of it changes', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (record) => {
      const names = Object.keys(record)
      const [name = 'none'] = names
      const { text, kept } = keyText(JSON.stringify(record), new Map([[name, 'ours']]), names)
      const pairs = Object.entries(record).map(
        ([key, value]) => `${JSON.stringify(key === name ? 'ours' : key)}:${JSON.stringify(value)}`,
      )
      assert.equal(text, `{${pairs.join(',')}}`)
      assert.deepEqual(
        kept,
        Object.values(record).map((value) => JSON.stringify(value)),
      )
    }),
  )
  assert.equal(
    keyText('{"edad":1e400,"edad":2}', new Map([['edad', 'age']]), []).text,
    '{"age":1e400,"age":2}',
  )
})
