/** Contract, section 9: the calls beside the scoring call. */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import type { Store } from '../../src/store/store.ts'
import { CLINICAL_ROOT, SCORE, type Served, serve } from '../../../../test/support/serve.ts'
import { contract } from '../../../../test/support/clauses.ts'
import { PATIENT, RISK, missing, patient, valueError } from '../../../../test/support/contract-records.ts'

let served: Served
before(async () => {
  served = await serve()
})
after(() => served.close())

contract('9.validate', 'valid exactly where there would be a risk', async () => {
  const body = [patient(1), patient(2, { age: null }), patient(3, { barthel_total: 1 }), 5]
  const outOfRange = valueError('barthel_total', 'Total', 3, 'out of range')
  const expected = [
    { idx: 1, valid: true, error_message: null },
    { idx: 2, valid: false, error_message: [missing('age')] },
    { idx: 3, valid: true, error_message: [outOfRange] },
    { idx: null, valid: false, error_message: [valueError('record', 'Record', 3, 'not an object')] },
  ]
  for (const base of ['', '/flag']) {
    const answer = await served.post(body, { path: `${base}${SCORE}/validate` })
    assert.equal(answer.text, JSON.stringify(expected))
  }
})

interface Explained {
  readonly idx: number
  readonly risk: number | string | null
  readonly explanation: {
    readonly score: number
    readonly intercept: number
    readonly probability: number
    readonly terms: readonly { label: string; points: number; values: readonly object[] }[]
  } | null
}
contract('9.explain', 'the terms add up to the risk, and carry the values used', async () => {
  for (const base of ['', '/flag']) {
    const answer = await served.post([patient(1), patient(2, { sex: null })], {
      path: `${base}${SCORE}/explain`,
    })
    const [first, second] = answer.json() as [Explained, Explained]
    assert.equal(second.explanation, null)
    assert.equal(first.risk, base === '' ? RISK : 'Yes')
    assert.ok(first.explanation)
    const { terms, intercept, score, probability } = first.explanation
    assert.equal(probability, RISK)
    const sum = terms.reduce((total, { points }) => total + points, 0)
    assert.ok(Math.abs(sum - score) < 1e-5)
    assert.equal(Math.round(1e4 / (1 + Math.exp(-(intercept + score)))) / 1e4, RISK)
    const values = Object.fromEntries(
      terms.flatMap((term) =>
        term.values.map((value) => {
          const { field, value: used, origin } = value as { field: string; value: unknown; origin: string }
          assert.equal(origin, 'given')
          return [field, used] as const
        }),
      ),
    )
    assert.deepEqual(values, PATIENT)
  }
})
contract('9.explain', 'a total that was worked out says so', async () => {
  const lace = await serve({
    deployments: [{ name: 'c', basePath: '/', model: 'charlson10y', output: 'number' }],
  })
  try {
    const items = lace.catalog.scales.get('charlson')?.codings?.forms['folded']?.items ?? []
    const record = { idx: 1, age: 60, ...Object.fromEntries(items.map((item) => [`charlson_${item}`, 0])) }
    const answer = await lace.post([record], { path: `${SCORE}/explain` })
    assert.match(answer.text, /\{"field":"charlson_total","value":0,"origin":"computed"\}/)
  } finally {
    await lace.close()
  }
})

contract('9.model', 'the card, the inputs, and what the deployment does with them', async () => {
  const model = (await served.get(`/flag${SCORE}/model`)).json() as Record<string, unknown>
  assert.partialDeepStrictEqual(model, {
    id: 'readmission30',
    version: '1.0.4',
    ready: true,
    deployment: { name: 'readmission-flag', output: 'yes-no', threshold: 0.15, unknownFields: 'ignore' },
  })
  const { card, inputs } = model as { card: Record<string, unknown>; inputs: { name: string }[] }
  for (const part of ['summary', 'population', 'outcome', 'limits', 'calibration'])
    assert.ok(part in card, part)
  assert.deepEqual(
    inputs.map(({ name }) => name),
    Object.keys(PATIENT),
  )
})

