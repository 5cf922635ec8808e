/** Callers choose their idx, and cannot know how these are spread over the table of those that were seen. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeenIdx } from 'patient-risk-engine'
import { seenIdxOfCaller } from '../../../src/http/request/seen-idx-of-caller.ts'

const PAGE = 64
/** The multipliers that files are read with, which anybody can look up. */
const HIGH = 0x85ebca6b
const LOW = 0x9e3779b1
const COUNT = 6_000

/** Numbers whose pages all begin at the first place of the table, by these multipliers. */
function chosenNumbers(): readonly number[] {
  let inverse = LOW
  for (let step = 0; step < 5; step++) inverse = Math.imul(inverse, 2 - Math.imul(LOW, inverse))
  return Array.from({ length: COUNT }, (_, at) => {
    const upper = Math.floor(at / 4_096)
    const lower = (Math.imul(at % 4_096, inverse) ^ Math.imul(upper, HIGH)) >>> 0
    return (upper * 2 ** 32 + lower) * PAGE
  })
}

function costOf(seen: SeenIdx, numbers: readonly number[]): number {
  const before = process.cpuUsage()
  for (const number of numbers) assert.equal(seen.add(number), true)
  const { user, system } = process.cpuUsage(before)
  return user + system
}

test('numbers that were chosen for the multipliers of files take no longer than others', () => {
  const numbers = chosenNumbers()
  const chosen = costOf(new SeenIdx(COUNT), numbers)
  const cost = Math.min(...Array.from({ length: 3 }, () => costOf(seenIdxOfCaller(), numbers)))
  assert.ok(cost * 5 < chosen, `${cost} µs, and ${chosen} where the multipliers are known`)
  assert.ok(numbers.every((number) => Number.isSafeInteger(number)))
})

test('a number is there once it was added', () => {
  const seen = seenIdxOfCaller()
  for (const number of [5, -7, 64, 2 ** 53 - 1]) seen.add(number)
  const found = [5, -7, 64, 2 ** 53 - 1, 4, 6, -8, 63, 65, 0, 2 ** 53 - 2].filter((number) =>
    seen.has(number),
  )
  assert.deepEqual(found, [5, -7, 64, 2 ** 53 - 1])
})
