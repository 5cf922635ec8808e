/** How the page reads files and cells, and what it writes: only what can be read in one way is converted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { convertCell } from '../../workbench/src/list/convert-cell.ts'
import { csvCell, csvRows, csvText, findDelimiter, type Delimiter } from '../../workbench/src/list/csv.ts'
import { rankTexts } from '../../workbench/src/list/rank-texts.ts'
import { readSheet } from '../../workbench/src/list/read-sheet.ts'
import { repeatedKeys } from '../../workbench/src/list/repeated-keys.ts'
import { SheetFault } from '../../workbench/src/list/sheet.ts'
import { sumScale } from '../../workbench/src/patient/scale-sum.ts'
import type { Field, Scale } from '../../workbench/src/shapes/fields.ts'

const field = (type: Field['type']): Field => ({
  name: 'x',
  type,
  meaning: '',
  role: 'input',
  use: 'unused',
  verified: true,
})

const CELLS = [
  ['integer', '84', false, 84],
  ['integer', ' 84 ', false, 84],
  ['integer', '', false, undefined],
  ['integer', '84 years', false, '84 years'],
  ['integer', '1e3', false, '1e3'],
  ['number', '11,5', false, '11,5'],
  ['number', '11,5', true, 11.5],
  ['boolean', 'Sí', false, true],
  ['boolean', '0', false, false],
  ['boolean', 'perhaps', false, 'perhaps'],
  ['date', '2026-03-01', false, '01-03-2026'],
  ['date', '03/04/2026', false, '03/04/2026'],
  ['string', 'F', false, 'F'],
] as const

for (const [type, cell, hasComma, value] of CELLS) {
  test(`the cell "${cell}" of a field of type ${type} is sent as ${value === undefined ? 'nothing' : JSON.stringify(value)}`, () => {
    assert.equal(convertCell(field(type), cell, hasComma), value)
  })
}

test('what is written is read back, whatever it holds but a formula', () => {
  const cell = fc.string({ maxLength: 8 }).filter((text) => !/^[=+\-@\t\r]/.test(text))
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(table, fc.constantFrom<Delimiter>(',', ';', '\t', '|'), (rows, delimiter) => {
      assert.deepEqual([...csvRows(csvText(rows, delimiter), delimiter)], rows)
    }),
  )
})

for (const text of ['=1+1', '+1+1', '-1+1', '@cmd', '\t=1', '\r=1']) {
  test(`${JSON.stringify(text)} is written so that it does not run`, () => {
    assert.match(csvCell(text, ','), /^"?'/)
  })
}

for (const text of ['-5', '+3.2', '-0,5']) {
  test(`the figure ${text} is written as it is`, () => assert.equal(csvCell(text, ';'), text))
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
      readSheet('list', text),
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
  const { rows, strays, columns } = await readSheet('list', '[{"age":84},5,null,{"age":71}]')
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
  const { columns, rows } = await readSheet('list', '{"age":84}\n{"sex":"F","age":71}')
  assert.deepEqual(columns, ['age', 'sex'])
  assert.deepEqual(rows, [[84], [71, 'F']])
})

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