contract('9.fields', 'each with type, values or bounds, meaning and use', async () => {
  const { fields } = (await served.get(`${SCORE}/fields`)).json() as { fields: Record<string, unknown>[] }
  const byName = new Map(fields.map((field) => [field['name'], field]))
  assert.partialDeepStrictEqual(byName.get('age'), {
    type: 'integer',
    minimum: 18,
    maximum: 110,
    use: 'required',
    role: 'base',
  })
  assert.partialDeepStrictEqual(byName.get('sex'), {
    type: 'string',
    values: ['F', 'M', 'X'],
    use: 'required',
  })
  assert.partialDeepStrictEqual(byName.get('barthel_chairTransfers'), {
    type: 'integer',
    values: [0, 5, 10, 15],
    use: 'unused',
    scale: 'barthel',
    role: 'item',
  })
  for (const field of fields) assert.equal(typeof field['meaning'], 'string')
})

contract('9.health', 'live and ready', async () => {
  assert.equal((await served.call({ path: '/health/live' })).text, '{"status":"live"}')
  const ready = await served.call({ path: '/health/ready' })
  assert.equal(ready.status, 200)
  assert.partialDeepStrictEqual(ready.json(), { status: 'ready', store: true })
})

/** A copy of the clinical folder in which a file was changed. */
function changedFolder(path: string, change: (text: string) => string): string {
  const root = mkdtempSync(join(tmpdir(), 'patient-risk-clinical-'))
  cpSync(CLINICAL_ROOT, root, { recursive: true })
  writeFileSync(join(root, path), change(readFileSync(join(root, path), 'utf8')))
  return root
}

const TWO_MODELS = [
  { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
  { name: 'charlson', basePath: '/charlson', model: 'charlson10y', output: 'number' },
] as const

async function assertNotReady(root: string, failure: RegExp): Promise<void> {
  const sick = await serve({ clinical: [root], deployments: TWO_MODELS })
  try {
    const model = sick.catalog.models.get('readmission30@1.0.4')
    assert.match(model?.selfCheckFailures.join('\n') ?? '', failure)
    for (const call of ['', '/validate', '/explain']) {
      const answer = await sick.post([patient(1)], { path: SCORE + call })
      assert.equal(answer.status, 503)
      assert.equal((answer.json() as { code: string }).code, 'MODEL_NOT_READY')
      assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/)
    }
    const other = await sick.post([{ idx: 1, age: 60, charlson_total: 2 }], { path: `/charlson${SCORE}` })
    assert.equal(other.status, 200)
    const ready = await sick.call({ path: '/health/ready' })
    assert.equal(ready.status, 503)
    assert.partialDeepStrictEqual(ready.json(), {
      status: 'not ready',
      deployments: [
        { name: 'readmission', ready: false },
        { name: 'charlson', ready: true },
      ],
    })
  } finally {
    await sick.close()
    rmSync(root, { recursive: true, force: true })
  }
}

const CASES = 'models/readmission30/cases.json'
contract('9.health', 'a model that fails one of its cases answers 503, alone', async () => {
  const root = changedFolder(CASES, (text) => text.replace('0.2294,', '0.2295,'))
  await assertNotReady(
    root,
    /readmission30@1\.0\.4 fails its case 1 “worked value: 84 F.*expected the risk 0\.2295, got 0\.2294/,
  )
})
contract('7.503', 'a model whose coefficient was changed', async () => {
  const root = changedFolder('models/readmission30/readmission30.json', (text) =>
    text.replace('0.741003', '0.741013'),
  )
  await assertNotReady(root, /fails its case|was released as/)
})
/** A store that answers every question by failing. */
function unreachable(): Store {
  const fail = (): Promise<never> => Promise.reject(new Error('unreachable'))
  return new Proxy({} as Store, { get: (_, name) => (name === 'then' ? undefined : fail) })
}

contract('7.503', 'the store cannot be reached: 503, and not 401', async () => {
  const dying = await serve({ service: { store: unreachable() } })
  try {
    // A key that was never seen cannot be verified now, and it may be a good one.
    const answer = await dying.post([patient(1)])
    assert.equal(answer.status, 503)
    assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/)
    assert.equal((await dying.call({ path: '/health/ready' })).status, 503)
    assert.equal((await dying.call({ path: '/health/live' })).status, 200)
  } finally {
    await dying.close().catch(() => undefined)
  }
})
