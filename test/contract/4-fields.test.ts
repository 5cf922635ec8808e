/** Contract, section 4: fields, scales, totals, dates. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { SCORE, type Served, serve } from '../serve.ts'
import { type Clause, contract } from './clauses.ts'
import {
  type ErrorItem,
  type Result,
  missing,
  patient,
  refused,
  scored,
  sumReason,
  valueError,
} from './records.ts'

let served: Served
before(async () => {
  served = await serve({
    deployments: [
      { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
      ...['lace', 'walter', 'charlson10y', 'profund', 'inouye'].map((model) => ({
        name: model,
        basePath: `/${model}`,
        model,
        output: 'number' as const,
      })),
    ],
  })
})
after(() => served.close())

/** Field, values that are taken, values that are refused with their reason. */
const BASE = [
  [
    'age',
    'Age',
    [18, 110],
    [
      [-1, 'out of range'],
      [121, 'out of range'],
      [75.5, 'not an integer'],
      [1e300, 'out of range'],
    ],
  ],
  [
    'sex',
    'Sex',
    ['F', 'M', 'X'],
    [
      ['f', 'not a permitted value'],
      ['W', 'not a permitted value'],
      ['', 'not a permitted value'],
    ],
  ],
  [
    'inpatientAdmissions',
    'InpatientAdmissions',
    [0, 100],
    [
      [-1, 'out of range'],
      [101, 'out of range'],
      [0.5, 'not an integer'],
    ],
  ],
  [
    'emergencyAdmissions',
    'EmergencyAdmissions',
    [0, 200],
    [
      [-1, 'out of range'],
      [201, 'out of range'],
      [0.5, 'not an integer'],
    ],
  ],
  [
    'stayDays',
    'StayDays',
    [0, 3650],
    [
      [-1, 'out of range'],
      [3651, 'out of range'],
      [3650.5, 'not an integer'],
    ],
  ],
] as const
for (const [field, item, taken, wrong] of BASE) {
  contract('4.base', `${field}: ${taken.join(', ')} are taken`, async () => {
    const answer = await served.post(taken.map((value, idx) => patient(idx, { [field]: value })))
    for (const result of answer.json() as Result[]) {
      assert.equal(typeof result.risk, 'number')
      assert.equal(result.error_message, null)
    }
  })
  for (const [value, reason] of wrong) {
    contract('4.base', `${field}: ${JSON.stringify(value)} is ${reason}`, async () => {
      const answer = await served.post([patient(3, { [field]: value })])
      assert.equal(answer.text, JSON.stringify([refused(3, valueError(field, item, 3, reason))]))
    })
  }
}
contract('4.base', 'the age of a model that does not narrow it ends at 0 and 120', async () => {
  const fields = (await served.get(`${SCORE}/fields`)).json() as { fields: { name: string }[] }
  assert.equal(
    fields.fields
      .slice(0, 5)
      .map(({ name }) => name)
      .join(),
    BASE.map(([name]) => name).join(),
  )
})

contract('4.own-fields', 'LACE counts emergency visits of 6 months in a field of its own', async () => {
  const { inputs } = (await served.get(`/lace${SCORE}/model`)).json() as {
    inputs: { name: string; window?: string }[]
  }
  const visits = inputs.find(({ name }) => name === 'edVisits6Months')
  assert.match(visits?.window ?? '', /6 months/)
  assert.ok(!inputs.some(({ name }) => name === 'emergencyAdmissions'))
})

const DATE = { barthel_date: '28-02-2026' }
const on = '28-02-2026'

/** Fields beside the patient's own, and the problems that follow; `blocks` where there is no risk. */
type Row = readonly [Clause, string, object, readonly ErrorItem[], 'scores' | 'blocks']
const error = (field: string, item: string, reason: string, date = ''): ErrorItem =>
  valueError(field, item, 1, reason, date)

const permitted = [0, 5, 10, 15].map((value): Row => [
  '4.list',
  `chair transfers ${value}`,
  { barthel_chairTransfers: value },
  [],
  'scores',
])
const notPermitted = [-5, 1, 7, 14, 20].map((value): Row => [
  '4.list',
  `chair transfers ${value}, between or beyond the permitted`,
  { barthel_chairTransfers: value, ...DATE },
  [error('barthel_chairTransfers', 'ChairTransfers', 'out of range', on)],
  'scores',
])
const goodTotals = [0, 0.5, 16.5, 30].map((value): Row => [
  '4.total',
  `mna_total ${value}`,
  { mna_total: value },
  [],
  'scores',
])
const badTotals = [-0.5, 30.5, 16.25].map((value): Row => [
  '4.total',
  `mna_total ${value}`,
  { mna_total: value },
  [error('mna_total', 'Total', 'out of range')],
  'scores',
])
const steps = [5, 95, 100].map((value): Row => [
  '4.total',
  `barthel_total ${value}`,
  { barthel_total: value },
  [],
  'scores',
])
const goodDates = ['29-02-2024', '15-03-2026', '01-01-0001', '31-12-2025'].map((date): Row => [
  '4.date',
  date,
  { barthel_date: date },
  [],
  'scores',
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
  'scores',
])
const futureDates = ['16-03-2026', '01-01-2027', '31-12-9999'].map((date): Row => [
  '4.date',
  `${date} lies in the future`,
  { barthel_date: date },
  [error('barthel_date', 'Date', 'date in the future')],
  'scores',
])

