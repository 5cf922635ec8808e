/** A long call lasts no longer than the right of its caller: streams, slow bodies and slow answers end with their key. */
import assert from 'node:assert/strict'
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { adapterRoutes } from '../../../src/adapters/adapters.ts'
import { serverSettings } from '@patient-risk/catalog/config'
import { ScoringDispatcher } from '../../../src/http/scoring/scoring-dispatcher.ts'
import type { BodyAnswer } from '../../../src/http/scoring/scoring-jobs.ts'
import { mapping } from '../../../../../test/support/mapping.ts'
import { STAY, bundle, patient } from '../../adapters/fhir/source.ts'
import { cleanRecord } from '../../../../../test/support/records.ts'
import { SCORE, type Served, serve } from '../../../../../test/support/serve.ts'
import { until } from '../../../../../test/support/until.ts'

const NDJSON = 'application/x-ndjson'
const FHIR = '/fhir/$score'
const BUNDLE = JSON.stringify(bundle(patient(), STAY))
/** The contract gives a revocation one second. The rest is for a busy machine. */
const END_MS = 1_000
const BUSY_MS = 2_000
let served: Served
/** Set by a test that wants a body to take long. */
let gate: Promise<unknown> = Promise.resolve()

class GatedDispatcher extends ScoringDispatcher {
  override async answer(...args: Parameters<ScoringDispatcher['answer']>): Promise<BodyAnswer> {
    await gate
    return super.answer(...args)
  }

  override async run<Answer>(_job: unknown, here: () => Answer): Promise<Answer> {
    await gate
    return here()
  }
}

before(async () => {
  served = await serve({
    isOverSocket: true,
    service: {
      adapters: adapterRoutes(mapping, true, {}),
      dispatcher: new GatedDispatcher(),
      settings: serverSettings({ pace: { windowMs: 600_000 } }),
    },
  })
})
after(() => served.close())

const idOf = (key: string): string => key.split('_')[1] ?? ''

interface Opened {
  readonly key: string
  readonly request: ClientRequest
  /** What has arrived so far. */
  readonly text: () => string
  /** The answer to its end: its status, the last line, and whether it ended as a complete answer does. */
  readonly ended: Promise<{ readonly status: number | undefined; readonly isComplete: boolean }>
}

async function open(path: string, type: string, wanted: object = {}): Promise<Opened> {
  const key = await served.makeKey(wanted)
  const headers = { authorization: `Bearer ${key}`, 'content-type': type }
  const request = httpRequest(served.origin + path, { method: 'POST', headers, agent: false })
  let text = ''
  const ended = new Promise<{ status: number | undefined; isComplete: boolean }>((resolve) => {
    request.on('error', () => resolve({ status: undefined, isComplete: false }))
    request.on('response', (response: IncomingMessage) => {
      const done = (): void => resolve({ status: response.statusCode, isComplete: response.complete })
      response
        .on('data', (chunk) => (text += String(chunk)))
        .on('close', done)
        .on('error', done)
    })
  })
  request.flushHeaders()
  return { key, request, text: () => text, ended }
}

/** Changes the store as another process would. */
function change(sql: string): void {
  const database = new DatabaseSync(join(served.dataDir, 'patient-risk.sqlite'), { timeout: 5_000 })
  database.exec(sql)
  database.close()
}

const BODIES = [
  [FHIR, 'application/fhir+json', BUNDLE, {}],
  [SCORE, 'application/json', JSON.stringify([cleanRecord(1)]), {}],
  [`${SCORE}/outcomes`, 'application/json', '[]', { scopes: ['*', 'outcomes'] }],
] as const

type End = readonly [name: string, end: (key: string) => unknown, code: string, wanted?: object]
const ENDS: readonly End[] = [
  ['is revoked', (key) => served.store.revokeKey(idOf(key), served.clock.now()), 'KEY_INVALID'],
  [
    'is replaced without an overlap',
    (key) => change(`UPDATE keys SET expires_at = ${served.clock.now()} WHERE id = '${idOf(key)}'`),
    'KEY_INVALID',
  ],
  [
    'loses the deployment',
    (key) => change(`UPDATE keys SET scopes = '["mortality"]' WHERE id = '${idOf(key)}'`),
    'KEY_SCOPE',
  ],
  ['is removed', (key) => change(`DELETE FROM keys WHERE id = '${idOf(key)}'`), 'KEY_INVALID'],
  ['expires', () => served.clock.advance(60_000), 'KEY_INVALID', { expiresIn: 30_000 }],
]
const wantedOf = (wanted: { expiresIn?: number } = {}): object =>
  wanted.expiresIn === undefined ? {} : { expiresAt: served.clock.now() + wanted.expiresIn }

type Row = Readonly<Record<string, unknown>>

async function lastRow(key: string): Promise<Row> {
  const rows = (await served.store.readAudit({ most: 1_000 })).map(
    ({ content }) => JSON.parse(content) as Row,
  )
  return rows.findLast(({ keyId }) => keyId === idOf(key)) ?? {}
}

