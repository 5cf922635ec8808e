/** The contract of every store: pages of the audit for administrators. */
import assert from 'node:assert/strict'
import { MOST_LOOKED_AT } from '../../../src/store/audit/list-rows.ts'
import { entries, entry, onEachStore } from './each-store.ts'

const ROWS_AT_ONCE = 1_000

onEachStore((given, test) => {
  const list = (before?: number, keyId?: string): ReturnType<typeof given.store.listAudit> =>
    given.store.listAudit({ filter: { keyId }, most: 5, before })

  test('a row is listed as soon as it is durable', async () => {
    for (const id of ['a', 'b']) {
      await given.store.appendAudit([entry(id)])
      assert.equal((await list()).rows[0]?.requestId, id)
    }
  })

  test('a question that finds nothing looks at some thousand rows, and says where to go on', async () => {
    const { seq } = (await given.store.chainEnds()).head
    for (let added = 0; added <= MOST_LOOKED_AT; added += ROWS_AT_ONCE)
      await given.store.appendAudit(entries(ROWS_AT_ONCE))
    const first = await list(undefined, 'nobody')
    assert.deepEqual(first, { rows: [], next: seq + ROWS_AT_ONCE + 1 })
    assert.deepEqual(await list(first.next, 'nobody'), { rows: [], next: null })
  })
})
