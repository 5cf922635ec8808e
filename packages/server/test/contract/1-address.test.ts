/** Contract, section 1: address, deployments, versions. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { CLINICAL_ROOT, SCORE, type Served, serve } from '../../../../test/support/serve.ts'
import { contract } from '../../../../test/support/clauses.ts'
import { FLAG, PATIENT, RISK, patient, scored } from '../../../../test/support/contract-records.ts'

let served: Served
before(async () => {
  served = await serve()
})
after(() => served.close())

contract(
  '1.defaults',
  'the number at the root, the flag at /flag, mortality at /mortality, and their models',
  async () => {
    const number = await served.post([patient(1)])
    assert.equal(number.text, JSON.stringify([scored(1)]))
    assert.equal(number.headers['risk-deployment'], 'readmission')
    const flag = await served.post([patient(1)], { path: `/flag${SCORE}` })
    assert.equal(flag.text, JSON.stringify([{ idx: 1, risk: FLAG, error_message: null }]))
    assert.equal(flag.headers['risk-deployment'], 'readmission-flag')
    const card = (await served.get(`/flag${SCORE}/model`)).json() as { deployment: object }
    assert.partialDeepStrictEqual(card.deployment, { output: 'yes-no', threshold: 0.15 })
    const death = await served.post([patient(1)], { path: `/mortality${SCORE}` })
    assert.equal(death.headers['risk-deployment'], 'mortality')
    assert.match(String(death.headers['risk-model']), /^profund@/)
  },
)

contract('1.defaults', 'a scale changes the risk of mortality', async () => {
  const record = {
    ...patient(1),
    age: 87,
    activeNeoplasia: false,
    dementia: false,
    nyhaOrMrc3to4: true,
    deliriumLastAdmission: false,
    haemoglobin: 9.5,
    caregiver: 'spouse',
    inpatientAdmissions: 1,
  }
  const risks = []
  for (const total of [100, 40]) {
    const answer = await served.post([{ ...record, barthel_total: total }], { path: `/mortality${SCORE}` })
    const [result] = answer.json() as [{ risk: number; error_message: unknown }]
    assert.equal(result.error_message, null)
    risks.push(result.risk)
  }
  assert.deepEqual(risks, [0.5, 0.613])
})

contract('1.address', 'any number of deployments, each under its base path', async () => {
  const many = await serve({
    deployments: [
      { name: 'one', basePath: '/', model: 'readmission30', output: 'number' },
      { name: 'two', basePath: '/ward/b', model: 'readmission30@1.0.4', output: 'number' },
      { name: 'three', basePath: '/ward', model: 'readmission30', output: 'yes-no' },
    ],
  })
  try {
    for (const [base, name, risk] of [
      ['', 'one', RISK],
      ['/ward/b', 'two', RISK],
      ['/ward', 'three', FLAG],
    ] as const) {
      const answer = await many.post([patient(7)], { path: base + SCORE })
      assert.equal(answer.text, JSON.stringify([{ idx: 7, risk, error_message: null }]))
      assert.equal(answer.headers['risk-deployment'], name)
    }
    assert.equal((await many.post([patient(7)], { path: `/ward/c${SCORE}` })).status, 404)
  } finally {
    await many.close()
  }
})

contract('1.agree', 'Yes exactly where the number is at or above 0.15', async () => {
  const records = Array.from({ length: 300 }, (_, idx) => ({
    idx,
    age: 18 + (idx % 93),
    sex: ['F', 'M', 'X'][idx % 3],
    inpatientAdmissions: idx % 5,
    emergencyAdmissions: idx % 7,
    stayDays: idx % 31,
  }))
  const numbers = (await served.post(records)).json() as { risk: number }[]
  const flags = (await served.post(records, { path: `/flag${SCORE}` })).json() as { risk: string }[]
  const expected = numbers.map(({ risk }) => (risk >= 0.15 ? 'Yes' : 'No'))
  assert.deepEqual(
    flags.map(({ risk }) => risk),
    expected,
  )
  assert.equal(new Set(expected).size, 2)
})

contract('1.stateless', 'the same bytes again, and no trace in store or log', async () => {
  const canary = 'CANARY-7f3a'
  const body = [patient(41, { note: canary, barthel_total: 61.25, [`barthel_${canary}`]: 1 })]
  const first = await served.post(body)
  const second = await served.post(body)
  assert.deepEqual(second.body, first.body)
  assert.ok(!served.logText().includes(canary))
  for (const file of readdirSync(served.dataDir)) {
    assert.ok(!readFileSync(join(served.dataDir, file)).includes(canary), file)
  }
})

contract('1.versions', 'Deprecation and Sunset, on the retiring deployment alone', async () => {
  const retirement = { deprecated: '2026-01-31', sunset: '2027-01-31T12:00:00Z' }
  const retiring = await serve({
    deployments: [
      { name: 'old', basePath: '/', model: 'readmission30', output: 'number', retirement },
      { name: 'new', basePath: '/new', model: 'readmission30', output: 'number' },
    ],
  })
  try {
    const old = await retiring.post([patient(1)])
    assert.equal(old.headers['deprecation'], '@1769817600')
    assert.equal(old.headers['sunset'], 'Sun, 31 Jan 2027 12:00:00 GMT')
    const next = await retiring.post([patient(1)], { path: `/new${SCORE}` })
    assert.equal(next.headers['deprecation'], undefined)
    assert.equal(next.headers['sunset'], undefined)
  } finally {
    await retiring.close()
  }
})

contract('1.source', 'the digest is that of the model’s file', async () => {
  const file = readFileSync(join(CLINICAL_ROOT, 'models/readmission30/readmission30.json'))
  const digest = createHash('sha256').update(file).digest('base64')
  for (const call of ['', '/validate', '/explain']) {
    const { headers } = await served.post([PATIENT], { path: SCORE + call })
    assert.equal(headers['risk-deployment'], 'readmission')
    assert.equal(headers['risk-model'], 'readmission30@1.0.4')
    assert.equal(headers['risk-model-digest'], `sha-256=:${digest}:`)
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/)
  }
})

const IDS = [
  ['a', true],
  ['order 66/ward ~!"#$%&', true],
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  ['', false],
  ['tab\there', false],
  ['naïve', false],
] as const
for (const [id, isEchoed] of IDS) {
  contract('1.request-id', `${JSON.stringify(id.slice(0, 24))} (${id.length}): ${isEchoed}`, async () => {
    for (const body of ['[]', '{']) {
      const answer = await served.post(body, { headers: { 'x-request-id': id } })
      const shown = answer.headers['x-request-id']
      if (isEchoed) assert.equal(shown, id)
      else assert.match(String(shown), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    }
  })
}
