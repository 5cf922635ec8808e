/** The short form of every part of the torture, and the proof that each would notice its own defect. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allParts, tryPart } from './run.ts'

const seed = Number(process.env['SEED'] ?? 1)

for (const part of await allParts()) {
  for (const planted of [true, false]) {
    const name = planted
      ? `${part.name}: notices that ${part.defect}`
      : `${part.name}, in short: ${part.promise}`
    test(name, { skip: part.missing?.() ?? false }, async () => {
      const { faults } = await tryPart(part, { seed, short: true, planted }, () => undefined)
      assert.deepEqual(faults, [], `seed ${seed}`)
    })
  }
}
