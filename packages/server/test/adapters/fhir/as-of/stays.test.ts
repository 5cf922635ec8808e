/** Stays and what was observed in them as of a moment. Index stay: 2 to 9 March 2026. Today: 15 November 2026. */
import { type RecordCase, checkRecords } from '../record-cases.ts'
import { OLD, type Resource, STAY, encounter, observation, ucum } from '../source.ts'

const LAST_YEAR = encounter('ancient', 'AMB', '2020-01-01', '2020-01-01')
const earlier = (status: string, code: string, end?: string): Resource =>
  encounter('x', code, '2025-11-01', end, { status })
const IN_STAY = { asOf: '2026-03-05' }
const haemoglobin = (id: string, value: number, more: Resource): Resource =>
  observation(id, '718-7', ucum(value, 'g/dL'), { encounter: { reference: 'Encounter/index' }, ...more })

checkRecords([
  ...['in-progress', 'onleave', 'arrived', 'triaged'].flatMap((status): readonly RecordCase[] => [
    {
      name: `an earlier stay that was left ${status} is not counted as 0`,
      because:
        'Begun on 1 November, in the window, without an end: a stay of 4 months, or a record nobody closed.',
      resources: [STAY, OLD, earlier(status, 'IMP')],
      record: { inpatientAdmissions: null, emergencyAdmissions: 0, stayDays: 7 },
      why: { inpatientAdmissions: /has not ended/ },
    },
    {
      name: `an earlier emergency visit that was left ${status} is not counted as 0`,
      resources: [STAY, OLD, earlier(status, 'EMER')],
      record: { emergencyAdmissions: null, inpatientAdmissions: 1 },
    },
    {
      name: `an earlier stay that is ${status} and has an end has ended`,
      because: 'The one of September and this one: 2.',
      resources: [STAY, OLD, earlier(status, 'IMP', '2025-11-04')],
      record: { inpatientAdmissions: 2 },
    },
    {
      name: `an open stay (${status}) from before the window is not counted and shows no history`,
      because: 'It began in 2024, 12 months do not reach it; whether others were sent is not known.',
      resources: [STAY, encounter('x', 'IMP', '2024-01-01', undefined, { status })],
      record: { inpatientAdmissions: null },
      why: { inpatientAdmissions: /history is not stated to be complete/ },
    },
  ]),
  {
    name: 'the end of an earlier open stay that lies ahead is a plan',
    resources: [STAY, OLD, earlier('in-progress', 'IMP', '2027-01-01')],
    record: { inpatientAdmissions: null },
  },
  {
    name: 'an open outpatient visit says nothing about stays',
    resources: [STAY, OLD, earlier('in-progress', 'AMB')],
    record: { inpatientAdmissions: 1 },
  },
  {
    name: 'a patient who waits for a bed has no new index stay',
    because: 'The stay of March is the latest that was admitted.',
    resources: [STAY, OLD, encounter('x', 'IMP', '2026-11-14', undefined, { status: 'arrived' })],
    record: { stayDays: 7, inpatientAdmissions: 1 },
  },
  {
    name: 'a stay that ended after the moment is counted to the moment',
    because: '2 to 5 March: 3 days; that it ended on the 9th was not known.',
    resources: [STAY, LAST_YEAR],
    query: IN_STAY,
    record: { stayDays: 3 },
  },
  {
    name: 'a stay that ended before the moment keeps its length',
    resources: [STAY, LAST_YEAR],
    query: { asOf: '2026-03-20' },
    record: { stayDays: 7 },
  },
  {
    name: 'a value of after the moment was not known',
    because: '11.2 of the 4th; 9.0 of the 7th came later.',
    resources: [
      STAY,
      haemoglobin('a', 11.2, { effectiveDateTime: '2026-03-04' }),
      haemoglobin('b', 9, { effectiveDateTime: '2026-03-07' }),
    ],
    query: IN_STAY,
    record: { haemoglobin: 11.2 },
  },
  {
    name: 'a value that was issued after the moment was not known',
    because: 'The sample of the 5th was reported on the 6th.',
    resources: [
      STAY,
      haemoglobin('a', 11.2, { effectiveDateTime: '2026-03-04' }),
      haemoglobin('b', 9, { effectiveDateTime: '2026-03-05', issued: '2026-03-06T08:00:00+01:00' }),
    ],
    query: IN_STAY,
    record: { haemoglobin: 11.2 },
  },
  {
    name: 'a moment with a time: what came later that day was not known',
    because: 'The value of 08:00 counts at noon, that of 13:00 does not.',
    resources: [
      STAY,
      haemoglobin('a', 11.2, { effectiveDateTime: '2026-03-05T08:00:00+01:00' }),
      haemoglobin('b', 9, { effectiveDateTime: '2026-03-05T13:00:00+01:00' }),
    ],
    query: { asOf: '2026-03-05T12:00:00+01:00' },
    record: { haemoglobin: 11.2 },
  },
  {
    name: 'a procedure of after the moment was not known',
    resources: [
      STAY,
      {
        resourceType: 'Procedure',
        id: 'a',
        status: 'completed',
        subject: { reference: 'Patient/p' },
        encounter: { reference: 'Encounter/index' },
        performedDateTime: '2026-03-07',
      },
    ],
    query: { ...IN_STAY, history: 'complete' },
    record: { procedureDuringStay: false },
  },
])
