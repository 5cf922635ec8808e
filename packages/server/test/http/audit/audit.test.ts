/** One row for each answer, refusals too, before the bytes leave; and no answer without a row. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { after, before, mock, test } from 'node:test'
import { makeSeal, sealRequestId, StoreError } from '@patient-risk/runtime'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import { exchange } from '../../../../../test/support/exchange.ts'
import { type Ran, runHere } from '../../../../../test/support/run-command.ts'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'
import { until } from '../../../../../test/support/until.ts'
import { codesIn, rowsOf } from '../../../../../test/support/document-pages.ts'

const RECORD = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
/** At scoring, risks are counted where outcomes are configured. */
const WITH_OUTCOMES = {
  name: 'readmission',
  basePath: '/',
  model: 'readmission30',
  output: 'number',
  outcomes: { horizonDays: 30, eta: 1 },
} as const
let served: Served
before(async () => {
  served = await serve()
})
after(() => served.close())

type Row = Readonly<Record<string, unknown>>

async function lastRow(): Promise<Row> {
  const [row] = await served.store.readAudit({ newestFirst: true, most: 1 })
  return JSON.parse(row?.content ?? '{}') as Row
}

async function rowCount({ store } = served): Promise<number> {
  return (await store.chainEnds()).head.seq
}

test('an answer leaves a row with counts, digests and what produced it, and nothing of the patient', async () => {
  const answer = await served.post([RECORD, { idx: 2, age: 'MÜLLER', barthel_MUELLER: 1 }])
  assert.equal(answer.status, 200)
  const row = await lastRow()
  assert.equal(row['requestId'], answer.headers['x-request-id'])
  assert.deepEqual(
    [row['call'], row['deployment'], row['status'], row['records'], row['scored']],
    ['score', 'readmission', 200, 2, 1],
  )
  assert.deepEqual(row['problems'], { ValueError: 2, ValueMissing: 4 })
  assert.equal(row['model'], answer.headers['risk-model'])
  assert.equal(`sha-256=:${String(row['modelDigest'])}:`, answer.headers['risk-model-digest'])
  assert.match(served.key, new RegExp(`_${String(row['keyId'])}_`))
  assert.match(String(row['bodyDigest']), /^.{43}=$/)
  assert.match(String(row['answerDigest']), /^.{43}=$/)
  assert.doesNotMatch(JSON.stringify(row), /M.?.?LLER/)
})

test("a caller's own request id stands in the audit sealed with the server's secret", async () => {
  await served.post([RECORD], { headers: { 'x-request-id': 'MRN-621287' } })
  const logged = String((await lastRow())['requestId'])
  const secret = Buffer.from(readFileSync(join(served.dataDir, 'key-secret'), 'utf8'), 'hex')
  assert.equal(logged, sealRequestId(makeSeal(secret), 'MRN-621287'))
  // Without the secret, trying every record number finds nothing.
  for (const algorithm of ['sha256', 'sha512', 'sha1', 'md5']) {
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      const plain = hash(algorithm, 'MRN-621287', encoding)
      assert.ok(!logged.includes(plain.slice(0, 16)), `${algorithm} ${encoding}`)
    }
  }
  assert.notEqual(logged, sealRequestId(makeSeal(Buffer.alloc(32)), 'MRN-621287'))
})

const REFUSALS = [
  ['no key', { headers: { authorization: [] } }, 401, 'KEY_MISSING'],
  ['a bad key', { headers: { authorization: 'Bearer prk_x' } }, 401, 'KEY_INVALID'],
  ['two keys', { headers: { authorization: ['Bearer a', 'Bearer b'] } }, 400, 'REQUEST_INVALID'],
  ['a body that is no array', { body: '{}' }, 400, 'BODY_NOT_ARRAY'],
  ['another type', { headers: { 'content-type': 'text/plain' } }, 415, 'MEDIA_TYPE'],
  ['another method', { method: 'PUT' }, 405, 'METHOD_NOT_ALLOWED'],
  ['an address below a deployment', { path: `${SCORE}/nothing` }, 404, 'NOT_FOUND'],
] as const
for (const [what, call, status, code] of REFUSALS) {
  test(`the refusal of ${what} leaves a row`, async () => {
    const count = await rowCount()
    const answer = await exchange(served.origin, {
      method: 'POST',
      path: SCORE,
      body: '[]',
      ...call,
      headers: {
        authorization: `Bearer ${served.key}`,
        'content-type': 'application/json',
        ...('headers' in call ? call.headers : {}),
      },
    })
    assert.equal(answer.status, status)
    assert.equal(await rowCount(), count + 1)
    const row = await lastRow()
    assert.deepEqual(
      [row['status'], row['code'], row['requestId']],
      [status, code, answer.headers['x-request-id']],
    )
  })
}

test('health checks, metrics, documents and unknown paths leave no audit row', async () => {
  const count = await rowCount()
  for (const path of ['/health/live', '/health/ready', '/metrics', '/openapi.json', '/nowhere']) {
    await exchange(served.origin, { path })
  }
  assert.equal(await rowCount(), count)
})

