/** Streams: a record a line in, a result a line out, as they come; and every way in which a stream can end. */
import assert from 'node:assert/strict'
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { after, before, mock, test } from 'node:test'
import { serverSettings } from '@patient-risk/catalog/config'
import { StoreError } from '@patient-risk/runtime'
import { asLines, cleanRecord, cleanRecords } from '../../../../../test/support/records.ts'
import { SCORE, type Served, serve, testDispatcher } from '../../../../../test/support/serve.ts'
import { until } from '../../../../../test/support/until.ts'

const LONG_MS = 600_000
const NDJSON = { 'content-type': 'application/x-ndjson' }
let served: Served
const dispatcher = testDispatcher()

before(async () => {
  // On a busy machine 5000 explanations take longer than an answer may make no progress.
  const settings = serverSettings({ pace: { windowMs: LONG_MS }, times: { stallMs: LONG_MS } })
  served = await serve({
    isOverSocket: true,
    service: { dispatcher, settings },
  })
})
after(async () => {
  await served.close()
  await dispatcher.close()
})

function open(path = SCORE, { origin, key }: Pick<Served, 'origin' | 'key'> = served): ClientRequest {
  return httpRequest(`${origin}${path}`, {
    method: 'POST',
    headers: { ...NDJSON, authorization: `Bearer ${key}` },
    agent: false,
  })
}

function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => request.once('response', resolve).once('error', reject))
}

/** Everything that comes, and whether the answer came to its proper end. */
async function drain(response: IncomingMessage): Promise<{ text: string; isWhole: boolean }> {
  let text = ''
  try {
    for await (const chunk of response) text += String(chunk)
    return { text, isWhole: response.complete }
  } catch {
    return { text, isWhole: false }
  }
}

type Row = Readonly<Record<string, unknown>>

async function rowsOf(call: string, { store }: Pick<Served, 'store'> = served): Promise<readonly Row[]> {
  const rows = (await store.readAudit({ most: 1000 })).map(({ content }) => JSON.parse(content) as Row)
  return rows.filter((row) => row['call'] === call && row['ended'] !== undefined)
}

async function auditOf(call: string, service: Pick<Served, 'store'> = served): Promise<Row> {
  return (await rowsOf(call, service)).at(-1) ?? {}
}

/** The last row of a scored stream, once it says so; it may be written after the caller is gone. */
async function endOf(how: string, service = served): Promise<Row> {
  return until(
    async () => {
      const row = await auditOf('score', service)
      return row['ended'] === how ? row : undefined
    },
    { what: `a row of a stream that is ${how}` },
  )
}

/** A result without what is doubted of the feed: that is known from some record on, which depends on what came before and when. */
function ofRecord(result: unknown): unknown {
  const { notices, ...others } = result as Row & { readonly notices?: readonly Row[] }
  return { ...others, notices: notices?.filter(({ code }) => code !== 'feed-doubt') }
}

for (const [call, many] of [
  ['', 5_000],
  ['/validate', 5_000],
  // Each result is some kilobytes.
  ['/explain', 800],
] as const) {
  for (const count of [0, 1, 50, many]) {
    test(`${count} records get the same results${call} in lines as in an array`, async () => {
      const records = [...cleanRecords(count), { idx: -1, age: 'x' }, { idx: -2 }, 5]
      const inBody = await served.post(records, { path: SCORE + call })
      const inLines = await served.post(asLines(records), { path: SCORE + call, headers: NDJSON })
      assert.equal(inLines.status, 200)
      assert.equal(inLines.headers['content-type'], 'application/x-ndjson')
      assert.equal(inLines.headers['risk-deployment'], 'readmission')
      assert.deepEqual(
        inLines.text
          .split('\n')
          .slice(0, -1)
          .map((line) => ofRecord(JSON.parse(line))),
        (inBody.json() as readonly unknown[]).map(ofRecord),
      )
    })
  }
}

