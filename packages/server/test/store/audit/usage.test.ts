/** Figures of use, counted from the audit. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeEntry } from '../../../src/store/audit/audit-row.ts'
import { countUsage } from '../../../src/store/audit/usage.ts'
import { openMemoryStore } from '../memory-store.ts'
import { HOUR, NOW, usedStore } from './used-store.ts'

test('use is counted by hour and by key', async () => {
  const usage = await countUsage(await usedStore(), NOW, 3, 'all')
  const hour = (before: number): string => new Date((500 - before) * HOUR).toISOString()
  assert.deepEqual(usage, {
    complete: true,
    exactSince: null,
    hours: [
      {
        at: hour(2),
        requests: 1,
        refused: 0,
        records: 5,
        scored: 4,
        problems: { ValueMissing: 2, ValueError: 1 },
      },
      { at: hour(1), requests: 2, refused: 0, records: 10, scored: 10, problems: { ValueMissing: 4 } },
      { at: hour(0), requests: 3, refused: 2, records: 0, scored: 0, problems: {} },
    ],
    keys: [
      { keyId: 'b', requests: 1, refused: 0, records: 9, scored: 9, page: 1 },
      { keyId: 'a', requests: 3, refused: 1, records: 6, scored: 5, page: 0 },
      { keyId: 'c', requests: 1, refused: 0, records: 0, scored: 0, page: 0 },
    ],
  })
})

test('an administrator of a deployment sees the use of that deployment alone', async () => {
  const { keys, hours } = await countUsage(await usedStore(), NOW, 3, ['y'])
  assert.deepEqual(
    keys.map(({ keyId }) => keyId),
    ['b', 'c'],
  )
  assert.deepEqual(
    hours.map(({ requests }) => requests),
    [0, 1, 1],
  )
})

test('keys with as many records are in the order of their requests', async () => {
  const store = await openMemoryStore()
  for (const keyId of ['one', 'two', 'two'])
    await store.appendAudit([makeEntry({ at: NOW, requestId: 'r', keyId })])
  assert.deepEqual(
    (await countUsage(store, NOW, 1, 'all')).keys.map(({ keyId }) => keyId),
    ['two', 'one'],
  )
})

test('keys with as many records and requests are in the order of their ids', async () => {
  const store = await openMemoryStore()
  const ids = ['d', 'b', 'e', 'a', 'c']
  for (const keyId of ids) await store.appendAudit([makeEntry({ at: NOW, requestId: 'r', keyId })])
  const shown = async (): Promise<readonly string[]> =>
    (await countUsage(store, NOW, 1, 'all')).keys.map(({ keyId }) => keyId)
  assert.deepEqual(await shown(), ids.toSorted())
  // A database may return them in any order.
  const readUsage = store.readUsage.bind(store)
  store.readUsage = async (wanted) => {
    const { keys, ...rest } = await readUsage(wanted)
    return { ...rest, keys: keys.toReversed() }
  }
  assert.deepEqual(await shown(), ids.toSorted())
})
