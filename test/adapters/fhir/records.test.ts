/** Resources to records: the worked Bundles, and every trap that is known of Encounters, values, units and scales. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Parameters } from '../../../src/adapters/fhir/submission.ts'
import {
  type Resource,
  STAY,
  bundle,
  bundleFile,
  condition,
  encounter,
  observation,
  patient,
  recordsOf,
  ucum,
} from './source.ts'

for (const name of ['01-complete', '02-missing-birthdate', '03-two-patients']) {
  test(`${name}: the records are those of the worked example`, () => {
    const { records } = bundleFile(`${name}.expected`) as { records: Resource[] }
    const found = recordsOf(bundleFile(name))
    assert.equal(found.length, records.length)
    found.forEach(({ record, subject }, at) => {
      const { patient: reference, ...expected } = records[at] as Resource
      if (reference !== undefined) assert.equal(subject.patient.reference, reference)
      for (const [field, value] of Object.entries(expected)) assert.equal(record[field] ?? null, value, field)
    })
  })
}

interface Case {
  readonly name: string
  readonly resources: readonly Resource[]
  readonly query?: Partial<Parameters>
  /** Values that the record must have; null: the field is missing. */
  readonly record: Readonly<Record<string, unknown>>
}

const OLD = encounter('old', 'IMP', '2025-09-10T09:00:00+02:00', '2025-09-15T11:00:00+02:00')
const ED = (id: string, start: string, end?: string, more?: Resource): Resource =>
  encounter(id, 'EMER', start, end, more)
const partOf = (id: string): Resource => ({ partOf: { reference: `Encounter/${id}` } })
const LEAP = encounter('index', 'IMP', '2024-02-29T10:00:00+01:00', '2024-03-05T10:00:00+01:00')
const GERMAN = (code: string): Resource => ({
  type: [{ coding: [{ system: 'http://fhir.de/CodeSystem/Kontaktebene', code }] }],
})
const COMPLETE = { history: 'complete' }

