/** Two processes on one PostgreSQL, whose network and server do what a seed decides; `seeds.slow.test.ts` has more runs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsPostgres, useDatabases } from '../../../../../test/support/postgres-server.ts'
import { replayPostgres, runSeeds } from '../pool.ts'

const COUNT = 16
const newDatabase = useDatabases()

test(
  `${COUNT} seeds on PostgreSQL: nothing that was acknowledged is lost, doubled or revived`,
  needsPostgres(),
  async () => {
    const { broken } = await runSeeds({ from: 1, count: COUNT, newDatabase })
    assert.deepEqual(broken.map(replayPostgres), [])
  },
)

test('a seed decides everything that happens on PostgreSQL', needsPostgres(), async () => {
  const once = (): ReturnType<typeof runSeeds> => runSeeds({ from: 7, count: 1, newDatabase })
  const [one, other] = await Promise.all([once(), once()])
  assert.ok(one.lines.length > 10)
  assert.deepEqual(one, other)
})
