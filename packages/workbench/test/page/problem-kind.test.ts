/** Each kind of problem that the service reports is known to the page, and its words name no number of the page's own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindOf, reasonOf } from '../../src/i18n/problem-kind.ts'
import { wordingOf } from '../../src/i18n/problem-words.ts'
import type { ErrorItem } from '../../src/shapes/answers.ts'

const item = (ExtendError: string, kind?: ErrorItem['kind']): ErrorItem => ({
  Field: 'age',
  FieldDate: '',
  ExtendError,
  ...(kind === undefined ? {} : { kind }),
})
const valueError = (reason: string): string => `ValueError for value Age in idx 3 (${reason})`

const KINDS = [
  ['ValueMissing for value age in idx 3', 'missing'],
  [valueError('out of range'), 'outOfRange'],
  [valueError('not an integer'), 'notAnInteger'],
  [valueError('not a number'), 'notANumber'],
  [valueError('not a permitted value'), 'notPermitted'],
  [valueError('not a valid date'), 'notADate'],
  [valueError('date in the future'), 'dateInFuture'],
  [valueError('duplicate'), 'duplicate'],
  [valueError('given twice'), 'givenTwice'],
  [valueError('not an object'), 'notAnObject'],
  [valueError('too many fields'), 'tooManyFields'],
  [valueError('unknown field'), 'unknownField'],
  [valueError('not computable'), 'notComputable'],
  [valueError('the sum of the given item values does not coincide with the provided total'), 'sum'],
  [
    valueError(
      'the sum of the given item values, 12.5, does not coincide with the provided total, computed sum 12.5',
    ),
    'sum',
  ],
  [valueError('something new'), 'other'],
  // A name that every object has is no kind of problem.
  [valueError('constructor'), 'other'],
  ['Something else', 'other'],
] as const

for (const [text, kind] of KINDS) test(`${text} is ${kind}`, () => assert.equal(kindOf(item(text)), kind))

test('what the page found itself comes before the words of the service', () => {
  assert.equal(kindOf(item(valueError('not a number'), 'ambiguous')), 'ambiguous')
  assert.equal(
    wordingOf(item(valueError('not a number'), 'ambiguous')),
    'ValueError for value Age (can be read in two ways)',
  )
})

test('the number that the page gave the record is left out, or is the identifier of its list', () => {
  assert.equal(wordingOf(item(valueError('out of range'))), 'ValueError for value Age (out of range)')
  assert.equal(
    wordingOf(item(valueError('out of range')), 'H-1042'),
    'ValueError for value Age in H-1042 (out of range)',
  )
  assert.equal(reasonOf(item('ValueMissing for value age')), '')
})
