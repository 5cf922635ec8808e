/** A crowd holds who came and has not left, in whatever order they come and go. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Crowd } from '../../src/http/connection/swap-remove-list.ts'

const content = (crowd: Crowd<{ place: number }>): readonly object[] => {
  const found: object[] = []
  crowd.forEach((member) => void found.push(member))
  return found
}

test('whoever came and has not left is there once, and nobody else', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 60 }), (moves) => {
      const crowd = new Crowd<{ place: number }>()
      const people = Array.from({ length: 10 }, () => ({ place: -1 }))
      const inside = new Set<object>()
      for (const who of moves) {
        const member = people[who] ?? { place: -1 }
        if (inside.delete(member)) crowd.remove(member)
        else {
          crowd.add(member)
          inside.add(member)
        }
        const found = content(crowd)
        assert.equal(found.length, inside.size)
        assert.deepEqual(new Set(found), inside)
      }
    }),
  )
})

test('who is looked at may leave, and leaving twice does nothing', () => {
  const crowd = new Crowd<{ place: number }>()
  const people = Array.from({ length: 7 }, () => ({ place: -1 }))
  for (const member of people) crowd.add(member)
  let looks = 0
  crowd.forEach((member) => {
    looks++
    crowd.remove(member)
    crowd.remove(member)
  })
  assert.deepEqual([looks, content(crowd)], [7, []])
})
