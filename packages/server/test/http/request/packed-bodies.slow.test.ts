/** Packed bodies: the same answer as the plain one, within the same limit, and nothing that is not wholly one packed body. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import type { Answer } from '../../../../../test/support/exchange.ts'
import { cleanRecord } from '../../../../../test/support/records.ts'
import { type Served, serve } from '../../../../../test/support/serve.ts'

const LIMIT = 4 * 1024 * 1024
const RECORD = '[{"idx":1,"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}]'

let served: Served
before(async () => {
  const deployments = DEFAULT_FILE.deployments.map((each) => ({ ...each, limits: { bytes: LIMIT } }))
  served = await serve({ deployments, isOverSocket: true })
})
after(() => served.close())

const send = (coding: string, body: Uint8Array | string): Promise<Answer> =>
  served.post(body, { headers: { 'content-encoding': coding } })
const code = (answer: Answer): unknown => (answer.json() as { code?: unknown }).code

const PACKERS: readonly (readonly [string, string, (body: string | Buffer) => Buffer])[] = [
  ['gzip', 'gzip', gzipSync],
  ['gzip by its old name', 'x-gzip', gzipSync],
  ['gzip in capitals', 'GZIP', gzipSync],
  ['deflate', 'deflate', deflateSync],
  ['deflate without its frame', 'deflate', deflateRawSync],
  ['brotli', 'br', brotliCompressSync],
]

for (const [name, coding, pack] of PACKERS) {
  test(`${name}: answers as the plain body does`, async () => {
    const plain = await served.post(RECORD)
    const packed = await send(coding, pack(RECORD))
    assert.equal(packed.status, 200, packed.text)
    assert.equal(packed.text, plain.text)
  })
  test(`${name}: cut off, damaged or followed by more → 400`, async () => {
    const body = pack(RECORD)
    const damaged = Buffer.from(body)
    damaged.fill(0xff, 4, 12)
    for (const wrong of [
      body.subarray(0, -1),
      damaged,
      Buffer.concat([body, Buffer.from('[]')]),
      Buffer.from(RECORD),
    ]) {
      const answer = await send(coding, wrong)
      assert.equal(answer.status, 400, answer.text)
      assert.equal(code(answer), 'BODY_MALFORMED')
      const [row] = await served.store.readAudit({ newestFirst: true, most: 1 })
      assert.equal((JSON.parse(row?.content ?? '') as Record<string, unknown>)['bodyDigest'], null)
    }
  })
  test(`${name}: the limit counts the unpacked bytes`, async () => {
    const fits = `[${' '.repeat(LIMIT - 2)}]`
    assert.equal((await send(coding, pack(fits))).status, 200)
    const answer = await send(coding, pack(`${fits} `))
    assert.equal(answer.status, 413)
    assert.equal(code(answer), 'BODY_TOO_LARGE')
  })
}

test('a bomb of 256 MB in a few hundred bytes is stopped at the limit, and memory stays', async () => {
  const bomb = brotliCompressSync(Buffer.alloc(256 * 1024 * 1024, 0x20))
  assert.ok(bomb.length < 1_000)
  const before = process.memoryUsage().rss
  for (let i = 0; i < 8; i++) assert.equal((await send('br', bomb)).status, 413)
  assert.ok(process.memoryUsage().rss - before < 128 * 1024 * 1024, 'the bombs were not unpacked')
})

test('codings that are not understood → 415', async () => {
  for (const coding of ['zstd', 'gzip, gzip', 'compress', '', 'gzip;q=1']) {
    const answer = await send(coding, gzipSync(RECORD))
    assert.equal(answer.status, 415, coding)
    assert.equal(code(answer), 'CONTENT_CODING')
  }
})

test('a plain body over the limit → 413, whether its length is said or not', async () => {
  const body = `[${' '.repeat(LIMIT)}]`
  assert.equal((await served.post(body)).status, 413)
  const chunked = await served.post(body, { headers: { 'transfer-encoding': 'chunked' } })
  assert.equal(chunked.status, 413)
})

test('bodies of the size of memory that many share get their own answers', async () => {
  const shared = Buffer.allocUnsafe(8).buffer.byteLength
  const padded = (idx: number): string => JSON.stringify([cleanRecord(idx)]).padEnd(shared, ' ')
  for (let round = 0; round < 20; round++) {
    const idxs = Array.from({ length: 16 }, (_, index) => round * 100 + index)
    const answers = await Promise.all(
      idxs.map((idx) =>
        idx % 2 === 0
          ? served.post(padded(idx))
          : served.post(gzipSync(JSON.stringify([cleanRecord(idx)])), {
              headers: { 'content-encoding': 'gzip' },
            }),
      ),
    )
    assert.deepEqual(
      answers.map((answer) => (answer.json() as { idx: number }[])[0]?.idx),
      idxs,
    )
  }
})
