/** Frames in a ring: whole or none, of their own era and place, and never written over before they are taken. */
import assert from 'node:assert/strict'
import { mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { RING_BYTES } from '../../src/store/sqlite/ring/claim.ts'
import { HEAD_BYTES, makeFrame, makeLapEnd } from '../../src/store/sqlite/ring/frame.ts'
import { makeRing } from '../../src/store/sqlite/ring/make-ring.ts'
import { readRing } from '../../src/store/sqlite/ring/reader.ts'
import { RingWriter } from '../../src/store/sqlite/ring/writer.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-frames-'))
after(() => rmSync(folder, { recursive: true, force: true }))
let rings = 0
const newPath = (): string => join(folder, `ring-${rings++}`)

const ERA = 7n

test('a frame that is torn anywhere ends what is read, and all before it counts', () => {
  const texts = ['first group', 'second\ngroup', 'third']
  const whole: Buffer[] = []
  let offset = 0
  for (const text of texts) {
    const frame = makeFrame({ era: ERA, offset }, text)
    offset += frame.length
    whole.push(frame)
  }
  const path = newPath()
  const content = Buffer.alloc(RING_BYTES)
  Buffer.concat(whole).copy(content)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: offset - 1 }), fc.integer({ min: 1, max: 255 }), (place, bits) => {
      content[place] = (content[place] ?? 0) ^ bits
      writeFileSync(path, content)
      content[place] = (content[place] ?? 0) ^ bits
      const ends = whole.map((_each, index) =>
        whole.slice(0, index + 1).reduce((sum, { length }) => sum + length, 0),
      )
      const torn = ends.findIndex((end) => place < end)
      const read = readRing(path, { era: ERA, offset: 0 }, RING_BYTES)
      assert.deepEqual(read.texts, texts.slice(0, torn))
    }),
    { numRuns: 60 },
  )
})

test('frames of another era or another place are none', () => {
  const path = newPath()
  makeRing(path)
  const file = openSync(path, 'r+')
  writeSync(file, makeFrame({ era: 3n, offset: 0 }, 'old'), 0, undefined, 0)
  assert.deepEqual(readRing(path, { era: 4n, offset: 0 }, 1).texts, [])
  assert.deepEqual(readRing(path, { era: 3n, offset: RING_BYTES }, 1).texts, [])
  assert.deepEqual(readRing(path, { era: 3n, offset: 0 }, 1).texts, ['old'])
  // The end of a lap is passed over also by whoever asks for little.
  const last = RING_BYTES - 2 * HEAD_BYTES
  writeSync(file, makeLapEnd({ era: 3n, offset: last }), 0, undefined, last)
  writeSync(file, makeFrame({ era: 3n, offset: RING_BYTES }, 'next lap'), 0, undefined, 0)
  assert.deepEqual(readRing(path, { era: 3n, offset: last }, 1).texts, ['next lap'])
  assert.throws(() => readRing(`${path}-none`, { era: 3n, offset: 0 }, 1), /ENOENT/)
})

test('a writer never writes over rows that were not taken', async () => {
  const path = newPath()
  makeRing(path)
  const writer = new RingWriter({ path, era: ERA })
  const texts: string[] = []
  const text = (count: number): string => `${count}`.padEnd(300_000, '.')
  for (let count = 0; writer.hasRoomFor(text(count)); count++) {
    texts.push(text(count))
    await writer.append(text(count))
  }
  await assert.rejects(writer.append(text(99)), /no room/)
  assert.equal(writer.isSpoilt, false)
  assert.deepEqual(readRing(path, { era: ERA, offset: 0 }, RING_BYTES).texts, texts)
  const { offset } = readRing(path, { era: ERA, offset: 0 }, 1)
  writer.release(offset)
  await writer.append('short')
  assert.deepEqual(readRing(path, { era: ERA, offset }, 2 * RING_BYTES).texts, [...texts.slice(1), 'short'])
  writer.close()
})