for (const [name, end, code, wanted] of ENDS) {
  test(`an idle stream ends when its key ${name}, and says why`, async () => {
    const stream = await open(SCORE, NDJSON, wantedOf(wanted))
    stream.request.write(`${JSON.stringify(cleanRecord(1))}\n`)
    await until(() => stream.text().includes('\n'), { what: 'the first result' })
    const from = performance.now()
    await end(stream.key)
    assert.deepEqual(await stream.ended, { status: 200, isComplete: false })
    assert.ok(performance.now() - from < END_MS + BUSY_MS)
    const lines = stream.text().trim().split('\n')
    assert.equal(lines.length, 2)
    assert.equal((JSON.parse(lines[1] ?? '') as { code: string }).code, code)
    const row = await until(async () => {
      const last = await lastRow(stream.key)
      return last['ended'] === 'cut off' ? last : undefined
    })
    assert.partialDeepStrictEqual(row, { status: 200, code, records: 1, scored: 1 })
  })

  if (name !== 'is revoked' && code !== 'KEY_SCOPE') continue
  for (const [path, type, body, scopes] of BODIES) {
    test(`a call of ${path} in progress gets no answer when its key ${name}`, async () => {
      let openGate: (value: unknown) => void = () => undefined
      gate = new Promise((resolve) => (openGate = resolve))
      const call = await open(path, type, { ...wantedOf(wanted), ...scopes })
      call.request.end(body)
      await sleep(100)
      await end(call.key)
      await sleep(served.store.keyFreshMs)
      openGate(undefined)
      const { status } = await call.ended
      assert.equal(status, code === 'KEY_SCOPE' ? 403 : 401)
      assert.ok(call.text().includes(code))
      assert.partialDeepStrictEqual(await lastRow(call.key), { status, code })
    })
  }
}

test('a busy stream gives no result after its key is refused elsewhere, and audits those that it gave', async () => {
  const stream = await open(SCORE, NDJSON)
  let sent = 0
  const timer = setInterval(() => stream.request.write(`${JSON.stringify(cleanRecord(++sent))}\n`), 10)
  await until(() => stream.text().split('\n').length > 5, { what: 'some results' })
  await served.store.revokeKey(idOf(stream.key), served.clock.now())
  const headers = { authorization: `Bearer ${stream.key}` }
  await until(async () => (await served.call({ path: '/deployments', headers })).status === 401, {
    what: 'a 401',
  })
  const given = stream.text().trim().split('\n').length
  await stream.ended
  clearInterval(timer)
  const lines = stream.text().trim().split('\n')
  assert.equal((JSON.parse(lines.at(-1) ?? '') as { code: string }).code, 'KEY_INVALID')
  // One chunk may be on its way to this side when the refusal arrives.
  assert.ok(lines.length - given <= 3, `${lines.length - given} lines after the refusal`)
  const row = await until(async () => {
    const last = await lastRow(stream.key)
    return last['ended'] === 'cut off' ? last : undefined
  })
  assert.equal(row['records'], lines.length - 1)
})

test('a FHIR stream ends with an OperationOutcome', async () => {
  const stream = await open(FHIR, 'application/fhir+ndjson')
  stream.request.write(`${BUNDLE}\n`)
  await until(() => stream.text().includes('\n'), { what: 'the first answer' })
  await served.store.revokeKey(idOf(stream.key), served.clock.now())
  assert.equal((await stream.ended).isComplete, false)
  const [, last = ''] = stream.text().trim().split('\n')
  assert.partialDeepStrictEqual(JSON.parse(last), {
    resourceType: 'OperationOutcome',
    issue: [{ diagnostics: 'KEY_INVALID' }],
  })
})

const SLOW_BODIES = [
  [FHIR, 'application/fhir+json', BUNDLE, {}],
  [SCORE, 'application/json', JSON.stringify([cleanRecord(1)]), {}],
  ['/admin/keys', 'application/json', '{"name":"made by a revoked key"}', { scopes: ['*', 'admin'] }],
] as const
for (const [path, type, body, wanted] of SLOW_BODIES) {
  test(`401: a key that is revoked while the body of ${path} arrives`, async () => {
    const call = await open(path, type, wanted)
    call.request.write(body.slice(0, 10))
    await sleep(100)
    await served.store.revokeKey(idOf(call.key), served.clock.now())
    await sleep(served.store.keyFreshMs)
    call.request.end(body.slice(10))
    assert.equal((await call.ended).status, 401)
    assert.ok((await served.store.listKeys()).every((key) => key.name !== 'made by a revoked key'))
  })
}

test('limits that change apply to a stream that is open', async () => {
  const stream = await open(SCORE, NDJSON)
  stream.request.write(`${JSON.stringify(cleanRecord(1))}\n`)
  await until(() => stream.text().includes('\n'), { what: 'the first result' })
  change(`UPDATE keys SET limits = '{"recordsPerMinute":1}' WHERE id = '${idOf(stream.key)}'`)
  await sleep(2 * served.store.keyFreshMs)
  for (const idx of [2, 3]) stream.request.write(`${JSON.stringify(cleanRecord(idx))}\n`)
  await stream.ended
  // Both records may come in one chunk or in two.
  assert.match(stream.text().trim().split('\n').at(-1) ?? '', /"code":"(TOO_MANY_RECORDS|RATE_LIMITED)"/)
})
