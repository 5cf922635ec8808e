/** Large bodies and streams share the passes of the event loop: one pass takes a bounded part, however many senders there are. */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { DEFAULT_SERVER_SETTINGS } from '@patient-risk/catalog/config'
import { digestOf } from '@patient-risk/runtime'
import { Load } from '../../../src/http/connection/load.ts'
import { PASS_BYTES, Turns } from '../../../src/http/connection/turns.ts'
import { readBytes } from '../../../src/http/request/read-body.ts'

const PART = 65_536
const load = new Load(DEFAULT_SERVER_SETTINGS.load)
after(() => load.stop())

/** What each pass has taken, where so many senders ask for parts without pause. */
async function passesOf(senders: number, parts: number, bytes: number): Promise<readonly number[]> {
  const turns = new Turns()
  const passes = [0]
  let running = senders
  const send = async (): Promise<void> => {
    for (let part = 0; part < parts; part++) {
      await turns.take(bytes)
      passes[passes.length - 1] = (passes.at(-1) ?? 0) + bytes
    }
    running--
  }
  const all = Promise.all(Array.from({ length: senders }, send))
  while (running > 0) {
    await setImmediate()
    passes.push(0)
  }
  await all
  return passes
}

// One part may go beyond the bound. A pass as it is counted here may have the end of one and the beginning of the next.
const MOST = 2 * (PASS_BYTES + PART)
const SENDERS = [
  [1, 20, PART],
  [4, 20, PART],
  [200, 5, PART],
  [200, 50, 10],
] as const
for (const [senders, parts, bytes] of SENDERS) {
  test(`${senders} senders with ${parts} parts of ${bytes} bytes: each pass takes a part of them`, async () => {
    const passes = await passesOf(senders, parts, bytes)
    assert.equal(
      passes.reduce((sum, each) => sum + each, 0),
      senders * parts * bytes,
    )
    assert.ok(Math.max(...passes) <= MOST, `a pass took ${Math.max(...passes)} bytes`)
  })
}

test('those who wait are served in the order in which they came, and nobody overtakes them', async () => {
  const turns = new Turns()
  const order: string[] = []
  assert.equal(turns.take(PASS_BYTES), undefined)
  const waiting = ['first', 'second'].map((name) => turns.take(PASS_BYTES)?.then(() => order.push(name)))
  const small = turns.take(1)?.then(() => order.push('small'))
  assert.ok(small !== undefined, 'a small part waits behind large ones')
  await Promise.all([...waiting, small])
  assert.deepEqual(order, ['first', 'second', 'small'])
})

interface Sender {
  readonly message: PassThrough
  readonly body: Promise<Buffer>
  readonly sink: { heldBytes: number; bodyDigest: string | undefined }
}

function senderOf(turns: Turns): Sender {
  const message = new PassThrough({ highWaterMark: 100 * PART })
  const raw = Object.assign(message, { headers: {} }) as unknown as IncomingMessage
  const sink = { raw, bodyDigest: undefined, heldBytes: 0, isInProgress: false }
  return { message, sink, body: readBytes({ load, turns }, sink, 100 * PART) }
}

test('bodies that arrive whole at the same time are read over several passes, and completely', async () => {
  const turns = new Turns()
  const content = Buffer.alloc(20 * PART, 'x')
  const senders = Array.from({ length: 4 }, () => senderOf(turns))
  for (const { message } of senders) {
    for (let at = 0; at < content.length; at += PART) message.write(content.subarray(at, at + PART))
    message.end()
  }
  const held = (): number => senders.reduce((sum, { sink }) => sum + sink.heldBytes, 0)
  await setImmediate()
  await setImmediate()
  assert.ok(held() < 2 * content.length, `${held()} bytes were held after two passes`)
  for (const { body, sink } of senders) {
    assert.ok((await body).equals(content))
    assert.equal(sink.bodyDigest, digestOf(content))
  }
})

test('a caller that leaves while its part waits is refused, and nothing is held for it later', async () => {
  const turns = new Turns()
  assert.equal(turns.take(PASS_BYTES), undefined)
  const { message, body, sink } = senderOf(turns)
  message.write(Buffer.alloc(2 * PART))
  await new Promise((next) => process.nextTick(next))
  message.destroy()
  await assert.rejects(body, { code: 'REQUEST_INVALID' })
  await setImmediate()
  await setImmediate()
  assert.equal(sink.heldBytes, 0)
})
