/** Keys of a record are renamed and kept in its text. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { renameKeys } from '../../src/bulk/lines/score-chunk.ts'

test('keys are renamed and kept in the text of a record, and nothing else of it changes', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (record) => {
      const names = Object.keys(record)
      const [name = 'none'] = names
      const { text, kept } = renameKeys(JSON.stringify(record), new Map([[name, 'ours']]), names)
      const pairs = Object.entries(record).map(
        ([key, value]) => `${JSON.stringify(key === name ? 'ours' : key)}:${JSON.stringify(value)}`,
      )
      assert.equal(text, `{${pairs.join(',')}}`)
      assert.deepEqual(
        kept,
        Object.values(record).map((value) => JSON.stringify(value)),
      )
    }),
  )
  assert.equal(
    renameKeys('{"edad":1e400,"edad":2}', new Map([['edad', 'age']]), []).text,
    '{"age":1e400,"age":2}',
  )
})
