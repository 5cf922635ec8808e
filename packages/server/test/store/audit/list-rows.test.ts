/** Pages of the audit: what a filter lets through, within reach, and how much one page looks at. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factsOf } from '../../../src/store/audit/audit-facts.ts'
import { makeEntry } from '../../../src/store/audit/audit-row.ts'
import {
  type AuditFilter,
  type AuditPage,
  type ListedRows,
  MOST_LOOKED_AT,
  isOfOne,
} from '../../../src/store/audit/list-rows.ts'
import { type MemoryStore, openMemoryStore, seqsOf, storeOf } from '../memory-store.ts'
import { HOUR, NOW, usedStore } from './used-store.ts'

const list = (store: MemoryStore, wanted: Partial<ListedRows>): Promise<AuditPage> =>
  store.listAudit({ filter: {}, most: 5, before: undefined, ...wanted })

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
    const { rows, next } = await list(await usedStore(), { most: 20, filter })
    assert.deepEqual([seqsOf(rows), next], [seqs, null])
  })
}

test('rows are listed page by page, and only those within reach', async () => {
  const store = await usedStore()
  const page = (before?: number): Promise<AuditPage> =>
    list(store, { deployments: ['x'], most: 2, before, filter: { outcome: 'answered' } })
  const first = await page()
  assert.deepEqual([seqsOf(first.rows), first.next], [[7, 4], 4])
  const second = await page(4)
  assert.deepEqual([seqsOf(second.rows), second.next], [[2, 1], 1])
  assert.deepEqual(await page(1), { rows: [], next: null })
})

test('few rows among many are found at once', async () => {
  const store = await storeOf(400, 100)
  await store.appendAudit([makeEntry({ at: NOW, requestId: 'r', keyId: 'wanted', call: 'score' })])
  const { rows, next } = await list(store, { most: 2, filter: { keyId: 'wanted' } })
  assert.deepEqual([seqsOf(rows), next], [[401], null])
})

/** Rows of a store, all in groups of 100, and where a page that finds nothing says that the next one begins. */
const BOUNDS = [
  [MOST_LOOKED_AT - 100, null],
  [MOST_LOOKED_AT, 1],
  [MOST_LOOKED_AT + 100, 101],
] as const
for (const [count, next] of BOUNDS) {
  test(`a filter that finds nothing in ${count} rows: the next page begins at ${next}`, async () => {
    const store = await storeOf(count, 100)
    const filter = { keyId: 'nobody' }
    assert.deepEqual(await list(store, { filter }), { rows: [], next })
    if (next !== null) assert.deepEqual(await list(store, { filter, before: next }), { rows: [], next: null })
  })
}

test('pages of any length, one after the other, hold every row once', async () => {
  const store = await storeOf(1_234, 77, { keyId: 'k' })
  for (const most of [1, 76, 77, 78, 499, 500, 501]) {
    const found: number[] = []
    for (let before: number | null | undefined; before !== null;) {
      const page: AuditPage = await list(store, { most, before, filter: { keyId: 'k' } })
      found.push(...seqsOf(page.rows))
      before = most === 1 && found.length > 200 ? null : page.next
    }
    const all = Array.from({ length: found.length }, (_each, place) => 1_234 - place)
    assert.deepEqual(found, all)
    if (most > 1) assert.equal(found.length, 1_234)
  }
})

test('rows before a time that is asked for are not read', async () => {
  const store = await storeOf(MOST_LOOKED_AT + 300, 100)
  const from = new Date((MOST_LOOKED_AT + 150) * 1_000).toISOString()
  assert.deepEqual(await list(store, { filter: { from, keyId: 'nobody' } }), { rows: [], next: null })
  assert.equal((await list(store, { filter: { from }, most: 500 })).rows.length, 151)
})

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
    const count = async (calls: 'scoring' | 'management'): Promise<number> =>
      (await list(store, { filter: { calls } })).rows.length
    assert.deepEqual([await count('scoring'), await count('management')], isScoring ? [1, 0] : [0, 1])
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
    [undefined, null, 'a', 'b'].map((deployment) => isOfOne(['a'], { ...bare, deployment } as never)),
    [false, false, true, false],
  )
  assert.equal(isOfOne(undefined, bare), true)
})
