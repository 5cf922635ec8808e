/** Simulated workers on jobs, on both stores; and each planted defect is found. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { SEED } from '../../../../../test/support/fast-check.ts'
import { needsPostgres, useDatabases } from '../../../../../test/support/postgres-server.ts'
import { makeWorld, simulateJob } from './simulation/simulate.ts'
import { DEFECTS } from './simulation/worker.ts'

const SEEDS = 25
const newDatabase = useDatabases()

async function holds(context: TestContext, databaseUrl: string | undefined): Promise<void> {
  const world = await makeWorld(databaseUrl)
  let kills = 0
  let takeovers = 0
  try {
    for (let seed = SEED; seed < SEED + SEEDS; seed++) {
      const found = await simulateJob(world, seed)
      assert.deepEqual(found.faults, [], `seed ${seed}`)
      kills += found.kills
      takeovers += found.takeovers
    }
  } finally {
    await world.close()
  }
  assert.ok(takeovers > SEEDS)
  context.diagnostic(`${SEEDS} seeds from ${SEED} on, ${kills} kills, ${takeovers} takeovers`)
}

test('SQLite', (context) => holds(context, undefined))

test('PostgreSQL', needsPostgres(), async (context) => holds(context, await newDatabase()))

for (const defect of DEFECTS) {
  test(`a planted defect is found: ${defect}`, async () => {
    const world = await makeWorld()
    try {
      for (let seed = 1; seed <= 20; seed++)
        if ((await simulateJob(world, seed, defect)).faults.length > 0) return
      assert.fail('no seed has found it')
    } finally {
      await world.close()
    }
  })
}
