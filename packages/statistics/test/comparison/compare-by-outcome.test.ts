/** Two models by outcome: published limits, formulas written out, and bounds that hold for every completion. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type OutcomeMoves,
  compareByOutcome,
  netBenefitBounds,
  netBenefitDifference,
  pairedDifference,
  reclassification,
} from '@patient-risk/statistics'
import { fc } from '../../../../test/support/fast-check.ts'

const close = (found: number, expected: number, within = 1e-10): void =>
  assert.ok(Math.abs(found - expected) <= within, `${found} and ${expected}`)

const TANGO = [
  [12, 2, 50, 0.06111240619, 0.34470874828],
  [7, 3, 40, -0.06183753689, 0.26416051285],
  [0, 0, 20, -0.16112515805, 0.16112515805],
] as const
for (const [up, down, of, from, to] of TANGO) {
  test(`of ${of} patients ${up} up and ${down} down: from ${from} to ${to}`, () => {
    const found = pairedDifference({ of, up, down })
    assert.equal(found.value, (up - down) / of)
    close(found.from, from)
    close(found.to, to)
  })
}

const paired = fc
  .tuple(fc.nat(40), fc.nat(40), fc.nat(200))
  .map(([up, down, alike]) => ({ up, down, of: up + down + alike }))

test('the interval holds the difference, is turned by turning the counts, and stays between −1 and 1', () => {
  fc.assert(
    fc.property(paired, (counts) => {
      fc.pre(counts.of > 0)
      const { value, from, to } = pairedDifference(counts)
      assert.ok(-1 <= from && from <= value && value <= to && to <= 1)
      const turned = pairedDifference({ of: counts.of, up: counts.down, down: counts.up })
      close(turned.from, -to)
      close(turned.to, -from)
    }),
  )
})

const MOVES: OutcomeMoves = {
  events: { of: 180, up: 24, down: 9 },
  others: { of: 820, up: 61, down: 40 },
}

test('events and others have an index each, and above 0 the second model is better in both', () => {
  const { events, others } = reclassification(MOVES)
  close(events.value, 15 / 180)
  close(others.value, -21 / 820)
  assert.ok(events.from > 0 && others.to < 0.01)
})

test('the net benefit weighs needless flags by the threshold, with the variance of paired counts', () => {
  const { value, from, to } = netBenefitDifference(MOVES, 0.2)
  const cost = 0.25
  const expected = (15 - cost * 21) / 1000
  const error = Math.sqrt(33 + cost ** 2 * 101 - 1000 * expected ** 2) / 1000
  close(value, expected)
  close(to - value, 1.959963984540054 * error)
  close(value - from, to - value)
})

test('where nobody moves one way, the variance counts half a patient more each way', () => {
  const none = { events: { of: 50, up: 0, down: 0 }, others: { of: 150, up: 0, down: 0 } }
  const { value, to } = netBenefitDifference(none, 0.2)
  assert.equal(value, 0)
  close(to, (1.959963984540054 * Math.sqrt(1 + 0.0625)) / 200)
  // One in each count, and nothing is added.
  const each = { events: { of: 50, up: 1, down: 1 }, others: { of: 150, up: 1, down: 1 } }
  close(netBenefitDifference(each, 0.2).to, (1.959963984540054 * Math.sqrt(2 + 0.125)) / 200)
})

test('patients who come back widen every interval by one over the root of the exponent', () => {
  const once = compareByOutcome(MOVES, { of: 0, up: 0, down: 0 }, 0.2)
  const back = compareByOutcome(MOVES, { of: 0, up: 0, down: 0 }, 0.2, 0.25)
  for (const name of ['events', 'others', 'netBenefit'] as const) {
    close(back[name].value, once[name].value)
    close(back[name].to - back[name].value, 2 * (once[name].to - once[name].value))
  }
})

test('the bounds for outcomes that were not sent are reached, and no completion goes beyond them', () => {
  const unsent = fc.tuple(fc.nat(6), fc.nat(6), fc.nat(6))
  fc.assert(
    fc.property(unsent, fc.array(fc.nat(6), { minLength: 3, maxLength: 3 }), ([up, down, alike], taken) => {
      const { least, most } = netBenefitBounds(MOVES, { of: up + down + alike, up, down }, 0.2)
      const total = 1000 + up + down + alike
      const sent = 15 - 0.25 * 21
      close(least.value, (sent - 0.25 * up - down) / total)
      close(most.value, (sent + up + 0.25 * down) / total)
      const [ofUp, ofDown, ofAlike] = [up, down, alike].map((most, k) => Math.min(most, taken[k] ?? 0)) as [
        number,
        number,
        number,
      ]
      const { events, others } = MOVES
      const { value } = netBenefitDifference(
        {
          events: {
            of: events.of + ofUp + ofDown + ofAlike,
            up: events.up + ofUp,
            down: events.down + ofDown,
          },
          others: {
            of: others.of + up - ofUp + down - ofDown + alike - ofAlike,
            up: others.up + up - ofUp,
            down: others.down + down - ofDown,
          },
        },
        0.2,
      )
      assert.ok(least.value - 1e-12 <= value && value <= most.value + 1e-12)
    }),
  )
})

/** Events up and down, others up and down, unsent up and down · the verdict. */
const VERDICTS = [
  [[40, 5, 30, 40], [0, 0], 'better'],
  [[40, 5, 30, 40], [20, 20], 'betterIfAlike'],
  [[20, 18, 30, 32], [0, 0], 'open'],
  [[20, 18, 30, 32], [40, 40], 'open'],
  [[5, 40, 40, 30], [20, 20], 'worseIfAlike'],
  [[5, 40, 40, 30], [0, 0], 'worse'],
] as const
for (const [[up, down, othersUp, othersDown], [unsentUp, unsentDown], verdict] of VERDICTS) {
  test(`events ${up} up, ${down} down, others ${othersUp} up, ${othersDown} down, ${unsentUp} unsent: ${verdict}`, () => {
    const moves = {
      events: { of: 200, up, down },
      others: { of: 800, up: othersUp, down: othersDown },
    }
    const unsent = { of: 100, up: unsentUp, down: unsentDown }
    assert.equal(compareByOutcome(moves, unsent, 0.2).verdict, verdict)
  })
}

