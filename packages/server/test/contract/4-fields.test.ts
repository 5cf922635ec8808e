/** Contract, section 4: the base fields, fields of one model, and models that narrow a field. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { SCORE, type Served, serve } from '../../../../test/support/serve.ts'
import { contract } from '../../../../test/support/clauses.ts'
import {
  type Result,
  deployed,
  patient,
  refused,
  valueError,
} from '../../../../test/support/contract-records.ts'

let served: Served
before(async () => {
  served = await serve({ deployments: deployed('lace', 'walter', 'hospital') })
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
contract('4.base', 'the base fields come first, in this order', async () => {
  const { fields } = (await served.get(`${SCORE}/fields`)).json() as { fields: { name: string }[] }
  assert.deepEqual(
    fields.slice(0, BASE.length).map(({ name }) => name),
    BASE.map(([name]) => name),
  )
})
contract('4.base', 'the age of a model that does not narrow it ends at 0 and 120', async () => {
  const records = [-1, 0, 120, 121].map((age, idx) => ({ idx, age }))
  const results = (await served.post(records, { path: `/hospital${SCORE}/validate` })).json() as Result[]
  const wrong = results.filter(({ error_message: list }) => list?.some(({ Field }) => Field === 'age'))
  assert.deepEqual(
    wrong.map(({ idx }) => idx),
    [0, 3],
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

const NARROW = [
  ['/lace', { age: 17, stayDays: 3, acuteAdmission: true, laceCharlson_total: 0, edVisits6Months: 0 }],
  ['', { age: 17, sex: 'F', inpatientAdmissions: 0, emergencyAdmissions: 0, stayDays: 1 }],
  ['', { age: 111, sex: 'F', inpatientAdmissions: 0, emergencyAdmissions: 0, stayDays: 1 }],
] as const
for (const [base, record] of NARROW) {
  contract('4.narrow', `age ${record.age} at ${base || '/'}`, async () => {
    const answer = await served.post([{ idx: 1, ...record }], { path: base + SCORE })
    assert.equal(answer.text, JSON.stringify([refused(1, valueError('age', 'Age', 1, 'out of range'))]))
  })
}
contract('4.narrow', 'a code that the model has no points for', async () => {
  const results = (
    await served.post([{ idx: 1, age: 80, sex: 'X' }], { path: `/walter${SCORE}` })
  ).json() as Result[]
  assert.deepEqual(results[0]?.error_message?.[0], valueError('sex', 'Sex', 1, 'not a permitted value'))
})
