/** What FHIR calls a modifier is understood, or the resource is doubt for its patient. The Patient is entry 0, the stay entry 1. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '@patient-risk/runtime'
import { readSubmission } from '../../../../src/adapters/fhir/read/body/submission.ts'
import { type RecordCase, checkRecords } from '../record-cases.ts'
import {
  OLD,
  type Resource,
  STAY,
  answerOf,
  bundle,
  condition,
  encounter,
  entriesOf,
  observation,
  patient,
  recordsOf,
  sourceOf,
  ucum,
} from '../source.ts'

const THEN = { history: 'complete', asOf: '2026-03-09' }
const NEGATED = { modifierExtension: [{ url: 'https://h.example/not', valueBoolean: true }] }
const RULES = { implicitRules: 'https://h.example/rules' }
const UNKNOWN = [
  ['a modifierExtension', NEGATED],
  ['implicitRules', RULES],
  [
    'implicitRules that are not said',
    { _implicitRules: { extension: [{ url: 'https://h.example/absent' }] } },
  ],
] as const
const hb = (id: string, value: number, more: Resource = {}): Resource =>
  observation(id, '718-7', ucum(value, 'g/dL'), { effectiveDateTime: '2026-03-05T08:00:00+01:00', ...more })
const LATER = { effectiveDateTime: '2026-03-08T08:00:00+01:00' }
const VERIFICATION = 'http://terminology.hl7.org/CodeSystem/condition-ver-status'
const verified = (...codings: readonly (readonly [string, string])[]): Resource => ({
  recordedDate: '2020',
  verificationStatus: { coding: codings.map(([system, code]) => ({ system, code })) },
})

checkRecords([
  ...UNKNOWN.flatMap(([name, more]): readonly RecordCase[] => [
    {
      name: `an Encounter with ${name} is not read: the counts are not known`,
      resources: [STAY, { ...OLD, ...more }],
      query: THEN,
      record: { inpatientAdmissions: null, stayDays: 7 },
      why: { inpatientAdmissions: /Bundle\.entry\[2\]/ },
    },
    {
      name: `the latest stay with ${name} may be the index stay`,
      resources: [{ ...STAY, ...more }, OLD],
      query: THEN,
      record: { stayDays: null, inpatientAdmissions: null },
    },
    {
      name: `a named stay with ${name} is no index stay, and no other takes its place`,
      resources: [{ ...OLD, ...more }, STAY],
      query: { ...THEN, encounter: ['Encounter/old'] },
      record: { stayDays: null, age: null },
    },
    {
      name: `a value with ${name} may be the latest`,
      resources: [STAY, hb('a', 11), hb('b', 9, { ...LATER, ...more })],
      query: THEN,
      record: { haemoglobin: null },
    },
    {
      name: `a Condition with ${name}: "no" is not known`,
      resources: [STAY, condition('a', 'F03', { recordedDate: '2020', ...more })],
      query: THEN,
      record: { dementia: null },
    },
    {
      name: `a Procedure with ${name}: "no" is not known`,
      resources: [STAY, { resourceType: 'Procedure', id: 'a', subject: { reference: 'Patient/p' }, ...more }],
      query: THEN,
      record: { procedureDuringStay: null },
    },
  ]),
  {
    name: 'a modifier inside of an element counts too, one of a contained resource does not',
    resources: [
      STAY,
      { ...OLD, contained: [{ resourceType: 'Organization', ...NEGATED }] },
      { ...encounter('x', 'EMER', '2025-10-01', '2025-10-01'), hospitalization: NEGATED },
    ],
    query: THEN,
    record: { inpatientAdmissions: null, emergencyAdmissions: null },
    why: { inpatientAdmissions: /: Bundle\.entry\[3\]\.$/ },
  },
  ...(
    [
      ['the patient', 'Patient/p', 9],
      ['another Patient', 'Patient/baby', 11],
      ['a related person', 'RelatedPerson/r', 11],
      ['a device', 'Device/d', null],
      ['something that is not named', undefined, null],
      ['the same id on a server', 'https://h.example/Patient/p', 9],
    ] as const
  ).map(([name, reference, haemoglobin]) => ({
    name: `a value that is about ${name} (focus): ${String(haemoglobin)}`,
    resources: [STAY, hb('a', 11), hb('b', 9, { ...LATER, focus: [{ reference }] })],
    query: THEN,
    record: { haemoglobin },
  })),
  ...(
    [
      [[[VERIFICATION, 'confirmed']], true, 'confirmed'],
      [[[VERIFICATION, 'refuted']], false, 'refuted'],
      [[['http://hl7.org/fhir/condition-ver-status', 'refuted']], false, 'refuted, in the system of STU3'],
      [[['https://h.example/status', 'confirmed']], null, 'confirmed in a system that is not known'],
      [[['https://h.example/status', 'refuted']], null, 'refuted in a system that is not known'],
      [
        [
          [VERIFICATION, 'confirmed'],
          ['https://h.example/status', 'x'],
        ],
        true,
        'a local code beside it',
      ],
      [
        [
          [VERIFICATION, 'confirmed'],
          [VERIFICATION, 'refuted'],
        ],
        null,
        'both',
      ],
      [[[VERIFICATION, 'sure']], null, 'a code that does not exist'],
    ] as const
  ).map(([codings, dementia, because]) => ({
    name: `the verification status is compared by system and code: ${because}`,
    resources: [STAY, condition('a', 'F03', verified(...codings))],
    query: THEN,
    record: { dementia },
  })),
] satisfies readonly RecordCase[])

for (const [name, more] of [...UNKNOWN, ['active: false', { active: false }]] as const) {
  test(`a Patient with ${name} gets no risk; the other one does`, () => {
    const other = patient({ id: 'q' })
    const stay = { ...STAY, id: 'q', subject: { reference: 'Patient/q' } }
    const body = bundle(patient(more), STAY, other, stay)
    const types = entriesOf(answerOf(body, sourceOf('readmission30'), THEN)).map(({ resource, link }) => [
      link?.[0]?.url,
      resource['resourceType'],
    ])
    assert.deepEqual(types.slice(0, 2), [
      ['Patient/p', 'OperationOutcome'],
      ['Patient/q', 'RiskAssessment'],
    ])
  })
}

test('an unreadable resource is named in an issue of the body', () => {
  const answer = answerOf(bundle(patient(), STAY, { ...OLD, ...NEGATED }), sourceOf('readmission30'), THEN)
  const last = entriesOf(answer).at(-1)
  assert.equal(last?.link, undefined)
  assert.partialDeepStrictEqual(last?.resource.issue?.[0], {
    severity: 'warning',
    code: 'not-supported',
    expression: ['Bundle.entry[2].resource'],
  })
})

const refused = (body: Resource): unknown => {
  try {
    readSubmission(body)
    return undefined
  } catch (error) {
    return error instanceof AppError ? error.code : error
  }
}

for (const [type, code] of [
  ['collection', undefined],
  ['searchset', undefined],
  ['transaction', undefined],
  ['batch', undefined],
  ['batch-response', undefined],
  ['document', undefined],
  ['history', 'BODY_NOT_FHIR'],
  ['message', 'BODY_NOT_FHIR'],
  ['transaction-response', 'BODY_NOT_FHIR'],
  ['nonsense', 'BODY_NOT_FHIR'],
  [undefined, 'BODY_NOT_FHIR'],
] as const)
  test(`a Bundle of the type ${String(type)}: ${code ?? 'read'}`, () =>
    assert.equal(refused({ ...bundle(patient(), STAY), type }), code))

test('implicitRules of the body are refused', () => {
  assert.equal(refused({ ...bundle(patient(), STAY), ...RULES }), 'BODY_NOT_FHIR')
  assert.equal(refused({ resourceType: 'Parameters', parameter: [], ...RULES }), 'BODY_NOT_FHIR')
})

test('entries that are deletions, changes or modified are not read as they stand', () => {
  const body = (type: string, more: Resource): Resource => ({
    resourceType: 'Bundle',
    type,
    entry: [{ resource: patient() }, { resource: STAY }, { resource: OLD, ...more }],
  })
  const admissions = (type: string, more: Resource): unknown =>
    recordsOf(body(type, more), THEN)[0]?.record['inpatientAdmissions'] ?? null
  assert.equal(admissions('collection', {}), 1)
  assert.equal(admissions('transaction', { request: { method: 'PUT', url: 'Encounter/old' } }), 1)
  assert.equal(admissions('transaction', { request: { method: 'DELETE', url: 'Encounter/old' } }), 0)
  assert.equal(admissions('collection', { request: { method: 'DELETE', url: 'Encounter/old' } }), null)
  assert.equal(admissions('batch', { request: { method: 'PATCH', url: 'Encounter/old' } }), null)
  assert.equal(admissions('collection', NEGATED), null)
})

test('a Bundle of another type among Parameters or results is an error of the body', () => {
  const body = {
    resourceType: 'Parameters',
    parameter: [
      { name: 'resource', resource: bundle(patient(), STAY) },
      { name: 'resource', resource: { ...bundle(OLD), type: 'history' } },
    ],
  }
  const [found] = recordsOf(body, THEN)
  assert.equal(found?.record['inpatientAdmissions'] ?? null, null)
})
