/** A date before 01-01-1900 is out of range in FHIR too. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAYS } from '../../../../../test/support/earliest-date.ts'
import { answerOf, bundle, encounter, observation, patient, recordsOf, sourceOf } from './source.ts'

// Only fields that the model takes are looked for, and this one takes the Barthel Index.
test('FHIR: an assessment of 1899 is found with its date, which is out of range; one of 1900 is not', () => {
  const total = { valueQuantity: { value: 85 } }
  for (const [day, isoDay, isEarly] of DAYS.slice(0, 3)) {
    const stay = encounter('index', 'IMP', '1899-12-28', '1900-01-04')
    const barthel = observation('b', '96761-2', undefined, { ...total, effectiveDateTime: isoDay })
    const body = bundle(patient({ birthDate: '1820-06-15' }), stay, barthel)
    const query = { asOf: '1900-01-05', history: 'complete' }
    const [read] = recordsOf(body, query)
    assert.equal(read?.record['barthel_date'], day)
    const answer = JSON.stringify(answerOf(body, sourceOf('profund'), query))
    assert.equal(answer.includes('ValueError for value Date in idx 0 (out of range)'), isEarly, answer)
  }
})
