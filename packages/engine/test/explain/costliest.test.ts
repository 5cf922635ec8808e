/** The costliest request for its size, found by search: the work that the meter counts stays within the bound of docs/limits.md. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RECORD_STEPS, type WorkBudget } from '../../src/work-meter.ts'
import {
  type CostlyShape,
  bodyOfShape,
  changedShape,
  randomShape,
  scorerOfShape,
} from '../../../../test/support/costly-requests.ts'
import { Random } from '../../../../test/support/random.ts'
import { TODAY } from '../../../../test/support/small-definitions.ts'

const STARTS = 20
const CHANGES = 30
/** The smallest record, `{"idx":1}` and what stands between it and the next. */
const SMALLEST_BYTES = 10
/** Range and contributions of a record; docs/limits.md. */
const MOST_A_RECORD = 2 * RECORD_STEPS
const MOST_A_BYTE = MOST_A_RECORD / SMALLEST_BYTES

interface Found {
  readonly shape: CostlyShape
  readonly steps: number
  readonly bytes: number
}

function costOf(shape: CostlyShape): Found {
  const body = bodyOfShape(shape)
  const budget = { steps: 0 }
  const counting: WorkBudget = {
    beforeParse: () => undefined,
    step: () => undefined,
    work: (steps) => void (budget.steps += steps),
  }
  scorerOfShape(shape).explain(body, TODAY, counting)
  return { shape, steps: budget.steps, bytes: body.length }
}

const aByte = ({ steps, bytes }: Found): number => steps / bytes

/** The costliest of some random requests, and of those that come from it by change. */
function search(seed: number): Found {
  const random = new Random(seed)
  let worst = costOf(randomShape(random))
  const keep = (found: Found): void => {
    assert.ok(
      found.steps <= found.shape.records * MOST_A_RECORD,
      `${found.steps} steps: ${JSON.stringify(found.shape)}`,
    )
    if (aByte(found) > aByte(worst)) worst = found
  }
  for (let start = 1; start < STARTS; start++) keep(costOf(randomShape(random)))
  for (let change = 0; change < CHANGES; change++) keep(costOf(changedShape(random, worst.shape)))
  return worst
}

for (const seed of [1, 2]) {
  test(`the costliest of ${STARTS + CHANGES} requests, by search from seed ${seed}, is within the bound, and not far from it`, () => {
    const worst = search(seed)
    const shown = `${Math.round(aByte(worst))} steps a byte: ${JSON.stringify(worst.shape)}`
    assert.ok(aByte(worst) <= MOST_A_BYTE, shown)
    // Where the search finds cheap requests only, it says nothing about the bound.
    assert.ok(aByte(worst) >= MOST_A_BYTE / 10, shown)
  })
}
