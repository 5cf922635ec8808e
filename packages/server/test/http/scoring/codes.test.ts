/** Codes of a deployment and of a key over HTTP: every call and stream, header, audit row, replay, fields and documents. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { codesDigest } from '@patient-risk/catalog'
import type { Codes } from 'patient-risk-engine'
import type { Answer } from '../../../../../test/support/exchange.ts'
import { runHere } from '../../../../../test/support/run-command.ts'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'

const PLAIN = { model: 'readmission30', output: 'number' } as const
const OF_DEPLOYMENT: Codes = { sex: { H: 'M', M: 'F' } }
const OF_KEY: Codes = { sex: { V: 'F', M: 'M' } }
const DEPLOYMENTS: readonly DeploymentSettings[] = [
  { name: 'plain', basePath: '/', ...PLAIN },
  { name: 'coded', basePath: '/coded', ...PLAIN, codes: { sex: { H: 'M', M: 'F' } } },
]
const record = (sex: unknown, idx = 1): object => ({
  ...{ idx, age: 84, sex, inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 },
})

let served: Served
let keyOfSender: string
before(async () => {
  served = await serve({ deployments: DEPLOYMENTS })
  keyOfSender = await served.makeKey({ codes: OF_KEY })
})
after(() => served.close())

const post = (base: string, sex: unknown, key = served.key, call = ''): Promise<Answer> =>
  served.post([record(sex)], { path: base + SCORE + call, headers: { authorization: `Bearer ${key}` } })
const riskOf = async (answer: Promise<Answer>): Promise<unknown> =>
  ((await answer).json() as { risk: unknown; error_message: unknown }[])[0]?.risk

test('what a value means: without codes, with those of the deployment, and with those of the key', async () => {
  const female = await riskOf(post('', 'F'))
  const male = await riskOf(post('', 'M'))
  assert.notEqual(female, male)
  assert.equal(await riskOf(post('/coded', 'H')), male)
  assert.equal(await riskOf(post('/coded', 'M')), female)
  assert.equal(await riskOf(post('/coded', 'F')), null)
  for (const base of ['', '/coded']) {
    assert.equal(await riskOf(post(base, 'V', keyOfSender)), female)
    assert.equal(await riskOf(post(base, 'M', keyOfSender)), male)
    // The mapping of the key takes the place of the deployment's, as a whole.
    assert.equal(await riskOf(post(base, 'H', keyOfSender)), null)
    assert.equal(await riskOf(post(base, 'F', keyOfSender)), null)
  }
})

for (const call of ['', '/validate', '/explain']) {
  test(`${call || '/score'} names the codes of the key, and of no other`, async () => {
    const digest = `sha-256=:${codesDigest(OF_KEY)}:`
    assert.equal((await post('/coded', 'V', keyOfSender, call)).headers['risk-codes-digest'], digest)
    assert.equal((await post('/coded', 'M', served.key, call)).headers['risk-codes-digest'], undefined)
  })
}

test('a stream reads the same codes', async () => {
  const lines = ['V', 'M', 'F'].map((sex, at) => JSON.stringify(record(sex, at))).join('\n')
  const answer = await served.post(lines, {
    path: SCORE,
    headers: { authorization: `Bearer ${keyOfSender}`, 'content-type': 'application/x-ndjson' },
  })
  const risks = answer.text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { risk: unknown }).risk)
  assert.deepEqual(risks, [await riskOf(post('', 'F')), await riskOf(post('', 'M')), null])
  assert.equal(answer.headers['risk-codes-digest'], `sha-256=:${codesDigest(OF_KEY)}:`)
})

interface Row {
  readonly requestId: string
  readonly codes?: Codes
  readonly codesDigest?: string
  readonly settings: { readonly codes?: Codes }
}

async function lastRow(): Promise<Row> {
  const [found] = await served.store.readAudit({ newestFirst: true, most: 1 })
  return JSON.parse(found?.content ?? '{}') as Row
}

async function replay(body: string, { requestId }: Row): Promise<void> {
  const file = join(served.dataDir, 'body.json')
  writeFileSync(file, body)
  const ran = await runHere(['audit', 'replay', '--body', file, '--request', requestId], {
    DATA_DIR: served.dataDir,
  })
  assert.equal(ran.code, 0, ran.err)
}

test('the audit row holds the codes, and a replay uses them, also after the key is gone', async () => {
  const body = JSON.stringify([record('V'), record('M', 2)])
  const key = await served.makeKey({ codes: { sex: { V: 'M', M: 'F' } } })
  await served.post(body, { path: `/coded${SCORE}`, headers: { authorization: `Bearer ${key}` } })
  const row = await lastRow()
  assert.deepEqual(row.codes, { sex: { V: 'M', M: 'F' } })
  assert.equal(row.codesDigest, codesDigest({ sex: { V: 'M', M: 'F' } }))
  assert.deepEqual(row.settings.codes, OF_DEPLOYMENT)
  await served.store.revokeKey(key.slice(4, 16), served.clock.now())
  await replay(body, row)
  await served.post(body, { path: `/coded${SCORE}` })
  const plain = await lastRow()
  assert.equal(plain.codes, undefined)
  await replay(body, plain)
})

test('a stream that begins with a byte order mark is replayed', async () => {
  const body = `\ufeff${JSON.stringify(record('M'))}\n`
  await served.post(body, { path: SCORE, headers: { 'content-type': 'application/x-ndjson' } })
  await replay(body, await lastRow())
})

test('/fields lists the codes for the key that asks', async () => {
  const fieldsFor = async (base: string, key: string): Promise<{ answer: Answer; codes: unknown }> => {
    const answer = await served.get(`${base}${SCORE}/fields`, { authorization: `Bearer ${key}` })
    const { fields } = answer.json() as { fields: { name: string; codes?: Codes }[] }
    return { answer, codes: fields.find(({ name }) => name === 'sex')?.codes }
  }
  assert.equal((await fieldsFor('', served.key)).codes, undefined)
  assert.deepEqual((await fieldsFor('/coded', served.key)).codes, OF_DEPLOYMENT['sex'])
  const own = await fieldsFor('/coded', keyOfSender)
  assert.deepEqual(own.codes, OF_KEY['sex'])
  assert.equal(own.answer.headers['risk-codes-digest'], `sha-256=:${codesDigest(OF_KEY)}:`)
  // The tag is that of the deployment, so it cannot say that the codes of the key are the same.
  const again = await served.get(`/coded${SCORE}/fields`, {
    authorization: `Bearer ${keyOfSender}`,
    'if-none-match': String(own.answer.headers.etag),
  })
  assert.equal(again.status, 200)
})

test('If-Match does not cover the codes of a key', async () => {
  const { headers } = await served.get(`/coded${SCORE}/fields`)
  const answer = await served.post([record('V')], {
    path: `/coded${SCORE}`,
    headers: { authorization: `Bearer ${keyOfSender}`, 'if-match': String(headers.etag) },
  })
  assert.equal(answer.status, 200)
})

test('the documents describe the codes that a deployment takes, with an example that is scored', async () => {
  const document = (await served.get('/openapi.json')).json() as {
    components: { schemas: Record<string, { allOf: { properties: Record<string, { enum?: unknown[] }> }[] }> }
    paths: Record<string, { post: { requestBody: { content: Record<string, { example: unknown[] }> } } }>
  }
  const sexOf = (name: string): unknown[] | undefined =>
    document.components.schemas[`PatientRecord.${name}`]?.allOf[0]?.properties['sex']?.enum
  assert.deepEqual(sexOf('plain'), ['F', 'M', 'X', null])
  assert.deepEqual(sexOf('coded'), ['H', 'M', 'X', null])
  const example = document.paths[`/coded${SCORE}`]?.post.requestBody.content['application/json']?.example
  assert.match(JSON.stringify(example), /"sex":"M"/)
  assert.notEqual(await riskOf(served.post(example, { path: `/coded${SCORE}` })), null)
})

test('an administrator makes a key with codes, gets what is doubtful, and sees them in the list; a rotation keeps them', async () => {
  const admin = { authorization: `Bearer ${await served.makeKey({ scopes: ['*', 'admin'] })}` }
  const make = (codes: unknown): Promise<Answer> =>
    served.post({ name: 'ward', codes }, { path: '/admin/keys', headers: admin })
  const made = await make({ sex: { H: 'M', V: 'M' } })
  assert.equal(made.status, 201)
  const { id, warnings } = made.json() as { id: string; warnings: string[] }
  assert.equal(warnings.length, 3)
  assert.match(warnings.join('\n'), /the codes "H" and "V" both stand for "M"/)
  const rotated = await served.post('', { path: `/admin/keys/${id}/rotate`, headers: admin })
  const { id: next, key } = rotated.json() as { id: string; key: string }
  const keys = (await served.get('/admin/keys', admin)).json() as { id: string; codes: Codes }[]
  for (const each of [id, next])
    assert.deepEqual(keys.find((known) => known.id === each)?.codes, { sex: { H: 'M', V: 'M' } })
  assert.equal(await riskOf(post('', 'V', key)), await riskOf(post('', 'M')))
  assert.equal('warnings' in ((await make({ sex: { H: 'M', M: 'F', X: 'X' } })).json() as object), false)
})

/** Codes that no key may have, and what is said. */
const REFUSED: readonly (readonly [unknown, RegExp])[] = [
  [{ sexo: { H: 'M' } }, /refused at "\/sexo": it is not a field; did you mean "sex"\?/],
  [{ age: { old: '99' } }, /takes no codes/],
  [{ sex: { H: 'male' } }, /does not have; it has "F", "M", "X", or null/],
  [{ sex: { H: 1 } }, /does not have/],
  [{ sex: 'H' }, /must be object/],
  [
    {
      sex: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${at}`.padStart(64, 'c'), null])),
      cancer: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${at}`.padStart(64, 'c'), null])),
    },
    /at most 8192 characters/,
  ],
]
for (const [codes, message] of REFUSED) {
  test(`a key with ${JSON.stringify(codes).slice(0, 50)} is refused`, async () => {
    const admin = { authorization: `Bearer ${await served.makeKey({ scopes: ['*', 'admin'] })}` }
    const answer = await served.post({ name: 'ward', codes }, { path: '/admin/keys', headers: admin })
    assert.equal(answer.status, 400)
    assert.match((answer.json() as { detail: string }).detail, message)
  })
}

test('records of a key with its own codes go neither to the drift figures nor to a shadow', async () => {
  const shadowed = await serve({
    deployments: [{ name: 'plain', basePath: '/', ...PLAIN, shadow: { model: 'readmission30' } }],
  })
  const own = await shadowed.makeKey({ codes: OF_KEY })
  const reported = async (): Promise<unknown> => {
    const admin = await shadowed.makeKey({ scopes: ['*', 'admin'] })
    const answer = await shadowed.get(`${SCORE}/shadow`, { authorization: `Bearer ${admin}` })
    return (answer.json() as { records: number }).records
  }
  await shadowed.post([record('V')], { path: SCORE, headers: { authorization: `Bearer ${own}` } })
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.equal(await reported(), 0)
  await shadowed.close()
})
