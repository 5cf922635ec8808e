/** Seeds of jobs: workers that are killed, held up beyond their lease, and have other clocks. */
import { makeWorld, simulateJob } from '../../http/jobs/simulation/simulate.ts'
import type { Part, Trial, Verdict } from '../part.ts'

const SEEDS = 2_000

export const part: Part = {
  name: 'seeds-jobs',
  promise: `${SEEDS} simulated jobs end once, by the last worker that took them, with the answers of a scoring call`,
  defect: 'a worker that has lost its lease publishes all the same',
  shortScale: 0.005,
  run,
}

async function run({ seed, scale, planted }: Trial): Promise<Verdict> {
  const world = await makeWorld()
  const faults: string[] = []
  const figures = { seeds: 0, kills: 0, takeovers: 0 }
  try {
    for (; figures.seeds < SEEDS * scale && faults.length === 0; figures.seeds++) {
      const own = seed + figures.seeds
      const found = await simulateJob(world, own, planted ? 'unfenced-end' : undefined)
      figures.kills += found.kills
      figures.takeovers += found.takeovers
      faults.push(...found.faults.map((fault) => `seed ${own}: ${fault}`))
    }
  } finally {
    await world.close()
  }
  return { figures, faults }
}
