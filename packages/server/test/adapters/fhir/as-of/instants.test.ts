/**
 * The moment is an instant, and a date without a time is an interval: what certainly came after the moment does not count, and what
 * may have come after it is doubt. Stay: 2 March 10:20 to 9 March 12:00, 2026. Today: 15 November 2026.
 */
import { type RecordCase, checkRecords } from '../record-cases.ts'
import { OLD, type Resource, STAY, condition, encounter, observation, ucum } from '../source.ts'

const ANCIENT = encounter('ancient', 'AMB', '2020-01-01', '2020-01-01')
const COMPLETE = { history: 'complete' }
const AGAIN = encounter('again', 'IMP', '2026-03-09T20:00:00+01:00', '2026-03-14T09:00:00+01:00')
const hb = (id: string, value: number, more: Resource = {}): Resource =>
  observation(id, '718-7', ucum(value, 'g/dL'), more)
const ED = (start: string, end?: string): Resource => encounter('ed', 'EMER', start, end)
const LAST_OF_STAY = { effectiveDateTime: '2026-03-08T08:00:00+01:00' }

/** The readmission of the same evening: the moment, the length of the index stay, and why. */
const READMITTED: readonly (readonly [string, Resource, number | null, string])[] = [
  ['2026-03-09T12:00:00+01:00', AGAIN, 7, 'the readmission begins eight hours later'],
  ['2026-03-09T11:00:00Z', AGAIN, 7, 'the same instant in UTC'],
  ['2026-03-09T19:59:59+01:00', AGAIN, 7, 'a second before it begins'],
  ['2026-03-09T20:00:00+01:00', AGAIN, 0, 'it has begun'],
  [
    '2026-03-09T12:00:00+01:00',
    encounter('again', 'IMP', '2026-03-09T12:00:00+01:00', '2026-03-14T09:00:00+01:00'),
    null,
    'one stay ends at the moment and another begins',
  ],
  [
    '2026-03-09T12:00:01+01:00',
    encounter('again', 'IMP', '2026-03-09T12:00:00+01:00', '2026-03-14T09:00:00+01:00'),
    0,
    'a second later it has begun',
  ],
  ['2026-03-09T21:00:00+01:00', AGAIN, 0, 'it has begun'],
  ['2026-03-09', AGAIN, null, 'one stay ends that day and another begins: before or after'],
  ['2026-03-10', AGAIN, 1, 'the day after it is the index stay'],
  ['2026-03-08', AGAIN, 6, 'the day before nobody knew of it'],
  [
    '2026-03-09T21:00:00+01:00',
    encounter('again', 'IMP', '2026-03-09', '2026-03-14'),
    null,
    'it begins some time that day: before or after 21:00',
  ],
  ['2026-03-09', encounter('again', 'AMB', '2026-03-09', '2026-03-09'), 7, 'an outpatient visit is no stay'],
]

/** A diagnosis of dementia, the moment, and whether it counts. */
const RECORDED: readonly (readonly [string, string, boolean | null, string])[] = [
  [
    '2026-11-15T23:00:00+01:00',
    '2026-11-15T00:10:00+01:00',
    false,
    'recorded at 23:00, asked at 00:10 today',
  ],
  ['2026-11-15T00:05:00+01:00', '2026-11-15T00:10:00+01:00', true, 'recorded five minutes before'],
  ['2026-11-14T23:30:00Z', '2026-11-15T00:10:00+01:00', false, '00:30 of the same day in another zone'],
  ['2026-11-15', '2026-11-15T00:10:00+01:00', null, 'recorded some time today'],
  ['2026-11', '2026-11-15T00:10:00+01:00', null, 'recorded some day of this month'],
  ['2026-11-14', '2026-11-15T00:10:00+01:00', true, 'recorded yesterday'],
  ['2026-11-15', '2026-11-15', true, 'today without a time is the whole day'],
  ['2026-02', '2026-02-28', true, 'every day of February was over'],
  ['2026-13-45', '2026-11-15', null, 'a date that is no date'],
]

