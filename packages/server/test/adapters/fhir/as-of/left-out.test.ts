/** A history is complete only if nothing that could belong to the patient was left out. The Patient is entry 0 of each Bundle. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkRecords } from '../record-cases.ts'
import {
  OLD,
  type Resource,
  STAY,
  answerOf,
  bundle,
  condition,
  encounter,
  entriesOf,
  patient,
  recordsOf,
  sourceOf,
} from '../source.ts'
import { whyOf } from '../why-of.ts'

const COMPLETE = { history: 'complete' }
/** From before the window of 12 months: it shows that the history reaches that far back. */
const ANCIENT = encounter('ancient', 'AMB', '2020-01-01', '2020-01-01')
const UNCLEAR: Readonly<Record<string, unknown>> = {
  'an identifier': { identifier: { system: 'urn:example:mrn', value: '17' } },
  'a contained Patient': { reference: '#p' },
  'a display only': { display: 'Anna' },
  nothing: undefined,
  'a search': { reference: 'Patient?identifier=17' },
  'a Group': { reference: 'Group/family' },
  'a urn that is not in the body': { reference: 'urn:uuid:0c7b5d2e-0000-4000-8000-000000000000' },
}
const SOMEBODY_ELSE = ['Patient/q', 'https://hospital.example/fhir/Patient/q', 'Device/d']
const LEFT_OUT = /left out.*Bundle\.entry\[2\]\./

checkRecords([
  ...Object.entries(UNCLEAR).map(([name, subject]) => ({
    name: `an earlier stay whose subject is ${name} is not counted as 0`,
    because:
      'The stay in entry 2 lies in the window. It may be of this patient (1 admission) or not (0). It is no emergency visit.',
    resources: [STAY, { ...OLD, subject }, ANCIENT],
    record: { inpatientAdmissions: null, emergencyAdmissions: 0, edVisits6Months: 0, stayDays: 7 },
    why: { inpatientAdmissions: LEFT_OUT },
  })),
  ...SOMEBODY_ELSE.map((reference) => ({
    name: `an Encounter of ${reference} is of somebody else and leaves no doubt`,
    because: 'The reference names one that is certainly not Patient/p; the old visit shows the history: 0.',
    resources: [STAY, { ...OLD, subject: { reference } }, ANCIENT],
    record: { inpatientAdmissions: 0, stayDays: 7 },
  })),
  {
    name: 'a history that is stated to be complete is not, if an Encounter was left out',
    because: 'The statement of the sender holds for what it sent; entry 2 was not used.',
    resources: [STAY, { ...OLD, subject: undefined }],
    query: COMPLETE,
    record: { inpatientAdmissions: null },
    why: { inpatientAdmissions: LEFT_OUT },
  },
  {
    name: 'a counted stay does not hide that another was left out',
    because: 'At least 1 (entry 1), 2 if entry 2 is of this patient too.',
    resources: [OLD, encounter('x', 'IMP', '2025-11-01', '2025-11-02', { subject: {} }), STAY],
    record: { inpatientAdmissions: null },
    why: { inpatientAdmissions: LEFT_OUT },
  },
  {
    name: 'a later stay whose subject is not clear may be the index stay',
    because:
      'Entry 2 begins on 1 May, after the stay of March: if it is of this patient, it is the index stay.',
    resources: [STAY, encounter('x', 'IMP', '2026-05-01', '2026-05-04', { subject: {} }), OLD],
    record: { stayDays: null, age: null, inpatientAdmissions: null },
    why: { stayDays: /Bundle\.entry\[2\]/ },
  },
  {
    name: 'a stay that begins at the same time, and one without a start, may be the index stay too',
    resources: [
      STAY,
      { ...STAY, id: 'x', subject: {} },
      encounter('y', 'IMP', undefined, undefined, { subject: {} }),
    ],
    record: { stayDays: null },
  },
  {
    name: 'a named index stay is certain',
    because: 'Where the caller names it, 2 to 9 March is the stay. What began in May did not come before it.',
    resources: [STAY, encounter('x', 'IMP', '2026-05-01', '2026-05-04', { subject: {} }), OLD],
    query: { encounter: ['Encounter/index'] },
    record: { stayDays: 7, inpatientAdmissions: 1 },
  },
  {
    name: 'a Condition and a Procedure whose subject is not clear: "no" is not known',
    resources: [
      STAY,
      condition('a', 'I10'),
      condition('b', 'F03', { subject: { identifier: { value: '17' } } }),
      { resourceType: 'Procedure', id: 'c', status: 'completed', performedDateTime: '2026-03-05' },
    ],
    query: COMPLETE,
    record: { dementia: null, procedureDuringStay: null },
    why: { dementia: /Bundle\.entry\[3\]\./, procedureDuringStay: /Bundle\.entry\[4\]\./ },
  },
  {
    name: 'a Bundle within a Bundle was not read, so the history is not complete',
    because: 'Entry 3 may hold a stay.',
    resources: [STAY, ANCIENT, bundle(OLD)],
    record: { inpatientAdmissions: null, stayDays: 7 },
    why: { inpatientAdmissions: /Bundle\.entry\[3\]\./ },
  },
])

