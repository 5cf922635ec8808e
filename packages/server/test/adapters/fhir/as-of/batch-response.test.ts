/** The answer to a batch of searches is read like the searchsets that it holds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '@patient-risk/runtime'
import { OLD, type Resource, STAY, bundle, encounter, patient, recordsOf } from '../source.ts'

const found = (...resources: readonly Resource[]): Resource => ({
  ...bundle(...resources),
  type: 'searchset',
})
const answered = (resource: Resource | undefined, status = '200 OK'): Resource => ({
  resource,
  response: { status },
})
const batch = (...entry: readonly Resource[]): Resource => ({
  resourceType: 'Bundle',
  type: 'batch-response',
  entry,
})
const FAILURE = { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code: 'forbidden' }] }
const HINT = { resourceType: 'OperationOutcome', issue: [{ severity: 'warning', code: 'processing' }] }
const ANCIENT = encounter('ancient', 'AMB', '2020-01-01', '2020-01-01')

/** Entries, the expected admissions (null: missing), and why. */
const ANSWERS: readonly (readonly [string, readonly Resource[], number | null])[] = [
  [
    'two searchsets: the stay of September is one',
    [answered(found(patient())), answered(found(STAY, OLD))],
    1,
  ],
  ['a read beside a search', [answered(patient()), answered(found(STAY, OLD))], 1],
  ['an empty searchset is a result', [answered(found(patient(), STAY, ANCIENT)), answered(found())], 0],
  [
    'a search that failed by its status may have held a stay',
    [answered(found(patient(), STAY, ANCIENT)), answered(undefined, '403 Forbidden')],
    null,
  ],
  [
    'a search that failed with an OperationOutcome may have held a stay',
    [answered(found(patient(), STAY, ANCIENT)), answered(FAILURE, '403')],
    null,
  ],
  ['the status decides', [answered(found(patient(), STAY, ANCIENT)), answered(HINT, '500')], null],
  ['a warning is no failure', [answered(found(patient(), STAY, ANCIENT)), answered(HINT)], 0],
  [
    'an OperationOutcome with a good status is a failure too',
    [answered(found(patient(), STAY, ANCIENT)), answered(FAILURE)],
    null,
  ],
]
for (const [name, entries, admissions] of ANSWERS) {
  test(name, () => {
    const records = recordsOf(batch(...entries))
    assert.equal(records.length, 1)
    assert.equal(records[0]?.record['inpatientAdmissions'] ?? null, admissions)
    assert.equal(records[0]?.record['stayDays'], 7)
  })
}

test('a searchset with a further page is refused', () => {
  const page = { ...found(STAY), link: [{ relation: 'next', url: 'https://h.example/fhir?page=2' }] }
  assert.throws(
    () => recordsOf(batch(answered(found(patient())), answered(page))),
    (error) => error instanceof AppError && error.code === 'BUNDLE_INCOMPLETE',
  )
})
