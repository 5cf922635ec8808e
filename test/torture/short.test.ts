/** The short form of every part of the torture. `npm run torture` runs them whole, each also with its defect planted. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { allParts, tryPart } from './run.ts'

const seed = randomInt(2 ** 31)
for (const part of await allParts()) {
  test(`${part.name}: ${part.promise} (short form, seed ${seed})`, async () => {
    const { faults } = await tryPart(part, { seed, short: true, planted: false }, () => undefined)
    assert.deepEqual(faults.slice(0, 10), [])
  })
}