/** The threshold · what each patient of whom nothing came can cost, and bring. */
for (const [threshold, weight] of [
  [0.2, 1],
  [0.5, 1],
  [0.75, 3],
] as const) {
  test(`patients of whom nothing came count ${weight} each at worst, at a threshold of ${threshold}`, () => {
    const unsent = { of: 0, up: 0, down: 0, notSent: 40 }
    const { least, most } = netBenefitBounds(MOVES, unsent, threshold)
    const { value } = netBenefitDifference(MOVES, threshold)
    close(least.value, (1000 * value - 40 * weight) / 1040)
    close(most.value, (1000 * value + 40 * weight) / 1040)
  })
}

test('a verdict that holds whatever is not known does not hold where too many did not come', () => {
  const moves = { events: { of: 200, up: 40, down: 5 }, others: { of: 800, up: 30, down: 40 } }
  const verdicts = [0, 10, 40].map(
    (notSent) => compareByOutcome(moves, { of: 0, up: 0, down: 0, notSent }, 0.2).verdict,
  )
  assert.deepEqual(verdicts, ['better', 'better', 'betterIfAlike'])
})

test('without outcomes nothing is said', () => {
  const nobody = { of: 0, up: 0, down: 0 }
  const found = compareByOutcome({ events: nobody, others: nobody }, nobody, 0.2)
  assert.equal(found.verdict, 'open')
  assert.ok(Number.isNaN(found.netBenefit.value) && Number.isNaN(found.events.from))
})
