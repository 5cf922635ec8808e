/** Store and audit on a simulated machine, forty runs; `seeds.slow.test.ts` has the others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replay, runSeeds } from './pool.ts'

test('forty seeds: nothing that was acknowledged is lost, doubled or revived', async () => {
  const { broken } = await runSeeds({ from: 1, count: 40 })
  assert.deepEqual(broken.map(replay), [])
})

test('a seed decides everything that happens', async () => {
  const [one, other] = await Promise.all([runSeeds({ from: 7, count: 1 }), runSeeds({ from: 7, count: 1 })])
  assert.ok(one.lines.length > 20)
  assert.deepEqual(one, other)
})