checkRecords([
  ...READMITTED.map(([asOf, again, stayDays, because]) => ({
    name: `readmitted the same evening, as of ${asOf}: ${String(stayDays)} days, ${because}`,
    resources: [STAY, again, ANCIENT],
    query: { ...COMPLETE, asOf },
    record: { stayDays },
  })),
  {
    name: 'a named stay that may have begun after the moment is no index stay',
    resources: [STAY, encounter('again', 'IMP', '2026-03-09', '2026-03-14')],
    query: { ...COMPLETE, asOf: '2026-03-09T12:00:00+01:00', encounter: ['Encounter/again'] },
    record: { stayDays: null, age: null },
    why: { stayDays: /may have begun after/ },
  },
  ...RECORDED.map(([recordedDate, asOf, dementia, because]) => ({
    name: `dementia recorded ${recordedDate}, as of ${asOf}: ${because}`,
    resources: [STAY, condition('a', 'F03', { recordedDate, onsetDateTime: '2020' })],
    query: { ...COMPLETE, asOf },
    record: { dementia },
  })),
  {
    name: 'a value of some time of the day of the moment is doubt',
    resources: [STAY, hb('a', 11), hb('b', 9, { effectiveDateTime: '2026-03-06' })],
    query: { asOf: '2026-03-06T12:00:00+01:00' },
    record: { haemoglobin: null },
    why: { haemoglobin: /leaves open whether it counts: Bundle\.entry\[3\]/ },
  },
  {
    name: 'the same value leaves no doubt',
    resources: [STAY, hb('a', 11), hb('b', 11, { effectiveDateTime: '2026-03-06' })],
    query: { asOf: '2026-03-06T12:00:00+01:00' },
    record: { haemoglobin: 11 },
  },
  ...(
    [
      ['without a time', { effectiveDateTime: undefined }],
      ['of some day of the month', { effectiveDateTime: '2026-03' }],
      ['without a status', { ...LAST_OF_STAY, status: undefined }],
      ['with the status unknown', { ...LAST_OF_STAY, status: 'unknown' }],
      ['without a subject', { ...LAST_OF_STAY, subject: undefined }],
      ['issued some time of the month', { ...LAST_OF_STAY, issued: '2026-03' }],
    ] as const
  ).map(([name, more]) => ({
    name: `a value ${name} may be the latest: the older one does not take its place`,
    resources: [STAY, hb('a', 11), hb('b', 9, more)],
    query: { asOf: '2026-03-09' },
    record: { haemoglobin: null },
    why: { haemoglobin: /Bundle\.entry\[3\]/ },
  })),
  ...(
    [
      ['cancelled', { ...LAST_OF_STAY, status: 'cancelled' }],
      ['of the year before', { effectiveDateTime: '2025' }],
      ['of somebody else', { ...LAST_OF_STAY, subject: { reference: 'Patient/q' } }],
      [
        'without a time, of an old visit',
        { effectiveDateTime: undefined, encounter: { reference: 'Encounter/ancient' } },
      ],
    ] as const
  ).map(([name, more]) => ({
    name: `a value ${name} leaves no doubt`,
    resources: [STAY, ANCIENT, hb('a', 11), hb('b', 9, more)],
    query: { asOf: '2026-03-09' },
    record: { haemoglobin: 11 },
  })),
  {
    name: 'a value without a time that belongs to the stay counts once the stay has ended, not before',
    resources: [
      STAY,
      hb('a', 11, { effectiveDateTime: undefined, encounter: { reference: 'Encounter/index' } }),
    ],
    query: { asOf: '2026-03-09' },
    record: { haemoglobin: 11 },
  },
  {
    name: 'a value without a time of a stay that goes on may come later',
    resources: [
      STAY,
      hb('a', 11, { effectiveDateTime: undefined, encounter: { reference: 'Encounter/index' } }),
    ],
    query: { asOf: '2026-03-05' },
    record: { haemoglobin: null },
  },
  ...(
    [
      ['2026-03-01T20:00:00+01:00', undefined, null, 'it may have lasted until the admission'],
      ['2026-03-02T06:45:00+01:00', undefined, 0, 'it began less than 12 hours before'],
      ['2026-02-20', undefined, 1, 'no visit lasts for ten days'],
      ['2026-02-28', '2026-03-01', null, 'it ended 10 to 34 hours before'],
      ['2026-02-27', '2026-02-28', 1, 'it ended more than a day before'],
      ['2026-03-02', '2026-03-02', 0, 'it ended on the day of the admission'],
    ] as const
  ).map(([start, end, emergencyAdmissions, because]) => ({
    name: `an emergency visit from ${start} to ${String(end)}: ${String(emergencyAdmissions)}, ${because}`,
    resources: [STAY, OLD, ED(start, end)],
    record: { emergencyAdmissions, inpatientAdmissions: 1 },
  })),
  {
    name: 'a value of a visit that may have led to the stay is doubt',
    resources: [
      STAY,
      ED('2026-02-28', '2026-03-01'),
      hb('a', 9, { effectiveDateTime: '2026-03-01T08:00:00+01:00' }),
    ],
    record: { haemoglobin: null },
    why: { haemoglobin: /leaves open/ },
  },
  {
    name: 'a stay that began some time of the day of admission may have come before or not',
    resources: [STAY, OLD, encounter('x', 'IMP', '2026-03-02', '2026-03-02')],
    query: { encounter: ['Encounter/index'] },
    record: { inpatientAdmissions: null, stayDays: 7 },
  },
  ...(
    [
      [{ performedDateTime: '2026-03-05' }, true, 'in the stay'],
      [{ performedDateTime: '2026-03' }, null, 'some day of the month'],
      [{}, null, 'without a time'],
      [{ performedDateTime: '2026-03-05', status: undefined }, null, 'without a status'],
      [{ performedDateTime: '2026-03-05', status: 'not-done' }, false, 'not done'],
      [{ performedDateTime: '2026-04-05' }, false, 'after the stay'],
    ] as const
  ).map(([more, procedureDuringStay, because]) => ({
    name: `a Procedure ${JSON.stringify(more)}: ${String(procedureDuringStay)}, ${because}`,
    resources: [
      STAY,
      {
        resourceType: 'Procedure',
        id: 'a',
        status: 'completed',
        subject: { reference: 'Patient/p' },
        ...more,
      },
    ],
    query: { ...COMPLETE, asOf: '2026-03-09' },
    record: { procedureDuringStay },
  })),
  ...(
    [
      ['without a status', { status: undefined }],
      ['without a time', { effectiveDateTime: undefined }],
      ['without a subject', { subject: undefined }],
    ] as const
  ).map(([name, more]) => ({
    name: `a total of a scale ${name} may be the latest`,
    resources: [
      STAY,
      observation('a', '96761-2', { value: 65 }),
      observation('b', '96761-2', { value: 20 }, { ...LAST_OF_STAY, ...more }),
    ],
    query: { asOf: '2026-03-09' },
    record: { barthel_total: null },
    why: { barthel_total: /Bundle\.entry\[3\]/ },
  })),
] satisfies readonly RecordCase[])
