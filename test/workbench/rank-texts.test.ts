/** The order of texts in the table of a list. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rankTexts } from '../../workbench/src/list/table/rank-texts.ts'

test('texts are ranked as a collator orders them, whatever they hold', () => {
  const collator = new Intl.Collator(undefined, { numeric: true })
  const numbered = fc
    .tuple(fc.constantFrom('', 'H', 'h', 'AB-', 'é'), fc.nat({ max: 2_000 }))
    .map((each) => each.join(''))
  const text = fc.oneof(numbered, fc.constantFrom('', '007', 'H007'), fc.string({ maxLength: 6 }))
  for (const each of [numbered, fc.oneof(numbered, fc.constantFrom('', 'H007')), text]) {
    fc.assert(
      fc.property(fc.array(each, { maxLength: 40 }), (texts) => {
        const ranks = rankTexts(texts)
        texts.forEach((a, left) => {
          texts.forEach((b, right) => {
            const apart = (ranks[left] ?? 0) - (ranks[right] ?? 0)
            assert.equal(Math.sign(apart), Math.sign(collator.compare(a, b)), `${a} and ${b}`)
          })
        })
      }),
    )
  }
})
