/** Hostile bodies: each gets a clear answer, the service goes on, and nothing of them is written to the log or standard error. */
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { patient, scored } from '../../../../../test/support/contract-records.ts'
import { type Served, serve } from '../../../../../test/support/serve.ts'

const CANARY = 'CANARY-9b1d'
let served: Served
const stderr: string[] = []
const write = process.stderr.write.bind(process.stderr)
before(async () => {
  served = await serve()
  process.stderr.write = (chunk: Uint8Array | string): boolean => {
    stderr.push(chunk.toString())
    return true
  }
})
after(async () => {
  process.stderr.write = write
  await served.close()
})

const keys = (count: number): string => Array.from({ length: count }, (_, i) => `"${CANARY}${i}":1`).join(',')
const good = JSON.stringify(patient(1))

/** A body, the status, and what the answer must hold. */
const BODIES: readonly (readonly [string, string | Uint8Array, number, RegExp])[] = [
  ['a million levels of arrays', '['.repeat(1_000_000), 400, /BODY_TOO_DEEP/],
  ['a million levels, closed', '['.repeat(1_000_000) + ']'.repeat(1_000_000), 400, /BODY_TOO_DEEP/],
  ['a million levels of objects', '[' + '{"a":'.repeat(1_000_000), 400, /BODY_TOO_DEEP/],
  [
    '200,000 keys in one record',
    `[{"idx":7,${keys(200_000)}},${good}]`,
    200,
    /^\[\{"idx":7,"risk":null,.*too many fields.*"risk":0\.2294/,
  ],
  [
    'the same key 200,000 times',
    `[{"idx":7,${'"age":1,'.repeat(200_000)}"age":1},${good}]`,
    200,
    /given twice.*"risk":0\.2294/,
  ],
  ['10,000 records that are not objects', `[${'0,'.repeat(9_999)}0]`, 200, /not an object/],
  [
    'a number with a million digits',
    `[{"idx":1,"age":${'9'.repeat(1_000_000)}}]`,
    200,
    /Age in idx 1 \(out of range\)/,
  ],
  ['an exponent beyond all bounds', '[{"idx":1,"age":1e999999999}]', 200, /Age in idx 1 \(out of range\)/],
  ['an idx that a double cannot hold', '[{"idx":9007199254740993}]', 200, /"idx":null,.*not an integer/],
  [
    '__proto__ that brings the missing fields',
    `[{"idx":1,"__proto__":${good}}]`,
    200,
    /ValueMissing for value age/,
  ],
  [
    'constructor and prototype',
    `[{"idx":1,"constructor":{"prototype":${good}}}]`,
    200,
    /ValueMissing for value age/,
  ],
  [
    'toString as a sex',
    good.replace('"F"', '"toString"').replace(/^/, '[').replace(/$/, ']'),
    200,
    /not a permitted value/,
  ],
  ['a lone surrogate as an escape', `[{"idx":1,"\\ud800":1,"barthel_\\udfff":1}]`, 200, /barthel_\\udfff/],
  [
    'a lone surrogate in bytes',
    Buffer.concat([Buffer.from('[{"'), Buffer.of(0xed, 0xa0, 0x80), Buffer.from('":1}]')]),
    400,
    /BODY_NOT_UTF8/,
  ],
  [
    'bytes that are not UTF-8',
    Buffer.concat([Buffer.from(`[{"${CANARY}`), Buffer.of(0xff, 0xfe), Buffer.from('":1}]')]),
    400,
    /BODY_NOT_UTF8/,
  ],
  ['a byte order mark within the body', `[\ufeff${good}]`, 400, /BODY_MALFORMED/],
  ['a NUL', `[{"${CANARY}\0":1}]`, 400, /BODY_MALFORMED/],
  ['nothing', '', 400, /BODY_MALFORMED/],
  ['half a record', `[{"idx":1,"name":"${CANARY}`, 400, /BODY_MALFORMED/],
  ['two arrays', `[${good}][${good}]`, 400, /BODY_MALFORMED/],
  [
    'a name full of line breaks and escape codes',
    `[{"idx":1,"barthel_\\r\\n\\u001b[31m${CANARY}":1}]`,
    200,
    /unknown field/,
  ],
]
for (const [title, body, status, pattern] of BODIES) {
  test(title, async () => {
    const answer = await served.post(body)
    assert.equal(answer.status, status, answer.text.slice(0, 300))
    assert.match(answer.text, pattern)
    assert.equal((await served.post([patient(1)])).text, JSON.stringify([scored(1)]))
  })
}

test('nothing of these bodies is in the log or on standard error', () => {
  assert.ok(!served.logText().includes('CANARY'))
  assert.ok(!stderr.join('').includes('CANARY'))
  assert.ok(!served.logLines().some(({ event }) => event === 'bug'))
})

test('large hostile bodies do not stay in memory', async () => {
  const body = `[{"idx":7,${keys(50_000)}}]`
  for (let i = 0; i < 5; i++) await served.post(body)
  const before = heapAfterCollection()
  for (let i = 0; i < 25; i++) await served.post(body)
  // Bounded, not measured: 25 bodies of about a megabyte each would be far beyond it, were they kept.
  assert.ok(heapAfterCollection() - before < 20 * 1024 * 1024)
})

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}
