/** Contract, section 4: items and totals of scales. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { SCORE, type Served, serve } from '../../../../test/support/serve.ts'
import { type Clause, contract } from '../../../../test/support/clauses.ts'
import {
  type ErrorItem,
  type Result,
  deployed,
  missing,
  patient,
  refused,
  scored,
  sumReason,
  valueError,
} from '../../../../test/support/contract-records.ts'

let served: Served
before(async () => {
  served = await serve({ deployments: deployed('charlson10y') })
})
after(() => served.close())

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
