/** Fields of HOSPITAL, PROFUND and Inouye from standard codes. Index stay: 2 to 9 March 2026, the one before: 10 to 15 September 2025. */
import { type RecordCase, checkRecords } from './record-cases.ts'
import { OLD, type Resource, STAY, condition, encounter, observation } from './source.ts'

const SERVICE = 'http://terminology.hl7.org/CodeSystem/service-type'
const SNOMED = 'http://snomed.info/sct'
const LOINC = 'http://loinc.org'
const COMPLETE = { history: 'complete', asOf: '2026-11-15' }
const CLINICAL = 'http://terminology.hl7.org/CodeSystem/condition-clinical'
const concept = (system: string, code: string): Resource => ({ coding: [{ system, code }] })
const own = (code: string, valueBoolean: boolean): Resource =>
  observation('own', code, undefined, { code: concept('urn:patient-risk:fields', code), valueBoolean })

/** A service type of the stay, whether it is oncology, and why. */
const SERVICES: readonly (readonly [Resource | undefined, boolean | null, string])[] = [
  [concept(SERVICE, '175'), true, 'medical oncology'],
  [concept(SERVICE, '214'), true, 'radiation oncology'],
  [concept(SNOMED, '394593009'), true, 'medical oncology in SNOMED CT'],
  [concept(SERVICE, '165'), false, 'another service type of the same system'],
  [concept(SERVICE, '581'), null, 'haematology: the site decides'],
  [concept('https://local.example', 'onc'), null, 'a local code'],
  [undefined, null, 'no service type'],
]

const NUBC = 'https://www.nubc.org/CodeSystem/PriorityTypeOfAdmitOrVisit'
/** Where the stay says how urgent it was, and whether it was acute. */
const PRIORITIES: readonly (readonly [Resource, boolean | null, string])[] = [
  [{ priority: concept(NUBC, '1') }, true, 'emergency'],
  [{ type: [concept('https://local.example', 'x'), concept(NUBC, '2')] }, true, 'urgent, in the type'],
  [{ type: [concept(NUBC, '3')] }, false, 'elective'],
  [{ priority: concept(NUBC, '5') }, true, 'trauma'],
  [{ priority: concept(NUBC, '4') }, null, 'newborn says nothing'],
  [{ priority: concept(NUBC, '1'), type: [concept(NUBC, '3')] }, true, 'the priority comes before the type'],
  // Synthea writes 183452005 ("emergency hospital admission") as the type of every stay.
  [{ type: [concept(SNOMED, '183452005')] }, null, 'a SNOMED CT type that is used for all stays'],
]

/** What an Observation says, and whether the grade is III or IV. */
const GRADES: readonly (readonly [string, Resource, Resource, boolean | null])[] = [
  ['NYHA III', concept(LOINC, '88020-3'), { valueCodeableConcept: concept(LOINC, 'LA28406-9') }, true],
  ['NYHA IV', concept(SNOMED, '420816009'), { valueCodeableConcept: concept(SNOMED, '422293003') }, true],
  [
    'NYHA II: MRC may be higher',
    concept(LOINC, '88020-3'),
    { valueCodeableConcept: concept(LOINC, 'LA28405-1') },
    null,
  ],
  ['mMRC 3', concept(SNOMED, '870179002'), { valueInteger: 3 }, true],
  ['mMRC 2: NYHA may be higher', concept(SNOMED, '870179002'), { valueInteger: 2 }, null],
]

const visit = (id: string, start: string, more: Resource = {}): Resource =>
  encounter(id, 'AMB', start, start, { serviceType: concept(SERVICE, '124'), ...more })
const FIRST = visit('first', '2024-01-10')

/** Visits, the count of those to primary care, and why. */
const VISITS: readonly (readonly [readonly Resource[], number | null, string])[] = [
  [
    [FIRST, visit('a', '2025-10-01'), visit('b', '2026-01-10')],
    2,
    'two in the 12 months before 9 March 2026',
  ],
  [[FIRST, visit('a', '2025-03-09'), visit('b', '2025-03-08')], 1, 'the window begins on 9 March 2025'],
  [[FIRST], 0, 'an older visit shows that they are sent'],
  [[visit('a', '2025-10-01')], null, 'one visit does not show that all were sent'],
  [
    [FIRST, visit('a', '2025-10-01', { serviceType: undefined })],
    null,
    'an outpatient visit to an unknown service',
  ],
  [[FIRST, visit('a', '2025-10-01', { serviceType: concept(SERVICE, '165') })], 0, 'a visit to a specialist'],
  [[FIRST, visit('a', '2025-10-01', { serviceType: concept(SNOMED, '419772000') })], 1, 'family practice'],
  [[FIRST, visit('a', '2025-10-01', { status: 'in-progress' })], null, 'a visit that has not ended'],
  [[FIRST, visit('a', '2025-10-01', { status: 'cancelled' })], 0, 'a visit that did not take place'],
  [[FIRST, visit('a', '2025-10-01', { subject: {} })], null, 'a visit of somebody who is not named'],
  [[FIRST, encounter('a', 'EMER', '2025-10-01', '2025-10-01')], 0, 'an emergency visit'],
]