const ENCOUNTERS: readonly Case[] = [
  {
    name: 'no earlier Encounter means unknown',
    resources: [STAY],
    record: { inpatientAdmissions: null, emergencyAdmissions: null },
  },
  {
    name: 'no earlier Encounter in a complete history means none',
    resources: [STAY],
    query: COMPLETE,
    record: { inpatientAdmissions: 0, emergencyAdmissions: 0 },
  },
  {
    name: 'an Encounter from before the window shows that the history is given',
    resources: [STAY, encounter('x', 'AMB', '2020-01-01', '2020-01-01')],
    record: { inpatientAdmissions: 0, edVisits6Months: 0 },
  },
  {
    name: 'a cancelled Encounter shows nothing',
    resources: [STAY, encounter('x', 'IMP', '2025-11-01', '2025-11-02', { status: 'cancelled' })],
    record: { inpatientAdmissions: null },
  },
  {
    name: 'planned, cancelled and mistaken Encounters do not count',
    resources: [
      STAY,
      OLD,
      ...['planned', 'cancelled', 'entered-in-error'].map((status) =>
        encounter(status, 'IMP', '2025-11-01', '2025-11-02', { status }),
      ),
    ],
    record: { inpatientAdmissions: 1 },
  },
  {
    name: 'the window begins on the same calendar day',
    resources: [STAY, encounter('first', 'IMP', '2025-03-02T00:10:00+01:00', '2025-03-03')],
    record: { inpatientAdmissions: 1 },
  },
  {
    name: 'the day before the window is outside',
    resources: [STAY, encounter('before', 'IMP', '2025-03-01T23:50:00+01:00', '2025-03-03')],
    record: { inpatientAdmissions: 0 },
  },
  {
    name: 'the local date decides, not UTC',
    resources: [STAY, encounter('local', 'IMP', '2025-03-02T00:30:00+14:00', '2025-03-03')],
    record: { inpatientAdmissions: 1 },
  },
  {
    name: 'twelve months before 29 February is 28 February',
    resources: [
      LEAP,
      encounter('x', 'IMP', '2023-02-28', '2023-03-01'),
      encounter('y', 'IMP', '2023-02-27', '2023-02-27'),
    ],
    record: { inpatientAdmissions: 1 },
  },
  {
    name: 'six months end on the same day',
    resources: [STAY, ED('a', '2025-09-02', '2025-09-02'), ED('b', '2025-09-01', '2025-09-01')],
    record: { edVisits6Months: 1, emergencyAdmissions: 2 },
  },
  {
    name: 'a visit that overlaps the admission led to it',
    resources: [STAY, OLD, ED('ed', '2026-03-02T06:45:00+01:00', '2026-03-02T11:00:00+01:00')],
    record: { emergencyAdmissions: 0 },
  },
  {
    name: 'a visit that ended 12 hours before led to it',
    resources: [STAY, OLD, ED('ed', '2026-03-01T20:00:00+01:00', '2026-03-01T22:20:00+01:00')],
    record: { emergencyAdmissions: 0 },
  },
  {
    name: 'a visit that ended earlier than that counts',
    resources: [STAY, OLD, ED('ed', '2026-03-01T20:00:00+01:00', '2026-03-01T22:19:00+01:00')],
    record: { emergencyAdmissions: 1 },
  },
  {
    name: 'a visit linked by partOf led to it',
    resources: [STAY, OLD, ED('ed', '2026-02-20', '2026-02-20', partOf('index'))],
    record: { emergencyAdmissions: 0 },
  },
  {
    name: 'a visit that the stay is part of led to it',
    resources: [{ ...STAY, ...partOf('ed') }, OLD, ED('ed', '2026-02-20', '2026-02-20')],
    record: { emergencyAdmissions: 0 },
  },
  {
    name: 'the visit that led to the stay is no history',
    resources: [STAY, ED('ed', '2026-03-02T06:45:00+01:00', '2026-03-02T10:00:00+01:00')],
    record: { emergencyAdmissions: null },
  },
  {
    name: 'a visit that led to an earlier stay counts as visit and stay',
    resources: [STAY, OLD, ED('ed', '2025-09-10T04:00:00+02:00', '2025-09-10T08:30:00+02:00')],
    record: { inpatientAdmissions: 1, emergencyAdmissions: 1 },
  },
  {
    name: 'one Encounter for emergency department and ward: admitted when the ward begins',
    resources: [
      OLD,
      encounter('index', 'IMP', '2026-03-01T22:00:00+01:00', '2026-03-09T12:00:00+01:00', {
        classHistory: [
          {
            class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'EMER' },
            period: { start: '2026-03-01T22:00:00+01:00', end: '2026-03-02T02:00:00+01:00' },
          },
          {
            class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'IMP' },
            period: { start: '2026-03-02T02:00:00+01:00' },
          },
        ],
      }),
    ],
    record: { stayDays: 7, emergencyAdmissions: 0 },
  },
  {
    name: 'a ward move that is part of a stay is no admission',
    resources: [STAY, OLD, encounter('ward', 'IMP', '2025-09-12', '2025-09-13', partOf('old'))],
    record: { inpatientAdmissions: 1 },
  },
  {
    name: 'a ward move of the index stay is no admission and no index stay',
    resources: [
      STAY,
      OLD,
      encounter('ward', 'IMP', '2026-03-05T08:00:00+01:00', '2026-03-09T12:00:00+01:00', partOf('index')),
    ],
    record: { inpatientAdmissions: 1, stayDays: 7 },
  },
  {
    name: 'levels of German Encounters: one stay',
    resources: [
      { ...STAY, ...GERMAN('einrichtungskontakt') },
      OLD,
      encounter('dep', 'IMP', '2026-03-05', '2026-03-09', GERMAN('abteilungskontakt')),
    ],
    record: { inpatientAdmissions: 1, stayDays: 7 },
  },
  {
    name: 'observation and short stay do not count',
    resources: [
      STAY,
      OLD,
      encounter('o', 'OBSENC', '2025-12-01', '2025-12-02'),
      encounter('s', 'SS', '2025-12-03', '2025-12-03'),
    ],
    record: { inpatientAdmissions: 1 },
  },
  {
    name: 'a class that the mapping does not know makes the counts uncertain',
    resources: [
      STAY,
      OLD,
      {
        ...encounter('m', 'IMP', '2025-12-01', '2025-12-02'),
        class: { system: 'http://local.example', code: 'EW EMER.' },
      },
    ],
    record: { inpatientAdmissions: null, emergencyAdmissions: null },
  },
  {
    name: 'a stay without a usable start makes the count uncertain',
    resources: [STAY, OLD, encounter('x', 'IMP', 'yesterday')],
    record: { inpatientAdmissions: null, edVisits6Months: null, stayDays: null },
  },
  {
    name: 'an open stay has no length',
    resources: [{ ...encounter('index', 'IMP', '2026-03-02T10:20:00+01:00'), status: 'in-progress' }, OLD],
    record: { stayDays: null, inpatientAdmissions: 1 },
  },
  {
    name: 'an open stay is counted to asOf',
    resources: [{ ...encounter('index', 'IMP', '2026-03-02T10:20:00+01:00'), status: 'in-progress' }, OLD],
    query: { asOf: '2026-03-06' },
    record: { stayDays: 4 },
  },
  {
    name: 'a stay that ends before it begins has no length',
    resources: [encounter('index', 'IMP', '2026-03-02', '2026-03-01'), OLD],
    record: { stayDays: null },
  },
  {
    name: 'two stays that begin last: the index stay is not chosen by luck',
    resources: [STAY, { ...STAY, id: 'twin' }],
    record: { stayDays: null },
  },
  {
    name: 'a named index stay',
    resources: [STAY, OLD],
    query: { encounters: ['Encounter/old'] },
    record: { stayDays: 5 },
  },
  {
    name: 'length is the difference of local dates',
    resources: [encounter('index', 'IMP', '2026-05-05T23:10:00+02:00', '2026-05-06T00:10:00+02:00')],
    record: { stayDays: 1 },
  },
  {
    name: 'urgency by priority',
    resources: [
      {
        ...STAY,
        priority: {
          coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ActPriority', code: 'EL' }],
        },
      },
    ],
    record: { acuteAdmission: false },
  },
  {
    name: 'the class ACUTE and a referral say nothing about urgency',
    resources: [
      {
        ...STAY,
        class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'ACUTE' },
        hospitalization: {
          admitSource: {
            coding: [{ system: 'http://terminology.hl7.org/CodeSystem/admit-source', code: 'gp' }],
          },
        },
      },
    ],
    record: { acuteAdmission: null, stayDays: 7 },
  },
  {
    name: 'priorities that contradict each other',
    resources: [
      {
        ...STAY,
        priority: {
          coding: ['EL', 'EM'].map((code) => ({
            system: 'http://terminology.hl7.org/CodeSystem/v3-ActPriority',
            code,
          })),
        },
      },
    ],
    record: { acuteAdmission: null },
  },
]

