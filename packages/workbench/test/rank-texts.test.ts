/** The order of texts in the table of a list. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { rankTexts } from '../src/list/table/rank-texts.ts'

/** In their order; equal ones stand together. */
const FIGURES = [
  [[''], ['1.25'], ['1.5', '1.50'], ['2'], ['10']],
  [['0,75'], ['0,8'], ['12,5']],
  [['-5'], ['-3'], ['0', '-0'], ['+4', '4']],
]
for (const groups of FIGURES) {
  test(`figures are ranked by value: ${groups.join(' ')}`, () => {
    const ranks = rankTexts(groups.flat().reverse()).reverse()
    assert.deepEqual(
      [...ranks],
      groups.flatMap((group, place) => group.map(() => place)),
    )
  })
}

test('other texts are ranked as a collator orders them', () => {
  const collator = new Intl.Collator(undefined, { numeric: true })
  const numbered = fc
    .tuple(fc.constantFrom('', 'H', 'h', 'AB-', 'é'), fc.nat({ max: 2_000 }))
    .map((each) => each.join(''))
  const text = fc.oneof(numbered, fc.constantFrom('', '007', 'H007'), fc.string({ maxLength: 6 }))
  for (const each of [numbered, fc.oneof(numbered, fc.constantFrom('', 'H007')), text]) {
    fc.assert(
      fc.property(fc.array(each, { maxLength: 40 }), (texts) => {
        fc.pre(
          texts.some((text) => !/^([+-]?\d+([.,]\d+)?)?$/.test(text)) ||
            texts.every((text) => /^\d*$/.test(text)),
        )
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