const ROWS: readonly Row[] = [
  ...permitted,
  ...notPermitted,
  ...goodTotals,
  ...badTotals,
  ...steps,
  [
    '4.total',
    'barthel_total 52 is no multiple of 5',
    { barthel_total: 52 },
    [error('barthel_total', 'Total', 'out of range')],
    'scores',
  ],
  ...goodDates,
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
    'scores',
  ],
  [
    '4.field-date',
    'an invalid date gives no date',
    { barthel_date: '31-02-2026', barthel_feeding: 1 },
    [error('barthel_feeding', 'Feeding', 'out of range'), error('barthel_date', 'Date', 'not a valid date')],
    'scores',
  ],
  [
    '4.sum',
    'the given items give the total',
    { barthel_feeding: 10, barthel_bathing: 5, barthel_total: 15 },
    [],
    'scores',
  ],
  [
    '4.sum',
    'one given item is enough to compare',
    { barthel_feeding: 10, barthel_total: 15, ...DATE },
    [error('barthel_total', 'Total', sumReason(10), on)],
    'blocks',
  ],
  ['4.sum', 'half points', { mna_proteinMarkers: 0.5, mna_fluidIntake: 0.5, mna_total: 1 }, [], 'scores'],
  [
    '4.sum',
    'half points in the message',
    { mna_proteinMarkers: 0.5, mna_total: 1 },
    [error('mna_total', 'Total', sumReason(0.5))],
    'blocks',
  ],
  ['4.sum', 'no item, nothing to compare', { mna_total: 1 }, [], 'scores'],
  [
    '4.not-plain-sum',
    'CAM: a rule',
    {
      cam_acuteOnset: 1,
      cam_inattention: 1,
      cam_disorganizedThinking: 0,
      cam_alteredConsciousness: 0,
      cam_total: 1,
    },
    [error('cam_total', 'Total', sumReason(0))],
    'blocks',
  ],
  [
    '4.not-plain-sum',
    'CAM: the rule holds',
    {
      cam_acuteOnset: 1,
      cam_inattention: 1,
      cam_disorganizedThinking: 0,
      cam_alteredConsciousness: 1,
      cam_total: 1,
    },
    [],
    'scores',
  ],
  [
    '4.not-plain-sum',
    'Charlson lines: the severe form replaces the mild one',
    {
      charlson_coding: 'lines',
      charlson_mildLiverDisease: 1,
      charlson_moderateSevereLiverDisease: 3,
      charlson_total: 3,
    },
    [],
    'scores',
  ],
  [
    '4.not-plain-sum',
    'Charlson lines: both added up is another figure',
    {
      charlson_coding: 'lines',
      charlson_mildLiverDisease: 1,
      charlson_moderateSevereLiverDisease: 3,
      charlson_total: 4,
    },
    [error('charlson_total', 'Total', sumReason(3))],
    'blocks',
  ],
]
for (const [clause, title, fields, problems, outcome] of ROWS) {
  contract(clause, title, async () => {
    const result = outcome === 'scores' ? scored(1, ...problems) : refused(1, ...problems)
    assert.equal((await served.post([patient(1, fields)])).text, JSON.stringify([result]))
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

const FOLDED = [
  'myocardialInfarction',
  'congestiveHeartFailure',
  'peripheralVascularDisease',
  'cerebrovascularDisease',
  'dementia',
  'chronicPulmonaryDisease',
  'connectiveTissueDisease',
  'ulcerDisease',
  'liverDisease',
  'diabetes',
  'hemiplegia',
  'renalDisease',
  'solidTumor',
  'leukemia',
  'lymphoma',
  'aids',
]
const allItems = {
  ...Object.fromEntries(FOLDED.map((name) => [`charlson_${name}`, 0])),
  charlson_solidTumor: 2,
}
const charlson = async (record: object): Promise<Result> =>
  (
    (await served.post([{ idx: 1, age: 60, ...record }], { path: `/charlson10y${SCORE}` })).json() as Result[]
  )[0] as Result

contract('4.computed', 'given or computed, the risk is the same', async () => {
  const given = await charlson({ charlson_total: 2 })
  const computed = await charlson(allItems)
  assert.equal(typeof given.risk, 'number')
  assert.deepEqual(computed, given)
  assert.deepEqual(await charlson({ ...allItems, charlson_total: 2 }), given)
})
contract('4.computed', 'not with one wrong item', async () => {
  assert.deepEqual(
    await charlson({ ...allItems, charlson_aids: 1 }),
    refused(1, error('charlson_aids', 'Aids', 'out of range'), missing('charlson_total')),
  )
})
contract('4.incomplete', 'one item short', async () => {
  assert.deepEqual(
    await charlson({ ...allItems, charlson_aids: null }),
    refused(1, missing('charlson_total')),
  )
})

const NARROW = [
  ['/lace', { age: 17, stayDays: 3, acuteAdmission: true, laceCharlson_total: 0, edVisits6Months: 0 }],
  ['', { age: 17, sex: 'F', inpatientAdmissions: 0, emergencyAdmissions: 0, stayDays: 1 }],
  ['', { age: 111, sex: 'F', inpatientAdmissions: 0, emergencyAdmissions: 0, stayDays: 1 }],
] as const
for (const [base, record] of NARROW) {
  contract('4.narrow', `age ${record.age} at ${base || '/'}`, async () => {
    const answer = await served.post([{ idx: 1, ...record }], { path: base + SCORE })
    assert.equal(answer.text, JSON.stringify([refused(1, error('age', 'Age', 'out of range'))]))
  })
}
contract('4.narrow', 'a code that the model has no points for', async () => {
  const results = (
    await served.post([{ idx: 1, age: 80, sex: 'X' }], { path: `/walter${SCORE}` })
  ).json() as Result[]
  assert.deepEqual(results[0]?.error_message?.[0], error('sex', 'Sex', 'not a permitted value'))
})
