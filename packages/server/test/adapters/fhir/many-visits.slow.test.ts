/** A patient with more visits than a call has arguments. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STAY, bundle, encounter, observation, patient, recordsOf, ucum } from './source.ts'

test('a patient with very many visits and values is read', () => {
  const many = Array.from({ length: 130_000 }, (_, at) =>
    encounter(`e${at}`, 'EMER', '2026-03-02T09:00:00+01:00', '2026-03-02T10:00:00+01:00', {
      partOf: { reference: 'Encounter/index' },
    }),
  )
  const hb = observation('hb', '718-7', ucum(11, 'g/dL'), { effectiveDateTime: '2026-03-02' })
  const entry = [patient(), STAY, hb, many].flat().map((resource) => ({ resource }))
  const [found] = recordsOf({ ...bundle(), entry }, { history: 'complete' })
  assert.partialDeepStrictEqual(found?.record, { emergencyAdmissions: 0, haemoglobin: 11 })
})
