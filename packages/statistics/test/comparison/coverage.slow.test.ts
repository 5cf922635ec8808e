/** How often the intervals of a comparison by outcome hold the truth, simulated. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Interval, netBenefitDifference, randomFrom, reclassification } from '@patient-risk/statistics'
import { SEED } from '../../../../test/support/fast-check.ts'

const RUNS = 2_000
const THRESHOLD = 0.2
/** The share of events and of others that only the second, and only the first model flags. */
const EVENT_MOVES = { up: 0.12, down: 0.05 }
const OTHER_MOVES = { up: 0.06, down: 0.08 }

/** Records, prevalence. */
const SITUATIONS = [
  [300, 0.06],
  [300, 0.18],
  [1_000, 0.06],
  [1_000, 0.18],
] as const

for (const [records, prevalence] of SITUATIONS) {
  test(`${records} records, ${prevalence * 100} % with the event: intervals hold the truth in about 95 %`, () => {
    const random = randomFrom(SEED + records)
    const held = { events: 0, others: 0, netBenefit: 0 }
    const cost = THRESHOLD / (1 - THRESHOLD)
    const truth = {
      events: EVENT_MOVES.up - EVENT_MOVES.down,
      others: OTHER_MOVES.down - OTHER_MOVES.up,
      netBenefit:
        prevalence * (EVENT_MOVES.up - EVENT_MOVES.down) -
        cost * (1 - prevalence) * (OTHER_MOVES.up - OTHER_MOVES.down),
    }
    let known = 0
    for (let run = 0; run < RUNS; run++) {
      const moves = { events: { of: 0, up: 0, down: 0 }, others: { of: 0, up: 0, down: 0 } }
      for (let record = 0; record < records; record++) {
        const isEvent = random() < prevalence
        const { up, down } = isEvent ? EVENT_MOVES : OTHER_MOVES
        const counts = isEvent ? moves.events : moves.others
        const draw = random()
        counts.of++
        if (draw < up) counts.up++
        else if (draw < up + down) counts.down++
      }
      const holds = ({ from, to }: Interval, value: number): number => (from <= value && value <= to ? 1 : 0)
      const { events, others } = reclassification(moves)
      if (moves.events.of > 0) known++
      held.events += holds(events, truth.events)
      held.others += holds(others, truth.others)
      held.netBenefit += holds(netBenefitDifference(moves, THRESHOLD), truth.netBenefit)
    }
    // Four standard errors of 2,000 runs around the least that is acceptable.
    const least = 0.95 - 4 * Math.sqrt((0.95 * 0.05) / RUNS)
    for (const [name, count] of Object.entries(held)) {
      const share = count / (name === 'events' ? known : RUNS)
      assert.ok(share >= least - 0.01, `${name}: ${share}`)
    }
  })
}
