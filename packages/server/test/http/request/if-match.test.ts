/** The digest of a deployment in answers, and callers that insist on it with `If-Match`. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { contract } from '../../../../../test/support/clauses.ts'
import { PATIENT, patient } from '../../../../../test/support/contract-records.ts'
import { mapping } from '../../../../../test/support/mapping.ts'
import { serveAdapters } from '../../../../../test/support/serve-adapters.ts'
import type { Answer } from '../../../../../test/support/exchange.ts'
import { SCORE } from '../../../../../test/support/serve.ts'

const DIGEST = /^sha-256=:[A-Za-z0-9+/]{43}=:$/
const BUNDLE = readFileSync('examples/fhir/bundle.json', 'utf8')
const HOOK = readFileSync('examples/fhir/hook.json', 'utf8')
  .replace('@BORN@', '1941-12-01')
  .replace('@ADMITTED@', '2026-03-08')
  .replaceAll('@EARLIER@', '2025-12-15')
const FEEDBACK = JSON.stringify({
  feedback: [
    {
      card: '5394f034-c70a-8ea6-8485-7e26442ed817',
      outcome: 'accepted',
      outcomeTimestamp: '2026-03-15T12:00:00Z',
    },
  ],
})
const RECORDS = JSON.stringify([patient(1)])
const LINE = `${JSON.stringify(patient(1))}\n`

/** Path · media type · body · whether something is scored. */
const CALLS: readonly (readonly [string, string, string, boolean])[] = [
  [SCORE, 'application/json', RECORDS, true],
  [`${SCORE}/validate`, 'application/json', RECORDS, true],
  [`${SCORE}/explain`, 'application/json', RECORDS, true],
  [SCORE, 'application/x-ndjson', LINE, true],
  [`${SCORE}/explain`, 'application/x-ndjson', LINE, true],
  ['/fhir/$score', 'application/fhir+json', BUNDLE, true],
  ['/fhir/$score', 'application/fhir+ndjson', `${JSON.stringify(JSON.parse(BUNDLE))}\n`, true],
  ['/cds-services/readmission', 'application/json', HOOK, true],
  ['/cds-services/readmission/feedback', 'application/json', FEEDBACK, false],
]

let served: Awaited<ReturnType<typeof serveAdapters>>
let digest: string
before(async () => {
  served = await serveAdapters()
  const { deployments } = (await served.get('/deployments')).json() as { deployments: { digest: string }[] }
  digest = deployments[0]?.digest.slice('sha-256=:'.length, -1) ?? ''
})
after(() => served.close())

function post(
  [path, type, body]: (typeof CALLS)[number],
  more: Record<string, string> = {},
): Promise<Answer> {
  const headers = { 'content-type': type, ...more }
  // The document describes lines of FHIR as text, which the check of answers does not know.
  return type.endsWith('fhir+ndjson')
    ? served.send({ path, headers, body })
    : served.post(body, { path, headers })
}

async function lastRow(): Promise<Readonly<Record<string, unknown>>> {
  const [row] = await served.store.readAudit({ newestFirst: true, most: 1 })
  return JSON.parse(row?.content ?? '{}') as Readonly<Record<string, unknown>>
}

contract('1.deployment-digest', 'the same digest in every answer, and in all that describes it', async () => {
  const named = `sha-256=:${digest}:`
  assert.match(named, DIGEST)
  const model = await served.get(`${SCORE}/model`)
  const fields = await served.get(`${SCORE}/fields`)
  assert.equal((model.json() as { deployment: { digest: string } }).deployment.digest, named)
  assert.equal((fields.json() as { digest: string }).digest, named)
  assert.deepEqual([model.headers.etag, fields.headers.etag], [`"${digest}"`, `"${digest}"`])
  for (const call of CALLS) {
    const { status, headers, text } = await post(call)
    assert.equal(status, 200, `${call[0]}: ${text}`)
    assert.equal(headers['risk-deployment-digest'], call[3] ? named : undefined, call[0])
    assert.equal((await lastRow())['deploymentDigest'], digest, call[0])
  }
  const flag = await served.post([PATIENT], { path: `/flag${SCORE}` })
  assert.match(String(flag.headers['risk-deployment-digest']), DIGEST)
  assert.notEqual(flag.headers['risk-deployment-digest'], named)
})

contract('1.deployment-digest', 'answers from resources name the digest of the mapping as well', async () => {
  for (const call of CALLS) {
    const { headers } = await post(call)
    const isFromResources = call[3] && /^\/(fhir|cds-services)\//.test(call[0])
    const expected = isFromResources ? `sha-256=:${mapping.digest}:` : undefined
    assert.equal(headers['risk-mapping-digest'], expected, call[0])
  }
  assert.match(`sha-256=:${mapping.digest}:`, DIGEST)
})

