/** Seeds: store and audit on a simulated machine, where a seed decides every crash, failure and order of events. */
import { PLANTS } from '../../seeds/plants.ts'
import { replay, runSeeds } from '../../seeds/pool.ts'
import type { Part, Trial, Verdict } from '../part.ts'

const SEEDS = 100_000
const SAY_EVERY = 10_000
const PLANT = 'fsync-left-out'

export const part: Part = {
  name: 'seeds',
  promise:
    '100,000 simulated runs: no acknowledged row, key or revocation lost or doubled, chain intact, no limit exceeded',
  defect: 'a commit does not wait for the disk',
  shortScale: 0.001,
  run,
}

async function run({ seed, scale, planted, say }: Trial): Promise<Verdict> {
  const runs = planted
    ? { from: PLANTS[PLANT]?.seed ?? 0, count: 1, plant: PLANT }
    : { from: seed, count: Math.max(1, Math.ceil(SEEDS * scale)) }
  const { broken, lines } = await runSeeds(runs, (done) => {
    if (done % SAY_EVERY === 0) say(`${done} seeds`)
  })
  if (!planted) for (const line of lines) say(line)
  return { faults: broken.map(replay), figures: { seeds: runs.count } }
}