const HB = '718-7'
const hb = (id: string, value: unknown, more: Resource = {}): Resource => observation(id, HB, value, more)
const at = (time: string): Resource => ({ effectiveDateTime: time })
const VALUES: readonly Case[] = [
  { name: 'gender other is X', resources: [], record: { sex: 'F' } },
  { name: 'g/L is converted', resources: [STAY, hb('a', ucum(112, 'g/L'))], record: { haemoglobin: 11.2 } },
  {
    name: 'mmol/L is converted per monomer',
    resources: [STAY, observation('a', '59260-0', ucum(8.4, 'mmol/L'))],
    record: { haemoglobin: 13.53576 },
  },
  {
    name: 'creatinine in umol/L: exactly 3, not a little less',
    resources: [STAY, observation('a', '14682-9', ucum(265.2, 'umol/L'))],
    record: { creatinine: 3 },
  },
  {
    name: 'sodium in meq/L',
    resources: [STAY, observation('a', '2951-2', ucum(136, 'meq/L'))],
    record: { sodium: 136 },
  },
  {
    name: 'the spelling g/dl is UCUM',
    resources: [STAY, hb('a', ucum(11, 'g/dl'))],
    record: { haemoglobin: 11 },
  },
  {
    name: 'a free text that is UCUM counts as its unit',
    resources: [STAY, hb('a', { value: 11, unit: 'g/dL' })],
    record: { haemoglobin: 11 },
  },
  {
    name: 'a free text that is not UCUM does not',
    resources: [STAY, hb('a', { value: 11, unit: 'gm/dL' })],
    record: { haemoglobin: null },
  },
  { name: 'no unit', resources: [STAY, hb('a', { value: 11 })], record: { haemoglobin: null } },
  {
    name: 'a unit of another dimension',
    resources: [STAY, hb('a', ucum(11, 'kg'))],
    record: { haemoglobin: null },
  },
  {
    name: 'a unit in another system',
    resources: [STAY, hb('a', { value: 11, system: 'http://other.example', code: 'g/dL' })],
    record: { haemoglobin: null },
  },
  {
    name: 'a comparator is not the value',
    resources: [STAY, hb('a', { ...ucum(11, 'g/dL'), comparator: '<' })],
    record: { haemoglobin: null },
  },
  {
    name: 'an integer without a unit',
    resources: [STAY, hb('a', undefined, { valueInteger: 11 })],
    record: { haemoglobin: null },
  },
  {
    name: 'a text is passed on to be refused',
    resources: [STAY, hb('a', undefined, { valueString: '11' })],
    record: { haemoglobin: '11' },
  },
  {
    name: 'data absent',
    resources: [
      STAY,
      hb('a', ucum(11, 'g/dL')),
      hb('b', undefined, { dataAbsentReason: { text: 'lost' }, ...at('2026-03-06') }),
    ],
    record: { haemoglobin: 11 },
  },
  {
    name: 'preliminary values do not count',
    resources: [STAY, hb('a', ucum(11, 'g/dL'), { status: 'preliminary' })],
    record: { haemoglobin: null },
  },
  {
    name: 'the latest of the stay counts',
    resources: [
      STAY,
      hb('a', ucum(11, 'g/dL')),
      hb('b', ucum(10, 'g/dL'), at('2026-03-06T08:00:00+01:00')),
      hb('c', ucum(14, 'g/dL'), at('2026-04-06T08:00:00+01:00')),
    ],
    record: { haemoglobin: 10 },
  },
  {
    name: 'two different values at the same time',
    resources: [STAY, hb('a', ucum(11, 'g/dL')), hb('b', ucum(12, 'g/dL'))],
    record: { haemoglobin: null },
  },
  {
    name: 'two equal values at the same time',
    resources: [STAY, hb('a', ucum(11, 'g/dL')), hb('b', ucum(11, 'g/dL'))],
    record: { haemoglobin: 11 },
  },
  {
    name: 'a value without a time, linked to the stay',
    resources: [
      STAY,
      hb('a', ucum(11, 'g/dL'), {
        effectiveDateTime: undefined,
        encounter: { reference: 'Encounter/index' },
      }),
    ],
    record: { haemoglobin: 11 },
  },
  {
    name: 'a value from the emergency visit that led to the stay',
    resources: [
      STAY,
      ED('ed', '2026-03-01T21:00:00+01:00', '2026-03-02T09:00:00+01:00'),
      hb('a', ucum(11, 'g/dL'), at('2026-03-01T22:00:00+01:00')),
    ],
    record: { haemoglobin: 11 },
  },
  {
    name: 'a value of another stay',
    resources: [STAY, OLD, hb('a', ucum(11, 'g/dL'), { encounter: { reference: 'Encounter/old' } })],
    record: { haemoglobin: null },
  },
  {
    name: 'a display without a code is never matched',
    resources: [
      STAY,
      { ...hb('a', ucum(11, 'g/dL')), code: { text: 'Hemoglobin', coding: [{ display: 'Hemoglobin' }] } },
    ],
    record: { haemoglobin: null },
  },
  {
    name: 'a field under its own name',
    resources: [
      STAY,
      {
        ...observation('a', 'x', undefined, { valueBoolean: true }),
        code: { coding: [{ system: 'urn:patient-risk:fields', code: 'oncologyService' }] },
      },
    ],
    record: { oncologyService: true },
  },
  {
    name: 'a code under its own name',
    resources: [
      STAY,
      {
        ...observation('a', 'x', undefined, {
          valueCodeableConcept: { coding: [{ system: 'urn:x', code: 'spouse' }] },
        }),
        code: { coding: [{ system: 'urn:patient-risk:fields', code: 'caregiver' }] },
      },
    ],
    record: { caregiver: 'spouse' },
  },
  {
    name: 'no Procedure in a complete history means no',
    resources: [STAY],
    query: COMPLETE,
    record: { procedureDuringStay: false },
  },
  { name: 'no Procedure otherwise means unknown', resources: [STAY], record: { procedureDuringStay: null } },
]

