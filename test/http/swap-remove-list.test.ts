/** An unordered list whose entries come and go in constant time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ListEntry, SwapRemoveList } from '../../src/http/connection/swap-remove-list.ts'

const content = (list: SwapRemoveList<ListEntry>): readonly object[] => {
  const found: object[] = []
  list.forEach((entry) => void found.push(entry))
  return found
}
const entries = (count: number): ListEntry[] => Array.from({ length: count }, () => ({ place: -1 }))

test('the list holds every entry that was added and not removed, once', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 60 }), (moves) => {
      const list = new SwapRemoveList()
      const all = entries(10)
      const inside = new Set<object>()
      for (const move of moves) {
        const entry = all[move] ?? { place: -1 }
        if (inside.delete(entry)) list.remove(entry)
        else {
          list.add(entry)
          inside.add(entry)
        }
        const found = content(list)
        assert.equal(found.length, inside.size)
        assert.deepEqual(new Set(found), inside)
      }
    }),
  )
})

test('an entry may be removed during its visit, and a second removal does nothing', () => {
  const list = new SwapRemoveList()
  for (const entry of entries(7)) list.add(entry)
  let visits = 0
  list.forEach((entry) => {
    visits++
    list.remove(entry)
    list.remove(entry)
  })
  assert.deepEqual([visits, content(list)], [7, []])
})
