/**
 * The processor time of the costliest request that a search finds: `node bench/costliest.ts [SEED] [TRIES]`. It prints the time a byte as
 * a ratio to that of plain records, and the time a step of the meter: work that is not counted would show there.
 */
import type { WorkBudget } from 'patient-risk-engine'
import {
  type CostlyShape,
  bodyOfShape,
  changedShape,
  randomShape,
  scorerOfShape,
} from '../test/support/costly-requests.ts'
import { Random } from '../test/support/random.ts'
import { TODAY } from '../test/support/small-definitions.ts'

const [seed = 1, tries = 300] = process.argv.slice(2).map(Number)
/** Of the search that is chance, before the costliest is changed. */
const CHANCE = 0.4

interface Cost {
  readonly shape: CostlyShape
  readonly steps: number
  readonly nsAByte: number
  readonly nsAStep: number
}

/** Once before it is timed: what is computed once for all requests is not part of a request. */
function costOf(shape: CostlyShape): Cost {
  const scorer = scorerOfShape(shape)
  const body = bodyOfShape(shape)
  let steps = 0
  const budget: WorkBudget = {
    beforeParse: () => undefined,
    step: () => undefined,
    work: (more) => void (steps += more),
  }
  scorer.explain(body, TODAY, budget)
  steps = 0
  const before = process.cpuUsage()
  scorer.explain(body, TODAY, budget)
  const { user, system } = process.cpuUsage(before)
  const ns = 1_000 * (user + system)
  return { shape, steps, nsAByte: ns / body.length, nsAStep: ns / Math.max(1, steps) }
}

/** Whole records of a model with five inputs, scored and not explained. */
function plainNsAByte(): number {
  const shape = { ...randomShape(new Random(1)), inputs: 5, given: 10, records: 5_000, isTable: false }
  const plain = { ...shape, products: 0, counts: 0, trees: 0, items: 0 }
  const scorer = scorerOfShape(plain)
  const body = bodyOfShape(plain)
  for (let warm = 0; warm < 20; warm++) scorer.score(body, TODAY)
  const before = process.cpuUsage()
  for (let time = 0; time < 20; time++) scorer.score(body, TODAY)
  const { user, system } = process.cpuUsage(before)
  return (1_000 * (user + system)) / (20 * body.length)
}

const random = new Random(seed)
let worst = costOf(randomShape(random))
let slowestStep: Cost = { ...worst, nsAStep: 0 }
for (let at = 1; at < tries; at++) {
  const shape = at < CHANCE * tries ? randomShape(random) : changedShape(random, worst.shape)
  const found = costOf(shape)
  if (found.nsAByte > worst.nsAByte) worst = found
  // With few steps the rest of a request is all that is timed.
  if (found.steps > 100_000 && found.nsAStep > slowestStep.nsAStep) slowestStep = found
}
const plain = plainNsAByte()
const show = (what: string, { shape, steps, nsAByte, nsAStep }: Cost): void => {
  process.stdout.write(
    `${what}: ${Math.round(nsAByte)} ns a byte, ${Math.round(nsAByte / plain)} times a plain record; ${Math.round(steps)} steps of ${Math.round(nsAStep)} ns\n  ${JSON.stringify(shape)}\n`,
  )
}
process.stdout.write(`plain records: ${plain.toFixed(1)} ns a byte\n`)
show('costliest', worst)
show('slowest steps', slowestStep)
