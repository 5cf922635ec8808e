/** The drift figures at /metrics, and the report of a model over HTTP. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readmissionRecord as record } from '../../../../../test/support/records.ts'
import { SCORE, serve } from '../../../../../test/support/serve.ts'

test('scored records move the drift figures; no value shows', async () => {
  const service = await serve()
  try {
    const before = (await service.get('/metrics')).text
    assert.match(before, /patient_risk_drift_records\{deployment="readmission"\} 0/)
    assert.doesNotMatch(before, /patient_risk_drift_index\{/)
    const bodies = Array.from({ length: 12 }, () =>
      Array.from({ length: 60 }, (_each, idx) => ({
        ...record(idx, 90),
        ...(idx % 2 === 0 ? { stayDays: null } : {}),
      })),
    )
    for (const body of bodies) await service.post(body)
    await service.post([record(1, 30)], { path: `${SCORE}/validate` })
    const { text } = await service.get('/metrics')
    const counted = Number(/patient_risk_drift_records\{deployment="readmission"\} (\d+)/.exec(text)?.[1])
    assert.equal(counted, 720, 'every record of bodies that are not large, and none of validate')
    const index = Number(/drift_index\{deployment="readmission",field="age"\} ([\d.]+)/.exec(text)?.[1])
    assert.ok(index > 0.25, `the index of age is ${index}`)
    const missing = Number(
      /drift_missing_ratio\{deployment="readmission",field="stayDays"\} ([\d.]+)/.exec(text)?.[1],
    )
    assert.equal(missing, 0.5)
    assert.match(text, /drift_index\{deployment="readmission",field="risk"\}/)
    assert.match(text, /drift_flagged_ratio\{deployment="readmission",field="risk"\}/)
    assert.match(text, /patient_risk_drift_records\{deployment="readmission-flag"\} 0/)
  } finally {
    await service.close()
  }
})

const UNITS: readonly (readonly [string, Record<string, string>, number, string | undefined])[] = [
  ['values in mmol/L, none declared', {}, 7, 'haemoglobin;received="g/dL";likely="mmol/L"'],
  ['values in mmol/L, declared', { haemoglobin: 'mmol/L' }, 7, undefined],
  ['values in g/dL', {}, 12, undefined],
]
for (const [name, units, lowest, doubt] of UNITS) {
  test(`the answer to the first long list names a field in another unit: ${name}`, async () => {
    const profund = { name: 'mortality', basePath: '/', model: 'profund', output: 'number', units } as const
    const service = await serve({ deployments: [profund] })
    const patients = Array.from({ length: 300 }, (_each, idx) => ({
      ...record(idx, 80),
      caregiver: 'spouse',
      activeNeoplasia: false,
      haemoglobin: lowest + (idx % 20) / 10,
      barthel_total: 60,
    }))
    try {
      const few = await service.post(patients.slice(0, 40))
      assert.equal(few.headers['risk-unit-doubt'], undefined, '40 records are too few')
      const { headers, text } = await service.post(patients)
      assert.equal(headers['risk-unit-doubt'], doubt)
      assert.doesNotMatch(text, /unit/)
      const { text: metrics } = await service.get('/metrics')
      assert.equal(/patient_risk_unit_doubt\{.*likely="mmol\/L"/.test(metrics), doubt !== undefined)
    } finally {
      await service.close()
    }
  })
}

test('the report of a model: figures, a page without script, and 404 for a model without a report', async () => {
  const lace = { name: 'lace', basePath: '/lace', model: 'lace', output: 'number' } as const
  const own = { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' } as const
  const service = await serve({ deployments: [own, lace] })
  const headers = { authorization: `Bearer ${service.key}` }
  try {
    const figures = await service.get(`${SCORE}/model/report`, headers)
    assert.equal(figures.status, 200)
    assert.equal((figures.json() as { figures: { rows: number } }).figures.rows, 68_890)
    const page = await service.get(`${SCORE}/model/report.html`, headers)
    assert.equal(page.status, 200)
    assert.match(page.headers['content-type'] ?? '', /^text\/html/)
    assert.match(
      page.headers['content-security-policy'] as string,
      /default-src 'none'; style-src 'unsafe-inline'/,
    )
    assert.doesNotMatch(page.text, /<script|https?:\/\//)
    assert.equal((await service.get(`/lace${SCORE}/model/report`, headers)).status, 404)
    for (const [path, has] of [
      ['', true],
      ['/lace', false],
    ] as const) {
      const { report } = (await service.get(`${path}${SCORE}/model`, headers)).json() as { report: boolean }
      assert.equal(report, has, 'the card says whether there is one')
    }
    assert.equal((await service.get(`${SCORE}/model/report`, { authorization: 'Bearer nobody' })).status, 401)
  } finally {
    await service.close()
  }
})