test('many answers at once are all in the chain, in groups', async () => {
  const count = await rowCount()
  const answers = await Promise.all(Array.from({ length: 100 }, () => served.post([RECORD])))
  assert.ok(answers.every(({ status }) => status === 200))
  assert.equal(await rowCount(), count + 100)
  assert.deepEqual((await verifyStore(served.store)).faults, [])
})

test('while the audit cannot be written nothing is scored, and it goes on by itself', async () => {
  const broken = mock.method(served.store, 'appendAudit', () => Promise.reject(new StoreError('no room')))
  const refused = await served.post([RECORD])
  broken.mock.restore()
  assert.equal(refused.status, 503)
  assert.equal((refused.json() as Row)['code'], 'AUDIT_UNAVAILABLE')
  assert.doesNotMatch(refused.text, /risk":0/)
  assert.equal(refused.headers['risk-model'], undefined)
  assert.ok(Number(refused.headers['retry-after']) > 0)
  assert.equal((await served.post([RECORD])).status, 200)
  assert.deepEqual((await verifyStore(served.store)).faults, [])
})

test('a writer beside the service delays an answer, and one that holds the lock too long gets it refused', async (context) => {
  const own = await serve({ hasTimeLimits: true })
  context.after(() => own.close())
  const other = new DatabaseSync(join(own.dataDir, 'patient-risk.sqlite'), { timeout: 5_000 })
  const rowsBefore = await rowCount(own)
  // On a busy machine the lock may be held for too long; a refused answer leaves no row, so it can be tried again.
  await until(async () => {
    other.exec('BEGIN IMMEDIATE')
    const delayed = own.post([RECORD])
    await until(async () => /requests_in_flight 1$/m.test((await own.get('/metrics')).text), {
      what: 'the request to be under way',
    })
    other.exec('ROLLBACK')
    return (await delayed).status === 200
  })
  other.exec('BEGIN IMMEDIATE')
  const refused = await own.post([RECORD])
  other.exec('ROLLBACK')
  other.close()
  assert.deepEqual([refused.status, (refused.json() as { code: string }).code], [503, 'AUDIT_UNAVAILABLE'])
  assert.equal((await own.post([RECORD])).status, 200)
  assert.equal(await rowCount(own), rowsBefore + 2)
  assert.deepEqual((await verifyStore(own.store)).faults, [])
})

function replay(text: string, request: string): Promise<Ran> {
  const file = join(served.dataDir, 'body.json')
  writeFileSync(file, text)
  return runHere(['audit', 'replay', '--body', file, '--request', request], { DATA_DIR: served.dataDir })
}

test('a stream gives the same bytes again, also where an idx came twice', async () => {
  const lines = `${[RECORD, { ...RECORD, age: 70 }, { ...RECORD, idx: 2 }].map((each) => JSON.stringify(each)).join('\n')}\nno record\n`
  const headers = { 'x-request-id': 'a stream', 'content-type': 'application/x-ndjson' }
  assert.equal((await served.post(lines, { headers })).status, 200)
  const same = await replay(lines, 'a stream')
  assert.equal(same.code, 0, same.err)
})

test('a recorded request gives the same bytes again, and another body does not', async () => {
  const body = JSON.stringify([RECORD, { ...RECORD, idx: 2, age: 300 }])
  await served.post(body, { path: `/flag${SCORE}`, headers: { 'x-request-id': 'to be replayed' } })
  const same = await replay(body, 'to be replayed')
  assert.equal(same.code, 0, same.err)
  assert.match((await replay(`${body} `, 'to be replayed')).err, /not the body/)
  assert.match((await replay(body, 'another request')).err, /no request/)
})

test('docs/audit.md lists the members of a row, and no others', async () => {
  const own = await serve({ deployments: [WITH_OUTCOMES] })
  const key = await own.makeKey({ scopes: ['*', 'admin'] })
  const headers = { authorization: `Bearer ${key}`, 'sec-fetch-site': 'same-origin' }
  const calls = [
    own.post([RECORD], { headers }),
    own.post('{', { headers }),
    own.post(JSON.stringify(RECORD), { headers: { ...headers, 'content-type': 'application/x-ndjson' } }),
    own.post({ name: 'ward 4' }, { path: '/admin/keys', headers }),
    own.post([], { path: '/risk/api/do/v0/outcomes', headers }),
  ]
  for (const call of calls) await call
  const coded = await own.makeKey({ codes: { sex: { H: 'M' } } })
  await own.post([RECORD], { headers: { authorization: `Bearer ${coded}` } })
  const rows = await own.store.readAudit({ newestFirst: true, most: 9 })
  const members = new Set(rows.flatMap(({ content }) => Object.keys(JSON.parse(content) as Row)))
  const listed = rowsOf('docs/audit.md').flatMap(([member]) => codesIn(member))
  // Jobs have a folder of their own, and their tests.
  assert.deepEqual([...listed].sort(), [...members, 'hash', 'submitted'].sort())
  await own.close()
})
