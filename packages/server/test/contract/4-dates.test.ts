/** Contract, section 4: the date of a scale, and the date that its problems carry. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { SCORE, type Served, serve } from '../../../../test/support/serve.ts'
import { type Clause, contract } from '../../../../test/support/clauses.ts'
import {
  type ErrorItem,
  deployed,
  missing,
  patient,
  refused,
  scored,
  valueError,
} from '../../../../test/support/contract-records.ts'

let served: Served
before(async () => {
  served = await serve({ deployments: deployed('charlson10y') })
})
after(() => served.close())

const on = '28-02-2026'

/** Fields beside the patient's own, and the problems that follow. None of them blocks the risk. */
type Row = readonly [Clause, string, object, readonly ErrorItem[]]
const error = (field: string, item: string, reason: string, date = ''): ErrorItem =>
  valueError(field, item, 1, reason, date)

const goodDates = ['29-02-2024', '15-03-2026', '01-01-1900', '02-01-1900', '31-12-2025'].map((date): Row => [
  '4.date',
  date,
  { barthel_date: date },
  [],
])
const badDates = [
  '29-02-2025',
  '31-04-2025',
  '00-01-2025',
  '01-00-2025',
  '01-13-2025',
  '32-01-2025',
  '01-01-0000',
  '2025-01-01',
  '1-1-2025',
  '01/01/2025',
  '01-01-25',
  ' 01-01-2025',
  '01-01-2025 ',
  '01-01-2025\n',
  '٠١-٠١-٢٠٢٥',
  '',
  1012025,
  true,
  [],
].map((date): Row => [
  '4.date',
  `${JSON.stringify(date)} is not a date`,
  { barthel_date: date },
  [error('barthel_date', 'Date', 'not a valid date')],
])
const futureDates = ['16-03-2026', '01-01-2027', '31-12-9999'].map((date): Row => [
  '4.date',
  `${date} lies in the future`,
  { barthel_date: date },
  [error('barthel_date', 'Date', 'date in the future')],
])
const earlyDates = ['31-12-1899', '29-02-1896', '01-01-0001'].map((date): Row => [
  '4.date',
  `${date} lies before 1900`,
  { barthel_date: date },
  [error('barthel_date', 'Date', 'out of range')],
])

const ROWS: readonly Row[] = [
  ...goodDates,
  ...earlyDates,
  ...badDates,
  ...futureDates,
  [
    '4.field-date',
    'on item, total and unknown name of the scale, not on another scale',
    { barthel_date: '28-02-2026', barthel_feeding: 1, barthel_total: 1, barthel_x: 1, mna_bmi: 9 },
    [
      error('barthel_feeding', 'Feeding', 'out of range', on),
      error('barthel_total', 'Total', 'out of range', on),
      error('mna_bmi', 'Bmi', 'out of range'),
      error('barthel_x', 'X', 'unknown field', on),
    ],
  ],
  [
    '4.field-date',
    'an invalid date gives no date',
    { barthel_date: '31-02-2026', barthel_feeding: 1 },
    [error('barthel_feeding', 'Feeding', 'out of range'), error('barthel_date', 'Date', 'not a valid date')],
  ],
  [
    '4.field-date',
    'a date before 1900 gives no date',
    { barthel_date: '31-12-1899', barthel_feeding: 1 },
    [error('barthel_feeding', 'Feeding', 'out of range'), error('barthel_date', 'Date', 'out of range')],
  ],
]
for (const [clause, title, fields, problems] of ROWS) {
  contract(clause, title, async () => {
    assert.equal((await served.post([patient(1, fields)])).text, JSON.stringify([scored(1, ...problems)]))
  })
}

contract('4.field-date', 'a missing value has none', async () => {
  const answer = await served.post([{ idx: 1, age: 60, charlson_dementia: 1, charlson_date: on }], {
    path: `/charlson10y${SCORE}`,
  })
  assert.equal(answer.text, JSON.stringify([refused(1, missing('charlson_total'))]))
})

contract('4.date', 'today’s date becomes good when its day comes', async () => {
  const tomorrow = [patient(1, { barthel_date: '16-03-2026' })]
  served.clock.set('2026-03-15T23:59:59Z')
  assert.match((await served.post(tomorrow)).text, /date in the future/)
  served.clock.set('2026-03-16T00:00:00Z')
  assert.equal((await served.post(tomorrow)).text, JSON.stringify([scored(1)]))
  served.clock.set('2026-03-15T12:00:00Z')
})
