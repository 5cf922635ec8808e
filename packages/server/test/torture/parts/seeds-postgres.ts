/** Seeds on PostgreSQL: two processes on a real server, where a seed decides what the network and the server do. */
import { replayPostgres, runSeeds } from '../../seeds/pool.ts'
import { POSTGRES_PLANTS } from '../../seeds/postgres/plants.ts'
import { startPostgres, whyNoPostgres } from '../../../../../test/support/postgres-server.ts'
import type { Part, Trial, Verdict } from '../part.ts'

const SEEDS = 2_000
const SAY_EVERY = 200
const PLANT = 'row-written-again'

export const part: Part = {
  name: 'seeds-postgres',
  promise:
    '2,000 runs on PostgreSQL: no acknowledged row, key or revocation lost or doubled, chain intact, no limit exceeded',
  defect: 'rows are written again after a failure, although the first try may have worked',
  shortScale: 0.005,
  missing: whyNoPostgres,
  run,
}

async function run({ seed, scale, planted, say }: Trial): Promise<Verdict> {
  const runs = planted
    ? { from: POSTGRES_PLANTS[PLANT]?.seed ?? 0, count: 1, plant: PLANT }
    : { from: seed, count: Math.max(1, Math.ceil(SEEDS * scale)) }
  const server = await startPostgres()
  try {
    const all = { ...runs, newDatabase: () => server.newDatabase() }
    const { broken, lines } = await runSeeds(all, (done) => {
      if (done % SAY_EVERY === 0) say(`${done} seeds`)
    })
    if (!planted) for (const line of lines) say(line)
    return { faults: broken.map(replayPostgres), figures: { seeds: runs.count } }
  } finally {
    await server.remove()
  }
}
