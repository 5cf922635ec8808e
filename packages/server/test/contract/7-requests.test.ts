/** Contract, section 7: whole-request errors, and the limits. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Answer } from '../../../../test/support/exchange.ts'
import { SCORE, type Served, serve } from '../../../../test/support/serve.ts'
import { type Clause, contract } from '../../../../test/support/clauses.ts'
import { patient, scored } from '../../../../test/support/contract-records.ts'

let served: Served
before(async () => {
  served = await serve({
    deployments: [
      { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
      {
        name: 'small',
        basePath: '/small',
        model: 'readmission30',
        output: 'number',
        limits: { bytes: 400, records: 3, depth: 3, keysPerRecord: 7 },
      },
    ],
  })
})
after(() => served.close())

/** The whole problem body; only the request id differs from call to call. */
function assertProblem(answer: Answer, status: number, code: string, title: string): void {
  assert.equal(answer.status, status)
  assert.match(String(answer.headers['content-type']), /^application\/problem\+json\b/)
  const problem = answer.json() as Record<string, unknown>
  assert.deepEqual(Object.keys(problem), ['type', 'title', 'status', 'detail', 'instance', 'code'])
  assert.equal(problem['type'], `urn:patient-risk:problem:${code.toLowerCase().replaceAll('_', '-')}`)
  assert.equal(problem['title'], title)
  assert.equal(problem['code'], code)
  assert.equal(problem['instance'], answer.headers['x-request-id'])
  assert.match(String(problem['detail']), /^[A-Z].*\.$/)
}

const BODIES: readonly (readonly [Clause, string, string | Uint8Array, string])[] = [
  ['7.400', 'malformed JSON', '[{"idx":1,]', 'BODY_MALFORMED'],
  ['7.400', 'two values', '[] []', 'BODY_MALFORMED'],
  ['7.400', 'a comma too many', '[{"idx":1},]', 'BODY_MALFORMED'],
  ['7.400', 'NaN', '[{"idx":NaN}]', 'BODY_MALFORMED'],
  ['7.400', 'a control character in a string', '[{"a":"\n"}]', 'BODY_MALFORMED'],
  ['7.400', 'an empty body', '', 'BODY_MALFORMED'],
  ['7.400', 'white space alone', ' \n', 'BODY_MALFORMED'],
  ['7.400', 'a byte order mark after a space', ' \ufeff[]', 'BODY_MALFORMED'],
  ['7.400', 'two byte order marks', '\ufeff\ufeff[]', 'BODY_MALFORMED'],
  ['7.400', 'a byte order mark alone', '\ufeff', 'BODY_MALFORMED'],
  ['7.400', 'not UTF-8', Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d), 'BODY_NOT_UTF8'],
  ['7.400', 'an overlong form', Uint8Array.of(0x5b, 0x22, 0xc0, 0x80, 0x22, 0x5d), 'BODY_NOT_UTF8'],
  ['7.400', 'a surrogate in UTF-8', Uint8Array.of(0x5b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x5d), 'BODY_NOT_UTF8'],
  ['7.400', 'UTF-16', Buffer.from('[]', 'utf16le'), 'BODY_MALFORMED'],
  ['7.400', 'an object', '{"idx":1}', 'BODY_NOT_ARRAY'],
  ['7.400', 'a number', '1', 'BODY_NOT_ARRAY'],
  ['7.400', 'a string', '"[]"', 'BODY_NOT_ARRAY'],
  ['7.400', 'null', 'null', 'BODY_NOT_ARRAY'],
  ['7.depth', 'nine levels', `${'['.repeat(9)}${']'.repeat(9)}`, 'BODY_TOO_DEEP'],
  ['7.depth', 'nine levels in a record', `[{"idx":1,"a":${'['.repeat(7)}${']'.repeat(7)}}]`, 'BODY_TOO_DEEP'],
  ['7.depth', 'a million levels', '['.repeat(1_000_000), 'BODY_TOO_DEEP'],
]
for (const [clause, title, body, code] of BODIES) {
  contract(clause, title, async () => {
    for (const call of ['', '/validate', '/explain']) {
      assertProblem(await served.post(body, { path: SCORE + call }), 400, code, 'Bad Request')
    }
  })
}
contract('7.400', 'a byte order mark at the start is skipped', async () => {
  const plain = await served.post([patient(1)])
  const marked = await served.post(`\ufeff${JSON.stringify([patient(1)])}`)
  assert.deepEqual([marked.status, marked.text], [200, plain.text])
})