const DIAGNOSES: readonly Case[] = [
  {
    name: 'no Condition means unknown',
    resources: [STAY],
    record: { dementia: null, charlson_dementia: null },
  },
  {
    name: 'no Condition in a complete history means no',
    resources: [STAY],
    query: COMPLETE,
    record: { dementia: false, cancer: 'none', charlson_dementia: 0 },
  },
  {
    name: 'dots and case do not matter',
    resources: [STAY, condition('a', 'i25.2'), condition('b', 'E11.65')],
    query: COMPLETE,
    record: { charlson_myocardialInfarction: 1, charlson_diabetes: 1 },
  },
  {
    name: 'the severe form replaces the mild one',
    resources: [
      STAY,
      condition('a', 'K70.3'),
      condition('b', 'K72.9'),
      condition('c', 'C50'),
      condition('d', 'C79.5'),
    ],
    query: COMPLETE,
    record: {
      charlson_liverDisease: 3,
      charlson_solidTumor: 6,
      cancer: 'metastatic',
      laceCharlson_anyTumor: 0,
      laceCharlson_metastaticSolidTumor: 6,
    },
  },
  {
    name: 'renal stages 1 and 2 are mild',
    resources: [STAY, condition('a', 'N18.2')],
    query: COMPLETE,
    record: { laceCharlson_mildLiverOrRenalDisease: 2, laceCharlson_moderateSevereLiverOrRenalDisease: 0 },
  },
  {
    name: 'a renal disease without a stage is not',
    resources: [STAY, condition('a', 'N18')],
    query: COMPLETE,
    record: { laceCharlson_mildLiverOrRenalDisease: 0, laceCharlson_moderateSevereLiverOrRenalDisease: 4 },
  },
  {
    name: 'an infarction of the index stay is not a previous one',
    resources: [STAY, condition('a', 'I21.0', { encounter: { reference: 'Encounter/index' } })],
    query: COMPLETE,
    record: { laceCharlson_previousMyocardialInfarction: 0, charlson_myocardialInfarction: 1 },
  },
  {
    name: 'refuted and provisional diagnoses do not count',
    resources: [
      STAY,
      ...['refuted', 'provisional', 'entered-in-error'].map((code) =>
        condition(code, 'F03', {
          verificationStatus: {
            coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-ver-status', code }],
          },
        }),
      ),
    ],
    query: COMPLETE,
    record: { dementia: false },
  },
  {
    name: 'resolved diagnoses do not count, those in remission do',
    resources: [
      STAY,
      ...[
        ['resolved', 'F03'],
        ['remission', 'C91.1'],
      ].map(([code = '', icd = '']) =>
        condition(code, icd, {
          clinicalStatus: {
            coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code }],
          },
        }),
      ),
    ],
    query: COMPLETE,
    record: { dementia: false, charlson_leukemia: 2 },
  },
  {
    name: 'a diagnosis without an ICD-10 code may be any',
    resources: [
      STAY,
      { ...condition('a', 'x'), code: { coding: [{ system: 'http://snomed.info/sct', code: '52448006' }] } },
      condition('b', 'I50.0'),
    ],
    query: COMPLETE,
    record: { dementia: null, congestiveHeartFailure: true },
  },
]

