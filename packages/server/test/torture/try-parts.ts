/** Registers a test for the short form of each part, and one for the proof that it would notice its own defect. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Part } from './part.ts'
import { tryPart } from './run.ts'

export function tryParts(parts: readonly Part[]): void {
  const seed = Number(process.env['SEED'] ?? 1)
  for (const part of parts) {
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
}
