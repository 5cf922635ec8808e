/** A store is compared with the anchor of a later state of it: what is a loss, what is none, and how it is said. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StoreAnchor, lossSince } from '../../../src/store/audit/anchor.ts'
import type { ChainPoint } from '../../../src/store/audit/audit-row.ts'
import { entry, storeOf } from '../memory-store.ts'

const AT = '2026-11-17T08:00:00.000Z'
/** Of a store with six rows, two in each group; the first two were removed by retention. */
const LOSSES: readonly (readonly [
  what: string,
  anchor: (row: (seq: number) => ChainPoint, storeId: string) => StoreAnchor,
  sql: string,
  loss: string | undefined,
])[] = [
  ['the newest row', (row, store) => ({ ...row(6), store }), 'SELECT 1', undefined],
  ['a row before it', (row, store) => ({ ...row(3), store }), 'SELECT 1', undefined],
  ['an anchor of version 0.1.0', (row) => row(5), 'SELECT 1', undefined],
  ['another store', (row) => ({ ...row(6), store: 'another' }), 'SELECT 1', 'It is another store.'],
  ['a removed row', () => ({ seq: 1, hash: 'x' }), 'SELECT 1', undefined],
  ['the last removed row', () => ({ seq: 2, hash: 'x' }), 'SELECT 1', undefined],
  [
    'the first row that is kept',
    () => ({ seq: 3, hash: 'x', at: AT }),
    'SELECT 1',
    `Its row 3 is not the one of ${AT}.`,
  ],
  ['another hash', () => ({ seq: 7, hash: 'x', at: AT }), 'SELECT 1', `Its row 7 is not the one of ${AT}.`],
  [
    'a row after the head',
    () => ({ seq: 8, hash: 'x', at: AT }),
    'SELECT 1',
    `It ends at row 7, but had row 8 at ${AT}. Rows and changes of keys since then are lost.`,
  ],
  [
    'a row after the head, without a time',
    () => ({ seq: 9, hash: 'x' }),
    'SELECT 1',
    'It ends at row 7, but had row 9 at an earlier time. Rows and changes of keys since then are lost.',
  ],
  ['a damaged row', (row) => row(3), "UPDATE audit SET packed = X'ff' WHERE last_seq = 4", undefined],
  [
    'a row that is missing, and the one after it',
    (row) => ({ ...row(3), at: AT }),
    'DELETE FROM audit WHERE last_seq = 4',
    `Its row 3 is not the one of ${AT}.`,
  ],
  [
    'a row that is missing, and all after it',
    (row) => ({ ...row(5), at: AT }),
    'DELETE FROM audit WHERE last_seq > 4',
    `Its row 5 is not the one of ${AT}.`,
  ],
]
for (const [what, anchor, sql, loss] of LOSSES) {
  test(`the anchor is ${what}: ${loss ?? 'nothing is lost'}`, async () => {
    const store = await storeOf(6, 2)
    const rows = await store.readAudit({ most: 9 })
    await store.pruneAudit(2_500, 9_000)
    const pointOf = (seq: number): ChainPoint => ({ seq, hash: rows[seq - 1]?.hash ?? '' })
    const { storeId } = await store.chainEnds()
    store.tables.exec(sql)
    assert.equal(await lossSince(store, anchor(pointOf, storeId)), loss)
  })
}

test('a row that retention removes meanwhile is no loss', async () => {
  const store = await storeOf(4)
  const readAudit = store.readAudit.bind(store)
  store.readAudit = async (query) => {
    await store.pruneAudit(3_500, 9_000)
    return readAudit(query)
  }
  assert.equal(await lossSince(store, { seq: 3, hash: 'x' }), undefined)
  await store.appendAudit([entry(9)])
  assert.equal(await lossSince(store, { seq: 4, hash: 'x', at: AT }), `Its row 4 is not the one of ${AT}.`)
})
