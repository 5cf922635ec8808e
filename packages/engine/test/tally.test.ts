/** Counts stay right and small, whatever names a caller writes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecordResult } from '../src/answer/assess.ts'
import { REASONS, valueError } from '../src/judge/problem.ts'
import { OTHER_FIELDS, Tally, type TallyCounts } from '../src/answer/tally.ts'

const MANY = 5_000

function withUnknown(name: string): RecordResult {
  const place = { field: name, item: name, date: '', idx: 1 }
  const problems = [valueError(place, REASONS.unknownField, false)]
  return { idx: 1, problems, blocked: false, score: 0, risk: 0.5, ambiguousIdxs: [] }
}

function sum({ problems }: TallyCounts): number {
  return [...problems.values()].flatMap((kinds) => [...kinds.values()]).reduce((all, count) => all + count, 0)
}

test('of many names the first are counted one by one, the rest together, and nothing is lost', () => {
  const tally = new Tally()
  for (let each = 0; each < MANY; each++) tally.add(withUnknown(`barthel_${each}`))
  assert.equal(tally.problems.get('barthel_0')?.get('ValueError'), 1)
  assert.ok(tally.problems.size <= 1_001)
  assert.equal(tally.problems.get(OTHER_FIELDS)?.get('ValueError'), MANY - tally.problems.size + 1)
  assert.equal(sum(tally), MANY)

  const whole = new Tally()
  for (let piece = 0; piece < 3; piece++) whole.merge(tally)
  whole.merge({ records: 1, scored: 1, problems: new Map([['new', new Map([['ValueError', 1]])]]) })
  assert.ok(whole.problems.size <= 1_001)
  assert.equal(sum(whole), 3 * MANY + 1)
})