const BARTHEL = {
  feeding: '83184-2',
  bathing: '83181-8',
  grooming: '96767-9',
  dressing: '83182-6',
  bowels: '96759-6',
  bladder: '96760-4',
  toiletUse: '83183-4',
  chairTransfers: '83185-9',
  mobility: '83186-7',
  stairs: '96758-8',
}
const POINTS = {
  feeding: 10,
  bathing: 5,
  grooming: 5,
  dressing: 10,
  bowels: 10,
  bladder: 10,
  toiletUse: 10,
  chairTransfers: 15,
  mobility: 15,
  stairs: 5,
}
const weighted = (points: number, url = 'itemWeight'): Resource => ({
  system: 'http://loinc.org',
  code: 'LA1',
  extension: [{ url: `http://hl7.org/fhir/StructureDefinition/${url}`, valueDecimal: points }],
})
const names = Object.keys(BARTHEL) as (keyof typeof BARTHEL)[]
const items = Object.fromEntries(names.map((name) => [`barthel_${name}`, POINTS[name]]))
const code = (value: string): Resource => ({ coding: [{ system: 'http://loinc.org', code: value }] })
const response = (
  more: Resource = {},
  answer: (name: keyof typeof BARTHEL) => Resource = (name) => ({
    valueCoding: weighted(POINTS[name], 'ordinalValue'),
  }),
): Resource => ({
  resourceType: 'QuestionnaireResponse',
  id: 'qr',
  status: 'completed',
  subject: { reference: 'Patient/p' },
  authored: '2026-03-05T09:00:00+01:00',
  item: [
    { linkId: 'group', item: names.map((name) => ({ linkId: `/${BARTHEL[name]}`, answer: [answer(name)] })) },
  ],
  ...more,
})
const SCALES: readonly Case[] = [
  {
    name: 'a total with components',
    resources: [
      STAY,
      observation('t', '96761-2', ucum(95, '{score}'), {
        component: names.map((name) => ({ code: code(BARTHEL[name]), valueInteger: POINTS[name] })),
      }),
    ],
    record: { barthel_total: 95, barthel_date: '05-03-2026', ...items },
  },
  {
    name: 'a total that references a questionnaire',
    resources: [
      STAY,
      observation('t', '96761-2', ucum(95, '{score}'), {
        derivedFrom: [{ reference: 'QuestionnaireResponse/qr' }],
      }),
      response(),
    ],
    record: { barthel_total: 95, ...items },
  },
  {
    name: 'a questionnaire alone',
    resources: [STAY, response()],
    record: { barthel_total: null, barthel_date: '05-03-2026', ...items },
  },
  {
    name: 'a questionnaire in progress does not count',
    resources: [STAY, response({ status: 'in-progress' })],
    record: { barthel_feeding: null },
  },
  {
    name: 'codes without weights have no points',
    resources: [STAY, response({}, () => ({ valueCoding: { system: 'http://loinc.org', code: 'LA1' } }))],
    record: { barthel_feeding: null },
  },
  {
    name: 'a panel with members',
    resources: [
      STAY,
      {
        ...observation('panel', '38228-3', undefined),
        valueQuantity: undefined,
        hasMember: [{ reference: 'Observation/m' }, { reference: 'Observation/t' }],
      },
      observation('m', '38229-1', undefined, { valueCodeableConcept: { coding: [weighted(3)] } }),
      observation('t', '38227-5', ucum(18, '{score}')),
    ],
    record: { braden_total: 18, braden_moisture: 3 },
  },
  {
    name: 'single items of one day',
    resources: [
      STAY,
      ...names.map((name) => observation(name, BARTHEL[name], ucum(POINTS[name], '{score}'))),
    ],
    record: { barthel_total: null, ...items },
  },
  {
    name: 'the latest assessment counts as a whole',
    resources: [
      STAY,
      response(),
      observation('t', '96761-2', ucum(40, '{score}'), at('2026-03-07T08:00:00+01:00')),
    ],
    record: { barthel_total: 40, barthel_feeding: null, barthel_date: '07-03-2026' },
  },
  {
    name: 'an item given twice with different values',
    resources: [
      STAY,
      observation('t', '96761-2', ucum(95, '{score}'), {
        component: [0, 10].map((points) => ({ code: code(BARTHEL.feeding), valueInteger: points })),
      }),
    ],
    record: { barthel_total: 95, barthel_feeding: null },
  },
  {
    name: 'a total with a unit is not a total',
    resources: [STAY, observation('t', '96761-2', ucum(95, 'kg'))],
    record: { barthel_total: null },
  },
  {
    name: 'an assessment of last year is not of this stay',
    resources: [STAY, observation('t', '96761-2', ucum(95, '{score}'), at('2025-03-07'))],
    record: { barthel_total: null },
  },
  {
    name: 'a scale under our own code',
    resources: [
      STAY,
      {
        ...observation('t', 'x', ucum(3, '1')),
        code: { coding: [{ system: 'urn:patient-risk:fields', code: 'frail_total' }] },
      },
    ],
    record: { frail_total: 3 },
  },
]