contract('7.depth', 'eight levels are answered', async () => {
  const body = JSON.stringify([patient(1)]).replace('}]', `,"a":${'['.repeat(6)}${']'.repeat(6)}}]`)
  assert.equal((await served.post(body)).text, JSON.stringify([scored(1)]))
})
contract('7.depth', 'brackets inside a string are no levels', async () => {
  const answer = await served.post([patient(1, { a: '[[[[[[[[[{{{"\\' })])
  assert.equal(answer.text, JSON.stringify([scored(1)]))
})

contract('7.problem', 'no value, no stack, no path; the same shape for every error', async () => {
  const answer = await served.post('[{"age":"CANARY-12"', { headers: { 'x-request-id': 'r-1' } })
  assertProblem(answer, 400, 'BODY_MALFORMED', 'Bad Request')
  assert.equal(
    answer.text,
    '{"type":"urn:patient-risk:problem:body-malformed","title":"Bad Request","status":400,' +
      '"detail":"The body is not well-formed JSON. The body ends at byte 19 (line 1, column 20), where a comma or the closing ' +
      'bracket was expected.","instance":"r-1","code":"BODY_MALFORMED"}',
  )
  assert.doesNotMatch(answer.text, /CANARY|age/)
})

contract('7.404', 'near misses of an address', async () => {
  for (const path of [
    '/risk',
    '/risk/api/do/v1',
    `${SCORE}/`,
    `${SCORE}/score`,
    '/RISK/api/do/v0',
    '/%2e%2e/',
  ]) {
    assertProblem(await served.call({ path }), 404, 'NOT_FOUND', 'Not Found')
  }
})
const ALLOW = [
  [SCORE, 'POST'],
  [`${SCORE}/validate`, 'POST'],
  [`${SCORE}/explain`, 'POST'],
  [`${SCORE}/model`, 'GET, HEAD'],
  [`${SCORE}/fields`, 'GET, HEAD'],
  ['/health/live', 'GET, HEAD'],
  ['/openapi.json', 'GET, HEAD'],
] as const
for (const [path, allow] of ALLOW) {
  contract('7.405', path, async () => {
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
      (each) => !allow.includes(each),
    )
    for (const method of others) {
      const answer = await served.call({ method, path })
      assertProblem(answer, 405, 'METHOD_NOT_ALLOWED', 'Method Not Allowed')
      assert.equal(answer.headers.allow, allow)
    }
  })
}

contract('7.413', 'over the record limit', async () => {
  const path = `/small${SCORE}`
  assert.equal((await served.post('[1,2,3]', { path })).status, 200)
  const answer = await served.post('[1,2,3,4]', { path })
  assertProblem(answer, 413, 'TOO_MANY_RECORDS', 'Content Too Large')
})
contract('7.413', 'over the byte limit, announced or not', async () => {
  const path = `/small${SCORE}`
  assert.equal((await served.post(`[${' '.repeat(398)}]`, { path })).status, 200)
  const body = `[${' '.repeat(399)}]`
  assertProblem(await served.post(body, { path }), 413, 'BODY_TOO_LARGE', 'Content Too Large')
  const chunked = { 'transfer-encoding': 'chunked' }
  const answer = await served.post(body, { path, headers: chunked })
  assertProblem(answer, 413, 'BODY_TOO_LARGE', 'Content Too Large')
})
contract('7.413', '10,000 records are answered, 10,001 are not', async () => {
  assert.equal((await served.post(JSON.stringify(Array(10_000).fill(0)))).status, 200)
  const answer = await served.post(JSON.stringify(Array(10_001).fill(0)))
  assertProblem(answer, 413, 'TOO_MANY_RECORDS', 'Content Too Large')
})

