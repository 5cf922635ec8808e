/** The ids that the service gives to requests: UUIDs of version 7, each its own, in the order of time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderedId } from '../../../src/http/request/request-context.ts'

test('ids are UUIDs of version 7 with the time in front, and no two are the same', () => {
  const seen = new Set<string>()
  for (let count = 0; count < 100_000; count++) {
    const id = orderedId()
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    seen.add(id)
  }
  assert.equal(seen.size, 100_000)
  const at = Date.UTC(2026, 10, 15, 12, 0, 0, 7)
  assert.equal(Number.parseInt(orderedId(at).replace('-', '').slice(0, 12), 16), at)
  assert.ok(orderedId(at) < orderedId(at + 1))
})