test('a relative reference to an id that two servers use may mean either of their Patients', () => {
  const at = (server: string, resource: Resource): Resource => ({
    fullUrl: `${server}/${String(resource['resourceType'])}/${String(resource['id'])}`,
    resource,
  })
  const entry = ['https://north.example', 'https://south.example'].flatMap((server) =>
    [patient(), STAY, ANCIENT].map((resource) => at(server, resource)),
  )
  const found = recordsOf({
    resourceType: 'Bundle',
    type: 'collection',
    entry: [...entry, { resource: OLD }],
  })
  for (const { record, findings } of found) {
    assert.equal(record['inpatientAdmissions'] ?? null, null)
    assert.match(whyOf(findings.get('inpatientAdmissions')), /Bundle\.entry\[6\]/)
  }
  assert.equal(found.length, 2)
})

test('a patient with a urn is not the one that another urn names; one without an id may be any', () => {
  const body = (fullUrl: string | undefined, more: Resource, reference: string): Resource => ({
    resourceType: 'Bundle',
    type: 'collection',
    entry: [
      { fullUrl, resource: patient(more) },
      ...[STAY, ANCIENT].map((resource) => ({ resource: { ...resource, subject: { reference: fullUrl } } })),
      { resource: { ...OLD, subject: { reference } } },
    ],
  })
  const [first] = recordsOf(body('urn:uuid:a', {}, 'urn:uuid:b'))
  assert.equal(first?.record['inpatientAdmissions'], 0)
  const [second] = recordsOf(body('urn:uuid:a', { id: undefined }, 'Patient/q'))
  assert.equal(second?.record['inpatientAdmissions'] ?? null, null)
})

test('the answer: no risk, and an issue that names the entries and not the patient', () => {
  const body = bundle(patient(), STAY, { ...OLD, subject: { display: 'Anna' } }, ANCIENT)
  const entries = entriesOf(answerOf(body, sourceOf('readmission30'), { asOf: '2026-03-09' }))
  assert.ok(entries.every(({ resource }) => resource['resourceType'] === 'OperationOutcome'))
  const [issue] = entries[0]?.resource.issue ?? []
  assert.partialDeepStrictEqual(issue, {
    severity: 'error',
    code: 'incomplete',
    expression: ['Bundle.entry[2].resource.subject'],
  })
  assert.match(String(issue?.['diagnostics']), /Bundle\.entry\[2\]\./)
  assert.ok(!JSON.stringify(entries).includes('Anna'))
})

test('a long list of Encounters of nobody is shared by all patients, and the message names the first of them', () => {
  const patients = Array.from({ length: 3 }, (_, at) => patient({ id: `p${at}` }))
  const nobodys = Array.from({ length: 25 }, (_, at) =>
    encounter(`e${at}`, 'IMP', '2026-02-02', '2026-02-03', { subject: {} }),
  )
  const stays = patients.map(({ id }) =>
    encounter(`s${String(id)}`, 'IMP', '2026-02-20', '2026-03-01', {
      subject: { reference: `Patient/${String(id)}` },
    }),
  )
  const body = bundle(...patients, ...nobodys, ...stays)
  for (const { findings, subject } of recordsOf(body, { asOf: '2026-03-01' })) {
    const why = whyOf(findings.get('inpatientAdmissions'))
    assert.match(why, /Bundle\.entry\[3\], .*Bundle\.entry\[22\] and 5 more\.$/)
    assert.equal(subject.leftOut.get('Encounter')?.length, 25)
  }
})