test('a result comes before the next record is sent', async () => {
  const request = open()
  const response = answerOf(request)
  request.write(asLines([cleanRecord(1)]))
  const results = (await response)[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  assert.match(String((await results.next()).value), /^\{"idx":1,/)
  request.write('{"idx":2,"ag')
  request.write('e":84}\n')
  assert.match(String((await results.next()).value), /^\{"idx":2,/)
  request.end()
  assert.equal((await results.next()).done, true)
})

// A chunk of such lines is answered in several pieces, and a worker takes the memory of each with it.
for (const [call, count] of [
  ['', 20_000],
  ['/explain', 1_000],
] as const)
  test(`each of many short lines has its result: ${call || 'score'}`, async () => {
    const sent = Array.from({ length: count }, (_, at) => `{"idx":${at},"age":81}\n`).join('')
    const { text } = await served.post(sent, { path: `${SCORE}${call}`, headers: NDJSON })
    const results = text.trimEnd().split('\n')
    assert.equal(results.length, count)
    for (const [at, line] of results.entries()) assert.ok(line.startsWith(`{"idx":${at},`))
  })

test('a later record with the idx of an earlier one is refused, in one piece and across pieces', async () => {
  const records = [
    cleanRecord(7),
    cleanRecord(8),
    cleanRecord(7),
    ...cleanRecords(2_000).slice(9),
    cleanRecord(8),
  ]
  const { text } = await served.post(asLines(records), { headers: NDJSON })
  const results = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { idx: number; risk: unknown; error_message: unknown })
  assert.deepEqual(
    results.flatMap(({ risk }, position) => (risk === null ? [position] : [])),
    [2, results.length - 1],
  )
  assert.match(JSON.stringify(results[2]?.error_message), /Idx in idx 7 \(duplicate\)/)
})

test('a record that writes its idx twice blocks both numbers in later records, in one piece and across pieces', async () => {
  const twice = JSON.stringify(cleanRecord(7)).replace(/\}$/, ',"idx":1}')
  const later = [cleanRecord(7), cleanRecord(2), ...cleanRecords(2_000).slice(9), cleanRecord(1)]
  const { text } = await served.post(`${asLines([cleanRecord(1)])}${twice}\n${asLines(later)}`, {
    headers: NDJSON,
  })
  const lines = text.trim().split('\n')
  assert.deepEqual(
    lines.flatMap((line, position) => (line.includes('"risk":null') ? [position] : [])),
    [1, 2, lines.length - 1],
  )
  assert.match(lines[1] ?? '', /given twice/)
  assert.match(lines[2] ?? '', /Idx in idx 7 \(duplicate\)/)
})

test('a line beyond the limit is refused alone, and is never held', async () => {
  const long = `{"idx":1,"x":"${'x'.repeat(3 * 1024 * 1024)}"}`
  const { text } = await served.post(`${long}\n${asLines([cleanRecord(2)])}`, { headers: NDJSON })
  const lines = text.trim().split('\n')
  assert.equal(lines.length, 2)
  assert.match(lines[0] ?? '', /^\{"idx":null,"risk":null,.*Record in idx 0 \(not an object\)/)
  assert.match(lines[1] ?? '', /^\{"idx":2,"risk":0\./)
})

test('the audit says of a whole stream that it is complete', async () => {
  await served.post(asLines(cleanRecords(100)), { path: `${SCORE}/validate`, headers: NDJSON })
  const row = await auditOf('validate')
  assert.equal(row['ended'], 'complete')
  assert.equal(row['records'], 100)
  assert.match(String(row['bodyDigest']), /^[\w+/]{43}=$/)
})

test('before its first result a stream has a row that says that it has begun', async () => {
  const request = open()
  request.write(asLines([cleanRecord(1)]))
  const results = (await answerOf(request))[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  assert.match(String((await results.next()).value), /^\{"idx":1,/)
  const begun = await auditOf('score')
  assert.deepEqual([begun['ended'], begun['status'], begun['records']], ['begun', 200, undefined])
  request.end()
  assert.equal((await results.next()).done, true)
  const rows = await rowsOf('score')
  assert.deepEqual(
    rows
      .filter(({ requestId }) => requestId === begun['requestId'])
      .map(({ ended, records }) => [ended, records]),
    [
      ['begun', undefined],
      ['complete', 1],
    ],
  )
})

test('while the audit cannot be written nothing of a stream is scored', async () => {
  const broken = mock.method(served.store, 'appendAudit', () => Promise.reject(new StoreError('no room')))
  const { status, text, headers } = await served.post(asLines(cleanRecords(3)), { headers: NDJSON })
  broken.mock.restore()
  assert.equal(status, 503)
  assert.match(text, /"code":"AUDIT_UNAVAILABLE"/)
  assert.doesNotMatch(text, /"risk":/)
  assert.equal(headers['risk-model'], undefined)
  assert.equal(headers.connection, 'close')
})

test('a caller that stalls is cut off: the last line says why, and the answer has no proper end', async () => {
  const strict = await serve({
    isOverSocket: true,
    service: { dispatcher, settings: serverSettings({ pace: { windowMs: 3_000 } }) },
  })
  try {
    const request = open(SCORE, strict)
    request.on('error', () => undefined)
    request.write(asLines([cleanRecord(1)]))
    const { text, isWhole } = await drain(await answerOf(request))
    assert.equal(isWhole, false)
    assert.match(text.split('\n')[0] ?? '', /^\{"idx":1,/)
    assert.match(text.split('\n')[1] ?? '', /"code":"BODY_TOO_SLOW"/)
    assert.equal((await endOf('cut off', strict))['ended'], 'cut off')
  } finally {
    await strict.close()
  }
})

test('a stream that keeps coming beyond its time is cut off', async () => {
  const settings = serverSettings({ times: { streamMs: 5_000 }, pace: { windowMs: LONG_MS } })
  const hurried = await serve({ isOverSocket: true, service: { settings } })
  const request = open(SCORE, hurried)
  request.on('error', () => undefined)
  let idx = 0
  const timer = setInterval(() => request.write(asLines([cleanRecord(idx++), cleanRecord(idx++)])), 20)
  try {
    const { text, isWhole } = await drain(await answerOf(request))
    assert.equal(isWhole, false)
    assert.match(text.slice(text.trimEnd().lastIndexOf('\n')), /"code":"BODY_TOO_SLOW"/)
  } finally {
    clearInterval(timer)
    await hurried.close()
  }
})

test('a caller that hangs up stops the work, and the audit says so', async () => {
  const request = open()
  request.on('error', () => undefined)
  request.write(asLines(cleanRecords(3)))
  const response = await answerOf(request)
  response.on('error', () => undefined)
  await new Promise((resolve) => response.once('data', resolve))
  request.destroy()
  const row = await endOf('hung up')
  assert.equal(row['ended'], 'hung up')
  assert.equal(row['records'], 3)
})

const REFUSED = [
  ['without a key', 401, { authorization: 'Bearer x' }],
  ['packed', 415, { 'content-encoding': 'gzip' }],
] as const
for (const [how, status, headers] of REFUSED) {
  test(`a stream ${how} is refused with ${status}`, async () => {
    assert.equal(
      (await served.post(asLines([cleanRecord(1)]), { headers: { ...NDJSON, ...headers } })).status,
      status,
    )
  })
}

test('a byte order mark before the first line is skipped, also where it arrives in parts', async () => {
  const request = open()
  const answered = answerOf(request)
  const lines = Buffer.from(`\ufeff${asLines([cleanRecord(1), cleanRecord(2)])}`)
  request.write(lines.subarray(0, 2))
  await new Promise((resolve) => setTimeout(resolve, 20))
  request.end(lines.subarray(2))
  const { text } = await drain(await answered)
  const plain = await served.post(asLines([cleanRecord(1), cleanRecord(2)]), { headers: NDJSON })
  assert.equal(text, plain.text)
})

test('a byte order mark before a later line is a problem of that line', async () => {
  const body = `${asLines([cleanRecord(1)])}\ufeff${asLines([cleanRecord(2)])}`
  const { text } = await served.post(body, { headers: NDJSON })
  assert.match(text.split('\n')[1] ?? '', /not an object/)
})

const LATIN1 = { 'content-type': 'application/x-ndjson; charset=latin1' }

test('a stream in another charset is answered while it is ASCII', async () => {
  const lines = asLines([cleanRecord(1)])
  const plain = await served.post(lines, { headers: NDJSON })
  const declared = await served.post(lines, { headers: LATIN1 })
  assert.deepEqual([declared.status, declared.text], [200, plain.text])
})

test('a stream in another charset ends where it is not ASCII, with a last line that names the charset', async () => {
  const request = httpRequest(`${served.origin}${SCORE}`, {
    method: 'POST',
    headers: { ...LATIN1, authorization: `Bearer ${served.key}` },
    agent: false,
  })
  request.on('error', () => undefined)
  request.write(Buffer.from(`${JSON.stringify({ ...cleanRecord(1), name: 'José' })}\n`, 'latin1'))
  const { text, isWhole } = await drain(await answerOf(request))
  assert.equal(isWhole, false)
  assert.match(text, /"code":"MEDIA_TYPE"/)
  assert.match(text, /charset \\"latin1\\"/)
  assert.doesNotMatch(text, /"risk"/)
})
