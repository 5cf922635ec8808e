/** A body that comes in many parts is held as its bytes, not as its parts; a stream is not held at all. */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { fc } from '../../../../../test/support/fast-check.ts'
import { DEFAULT_SERVER_SETTINGS } from '@patient-risk/catalog/config'
import { AppError, digestOf } from '@patient-risk/runtime'
import { Load } from '../../../src/http/connection/load.ts'
import { Turns } from '../../../src/http/connection/turns.ts'
import { ByteAccumulator, readBytes } from '../../../src/http/request/read-body.ts'
import { LineFrames, LineSource } from '../../../src/http/request/line-source.ts'

const load = new Load(DEFAULT_SERVER_SETTINGS.load)
after(() => load.stop())

const PARTS = 2_000
/** A few may still be on their way. */
const FEW = PARTS / 100

/** How many of these objects are still held by somebody. */
async function heldOf(parts: readonly WeakRef<object>[]): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // What a turn of the event loop has looked at stays until the turn is over.
  await setImmediate()
  collect()
  return parts.filter((part) => part.deref() !== undefined).length
}

function newPart(parts: WeakRef<object>[], byte = ' '): Buffer {
  const part = Buffer.allocUnsafeSlow(1).fill(byte)
  // Its memory: a view of a buffer keeps the whole buffer in memory.
  parts.push(new WeakRef(part.buffer))
  return part
}

/** The body of a request, as far as its readers look at it. */
const asMessage = (stream: Readable, headers = {}): IncomingMessage =>
  Object.assign(stream, { headers }) as unknown as IncomingMessage

test('parts are joined in order, in the smallest buffer that doubling gives', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.nat(50), (arrays, spare) => {
      const parts = arrays.map((each) => Buffer.from(each))
      const all = Buffer.concat(parts)
      const most = all.length + spare
      const gathered = new ByteAccumulator(most)
      for (const part of parts) {
        const announced = gathered.capacityWith(part.length)
        gathered.add(part)
        assert.equal(gathered.capacity, announced)
        assert.ok(gathered.capacity >= gathered.size && gathered.capacity <= most)
        assert.ok(gathered.capacity <= 2 * gathered.size)
      }
      assert.deepEqual(gathered.take(), all)
      assert.deepEqual([gathered.size, gathered.capacity], [0, 0])
    }),
  )
})

test('a body in one part is that part, and parts are never modified', () => {
  const gathered = new ByteAccumulator(100)
  const part = Buffer.from('one')
  gathered.add(part)
  assert.equal(gathered.take().buffer, part.buffer)
  const room = Buffer.from('first and what comes after it')
  gathered.add(room.subarray(0, 5))
  gathered.add(Buffer.from(' second'))
  assert.equal(String(gathered.take()), 'first second')
  assert.equal(String(room), 'first and what comes after it')
})

test('a body in parts of one byte is kept as bytes, and its whole buffer is counted', async () => {
  const parts: WeakRef<object>[] = []
  const message = new PassThrough()
  const sink = { raw: asMessage(message), bodyDigest: undefined, heldBytes: 0, isInProgress: false }
  const body = readBytes({ load, turns: new Turns() }, sink, 1_000_000)
  for (let i = 0; i < PARTS; i++) {
    message.write(newPart(parts))
    await setImmediate()
  }
  assert.ok((await heldOf(parts)) <= FEW)
  message.end()
  const { length, buffer } = await body
  assert.equal(length, PARTS)
  assert.equal(sink.heldBytes, buffer.byteLength)
})

for (const sizes of [[0], [5], [65_536], [1, 2, 3], [70_000, 1, 70_000]]) {
  test(`the digest of a body in parts of ${sizes.join(' + ')} bytes is that of the whole body`, async () => {
    const parts = sizes.map((size, place) => Buffer.alloc(size, 65 + place))
    const whole = Buffer.concat(parts)
    const message = new PassThrough()
    const headers = { 'content-length': String(whole.length) }
    const raw = asMessage(message, headers)
    const sink = { raw, bodyDigest: undefined, heldBytes: 0, isInProgress: false }
    const body = readBytes({ load, turns: new Turns() }, sink, 1_000_000)
    for (const part of parts) {
      message.write(part)
      await setImmediate()
    }
    message.end()
    assert.ok((await body).equals(whole))
    assert.equal(sink.bodyDigest, whole.length === 0 ? undefined : digestOf(whole))
  })
}

test('a line in parts of one byte is held as bytes', async () => {
  const parts: WeakRef<object>[] = []
  const frames = new LineFrames(1_000_000)
  for (let i = 0; i < PARTS; i++) assert.equal(frames.push(newPart(parts)).length, 0)
  assert.ok((await heldOf(parts)) <= FEW)
  assert.ok(frames.heldBytes >= PARTS && frames.heldBytes <= 2 * PARTS)
  assert.equal(String(frames.push(Buffer.from('x\ny'))), `${' '.repeat(PARTS)}x\n`)
  assert.equal(String(frames.end()), 'y')
})

test('a stream keeps nothing that was already read, however long it is', async () => {
  const parts: WeakRef<object>[] = []
  function* pieces(): Generator<Buffer> {
    for (let i = 0; i < PARTS; i++) yield newPart(parts, '\n')
  }
  const message = Readable.from(pieces(), { highWaterMark: 1 })
  const source = new LineSource(asMessage(message))
  for (let i = 0; i < PARTS - 1; i++) assert.equal((await source.next())?.length, 1)
  assert.ok((await heldOf(parts)) <= FEW)
  assert.equal((await source.next())?.length, 1)
  assert.equal(await source.next(), undefined)
})

test('a source that is cut off ends the pending read and every later one', async () => {
  const message = new PassThrough()
  const source = new LineSource(asMessage(message))
  message.write('a')
  assert.equal(String(await source.next()), 'a')
  const waiting = source.next()
  message.emit('error', new AppError('BODY_TOO_SLOW'))
  await assert.rejects(waiting, { code: 'BODY_TOO_SLOW' })
  message.write('b')
  source.cutOff(new AppError('DRAINING'))
  await assert.rejects(source.next(), { code: 'BODY_TOO_SLOW' }, 'what came first is the reason')
  await assert.rejects(source.orCutOff(Promise.resolve()), { code: 'BODY_TOO_SLOW' })
})
