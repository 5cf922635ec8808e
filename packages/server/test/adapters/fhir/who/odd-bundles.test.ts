/**
 * Bundles written in ways that gave a number without a word. The stay is from 2 to 9 March 2026, with one admission before it. Today:
 * 15 November 2026.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
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
const UNKNOWN = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
}
const OBSERVATION_VALUE = 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue'
const PARTS = [
  ['tag', 'SUBSETTED'],
  ['security', 'REDACTED'],
  ['security', 'MASKED'],
] as const
const inPart = (kind: string, code: string, system = OBSERVATION_VALUE): Resource => ({
  meta: { [kind]: [{ system, code }] },
})
const earlier = (start: string, end: string, more: Resource = {}): Resource =>
  encounter('x', 'IMP', start, end, more)
const open = (more: Resource): Resource => encounter('index', 'IMP', '2026-03-02', undefined, more)

checkRecords([
  ...(
    [
      ['an end that is hidden', { start: '2026-03-02', _end: UNKNOWN }, null],
      ['an end with an extension', { start: '2026-03-02', end: '2026-03-09', _end: UNKNOWN }, 7],
      ['no end', { start: '2026-03-02' }, 7],
    ] as const
  ).map(([name, period, stayDays]) => ({
    name: `a stay in progress with ${name}: ${String(stayDays)} days`,
    because: 'What is hidden may have been long ago.',
    resources: [{ ...open({ status: 'in-progress' }), period }],
    query: THEN,
    record: { stayDays },
  })),
  ...(
    [
      ['P', null],
      ['p', 1],
      ['q', 0],
    ] as const
  ).map(([id, inpatientAdmissions]) => ({
    name: `a stay of Patient/${id}, beside Patient/p: ${String(inpatientAdmissions)} admissions`,
    because: 'Ids of FHIR have a case, and many systems do not keep it.',
    resources: [STAY, { ...OLD, subject: { reference: `Patient/${id}` } }],
    query: THEN,
    record: { inpatientAdmissions, stayDays: 7 },
  })),
  {
    name: 'a value that is about the same id in capitals (focus) may be about the patient',
    resources: [
      STAY,
      observation('a', '718-7', ucum(11, 'g/dL'), { effectiveDateTime: '2026-03-05T08:00:00+01:00' }),
      observation('b', '718-7', ucum(9, 'g/dL'), {
        effectiveDateTime: '2026-03-06T08:00:00+01:00',
        focus: [{ reference: 'Patient/P' }],
      }),
    ],
    query: THEN,
    record: { haemoglobin: null },
  },
  ...PARTS.flatMap(([kind, code]): readonly RecordCase[] => [
    {
      name: `a stay in part (${code}) is not read: the counts are not known`,
      resources: [STAY, { ...OLD, ...inPart(kind, code) }],
      query: THEN,
      record: { inpatientAdmissions: null, stayDays: 7 },
      why: { inpatientAdmissions: /Bundle\.entry\[2\]/ },
    },
    {
      name: `a Condition in part (${code}) may have ended`,
      resources: [STAY, condition('a', 'F03', { recordedDate: '2020', ...inPart(kind, code) })],
      query: THEN,
      record: { dementia: null },
    },
  ]),
  {
    name: 'a label of another system with such a code means nothing here',
    resources: [STAY, { ...OLD, ...inPart('tag', 'SUBSETTED', 'https://h.example/tags') }],
    query: THEN,
    record: { inpatientAdmissions: 1 },
  },
  ...(
    [
      ['2026-05-01', '2025-05-05', 'begins after the moment'],
      ['2025-05-05', '2025-05-01', 'begins in the window'],
      ['2025-05-05', '2015-05-01', 'ends ten years before it begins'],
    ] as const
  ).map(([start, end, what]) => ({
    name: `an earlier stay that ${what} and ends before it begins: one of its dates is wrong`,
    resources: [STAY, earlier(start, end)],
    query: { ...THEN, encounter: ['Encounter/index'] },
    record: { inpatientAdmissions: null, stayDays: 7 },
    why: { inpatientAdmissions: /no start/ },
  })),
  {
    name: 'a stay that says to be part of one at another time',
    resources: [STAY, earlier('2025-05-01', '2025-05-05', { partOf: { reference: 'Encounter/index' } })],
    query: THEN,
    record: { inpatientAdmissions: null, stayDays: 7 },
    why: { inpatientAdmissions: /part of one that was at another time/ },
  },
  {
    name: 'a stay that begins on the last day of the one that it is part of',
    resources: [STAY, earlier('2026-03-09', '2026-03-09', { partOf: { reference: 'Encounter/index' } })],
    query: { ...THEN, encounter: ['Encounter/index'] },
    record: { inpatientAdmissions: 0, stayDays: 7 },
  },
  {
    name: 'two stays that are part of each other',
    resources: [
      STAY,
      { ...OLD, partOf: { reference: 'Encounter/x' } },
      { ...OLD, id: 'x', partOf: { reference: 'Encounter/old' } },
    ],
    query: THEN,
    record: { inpatientAdmissions: null, stayDays: 7 },
  },
  ...(
    [
      ['2025-12-24', null, '32 days after the stay that it is part of'],
      ['2025-12-23', 1, '31 days after it'],
    ] as const
  ).map(([start, visits, what]) => ({
    name: `an emergency visit ${what}`,
    resources: [
      STAY,
      encounter('first', 'IMP', '2025-11-20', '2025-11-22'),
      encounter('ed', 'EMER', start, start, { partOf: { reference: 'Encounter/first' } }),
    ],
    query: THEN,
    record: { emergencyAdmissions: visits },
  })),
  {
    name: 'a stay of the year 1, which means that it has no date',
    resources: [STAY, earlier('0001-01-01', '0001-01-01')],
    query: { ...THEN, encounter: ['Encounter/index'] },
    record: { inpatientAdmissions: null, stayDays: 7 },
  },
  {
    name: 'diagnoses and stays that another resource contains are doubt',
    resources: [
      { ...STAY, contained: [condition('c', 'F03'), { ...OLD, subject: undefined }] },
      { resourceType: 'DiagnosticReport', id: 'r', contained: [{ resourceType: 'Device' }] },
    ],
    query: THEN,
    record: { dementia: null, inpatientAdmissions: null, stayDays: 7 },
    why: { dementia: /Bundle\.entry\[1\]/ },
  },
  {
    name: 'what a resource of somebody else contains is no doubt',
    resources: [
      STAY,
      { ...OLD, id: 'o', subject: { reference: 'Patient/q' }, contained: [{ ...OLD, subject: undefined }] },
    ],
    query: THEN,
    record: { inpatientAdmissions: 0, stayDays: 7 },
  },
  {
    name: 'times of one day in the wrong order: the day is certain',
    resources: [STAY, earlier('2025-05-05T10:00:00+02:00', '2025-05-05T09:00:00+02:00')],
    query: THEN,
    record: { inpatientAdmissions: 1 },
  },
  ...(
    [
      ['2026-03-10', null],
      ['2026-03-09', 7],
      ['2026-03-08', 6],
    ] as const
  ).map(([asOf, stayDays]) => ({
    name: `a stay in progress that has an end, 9 March, as of ${asOf}: ${String(stayDays)} days`,
    because: 'It is over, or the end was a plan. Up to that day both give the same.',
    resources: [encounter('index', 'IMP', '2026-03-02', '2026-03-09', { status: 'in-progress' }), OLD],
    query: { ...THEN, asOf },
    record: { stayDays },
  })),
  {
    name: 'a stay in progress that ends today is discharged today',
    resources: [encounter('index', 'IMP', '2026-11-10', '2026-11-15', { status: 'in-progress' }), OLD],
    query: { history: 'complete' },
    record: { stayDays: 5 },
  },
  ...['_abatementDateTime', '_abatementString'].map((element) => ({
    name: `a Condition that is active, and has ended nobody knows when (${element})`,
    resources: [STAY, condition('a', 'F03', { recordedDate: '2020', [element]: UNKNOWN })],
    query: THEN,
    record: { dementia: null },
  })),
] satisfies readonly RecordCase[])

const NOT_READ = ['delete', 'Delete', 'REMOVE', 7, null]
for (const method of NOT_READ) {
  test(`an entry with the request ${String(method)} is not read as it stands`, () => {
    const body = {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [{ resource: patient() }, { resource: STAY }, { resource: OLD, request: { method } }],
    }
    assert.equal(recordsOf(body, THEN)[0]?.record['inpatientAdmissions'] ?? null, null)
  })
}

for (const more of [
  { _deceasedDateTime: UNKNOWN },
  { _deceasedBoolean: UNKNOWN },
  inPart('tag', 'SUBSETTED'),
])
  test(`a Patient with ${Object.keys(more).join()} may have died: no risk`, () => {
    const answer = answerOf(bundle(patient(more), STAY, OLD), sourceOf('readmission30'), THEN)
    assert.equal(entriesOf(answer)[0]?.resource['resourceType'], 'OperationOutcome')
  })

for (const [asOf, isAnswered] of [
  ['2026-11-15', true],
  ['2026-11-16', true],
  ['2026-11-17', false],
  ['2026-11-17T00:00:00Z', false],
  ['2027-03-09', false],
] as const)
  test(`asOf ${asOf} is ${isAnswered ? 'answered' : 'refused'}: what will be known then is not known today`, () => {
    const answer = (): unknown =>
      answerOf(bundle(patient(), open({ status: 'in-progress' }), OLD), sourceOf('readmission30'), {
        ...THEN,
        asOf,
      })
    if (isAnswered) assert.ok(answer())
    else assert.throws(answer, { code: 'REQUEST_INVALID', message: /asOf/ })
  })
