/** Contract, section 2: the answer to a well-formed request. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { roundRisk } from 'patient-risk-engine'
import { SCORE, type Served, serve } from '../../../../test/support/serve.ts'
import { contract } from '../../../../test/support/clauses.ts'
import {
  PATIENT,
  missing,
  patient,
  refused,
  scored,
  valueError,
} from '../../../../test/support/contract-records.ts'

let served: Served
before(async () => {
  served = await serve()
})
after(() => served.close())

contract('2.order', 'request order, whatever the idx', async () => {
  const answer = await served.post([patient(9), patient(-3, { age: 200 }), patient(4)])
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  const outOfRange = refused(-3, valueError('age', 'Age', -3, 'out of range'))
  assert.equal(answer.text, JSON.stringify([scored(9), outOfRange, scored(4)]))
})

contract('2.order', '200 also when every record has problems', async () => {
  const answer = await served.post([1, {}, null])
  assert.equal(answer.status, 200)
  const notAnObject = (position: number): object =>
    refused(null, valueError('record', 'Record', position, 'not an object'))
  const all = ['idx', 'age', 'sex', 'inpatientAdmissions', 'emergencyAdmissions', 'stayDays']
  assert.equal(
    answer.text,
    JSON.stringify([notAnObject(0), refused(null, ...all.map(missing)), notAnObject(2)]),
  )
})

contract('2.empty', 'on every call', async () => {
  for (const call of ['', '/validate', '/explain']) {
    for (const body of ['[]', ' [\n] ']) {
      const answer = await served.post(body, { path: SCORE + call })
      assert.equal(answer.status, 200)
      assert.equal(answer.text, '[]')
    }
  }
})

contract('2.keys', 'byte for byte', async () => {
  const answer = await served.post([patient(1)])
  assert.equal(answer.text, '[{"idx":1,"risk":0.2294,"error_message":null}]')
  const bad = await served.post([patient(2, { age: -1 })])
  assert.equal(
    bad.text,
    '[{"idx":2,"risk":null,"error_message":[{"Field":"age","FieldDate":"","ExtendError":"ValueError for value Age in idx 2 (out of range)"}]}]',
  )
})

const ROUNDED = [
  [0, 0.0001],
  [1e-300, 0.0001],
  [0.00004, 0.0001],
  [0.0001, 0.0001],
  [0.000149999, 0.0001],
  [0.000151, 0.0002],
  [0.12344, 0.1234],
  [0.12345, 0.1235],
  [0.5, 0.5],
  [0.9999, 0.9999],
  [0.99996, 0.9999],
  [1, 0.9999],
  [Number.NaN, Number.NaN],
  [-1e-9, Number.NaN],
  [1 + 1e-9, Number.NaN],
  [Infinity, Number.NaN],
] as const
for (const [probability, risk] of ROUNDED) {
  contract('2.number', `${probability} gives ${risk}`, () => {
    assert.equal(roundRisk(probability), risk)
  })
}

// The unrounded risk of the second patient is 0.08057…: below 0.0806, but not after rounding.
const THRESHOLDS = [
  [0.2293, 'Yes'],
  [0.2294, 'Yes'],
  [0.2295, 'No'],
] as const
for (const [threshold, risk] of THRESHOLDS) {
  contract('2.yes-no', `a risk of 0.2294 against ${threshold} is ${risk}`, async () => {
    await withThreshold(threshold, PATIENT, risk)
  })
}
contract('2.yes-no', 'the rounded number decides, not the one before rounding', async () => {
  const low = { age: 70, sex: 'F', inpatientAdmissions: 0, emergencyAdmissions: 0, stayDays: 3 }
  await withThreshold(0.0806, low, 'Yes')
  await withThreshold(0.08061, low, 'No')
})

async function withThreshold(threshold: number, record: object, risk: string): Promise<void> {
  const flag = await serve({
    deployments: [{ name: 'flag', basePath: '/', model: 'readmission30', output: 'yes-no', threshold }],
  })
  try {
    const answer = await flag.post([{ idx: 1, ...record }])
    assert.equal(answer.text, JSON.stringify([{ idx: 1, risk, error_message: null }]))
  } finally {
    await flag.close()
  }
}

const COERCED = [null, '', '84', true, false, [], [84], {}, '0x54', ' 84 ']
for (const value of COERCED) {
  for (const field of ['age', 'inpatientAdmissions', 'stayDays'] as const) {
    contract('2.null', `${field} ${JSON.stringify(value)} is no number`, async () => {
      const item = field === 'age' ? 'Age' : field === 'stayDays' ? 'StayDays' : 'InpatientAdmissions'
      const problem = value === null ? missing(field) : valueError(field, item, 5, 'not an integer')
      const answer = await served.post([patient(5, { [field]: value })])
      assert.equal(answer.text, JSON.stringify([refused(5, problem)]))
    })
  }
}
