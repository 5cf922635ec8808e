/** Lines of a stream that are answered in pieces: every byte once, whole lines, and no piece too long unless its line is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { piecesOf } from '../../../src/http/request/line-source.ts'
import { Random } from '../../../../../test/support/random.ts'

const piecesIn = (text: string, most: number): readonly string[] =>
  [...piecesOf(Buffer.from(text), most)].map((piece) => piece.toString())

const CASES = [
  ['shorter than a piece', 'a\nb\n', 5, ['a\nb\n']],
  ['as long as a piece', 'a\nb\n', 4, ['a\nb\n']],
  ['longer than a piece', 'a\nb\n', 3, ['a\n', 'b\n']],
  ['a line that is longer than a piece', 'aaaa\nb\n', 3, ['aaaa\n', 'b\n']],
  ['a last line without its end', 'a\nbbbb', 3, ['a\n', 'bbbb']],
  ['nothing', '', 3, []],
] as const
for (const [what, text, most, expected] of CASES) {
  test(`lines in pieces: ${what}`, () => {
    assert.deepEqual(piecesIn(text, most), expected)
  })
}

test('random lines: the pieces are whole lines and add up to all of them', () => {
  const random = new Random(2)
  for (let round = 0; round < 500; round++) {
    const lines = Array.from({ length: random.below(20) }, () => `${'x'.repeat(random.below(30))}\n`)
    const text = lines.join('')
    const most = 1 + random.below(40)
    const pieces = piecesIn(text, most)
    assert.equal(pieces.join(''), text)
    for (const piece of pieces) {
      assert.ok(piece.endsWith('\n'))
      assert.ok(piece.length <= most || piece.indexOf('\n') === piece.length - 1)
    }
  }
})

test('each of several pieces has memory of its own, so that one may be given away', () => {
  const lines = Buffer.alloc(100_000, 'line of ten\n')
  const pieces = [...piecesOf(lines, 60_000)]
  assert.ok(pieces.length > 1)
  for (const piece of pieces) assert.notEqual(piece.buffer, lines.buffer)
})
