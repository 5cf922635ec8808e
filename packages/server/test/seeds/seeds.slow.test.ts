/** Store and audit on a simulated machine: three thousand runs, and the planted defects that they must find. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PLANTS } from './plants.ts'
import { replay, runSeeds } from './pool.ts'

const COUNT = 3_000
/** The same ones each time, so that a failure is of the change that is tested. `npm run torture` takes new ones. */
const first = Number(process.env['FIRST_SEED'] ?? 1)

test(`${COUNT} seeds from ${first}: nothing that was acknowledged is lost, doubled or revived`, async () => {
  const { broken } = await runSeeds({ from: first, count: COUNT })
  assert.deepEqual(broken.map(replay), [])
})

for (const [plant, { defect, seed, finds }] of Object.entries(PLANTS)) {
  test(`seed ${seed} finds that ${defect}`, async () => {
    const planted = await runSeeds({ from: seed, count: 1, plant })
    assert.match(planted.broken[0]?.faults.join('\n') ?? '', finds)
    const { broken } = await runSeeds({ from: seed, count: 1 })
    assert.deepEqual(broken, [], 'without the defect nothing is broken')
  })
}
