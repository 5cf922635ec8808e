/** Encounters to counts and days: the index stay, windows, visits that led to it, and parts of stays. */
import { type Resource, STAY, encounter } from './source.ts'
import { type RecordCase, checkRecords } from './record-cases.ts'

const OLD = encounter('old', 'IMP', '2025-09-10T09:00:00+02:00', '2025-09-15T11:00:00+02:00')
const ED = (id: string, start: string, end?: string, more?: Resource): Resource =>
  encounter(id, 'EMER', start, end, more)
const partOf = (id: string): Resource => ({ partOf: { reference: `Encounter/${id}` } })
const LEAP = encounter('index', 'IMP', '2024-02-29T10:00:00+01:00', '2024-03-05T10:00:00+01:00')
const GERMAN = (code: string): Resource => ({
  type: [{ coding: [{ system: 'http://fhir.de/CodeSystem/Kontaktebene', code }] }],
})
const COMPLETE = { history: 'complete' }
const LOCAL = { class: { system: 'http://local.example', code: 'ward' } }

const ENCOUNTERS: readonly RecordCase[] = [
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
    name: 'an outpatient visit inside the window does not show how far back the history reaches',
    resources: [STAY, encounter('x', 'AMB', '2025-11-01', '2025-11-01')],
    record: { inpatientAdmissions: null, emergencyAdmissions: null, edVisits6Months: null },
  },
  {
    name: 'an outpatient visit between 6 and 12 months ago: known for 6 months, unknown for 12',
    resources: [STAY, encounter('x', 'AMB', '2025-07-01', '2025-07-01')],
    record: { inpatientAdmissions: null, emergencyAdmissions: null, edVisits6Months: 0 },
  },
  {
    name: 'the first day of a window is not before it',
    resources: [STAY, encounter('x', 'AMB', '2025-03-02', '2025-03-02')],
    record: { inpatientAdmissions: null, edVisits6Months: 0 },
  },
  {
    name: 'an earlier stay or emergency visit is a history',
    resources: [STAY, ED('a', '2025-12-02', '2025-12-02')],
    record: { inpatientAdmissions: 0, emergencyAdmissions: 1 },
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
    name: 'a latest Encounter of an unknown class: no earlier stay takes its place',
    resources: [{ ...STAY, ...LOCAL }, OLD],
    query: COMPLETE,
    record: { stayDays: null, inpatientAdmissions: null, age: null },
  },
  {
    name: 'an earlier Encounter of an unknown class does not hide the latest stay',
    resources: [STAY, { ...OLD, ...LOCAL }],
    record: { stayDays: 7, inpatientAdmissions: null },
  },
  {
    name: 'a named stay may have an unknown class',
    resources: [{ ...STAY, ...LOCAL }, OLD],
    query: { encounters: ['Encounter/index'] },
    record: { stayDays: 7, inpatientAdmissions: 1 },
  },
  ...['#p', 'Patient?identifier=http://h.example|1'].map((reference) => ({
    name: `whose Encounter it is that refers to ${reference} is open, so the history is not complete`,
    resources: [STAY, { ...OLD, subject: { reference } }],
    query: COMPLETE,
    record: { inpatientAdmissions: null, stayDays: 7 },
  })),
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
    name: 'a named ward move means the stay that it is part of',
    resources: [
      STAY,
      OLD,
      encounter('ward', 'IMP', '2026-03-05T08:00:00+01:00', '2026-03-09T12:00:00+01:00', partOf('index')),
      encounter('bed', 'IMP', '2026-03-06T08:00:00+01:00', '2026-03-09T12:00:00+01:00', partOf('ward')),
    ],
    query: { encounters: ['Encounter/bed'] },
    record: { stayDays: 7, inpatientAdmissions: 1 },
  },
  {
    name: 'a named ward move by its level, without its stay, is not an index stay',
    resources: [{ ...STAY, ...GERMAN('abteilungskontakt') }, OLD],
    query: { encounters: ['Encounter/index'] },
    record: { stayDays: null, inpatientAdmissions: null },
  },
  {
    name: 'ward moves of a stay that was not sent make the count uncertain',
    resources: [
      STAY,
      OLD,
      ...['a', 'b'].map((id) => encounter(id, 'IMP', '2025-12-01', '2025-12-02', partOf('gone'))),
    ],
    query: COMPLETE,
    record: { stayDays: 7, inpatientAdmissions: null, emergencyAdmissions: 0 },
  },
  {
    name: 'a latest Encounter that is part of one that was not sent is not taken for the stay',
    resources: [{ ...STAY, ...partOf('gone') }, OLD],
    record: { stayDays: null, inpatientAdmissions: null },
  },
  {
    name: 'an outpatient level that is named is still no inpatient stay',
    resources: [STAY, OLD, encounter('x', 'AMB', '2026-03-10', '2026-03-10', GERMAN('abteilungskontakt'))],
    query: { encounters: ['Encounter/x'] },
    record: { stayDays: null },
  },
  {
    name: 'it is the stay where it is named',
    resources: [{ ...STAY, ...partOf('gone') }, OLD],
    query: { encounters: ['Encounter/index'] },
    record: { stayDays: 7, inpatientAdmissions: 1 },
  },
  {
    name: 'a named Encounter that is not an inpatient stay is not an index stay',
    resources: [STAY, OLD, encounter('clinic', 'AMB', '2026-04-01', '2026-04-01')],
    query: { encounters: ['Encounter/clinic'] },
    record: { stayDays: null, age: null },
  },
  {
    name: 'a stay that has not begun is not the index stay',
    resources: [STAY, OLD, encounter('next', 'IMP', '2027-01-10', '2027-01-12')],
    record: { stayDays: 7 },
  },
  {
    name: 'a named stay that has not begun',
    resources: [OLD, encounter('next', 'IMP', '2027-01-10', '2027-01-12')],
    query: { encounters: ['Encounter/next'] },
    record: { stayDays: null },
  },
  {
    name: 'a finished stay that ends in the future has no length',
    resources: [encounter('index', 'IMP', '2026-11-10', '2027-01-12'), OLD],
    record: { stayDays: null },
  },
  {
    name: 'an open stay with a planned end is counted to asOf',
    resources: [encounter('index', 'IMP', '2026-11-10', '2027-01-12', { status: 'in-progress' }), OLD],
    query: { asOf: '2026-11-15' },
    record: { stayDays: 5 },
  },
  {
    name: 'a named stay with a partial start has no length',
    resources: [encounter('index', 'IMP', '2026-03', '2026-03-09'), OLD],
    query: { encounters: ['Encounter/index'] },
    record: { stayDays: null },
  },
  {
    name: 'a latest stay with an unknown status: no earlier stay takes its place',
    resources: [{ ...STAY, status: 'unknown' }, OLD],
    record: { stayDays: null, inpatientAdmissions: null },
  },
  {
    name: 'one Encounter with a status of R5: no earlier stay takes its place',
    resources: [{ ...STAY, status: 'completed' }, OLD],
    record: { stayDays: null, inpatientAdmissions: null },
  },
  {
    name: 'one Encounter in the form of R5 makes the counts of a named stay uncertain',
    resources: [STAY, OLD, encounter('five', 'IMP', undefined, undefined, { class: [{}], actualPeriod: {} })],
    query: { encounters: ['Encounter/index'] },
    record: { stayDays: 7, inpatientAdmissions: null },
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

checkRecords(ENCOUNTERS)