for (const { name, resources, query, record } of [...ENCOUNTERS, ...VALUES, ...DIAGNOSES, ...SCALES]) {
  test(name, () => {
    const [found] = recordsOf(bundle(patient(), ...resources), query)
    for (const [field, value] of Object.entries(record))
      assert.deepEqual(found?.record[field] ?? null, value, field)
  })
}

const PATIENTS: readonly (readonly [string, Resource, Readonly<Record<string, unknown>>])[] = [
  ['other is X', { gender: 'other' }, { sex: 'X' }],
  ['unknown is not a value', { gender: 'unknown' }, { sex: null }],
  ['an absent gender is missing', { gender: undefined }, { sex: null }],
  ['a year that leaves the age open', { birthDate: '1940' }, { age: null }],
  ['a month that leaves no doubt', { birthDate: '1940-06' }, { age: 85 }],
  ['a month that does', { birthDate: '1940-03' }, { age: null }],
  ['the day before the birthday', { birthDate: '1940-03-03' }, { age: 85 }],
  ['the birthday', { birthDate: '1940-03-02' }, { age: 86 }],
  ['born after the stay', { birthDate: '2026-04-01' }, { age: null }],
  ['no such day', { birthDate: '1940-02-30' }, { age: null }],
  [
    'widowed',
    {
      maritalStatus: {
        coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-MaritalStatus', code: 'W' }],
      },
    },
    { unmarried: true },
  ],
  ['a marital status without a system', { maritalStatus: { coding: [{ code: 'W' }] } }, { unmarried: null }],
]
for (const [name, more, record] of PATIENTS) {
  test(`Patient: ${name}`, () => {
    const [found] = recordsOf(bundle(patient(more), STAY))
    for (const [field, value] of Object.entries(record))
      assert.equal(found?.record[field] ?? null, value, field)
  })
}
