/** Simulated workers on a job, seed by seed. `job-seeds.slow.test.ts` and the torture run many more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeWorld, simulateJob } from './simulation/simulate.ts'

test('a job ends once, with the answers of a scoring call, whatever happens to its workers', async () => {
  const world = await makeWorld()
  try {
    for (const seed of [1, 2, 3])
      assert.deepEqual((await simulateJob(world, seed)).faults, [], `seed ${seed}`)
  } finally {
    await world.close()
  }
})