const delirium = (more: Resource): Resource => condition('d', 'F05.9', more)
const OF_OLD = { encounter: { reference: 'Encounter/old' } }
const SNOMED_DELIRIUM = { ...delirium(OF_OLD), code: concept(SNOMED, '2776000') }
/** Conditions and stays, whether delirium belongs to the stay before, and why. */
const DELIRIA: readonly (readonly [readonly Resource[], boolean | null, string])[] = [
  [[OLD, delirium(OF_OLD)], true, 'by its Encounter'],
  [[OLD, SNOMED_DELIRIUM], true, 'by its Encounter, in SNOMED CT'],
  [
    [OLD, delirium({ ...OF_OLD, clinicalStatus: concept(CLINICAL, 'resolved') })],
    true,
    'resolved: it was there in that stay',
  ],
  [[OLD, delirium({ onsetDateTime: '2025-09-12' })], true, 'it began in that stay'],
  [[OLD, delirium({ onsetDateTime: '2025-10-12' })], false, 'it began after that stay'],
  [[OLD, delirium({ encounter: { reference: 'Encounter/index' } })], false, 'it belongs to the index stay'],
  [[OLD, delirium({})], null, 'it belongs to no stay that is known'],
  [[OLD], false, 'no delirium in a complete history'],
  [[], false, 'no stay before in a complete history'],
  [[{ ...OLD, subject: {} }], null, 'the stay before may be one that was left out'],
  ...(
    [
      ['http://hl7.org/fhir/sid/icd-10', 'F10.4', null],
      ['http://hl7.org/fhir/sid/icd-10', 'F10.3', false],
      ['http://hl7.org/fhir/sid/icd-10-cm', 'F10.231', null],
      ['http://hl7.org/fhir/sid/icd-10-cm', 'F10.230', false],
      ['http://hl7.org/fhir/sid/icd-10-cm', 'R41.0', null],
      ['http://hl7.org/fhir/sid/icd-10', 'R41.0', false],
    ] as const
  ).map(
    ([system, code, value]) =>
      [
        [
          OLD,
          condition('a', 'x', {
            code: { coding: [{ system, code }] },
            encounter: { reference: 'Encounter/old' },
          }),
        ],
        value,
        `${code} of ${system}`,
      ] as const,
  ),
]

checkRecords([
  ...SERVICES.map(([serviceType, oncologyService, because]) => ({
    name: `oncologyService: ${because}`,
    resources: [{ ...STAY, serviceType }],
    record: { oncologyService },
  })),
  ...PRIORITIES.map(([more, acuteAdmission, because]) => ({
    name: `acuteAdmission: ${because}`,
    resources: [{ ...STAY, ...more }],
    record: { acuteAdmission },
  })),
  ...GRADES.map(([name, code, value, nyhaOrMrc3to4]) => ({
    name: `nyhaOrMrc3to4: ${name}`,
    resources: [STAY, observation('a', 'x', undefined, { code, ...value })],
    record: { nyhaOrMrc3to4 },
  })),
  {
    name: 'nyhaOrMrc3to4: our own code says no, and decides',
    resources: [
      STAY,
      observation('a', 'x', undefined, { code: concept(SNOMED, '870179002'), valueInteger: 3 }),
      own('nyhaOrMrc3to4', false),
    ],
    record: { nyhaOrMrc3to4: false },
  },
  ...VISITS.map(([visits, primaryCareVisits12Months, because]) => ({
    name: `primaryCareVisits12Months: ${because}`,
    resources: [STAY, ...visits],
    record: { primaryCareVisits12Months },
  })),
  {
    name: 'primaryCareVisits12Months: none in a complete history',
    resources: [STAY],
    query: COMPLETE,
    record: { primaryCareVisits12Months: 0 },
  },
  ...DELIRIA.map(([resources, deliriumLastAdmission, because]) => ({
    name: `deliriumLastAdmission: ${because}`,
    resources: [STAY, ...resources],
    query: COMPLETE,
    record: { deliriumLastAdmission },
  })),
  ...(
    [
      ['C50.9', {}, true],
      ['C86.0', {}, true],
      ['C44.9', {}, false],
      ['D05.1', {}, false],
      ['C50.9', { clinicalStatus: concept(CLINICAL, 'remission') }, false],
    ] as const
  ).map(([code, more, activeNeoplasia]) => ({
    name: `activeNeoplasia: ${code} ${JSON.stringify(more)} is ${String(activeNeoplasia)}`,
    resources: [STAY, condition('a', code, more)],
    query: COMPLETE,
    record: { activeNeoplasia },
  })),
] satisfies readonly RecordCase[])
