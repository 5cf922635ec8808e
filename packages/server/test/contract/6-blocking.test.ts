/** Contract, section 6: what keeps a record from being scored, and what does not. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { SCORE, type Served, serve } from '../../../../test/support/serve.ts'
import { contract } from '../../../../test/support/clauses.ts'
import {
  PATIENT,
  type Result,
  missing,
  patient,
  refused,
  scored,
  sumReason,
  valueError,
} from '../../../../test/support/contract-records.ts'

let served: Served
before(async () => {
  const one = { model: 'readmission30', output: 'number' } as const
  served = await serve({
    deployments: [
      { name: 'quiet', basePath: '/', ...one },
      { name: 'strict', basePath: '/strict', unknownFields: 'report', ...one },
    ],
  })
})
after(() => served.close())

for (const field of Object.keys(PATIENT)) {
  contract('6.blocking', `${field} missing`, async () => {
    const answer = await served.post([patient(1, { [field]: null })])
    assert.equal(answer.text, JSON.stringify([refused(1, missing(field))]))
  })
  contract('6.blocking', `${field} invalid`, async () => {
    const [result] = (await served.post([patient(1, { [field]: -9 })])).json() as Result[]
    assert.ok(result)
    assert.equal(result.risk, null)
    assert.deepEqual(
      result.error_message?.map(({ Field }) => Field),
      [field],
    )
  })
}

const MISMATCHES = [
  ['barthel', { barthel_bathing: 5, barthel_total: 10 }, 5],
  ['mna', { mna_bmi: 3, mna_total: 4 }, 3],
  ['mnaSf', { mnaSf_calfCircumference: 3, mnaSf_total: 4 }, 3],
  ['cfs', { cfs_score: 3, cfs_total: 4 }, 3],
  ['charlson', { charlson_solidTumor: 6, charlson_total: 7 }, 6],
  ['cirs', { cirs_coding: '0-4', cirs_cardiac: 4, cirs_total: 5 }, 4],
] as const
for (const [scale, fields, sum] of MISMATCHES) {
  contract('6.blocking', `a sum mismatch on ${scale}, which the model does not use`, async () => {
    const answer = await served.post([patient(1, fields), patient(2)])
    const problem = valueError(`${scale}_total`, 'Total', 1, sumReason(sum))
    assert.equal(answer.text, JSON.stringify([refused(1, problem), scored(2)]))
  })
}

const HARMLESS = [
  ['an item', { barthel_feeding: 3 }, valueError('barthel_feeding', 'Feeding', 1, 'out of range')],
  [
    'an item of another type',
    { barthel_feeding: '5' },
    valueError('barthel_feeding', 'Feeding', 1, 'not an integer'),
  ],
  ['a total', { barthel_total: 101 }, valueError('barthel_total', 'Total', 1, 'out of range')],
  ['a date', { barthel_date: '99-99-9999' }, valueError('barthel_date', 'Date', 1, 'not a valid date')],
  [
    'another model’s input',
    { haemoglobin: '9' },
    valueError('haemoglobin', 'Haemoglobin', 1, 'not a number'),
  ],
  ['a prefix without item', { mna_Total: 1 }, valueError('mna_Total', 'Total', 1, 'unknown field')],
] as const
for (const [title, fields, problem] of HARMLESS) {
  contract('6.not-blocking', title, async () => {
    const answer = await served.post([patient(1, fields)])
    assert.equal(answer.text, JSON.stringify([scored(1, problem)]))
  })
}

const UNKNOWN = [
  ['barthel_chairTransfer', 'ChairTransfer', true],
  ['Age', 'Age', true],
  ['AGE', 'AGE', true],
  ['IDX', 'IDX', true],
  ['staydays', 'Staydays', true],
  ['Barthel_Feeding', 'Barthel_Feeding', true],
  ['ward', 'Ward', false],
  ['barthelFeeding', 'BarthelFeeding', false],
  ['_barthel', '_barthel', false],
  ['constructor', 'Constructor', false],
  ['toString', 'ToString', false],
  ['__proto__', '__proto__', false],
  ['hasOwnProperty', 'HasOwnProperty', false],
  ['0', '0', false],
  ['\u0000\u2028\ud83d', '\u0000\u2028\ud83d', false],
] as const
for (const [name, item, isNear] of UNKNOWN) {
  const body = JSON.stringify([patient(1)]).replace('}]', `,${JSON.stringify(name)}:1}]`)
  const problem = valueError(name, item, 1, 'unknown field')
  contract('6.unknown', `${JSON.stringify(name)} is ${isNear ? 'reported' : 'ignored'}`, async () => {
    const quiet = await served.post(body)
    assert.equal(quiet.text, JSON.stringify([isNear ? scored(1, problem) : scored(1)]))
  })
  contract('6.unknown', `${JSON.stringify(name)} is reported where the deployment asks for it`, async () => {
    const strict = await served.post(body, { path: `/strict${SCORE}` })
    assert.equal(strict.text, JSON.stringify([scored(1, problem)]))
  })
}
