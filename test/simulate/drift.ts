/**
 * The drift alarm on an invented input: ten bins with a tenth of the development data each, and records whose mean has moved. Its stability
 * index is about the square of the shift in standard deviations.
 */
import { makePlan, STATE, Slots } from 'patient-risk-engine'
import { ProfileCounter, driftOf } from '@patient-risk/monitor'
import { randomFrom } from '@patient-risk/statistics'
import { testCatalog } from '../support/serve.ts'
import type { Table } from './table.ts'

const SHIFTS = [0, 0.245, 0.35, 0.49, 0.6, 0.73, 1]
const MOST = 100_000
/** The deciles of a standard normal value, on the scale of an age around 70. */
const CUTS = [-1.2816, -0.8416, -0.5244, -0.2533, 0, 0.2533, 0.5244, 0.8416, 1.2816].map(ageOf)
const PROFILE = {
  data: 'invented',
  rows: 10_000,
  inputs: { age: { cuts: CUTS, shares: new Array<number>(10).fill(0.1), missing: 0.02 } },
  risk: { cuts: [], shares: [1] },
}

function ageOf(normal: number): number {
  return 70 + 10 * normal
}

export interface DriftRun {
  readonly index: number
  /** Records until the alarm; Infinity where there is none. */
  readonly records: number
}

export function driftRuns(shift: number, runs: number, most = MOST): readonly DriftRun[] {
  const plan = makePlan(testCatalog().definitions)
  const slot = plan.slotByName.get('age') ?? -1
  const slots = new Slots(plan.fields.length, plan.scales.length)
  const blocked = { idx: 1, blocked: true, score: 0, risk: 0, problems: [], ambiguousIdxs: [] }
  return Array.from({ length: runs }, (_each, seed) => {
    const random = randomFrom(seed)
    const counter = new ProfileCounter(PROFILE, plan)
    let records = 0
    while (records < most && counter.moved.size === 0) {
      const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
      slots.clear()
      if (random() >= 0.02) slots.set(slot, STATE.valid, ageOf(normal + shift))
      counter.add(slots, blocked)
      records++
    }
    const index = driftOf(counter).inputs[0]?.index ?? Number.NaN
    return { index, records: counter.moved.size === 0 ? Infinity : records }
  })
}

export function simulate({ reduced }: { readonly reduced: boolean }): Promise<Table[]> {
  const runs = reduced ? 10 : 100
  const rows = SHIFTS.map((shift) => {
    const found = [...driftRuns(shift, runs)].sort((a, b) => a.records - b.records)
    const alarms = found.filter(({ records }) => records < Infinity).length
    const median = found[Math.floor(runs / 2)]?.records ?? Infinity
    return [
      shift.toFixed(2),
      (shift * shift).toFixed(2),
      `${alarms} of ${runs}`,
      median === Infinity ? 'none' : String(median),
    ]
  })
  const title = 'Drift alarms within 100,000 sampled records'
  return Promise.resolve([
    { title, head: ['shift, standard deviations', 'index, about', 'alarms', 'median records'], rows },
  ])
}
