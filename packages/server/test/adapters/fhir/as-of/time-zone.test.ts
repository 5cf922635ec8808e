/**
 * Times in UTC are instants: the time zone of the configuration decides on which day they fall. Other offsets keep the day written, and
 * are doubt where the time zone has another day then.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobRunner } from '../../../../src/adapters/jobs.ts'
import { packDeployments, makeDeployments } from '@patient-risk/catalog'
import { testCatalog } from '../../../../../../test/support/serve.ts'
import { type RecordCase, checkRecords } from '../record-cases.ts'
import { mapping } from '../../../../../../test/support/mapping.ts'
import { OLD, type Resource, bundle, encounter, entriesOf, observation, patient, ucum } from '../source.ts'

const LOS_ANGELES = 'America/Los_Angeles'
const ANCIENT = encounter('ancient', 'AMB', '2020-01-01', '2020-01-01')
const stay = (start: string, end: string): Resource => encounter('index', 'IMP', start, end)

/** Start, end, time zone, days, and why. */
const LENGTHS: readonly (readonly [string, string, string, number, string])[] = [
  [
    '2026-03-03T02:00:00Z',
    '2026-03-05T19:00:00Z',
    LOS_ANGELES,
    3,
    '18:00 on the 2nd to 11:00 on the 5th in Los Angeles (8 hours behind)',
  ],
  [
    '2026-03-03T02:00:00Z',
    '2026-03-05T19:00:00Z',
    'Europe/Madrid',
    2,
    '03:00 on the 3rd to 20:00 on the 5th',
  ],
  ['2026-03-03T02:00:00+00:00', '2026-03-05T19:00:00+00:00', LOS_ANGELES, 3, '+00:00 is UTC too'],
  [
    '2026-03-03T03:00:00-05:00',
    '2026-03-05T19:00:00-05:00',
    LOS_ANGELES,
    2,
    '00:00 and 16:00 of the same days',
  ],
  ['2026-03-03', '2026-03-05', LOS_ANGELES, 2, 'a date has no time'],
  ['2026-03-08T07:30:00Z', '2026-03-09T06:30:00Z', LOS_ANGELES, 1, 'summer time begins: 23:30 to 23:30'],
  ['2026-06-01T22:30:00Z', '2026-06-02T21:30:00Z', 'Europe/Madrid', 0, '00:30 to 23:30 on the 2nd'],
]

/** Another offset than that of Los Angeles (-08:00, in summer -07:00): what is known of the stay, and why something is not. */
const ELSEWHERE: readonly (readonly [string, string, string, Readonly<Record<string, unknown>>, RegExp?])[] =
  [
    [
      'the start may be of either day',
      '2026-03-03T02:59:00-05:00',
      '2026-03-05T19:00:00-05:00',
      { stayDays: null },
      /no usable start/,
    ],
    [
      'the end may be of either day',
      '2026-03-03T12:00:00-05:00',
      '2026-03-06T02:59:00-05:00',
      { stayDays: null },
      /another offset/,
    ],
    [
      'the end is of the day that is written',
      '2026-03-03T12:00:00-05:00',
      '2026-03-06T03:00:00-05:00',
      { stayDays: 3 },
    ],
    ['winter time all year', '2026-06-02T12:00:00-08:00', '2026-06-05T22:59:00-08:00', { stayDays: 3 }],
    [
      'winter time all year, in the last hour',
      '2026-06-02T12:00:00-08:00',
      '2026-06-05T23:00:00-08:00',
      { stayDays: null },
      /another offset/,
    ],
  ]

