/** Encounters to counts: what shows a history, the windows of time, and visits that led to a stay. */
import { checkRecords } from '../record-cases.ts'
import { OLD, type Resource, STAY, encounter } from '../source.ts'

const ED = (id: string, start: string, end?: string, more?: Resource): Resource =>
  encounter(id, 'EMER', start, end, more)
const partOf = (id: string): Resource => ({ partOf: { reference: `Encounter/${id}` } })
const LEAP = encounter('index', 'IMP', '2024-02-29T10:00:00+01:00', '2024-03-05T10:00:00+01:00')
const COMPLETE = { history: 'complete' }

checkRecords([
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
])