const TYPES = [
  ['application/json', true],
  ['APPLICATION/JSON', true],
  ['application/json; charset=utf-8', true],
  ['application/json;charset="UTF-8"', true],
  ['application/json ; charset=utf-8', true],
  ['application/json; charset=utf8', true],
  ['application/json; Charset=Utf-8', true],
  // The body is ASCII, which these write with the same bytes.
  ['application/json; charset=iso-8859-1', true],
  ['application/json; charset=us-ascii', true],
  ['application/json; charset=utf-16', true],
  ['application/json; charset=', true],
  ['text/plain', false],
  ['application/jsonx', false],
  ['application/x-www-form-urlencoded', false],
  ['multipart/form-data; boundary=x', false],
  ['application/problem+json', false],
  ['json', false],
  ['', false],
] as const
for (const [type, isTaken] of TYPES) {
  contract('7.415', `Content-Type ${JSON.stringify(type)}: ${isTaken ? 'taken' : 'refused'}`, async () => {
    const answer = await served.post([patient(1)], { headers: { 'content-type': type } })
    if (isTaken) assert.equal(answer.text, JSON.stringify([scored(1)]))
    else assertProblem(answer, 415, 'MEDIA_TYPE', 'Unsupported Media Type')
  })
}

const ACCENT = '[{"idx":1,"sex":"Varón"}]'
/** A body that is not ASCII: its charset, its bytes, and what the refusal says. */
const CHARSETS = [
  ['utf-8', Buffer.from(ACCENT), undefined],
  ['UTF8', Buffer.from(ACCENT), undefined],
  ['iso-8859-1', Buffer.from(ACCENT, 'latin1'), /charset "iso-8859-1"/],
  ['iso-8859-1', Buffer.from(ACCENT), /charset "iso-8859-1"/],
  ['utf-16le', Buffer.from('[{"idx":1}]', 'utf16le'), /charset "utf-16le"/],
  ['UTF-16', Buffer.from(`\ufeff${ACCENT}`, 'utf16le'), /charset "utf-16"/],
  ['Smith-John', Buffer.from(ACCENT), /charset of a name that is not known/],
] as const
for (const [charset, body, detail] of CHARSETS) {
  contract('7.415', `${charset} that is not ASCII, ${body.length} bytes`, async () => {
    for (const call of ['', '/validate', '/explain']) {
      const headers = { 'content-type': `application/json; charset=${charset}` }
      const answer = await served.post(body, { path: SCORE + call, headers })
      if (detail === undefined) assert.equal(answer.status, 200)
      else {
        assertProblem(answer, 415, 'MEDIA_TYPE', 'Unsupported Media Type')
        assert.match(answer.text, /JSON is sent in UTF-8/)
        assert.match(answer.text.replaceAll('\\"', '"'), detail)
      }
    }
  })
}
for (const coding of ['zstd', 'compress', 'gzip, gzip, gzip, gzip', 'x-unknown']) {
  contract('7.415', `Content-Encoding ${coding}`, async () => {
    const answer = await served.post([patient(1)], { headers: { 'content-encoding': coding } })
    assertProblem(answer, 415, 'CONTENT_CODING', 'Unsupported Media Type')
  })
}

contract('7.limits', 'the defaults and a deployment’s own', async () => {
  const limitsAt = async (base: string): Promise<object> =>
    ((await served.get(`${base}${SCORE}/model`)).json() as { deployment: { limits: object } }).deployment
      .limits
  assert.partialDeepStrictEqual(await limitsAt(''), {
    records: 10_000,
    bytes: 16 * 1024 * 1024,
    depth: 8,
    keysPerRecord: 1_024,
  })
  assert.partialDeepStrictEqual(await limitsAt('/small'), {
    records: 3,
    bytes: 400,
    depth: 3,
    keysPerRecord: 7,
  })
})
contract('7.limits', 'keys a record and depth of a deployment', async () => {
  const path = `/small${SCORE}`
  assert.match((await served.post([patient(1, { a: 1, b: 2 })], { path })).text, /too many fields/)
  assertProblem(await served.post('[[[[]]]]', { path }), 400, 'BODY_TOO_DEEP', 'Bad Request')
})
