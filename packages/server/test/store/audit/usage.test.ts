/** Figures of use and lists of rows, read from the audit. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeEntry } from '../../../src/store/audit/audit-row.ts'
import { factsOf } from '../../../src/store/audit/audit-facts.ts'
import {
  type AuditFilter,
  countUsage,
  isRowWithin,
  listRows,
  visitRows,
} from '../../../src/store/audit/usage.ts'
import { type MemoryStore, openMemoryStore, seqsOf, storeOf } from '../memory-store.ts'

const HOUR = 3_600_000
const NOW = 500 * HOUR + 1_234

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

async function usedStore(): Promise<MemoryStore> {
  const store = await openMemoryStore()
  for (const [place, [hours, facts]] of USES.entries()) {
    const at = NOW - hours * HOUR
    await store.appendAudit([makeEntry({ at, requestId: `r${place}`, keyId: null, call: 'score', ...facts })])
  }
  return store
}

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

/** A filter, and the rows of USES that pass it, the newest first. */
const FILTERS: readonly (readonly [AuditFilter, readonly number[]])[] = [
  [{}, [8, 7, 6, 5, 4, 3, 2, 1]],
  [{ keyId: 'b' }, [3]],
  [{ deployment: 'y' }, [8, 3]],
  [{ from: new Date(NOW - HOUR).toISOString() }, [8, 7, 6, 5, 4, 3]],
  [{ to: new Date(NOW - HOUR).toISOString() }, [2, 1]],
  [{ outcome: 'refused' }, [6, 5]],
  [{ outcome: 'answered' }, [8, 7, 4, 3, 2, 1]],
  [{ calls: 'management' }, []],
  [{ calls: 'scoring', keyId: 'a', outcome: 'answered' }, [7, 4, 2, 1]],
]
for (const [filter, seqs] of FILTERS) {
  test(`the rows of ${JSON.stringify(filter)} are listed`, async () => {
    const { rows, next } = await listRows(await usedStore(), 'all', { most: 20, before: undefined }, filter)
    assert.deepEqual([seqsOf(rows), next], [seqs, null])
  })
}

test('rows are listed page by page, and only those within reach', async () => {
  const store = await usedStore()
  const page = (before?: number): ReturnType<typeof listRows> =>
    listRows(store, ['x'], { most: 2, before }, { outcome: 'answered' })
  const first = await page()
  assert.deepEqual([seqsOf(first.rows), first.next], [[7, 4], 4])
  const second = await page(4)
  assert.deepEqual([seqsOf(second.rows), second.next], [[2, 1], 1])
  assert.deepEqual(await page(1), { rows: [], next: null })
})

test('few rows among many are found at once', async () => {
  const store = await storeOf(400, 100)
  await store.appendAudit([makeEntry({ at: NOW, requestId: 'r', keyId: 'wanted', call: 'score' })])
  const { rows, next } = await listRows(store, 'all', { most: 2, before: undefined }, { keyId: 'wanted' })
  assert.deepEqual([seqsOf(rows), next], [[401], null])
})

/** Rows of a store, rows and pages that a visit may take, the rows that are visited, and whether these are all. */
const VISITS = [
  [5, 2, 3, 5, true],
  [5, 2, 2, 4, false],
  [4, 2, 3, 4, true],
  [4, 2, 2, 4, false],
  [5, 9, 1, 5, true],
  [6, 3, 9, 6, true],
] as const
for (const [all, most, pages, visited, isEnd] of VISITS) {
  test(`of ${all} rows, ${most} at a time and ${pages} pages at most, ${visited} are visited`, async () => {
    const store = await storeOf(all)
    const seqs: number[] = []
    const visit = ({ seq }: { readonly seq: number }): boolean => seqs.push(seq) > 0
    assert.equal(await visitRows(store, { most }, visit, pages), isEnd)
    assert.deepEqual(seqs, [1, 2, 3, 4, 5, 6].slice(0, visited))
  })
}

const CALLS = [
  ['score', true],
  ['validate', true],
  ['explain records', true],
  ['stream score', true],
  ['keys list', false],
  ['rescore', false],
  ['model', false],
] as const
for (const [call, isScoring] of CALLS) {
  test(`${call} is a call of ${isScoring ? 'scoring' : 'management'}`, async () => {
    const store = await openMemoryStore()
    await store.appendAudit([makeEntry({ at: 1, requestId: 'r', keyId: null, call })])
    const place = { most: 5, before: undefined }
    assert.equal((await listRows(store, 'all', place, { calls: 'scoring' })).rows.length, isScoring ? 1 : 0)
    assert.equal(
      (await listRows(store, 'all', place, { calls: 'management' })).rows.length,
      isScoring ? 0 : 1,
    )
  })
}

test('what a row says is shown without its place in the chain, and a damaged row says nothing', () => {
  const said = {
    keyId: 'k',
    call: 'score',
    status: 200,
    deployment: null,
    records: 0,
    model: 'm',
    problems: {},
  }
  const more = { subject: 's', code: 'c', ended: 'e', via: 'page', scored: 1, durationMs: 2 }
  const facts = { seq: 3, at: 't', requestId: 'r', ...said, ...more }
  const content = JSON.stringify({ ...facts, prev: 'p', bodyDigest: 'd' })
  assert.deepEqual(factsOf({ seq: 3, content }), facts)
  const bare = { seq: 3, at: 't', requestId: 'r', keyId: null, call: 'x' }
  assert.deepEqual(Object.keys(factsOf({ seq: 3, content: JSON.stringify(bare) })), Object.keys(bare))
  assert.deepEqual(factsOf({ seq: 4, content: '' }), {
    seq: 4,
    at: '',
    requestId: '',
    keyId: null,
    call: 'damaged',
  })
  assert.deepEqual(
    [undefined, null, 'a', 'b'].map((deployment) => isRowWithin(['a'], { ...bare, deployment } as never)),
    [false, false, true, false],
  )
  assert.equal(isRowWithin('all', bare), true)
})