checkRecords([
  ...ELSEWHERE.map(([name, start, end, record, why]) => ({
    name: `another offset than that of the time zone: ${name}`,
    resources: [stay(start, end), OLD],
    query: { asOf: '2026-06-10' },
    timeZone: LOS_ANGELES,
    record,
    ...(why && { why: { stayDays: why } }),
  })),
  {
    name: 'without a time zone the day that is written counts',
    because: 'Nothing says which day it is in the hospital.',
    resources: [stay('2026-03-03T02:00:00-05:00', '2026-03-05T19:00:00-05:00'), OLD],
    record: { stayDays: 2 },
  },
  {
    name: 'values in another offset are those of their instant',
    because:
      'The second one is 10 minutes later, although its day is written as the day before. Both lie in the stay.',
    resources: [
      stay('2026-03-02T12:00:00-08:00', '2026-03-05T19:00:00-08:00'),
      observation('a', '718-7', ucum(11, 'g/dL'), { effectiveDateTime: '2026-03-04T01:00:00-05:00' }),
      observation('b', '718-7', ucum(12, 'g/dL'), { effectiveDateTime: '2026-03-03T22:10:00-08:00' }),
    ],
    timeZone: LOS_ANGELES,
    record: { haemoglobin: 12 },
  },
  {
    name: 'a value in another offset may lie outside of the stay',
    because: '02:00 on the 2nd in New York is 23:00 on the 1st in Los Angeles, before the stay of the 2nd.',
    resources: [
      stay('2026-03-02T12:00:00-08:00', '2026-03-05T19:00:00-08:00'),
      observation('a', '718-7', ucum(11, 'g/dL'), { effectiveDateTime: '2026-03-02T02:00:00-05:00' }),
    ],
    timeZone: LOS_ANGELES,
    record: { haemoglobin: null },
  },
  {
    name: 'asOf in another offset is an instant of the time zone',
    because: '02:00 on the 6th in New York is 23:00 on the 5th in Los Angeles: 3 days since the 2nd.',
    resources: [stay('2026-03-02T12:00:00-08:00', '2026-03-09T12:00:00-08:00')],
    query: { asOf: '2026-03-06T02:00:00-05:00' },
    timeZone: LOS_ANGELES,
    record: { stayDays: 3 },
  },
  ...LENGTHS.map(([start, end, timeZone, stayDays, because]) => ({
    name: `${start} to ${end} in ${timeZone} is ${stayDays} days: ${because}`,
    resources: [stay(start, end), OLD],
    timeZone,
    record: { stayDays },
  })),
  {
    name: 'windows go by the local day',
    because:
      '01:00 UTC on 3 March 2025 is 2 March in Los Angeles: the first day of the window of 2 March 2026.',
    resources: [
      stay('2026-03-03T02:00:00Z', '2026-03-05T19:00:00Z'),
      encounter('x', 'IMP', '2025-03-03T01:00:00Z', '2025-03-04T01:00:00Z'),
      encounter('y', 'IMP', '2025-03-02T07:59:00Z', '2025-03-02T09:00:00Z'),
      ANCIENT,
    ],
    timeZone: LOS_ANGELES,
    record: { inpatientAdmissions: 1 },
  },
  {
    name: 'asOf in UTC is placed like the others',
    because: '05:00 UTC on the 6th is 21:00 on the 5th in Los Angeles: 3 days since the 2nd.',
    resources: [stay('2026-03-03T02:00:00Z', '2026-03-09T19:00:00Z')],
    query: { asOf: '2026-03-06T05:00:00Z' },
    timeZone: LOS_ANGELES,
    record: { stayDays: 3 },
  },
  {
    name: 'values are placed like the stay',
    because: 'The sample of 02:30 UTC on the 3rd was taken on the 2nd, the first day of the stay.',
    resources: [
      stay('2026-03-02T20:00:00-08:00', '2026-03-05T19:00:00-08:00'),
      observation('a', '718-7', ucum(11, 'g/dL'), { effectiveDateTime: '2026-03-03T02:30:00Z' }),
      observation('b', '2951-2', ucum(140, 'mmol/L'), { effectiveDateTime: '2026-03-02T07:30:00Z' }),
    ],
    timeZone: LOS_ANGELES,
    record: { haemoglobin: 11, sodium: null },
  },
] satisfies readonly RecordCase[])

test('a job takes the time zone of the configuration', () => {
  const catalog = testCatalog()
  const settings = [{ name: 'x', basePath: '/', model: 'readmission30', output: 'number' }] as const
  const { deployments } = makeDeployments(catalog, settings)
  const body = Buffer.from(
    JSON.stringify(bundle(patient(), stay('2026-03-03T02:00:00Z', '2026-03-05T19:00:00Z'), OLD)),
  )
  const days = [LOS_ANGELES, 'Europe/Madrid'].map((timeZone) => {
    const run = jobRunner({ deployments: packDeployments(catalog, deployments), mapping, timeZone })
    const query = { asOf: '2026-03-09' }
    const { bytes } = run({ kind: 'bundle', deployment: 'x', body, today: 20_261_115, query })
    const [entry] = entriesOf(JSON.parse(Buffer.from(bytes).toString()))
    return /stayDays (\d)/.exec(JSON.stringify(entry))?.[1]
  })
  assert.deepEqual(days, ['3', '2'])
})