/** `If-Match` with @ for the digest · whether the call goes on. */
const LISTS: readonly (readonly [string, boolean])[] = [
  ['"@"', true],
  ['*', true],
  [' * ', true],
  ['"other", "@"', true],
  ['"@","other"', true],
  ['W/"other" ,\t"@"', true],
  ['"a,b", "@"', true],
  ['"", "@"', true],
  // A weak tag never matches.
  ['W/"@"', false],
  ['W/"@", "other"', false],
  ['"other"', false],
  ['""', false],
  ['', false],
  // Not tags: without quotes, or as the other header writes it.
  ['@', false],
  ['sha-256=:@:', false],
  ['"sha-256=:@:"', false],
  ['w/"@"', false],
  ['"@', false],
  ['"*"', false],
  ['x"@"', false],
  ['"@"x', false],
]
for (const [list, isAnswered] of LISTS) {
  contract('7.412', `If-Match: ${list} is ${isAnswered ? 'answered' : 'refused'}`, async () => {
    const answer = await served.post(RECORDS, { headers: { 'if-match': list.replace('@', digest) } })
    assert.equal(answer.status, isAnswered ? 200 : 412, answer.text)
  })
}

contract(
  '7.412',
  'on every call, in the form of its errors, with an audit row and nothing scored',
  async () => {
    for (const call of CALLS) {
      // The body is not read: it is not even JSON.
      const [path, type] = call
      const answer = await post([path, type, '{', false], { 'if-match': '"other"' })
      assert.equal(answer.status, 412, path)
      assert.match(answer.text, /DEPLOYMENT_CHANGED/)
      assert.match(
        String(answer.headers['content-type']),
        path.startsWith('/fhir') ? /fhir\+json/ : /problem\+json/,
      )
      assert.equal(answer.headers['risk-deployment-digest'], `sha-256=:${digest}:`)
      assert.equal(answer.headers['risk-model'], undefined)
      assert.partialDeepStrictEqual(await lastRow(), {
        status: 412,
        code: 'DEPLOYMENT_CHANGED',
        bodyDigest: null,
      })
      assert.equal((await lastRow())['scored'], undefined)
      assert.equal((await post(call, { 'if-match': `"${digest}"` })).status, 200, path)
    }
  },
)

/** Another refusal comes first (RFC 9110, section 13.2.1), so that it does not depend on the tag. */
const FIRST: readonly (readonly [string, Record<string, string>, number])[] = [
  [SCORE, { authorization: 'Bearer prk_wrong' }, 401],
  ['/cds-services/readmission', { authorization: 'Bearer prk_wrong' }, 401],
  [SCORE, { 'content-type': 'text/plain' }, 415],
  ['/fhir/$score', { 'content-type': 'text/plain' }, 415],
  ['/cds-services/readmission', { 'content-type': 'text/plain' }, 415],
]
for (const [path, headers, status] of FIRST) {
  test(`${path} with ${JSON.stringify(headers)} and another digest is ${status}`, async () => {
    const answer = await served.post(RECORDS, { path, headers: { 'if-match': '"other"', ...headers } })
    assert.equal(answer.status, status)
  })
}

test('model and fields are sent compressed where the caller takes that, and a browser may keep them', async () => {
  for (const path of [`${SCORE}/model`, `${SCORE}/fields`]) {
    const plain = await served.get(path)
    assert.equal(plain.headers.vary, 'Accept-Language, Accept-Encoding')
    assert.equal(plain.headers['cache-control'], 'private, no-cache')
    for (const coding of ['gzip', 'br, gzip;q=0.5', 'GZIP']) {
      const headers = { authorization: `Bearer ${served.key}`, 'accept-encoding': coding }
      const packed = await served.app.inject({ url: path, headers })
      assert.deepEqual(
        [packed.headers.etag, packed.headers['content-encoding']],
        [`"${digest}-gzip"`, 'gzip'],
      )
      assert.ok(
        packed.rawPayload.length * 2 < plain.text.length,
        `${packed.rawPayload.length} of ${plain.text.length} bytes`,
      )
      assert.equal(gunzipSync(packed.rawPayload).toString(), plain.text)
    }
    for (const coding of ['identity', 'br', 'gzip;q=0', 'gzip; q=0.0, br']) {
      const { headers } = await served.get(path, { 'accept-encoding': coding })
      assert.deepEqual([headers.etag, headers['content-encoding']], [`"${digest}"`, undefined], coding)
    }
    for (const list of [`"${digest}-gzip"`, `"${digest}"`]) {
      const headers = { 'accept-encoding': 'gzip', 'if-none-match': list }
      const { status } = await served.get(path, headers)
      assert.equal(status, 304)
    }
    const other = await served.get(path, { 'if-none-match': `"${digest}-es"` })
    assert.equal(other.status, 200, 'another language is another text')
  }
  const insisting = { 'if-match': `"${digest}-es-gzip"` }
  assert.equal((await served.post(RECORDS, { headers: insisting })).status, 200)
  assert.equal((await served.post(RECORDS, { headers: { 'if-match': `"${digest}x-gzip"` } })).status, 412)
})

test('If-None-Match: 304 without a body for the tag, also as a weak one, and 200 for another', async () => {
  for (const path of [`${SCORE}/model`, `${SCORE}/fields`]) {
    for (const list of [`"${digest}"`, `W/"${digest}"`, '*', `"other", "${digest}"`]) {
      const answer = await served.get(path, { 'if-none-match': list })
      assert.deepEqual([answer.status, answer.text, answer.headers.etag], [304, '', `"${digest}"`])
    }
    assert.equal((await served.get(path, { 'if-none-match': '"other"' })).status, 200)
  }
})
