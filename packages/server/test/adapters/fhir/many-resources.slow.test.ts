/** A patient with more resources than a call has arguments. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPatient } from '../../../src/adapters/fhir/read/read-patient.ts'
import { readSubmission } from '../../../src/adapters/fhir/read/body/submission.ts'
import { readOptions } from '../../../src/adapters/fhir/assess.ts'
import { mapping } from '../../../../../test/support/mapping.ts'
import { testCatalog } from '../../../../../test/support/test-catalog.ts'
import { STAY, TODAY, type Resource, encounter, observation, patient, ucum } from './source.ts'
import { whyOf } from './why-of.ts'

const MANY = 130_000

function many(make: (id: string) => Resource): readonly Resource[] {
  return Array.from({ length: MANY }, (_, at) => make(`n${at}`))
}

/** A value of one patient, or the reason why there is none. Only its own field or scale is read. */
function found(field: string, resources: readonly Resource[]): unknown {
  const entry = [patient(), STAY].concat(resources).map((resource) => ({ resource }))
  const submission = readSubmission({ resourceType: 'Bundle', type: 'collection', entry })
  const scale = testCatalog().scales.get(field.split('_', 1).join())
  const wanted =
    scale === undefined ? { fields: [field], scales: [] } : { fields: [], scales: [scale], items: [field] }
  const [subject] = submission.subjects
  assert.ok(subject)
  const options = readOptions(submission, { history: 'complete' }, TODAY)
  const { record, findings } = readPatient(subject, submission, mapping, wanted, options)
  return record[field] ?? whyOf(findings.get(field))
}

const MAY_COUNT = /leaves open whether it counts/

test('a patient with very many visits is read', () => {
  const visits = many((id) =>
    encounter(id, 'EMER', '2026-03-02T09:00:00+01:00', '2026-03-02T10:00:00+01:00', {
      partOf: { reference: 'Encounter/index' },
    }),
  )
  assert.equal(found('emergencyAdmissions', visits), 0)
})

test('a patient with a value and very many visits that led to its stay is read', () => {
  const visits = many((id) => encounter(id, 'EMER', '2026-03-02T09:00:00+01:00', '2026-03-02T10:00:00+01:00'))
  const hb = observation('hb', '718-7', ucum(11, 'g/dL'), { effectiveDateTime: '2026-03-02' })
  assert.equal(found('haemoglobin', visits.concat(hb)), 11)
})

const rate = (id: string, more: Resource = {}): Resource => observation(id, '9279-1', ucum(18, '/min'), more)

test('a patient with very many readings of a scale is read', () => {
  const readings = many((id) => rate(id))
  assert.equal(found('news2_respirationRateReading', readings), 18)
})

test('a patient with very many readings that may or may not count is read', () => {
  const open = many((id) => rate(id, { status: 'unknown' }))
  assert.match(String(found('news2_respirationRateReading', open.concat(rate('one')))), MAY_COUNT)
})

test('a patient with very many values about something that is not clear is read', () => {
  const unclear = many((id) =>
    observation(id, '718-7', ucum(11, 'g/dL'), { focus: [{ reference: 'Device/d' }] }),
  )
  assert.match(String(found('haemoglobin', unclear)), MAY_COUNT)
})

test('a patient with very many totals of a scale that may or may not count is read', () => {
  const totals = many((id) => observation(id, '96761-2', ucum(50, '{score}'), { status: 'unknown' }))
  assert.match(String(found('barthel_total', totals)), MAY_COUNT)
})
