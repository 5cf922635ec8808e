/** Printed SQL reads codes as the engine does, in columns of some or all types, for code and yes/no fields. */
import { describe, test } from 'node:test'
import type { FieldDefinition } from '../../src/definition/field.ts'
import type { Codes } from '../../src/plan/codes.ts'
import { model } from '../../../../test/support/small-definitions.ts'
import type { Case } from './compare.ts'
import { useEngines } from './engines.ts'
import type { TestColumn, Value } from './rows.ts'

const FIELDS: Readonly<Record<string, FieldDefinition>> = {
  sex: { type: 'code', values: { F: 'female', M: 'male', X: 'other' }, meaning: 'sex' },
  flag: { type: 'yesNo', meaning: 'flag' },
}
const DEFINITIONS = { fields: new Map(Object.entries(FIELDS)), scales: [] }
const MODEL = model({ sex: { values: ['F', 'M'] }, flag: { whenAbsent: false, why: 'a test' } }, [
  { kind: 'category', field: 'sex', points: { F: 1, M: 2 } },
  { kind: 'flag', field: 'flag', points: 0.5 },
])
const CODES: readonly Codes[] = [
  { sex: { H: 'M', M: 'F' }, flag: { S: true, N: false } },
  { sex: { 1: 'M', 2: 'F', 9: null, O: 'X', "it's": 'M' }, flag: { 1: true, 0: false, 0.5: true, 9: null } },
  { sex: { M: 'F', b: 'M' }, flag: { ja: true } },
  { flag: { S: true } },
]
const TEXTS = [
  'F',
  'M',
  'X',
  'H',
  'O',
  'h',
  ' H',
  '1',
  '2',
  '9',
  '1.0',
  "it's",
  'S',
  'N',
  'true',
  'false',
  '',
  null,
]
const NUMBERS = [0, -0, 1, 2, 9, 0.5, 3, -1, 1e21, null]
const BOOLEANS = [true, false, null]
const VALUES: readonly (readonly [TestColumn['type'], readonly Value[]])[] = [
  ['cell', TEXTS],
  ['text', TEXTS],
  ['integer', [0, 1, 2, 9, 3, null]],
  ['number', NUMBERS],
  ['decimal', [0, 1, 2, 9, 0.5, 3, null]],
  ['boolean', BOOLEANS],
]

function tableOf(field: 'sex' | 'flag', type: TestColumn['type'], values: readonly Value[]): Case['table'] {
  const other =
    field === 'sex' ? ([{ name: 'flag', type: 'cell' }] as const) : ([{ name: 'sex', type: 'cell' }] as const)
  return {
    columns: [{ name: 'idx', type: 'integer' }, { name: field, type }, ...other],
    rows: values.map((value, idx) => [idx, value, field === 'sex' ? 'false' : 'M']),
  }
}

export function agreeOnCodes(isTaken: (mapping: number, column: number) => boolean): void {
  const { agree } = useEngines()
  for (const [mapping, codes] of CODES.entries()) {
    describe(JSON.stringify(codes), () => {
      for (const [column, [type, values]] of VALUES.entries()) {
        if (!isTaken(mapping, column)) continue
        for (const field of ['sex', 'flag'] as const) {
          test(`${field} in a column of the type ${type}`, () =>
            agree({
              definitions: DEFINITIONS,
              model: MODEL,
              output: { kind: 'number' },
              table: tableOf(field, type, values),
              codes,
            }))
        }
      }
    })
  }
}
