/** Chunks of whole lines do not depend on how the bytes arrive; lines and records are counted as splitting the text would. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { countLines, splitLines } from '../../src/tables/split-lines.ts'

const MEMORY = { take: (size: number) => new Uint8Array(size), free: () => undefined }

const TABLE: readonly (readonly [string, number, number])[] = [
  ['', 0, 0],
  ['\n', 1, 0],
  ['{}', 1, 1],
  ['{}\n', 1, 1],
  ['{}\n\n{}\n', 3, 2],
  [' \t\r\n{}\r\n', 2, 1],
  [' {"idx":1}', 1, 1],
  ['\n\n\n\n\n\n\n\n\n', 9, 0],
  ['x', 1, 1],
  ['\u000b\u008a\u010a', 1, 1],
]

for (const [text, lines, records] of TABLE) {
  test(`${JSON.stringify(text)} has ${lines} lines and ${records} records`, () => {
    assert.deepEqual(countLines(new TextEncoder().encode(text)), { lines, records })
  })
}

test('any bytes are counted as one by one', () => {
  const byte = fc.constantFrom(0x0a, 0x0b, 0x8a, 0x20, 0x7b, 0x0d, 0x00, 0xff)
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 64 }), (list) => {
      const pieces = Buffer.from(list).toString('latin1').split('\n')
      const whole = pieces.at(-1) === '' ? pieces.slice(0, -1) : pieces
      const records = whole.filter((line) => !/^[ \t\r]*$/.test(line)).length
      assert.deepEqual(countLines(Uint8Array.from(list)), { lines: whole.length, records })
    }),
  )
})

test('chunks end with the first line feed after their least size, however the bytes arrive', async () => {
  const byte = fc.constantFrom(0x0a, 0x20, 0x7b, 0x7d)
  const parts = fc.array(fc.array(byte, { maxLength: 20 }))
  await fc.assert(
    fc.asyncProperty(parts, fc.integer({ min: 1, max: 30 }), async (given, size) => {
      const whole = Buffer.concat(given.map((part) => Buffer.from(part)))
      const expected: string[] = []
      for (let start = 0; start < whole.length;) {
        const newline = whole.indexOf(0x0a, start + size)
        const end = newline < 0 ? whole.length : newline + 1
        expected.push(whole.toString('latin1', start, end))
        start = end
      }
      const found: string[] = []
      let first = 0
      for await (const chunk of splitLines(stream(given), size, false, MEMORY)) {
        found.push(Buffer.from(chunk.bytes).toString('latin1'))
        assert.equal(chunk.first, first)
        assert.equal(chunk.count, countLines(chunk.bytes).records)
        first += chunk.count
        // The code that takes a chunk may overwrite it.
        chunk.bytes.fill(0)
      }
      assert.deepEqual(found, expected)
    }),
  )
})

async function* stream(parts: readonly (readonly number[])[]): AsyncGenerator<Buffer> {
  // Memory of its own, which is given back when the part is cut.
  for (const part of parts) yield await Promise.resolve(Buffer.from(Uint8Array.from(part).buffer))
}
