/** Two processes on one PostgreSQL: some hundred runs, and the planted defects that they must find. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsPostgres, useDatabases } from '../../../../../test/support/postgres-server.ts'
import { replayPostgres, runSeeds } from '../pool.ts'
import { POSTGRES_PLANTS } from './plants.ts'

const COUNT = 250
/** The same ones each time, so that a failure is of the change that is tested. `npm run torture` takes new ones. */
const first = Number(process.env['FIRST_SEED'] ?? 1)
const newDatabase = useDatabases()

test(
  `${COUNT} seeds on PostgreSQL from ${first}: nothing that was acknowledged is lost, doubled or revived`,
  needsPostgres(),
  async () => {
    const { broken } = await runSeeds({ from: first, count: COUNT, newDatabase })
    assert.deepEqual(broken.map(replayPostgres), [])
  },
)

for (const [plant, { defect, seed, finds }] of Object.entries(POSTGRES_PLANTS)) {
  test(`on PostgreSQL seed ${seed} finds that ${defect}`, needsPostgres(), async () => {
    const planted = await runSeeds({ from: seed, count: 1, plant, newDatabase })
    assert.match(planted.broken[0]?.faults.join('\n') ?? '', finds)
    const { broken } = await runSeeds({ from: seed, count: 1, newDatabase })
    assert.deepEqual(broken, [], 'without the defect nothing is broken')
  })
}
