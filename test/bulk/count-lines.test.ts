/** Lines and records are counted as splitting the text would count them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countLines } from '../../src/bulk/lines/split-lines.ts'

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
