/** Large bodies are answered by threads: the same bytes, the same audit, and a clean refusal when there is no room. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { AppError, digestOf, makeSeal } from '@patient-risk/runtime'
import { LARGE_BYTES, ScoringDispatcher } from '../../../src/http/scoring/scoring-dispatcher.ts'
import type { BodyAnswer } from '../../../src/http/scoring/scoring-jobs.ts'
import { cleanRecord, cleanRecords } from '../../../../../test/support/records.ts'
import { SCORE, type Served, serve, testDispatcher } from '../../../../../test/support/serve.ts'
import { until } from '../../../../../test/support/until.ts'

const dispatcher = testDispatcher(1)
let plain: Served
let served: Served
before(async () => {
  plain = await serve()
  served = await serve({ service: { dispatcher } })
})
after(async () => {
  await Promise.all([plain.close(), served.close()])
  await dispatcher.close()
})

// The test itself holds up both services while it compares an answer of megabytes with its schema.
beforeEach(async () => {
  for (const each of [plain, served])
    await until(async () => (await each.post([cleanRecord(1)])).status === 200)
})

const large = [
  ...cleanRecords(4_500),
  { idx: 5, age: 'x' },
  { idx: -1, age: 200, barthel_total: 300 },
  'no record',
]
assert.ok(JSON.stringify(large).length > LARGE_BYTES)

for (const path of [SCORE, `${SCORE}/validate`, `${SCORE}/explain`, `/flag${SCORE}`]) {
  test(`a large body at ${path} gets the same bytes and the same audit from a thread`, async () => {
    const [here, there] = await Promise.all([plain.post(large, { path }), served.post(large, { path })])
    assert.equal(there.status, 200)
    assert.ok(there.body.equals(here.body))
    const rows = await Promise.all([plain, served].map(lastRow))
    assert.deepEqual(rows[1], rows[0])
    const [row] = await served.store.readAudit({ most: 1, newestFirst: true })
    const secret = Buffer.from(readFileSync(join(served.dataDir, 'key-secret'), 'utf8'), 'hex')
    const { bodyDigest, answerDigest } = JSON.parse(row?.content ?? '') as Readonly<Record<string, string>>
    assert.equal(bodyDigest, makeSeal(secret)(digestOf(JSON.stringify(large))))
    assert.equal(answerDigest, makeSeal(secret)(digestOf(there.body)))
  })
}

const REFUSED = [
  ['is no array', JSON.stringify({ a: large }), 'BODY_NOT_ARRAY', 400],
  ['is no JSON', JSON.stringify(large).slice(0, -1), 'BODY_MALFORMED', 400],
  ['has too many records', `[${'1,'.repeat(20_000)}1]`, 'TOO_MANY_RECORDS', 413],
] as const
for (const [what, body, code, status] of REFUSED) {
  test(`a large body that ${what} is refused as a small one is`, async () => {
    const answer = await served.post(body)
    assert.equal(answer.status, status)
    assert.equal((answer.json() as { code: string }).code, code)
  })
}

test('when thread and queue are taken a large body gets 503 and Retry-After, and a small one its answer', async () => {
  const huge = cleanRecords(10_000)
  const answers = await Promise.all([
    ...Array.from({ length: 8 }, () => served.post(huge)),
    served.post([cleanRecord(1)]),
  ])
  const statuses = answers.slice(0, 8).map(({ status }) => status)
  assert.ok(statuses.includes(200) && statuses.includes(503), String(statuses))
  for (const answer of answers.filter(({ status }) => status === 503)) {
    assert.equal((answer.json() as { code: string }).code, 'OVERLOADED')
    assert.ok(Number(answer.headers['retry-after']) > 0)
  }
  assert.equal(answers[8]?.status, 200)
})

test('a request whose thread is lost gets 503 with a Retry-After header', async () => {
  class Lost extends ScoringDispatcher {
    override answer(): Promise<BodyAnswer> {
      return Promise.reject(new AppError('WORKER_LOST'))
    }
  }
  const other = await serve({ service: { dispatcher: new Lost() } })
  const answer = await other.post(large)
  await other.close()
  assert.equal(answer.status, 503)
  assert.ok(Number(answer.headers['retry-after']) > 0)
})

async function lastRow(from: Served): Promise<Readonly<Record<string, unknown>>> {
  const [row] = await from.store.readAudit({ most: 1, newestFirst: true })
  const content = JSON.parse(row?.content ?? '{}') as Readonly<Record<string, unknown>>
  // What differs between any two requests.
  const own = ['seq', 'prev', 'requestId', 'keyId', 'durationMs', 'at', 'bodyDigest', 'answerDigest']
  return Object.fromEntries(Object.entries(content).filter(([name]) => !own.includes(name)))
}

test('a caller that hangs up, at whatever moment, leaves nothing counted', async () => {
  const body = JSON.stringify(cleanRecords(6_000))
  const head =
    `POST ${SCORE} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${served.key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  for (let round = 0; round < 24; round++) {
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(served.origin).port), '127.0.0.1', () => {
        // Some before the whole body is sent, some while it is answered, some while the answer is on its way.
        socket.write(head + (round % 3 === 0 ? body.slice(0, 100_000) : body))
        setTimeout(() => socket.destroy(), round)
      })
      socket.on('error', () => undefined).on('close', () => resolve())
    })
  }
  const counted = async (): Promise<readonly string[]> => {
    const { text } = await served.get('/metrics')
    return text.match(/^patient_risk_(requests|body_bytes)_in_flight .*$/gm) ?? []
  }
  const nothing = ['patient_risk_requests_in_flight 0', 'patient_risk_body_bytes_in_flight 0']
  await until(async () => isDeepStrictEqual(await counted(), nothing), { what: 'nothing in flight' })
})
