import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alarmText } from '../src/operations/alarm-text.ts'

const ROWS = [
  ['unit', 'g/dL', 'mmol/L', 'absolute', 'probably mmol/L, received as g/dL'],
  ['feed', 'as sent', '', 'codes', 'codes of another convention, or exchanged ones'],
  ['feed', 'as sent', '', 'period', 'values like those of another period'],
  ['feed', 'g/dL', 'mmol/L, or another quantity', 'unit', 'another unit, or another quantity'],
  ['feed', 'as sent', '', 'later-kind', 'later-kind'],
  ['later', 'basis', 'likely', '', 'later: basis likely'],
] as const

for (const [kind, basis, likely, reference, text] of ROWS) {
  test(`an alarm of the kind ${kind} ${reference} says: ${text}`, () => {
    assert.equal(alarmText({ language: 'en' }, { kind, basis, likely, reference }), text)
  })
}
