/** Anchors that were kept elsewhere reveal a chain that was cut or rewritten, together with its recorded head. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { anchorOf, readAnchor } from '../../../src/store/audit/anchor.ts'
import { makeEntry } from '../../../src/store/audit/audit-row.ts'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import { openFileStore } from '../open-file.ts'
import { appendOneByOne } from '../contract/each-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-anchor-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const entry = (requestId: string): ReturnType<typeof makeEntry> =>
  makeEntry({ at: 1_000, requestId, keyId: null, call: 'score' })

test('an anchor finds a truncated chain whose head was rewritten to match', async () => {
  const path = join(folder, 'cut.sqlite')
  const store = await openFileStore(path)
  await appendOneByOne(store, ['a', 'b', 'c'].map(entry))
  const anchor = anchorOf(await store.chainEnds(), 5_000)
  assert.deepEqual([anchor.head, anchor.rows, anchor.at], [3, 3, '1970-01-01T00:00:05.000Z'])
  const point = readAnchor(JSON.stringify(anchor))
  assert.deepEqual({ seq: point.seq, hash: point.hash }, readAnchor(`${anchor.head}:${anchor.digest}`))
  assert.deepEqual((await verifyStore(store, [point])).faults, [])
  const [, second] = await store.readAudit({ most: 2 })
  const database = new DatabaseSync(path, { timeout: 5_000 })
  database.exec(
    `DELETE FROM audit WHERE last_seq = 3; UPDATE chain SET head_seq = 2, head_hash = '${second?.hash}'`,
  )
  database.close()
  assert.deepEqual((await verifyStore(store)).faults, [])
  assert.match((await verifyStore(store, [point])).faults.join(), /row 3 of the anchor is missing/)
  await assert.rejects(store.appendAudit([entry('another')]), /or an older state of it/)
  await store.close()
  // Another process, which remembers nothing: the chain goes on differently from there.
  const other = await openFileStore(path)
  await other.appendAudit([entry('another')])
  assert.deepEqual((await verifyStore(other)).faults, [])
  assert.match((await verifyStore(other, [point])).faults.join(), /row 3 differs from the anchor/)
  await other.close()
})

test('a line that is not an anchor is refused', () => {
  for (const text of ['', '7', '7:short', '{"head":"7"}', 'null'])
    assert.throws(() => readAnchor(text), /an anchor is/)
})
