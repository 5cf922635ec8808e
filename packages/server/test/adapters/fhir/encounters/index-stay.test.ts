/** Encounters to days: which stay is the index stay, its length, and whether it was urgent. */
import { checkRecords } from '../record-cases.ts'
import { OLD, STAY, encounter } from '../source.ts'

const EMERGENCY = { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'EMER' }
const ELECTIVE = {
  priority: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ActPriority', code: 'EL' }] },
}

checkRecords([
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
    query: { encounter: ['Encounter/old'] },
    record: { stayDays: 5 },
  },
  {
    name: 'a named Encounter that is not an inpatient stay is not an index stay',
    resources: [STAY, OLD, encounter('clinic', 'AMB', '2026-04-01', '2026-04-01')],
    query: { encounter: ['Encounter/clinic'] },
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
    query: { encounter: ['Encounter/next'] },
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
    query: { encounter: ['Encounter/index'] },
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
    query: { encounter: ['Encounter/index'] },
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
  ...(
    [
      ['overlaps the admission', {}, {}, true],
      ['ended in error', { status: 'entered-in-error' }, {}, null],
      ['was cancelled', { status: 'cancelled' }, {}, null],
      ['ended the day before', { period: { start: '2026-02-28', end: '2026-03-01' } }, {}, null],
      ['overlaps an admission that is coded as elective', {}, ELECTIVE, false],
    ] as const
  ).map(([name, visit, stay, acuteAdmission]) => ({
    name: `urgency by an emergency visit that ${name}: ${String(acuteAdmission)}`,
    because: 'A visit that led to the stay makes the admission acute, unless a code says otherwise.',
    resources: [
      { ...STAY, ...stay },
      encounter('ed', 'EMER', '2026-03-02T06:45:00+01:00', '2026-03-02T11:00:00+01:00', visit),
    ],
    record: { acuteAdmission },
  })),
  {
    name: 'urgency by a stay that began in the emergency department',
    resources: [{ ...STAY, classHistory: [{ class: EMERGENCY, period: { start: '2026-03-02' } }] }],
    record: { acuteAdmission: true },
  },
])
