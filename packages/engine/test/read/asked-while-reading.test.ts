/**
 * How often the budget is asked while records are scored: by the work that they take, whatever their number or size. Each row has work of
 * one kind, so it fails where that kind is not counted.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldDomain } from '../../src/definition/domain.ts'
import type { FieldDefinition } from '../../src/definition/field.ts'
import type { DerivedDefinition } from '../../src/definition/scale.ts'
import type { Scorer, ScorerOptions } from '../../src/scorer.ts'
import type { WorkBudget } from '../../src/work-meter.ts'
import { Random } from '../../../../test/support/random.ts'
import { randomTrees } from '../../../../test/support/random-trees.ts'
import { TODAY, linear, model, scale, scorerOf } from '../../../../test/support/small-definitions.ts'

type Options = Partial<ScorerOptions>

const X: FieldDefinition = { type: 'decimal', from: 0, to: 100, meaning: 'a number' }

/** A model with a great deal of work in its trees. */
function trees(options: Options): Scorer {
  const term = randomTrees(new Random(1), new Map([['x', fieldDomain(X)]]), { count: 500, depth: 7 })
  return scorerOf({ fields: { x: X }, model: model({ x: {} }, [term]), options })
}

const ITEMS = Array.from({ length: 40 }, (_, at) => `i${at}`)
const WHOLE = Object.fromEntries(ITEMS.map((name) => [`wide_${name}`, 1]))

/** A model of two inputs, one of them of a scale of which very many figures are computed. */
function figures(options: Options): Scorer {
  const items = Object.fromEntries(ITEMS.map((name) => [name, [0, 1]]))
  const derived: Record<string, DerivedDefinition> = {}
  for (let at = 0; at < 400; at++)
    derived[`d${at}`] = { kind: 'sum', of: ITEMS.filter((_, place) => (at * 7 + place) % 3 !== 0) }
  const wide = scale('wide', items, { derived })
  return scorerOf({
    fields: { x: X },
    scales: [wide],
    model: model({ x: {}, wide_d0: {} }, [linear('x'), linear('wide_d0')]),
    options,
  })
}

/** How often the budget is asked while 200 such records are scored. */
function timesAsked(scorer: Scorer, record: object): number {
  let times = 0
  const budget: WorkBudget = { beforeParse: () => undefined, work: () => undefined, step: () => times++ }
  const records = Array.from({ length: 200 }, (_, idx) => ({ idx, ...record }))
  scorer.score(Buffer.from(JSON.stringify(records)), TODAY, budget)
  return times
}

for (const reader of ['bytes', 'reference'] as const) {
  const scorers = { trees: trees({ reader }), figures: figures({ reader }) }
  for (const [what, of, record, fewest, most] of [
    ['clean records of many trees', 'trees', { x: 5 }, 40, 43],
    ['records of many trees with a problem', 'trees', { x: 500 }, 40, 43],
    ['clean records whose scale has many figures', 'figures', { x: 5, ...WHOLE }, 100, 105],
    ['records with a problem whose scale has many figures', 'figures', { x: 500, ...WHOLE }, 100, 105],
    ['records with a problem', 'figures', { x: 500 }, 2, 6],
  ] as const) {
    test(`${reader}: 200 ${what} ask ${fewest} to ${most} times`, () => {
      const times = timesAsked(scorers[of], record)
      assert.ok(fewest <= times && times <= most, `${times} times`)
    })
  }
}
