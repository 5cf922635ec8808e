/** A store with rows of several hours, for tests of what is counted and listed. */
import { makeEntry } from '../../../src/store/audit/audit-row.ts'
import { type MemoryStore, openMemoryStore } from '../memory-store.ts'

export const HOUR = 3_600_000
export const NOW = 500 * HOUR + 1_234

/** Hours before the newest, and what the row says. */
const USES: readonly (readonly [number, object])[] = [
  [3, { keyId: 'a', status: 200, records: 99, deployment: 'x' }],
  [
    2,
    {
      keyId: 'a',
      status: 200,
      records: 5,
      scored: 4,
      problems: { ValueMissing: 2, ValueError: 1 },
      deployment: 'x',
    },
  ],
  [
    1,
    {
      keyId: 'b',
      status: 200,
      records: 9,
      scored: 9,
      problems: { ValueMissing: 1 },
      deployment: 'y',
      via: 'page',
    },
  ],
  [
    1,
    {
      keyId: 'a',
      status: 399,
      records: 1,
      scored: 1,
      problems: { ValueMissing: 3 },
      deployment: 'x',
      via: 'file',
    },
  ],
  [0, { keyId: 'a', status: 400, deployment: 'x' }],
  [0, { status: 401 }],
  [0, { keyId: 'a', call: 'stream', ended: 'begun', status: 200, records: 7, deployment: 'x' }],
  [0, { keyId: 'c', call: 'stream', ended: 'whole', status: 200, records: 0, deployment: 'y' }],
]

export async function usedStore(): Promise<MemoryStore> {
  const store = await openMemoryStore()
  for (const [place, [hours, facts]] of USES.entries()) {
    const at = NOW - hours * HOUR
    await store.appendAudit([makeEntry({ at, requestId: `r${place}`, keyId: null, call: 'score', ...facts })])
  }
  return store
}
