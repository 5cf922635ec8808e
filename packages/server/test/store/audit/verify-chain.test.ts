/** The verifier on a store that somebody has changed, on files, after retention, and with anchors. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digestOf } from '@patient-risk/runtime'
import { readAnchor, readAnchors, anchorOf as takeAnchor } from '../../../src/store/audit/anchor.ts'
import { type AuditRow, textOf } from '../../../src/store/audit/audit-row.ts'
import { linkRow } from '../../../src/store/audit/write-groups.ts'
import { verifyNewest, verifyRows, verifyStore } from '../../../src/store/audit/verify-chain.ts'
import { entry, seqsOf, storeOf } from '../memory-store.ts'

/** A change of the tables, and every fault that the verifier must report. Six rows, two in each group. */
const DAMAGE: readonly (readonly [string, string, readonly (string | RegExp)[]])[] = [
  ['nothing', 'SELECT 1', []],
  [
    'a group is missing',
    'DELETE FROM audit WHERE last_seq = 4',
    [/^between row 2 and row 5 rows are missing or out of order$/, /^row 6, or one chained together/],
  ],
  [
    'the newest group is missing',
    'DELETE FROM audit WHERE last_seq = 6',
    ['the chain ends at row 4, but its recorded head is row 6'],
  ],
  [
    'the head has another hash',
    "UPDATE chain SET head_hash = 'x'",
    ['the chain ends at row 6, but its recorded head is row 6'],
  ],
  [
    'the head has another number',
    'UPDATE chain SET head_seq = 7',
    ['the chain ends at row 6, but its recorded head is row 7'],
  ],
  [
    'all groups are missing',
    'DELETE FROM audit',
    ['the chain ends at row 0, but its recorded head is row 6'],
  ],
  [
    'entries of the queue that somebody put in',
    "INSERT INTO audit_queue (id, texts, seal) VALUES (70, '{}', X'00'), (71, '{}', X'00')",
    [
      'entry 70 of the queue was not written by the service: its seal does not fit',
      'entry 71 of the queue was not written by the service: its seal does not fit',
    ],
  ],
  [
    'a group after the head',
    'INSERT INTO audit SELECT 9, 1, last_at, context, packed, hash FROM audit WHERE last_seq = 6',
    ['rows up to 9 stand after the recorded head, row 6: they were put in'],
  ],
  [
    'the oldest group is missing, and the start was moved',
    "DELETE FROM audit WHERE last_seq = 2; UPDATE chain SET start_seq = 2, start_hash = 'x'",
    [
      /^row 4, or one chained together with it, was changed: the hash does not fit the content$/,
      'rows up to 2 are gone, and no row says that retention removed them',
    ],
  ],
  [
    'a group cannot be unpacked',
    "UPDATE audit SET packed = X'ff' WHERE last_seq = 4",
    [
      'row 3 is damaged and cannot be read',
      'row 4 is damaged and cannot be read',
      /^row 5 does not follow|^row 6, or one/,
    ],
  ],
  [
    'the time of a group',
    'UPDATE audit SET last_at = 1 WHERE last_seq = 2',
    ['row 1 is damaged and cannot be read', 'row 2 is damaged and cannot be read', /row/],
  ],
  [
    'a hash of the newest group',
    'UPDATE audit SET hash = zeroblob(32) WHERE last_seq = 6',
    [
      'row 6, or one chained together with it, was changed: the hash does not fit the content',
      'the chain ends at row 6, but its recorded head is row 6',
    ],
  ],
]
for (const [what, sql, faults] of DAMAGE) {
  test(`a store is verified: ${what}`, async () => {
    const store = await storeOf(6, 2)
    store.tables.exec(sql)
    for (const most of [5_000, 2]) {
      const report = await verifyStore(store, [], { rows: most })
      const found = report.faults
      assert.equal(found.length > 0, faults.length > 0, found.join('\n'))
      faults.forEach((fault) => {
        const isFound = found.some((each) => (typeof fault === 'string' ? each === fault : fault.test(each)))
        assert.ok(isFound, `${String(fault)} is not among\n${found.join('\n')}`)
      })
      if (faults.length === 0) {
        const last = (await store.readAudit({ newestFirst: true, most: 1 }))[0]
        assert.deepEqual(report, {
          rows: 6,
          head: { seq: 6, hash: last?.hash },
          start: { seq: 0, hash: '' },
          first: undefined,
          faults: [],
          differences: undefined,
          accepted: [],
        })
      }
    }
  })
}

test('rows of a file are verified in their order; the first is trusted', async () => {
  const store = await storeOf(6, 2)
  const rows = await store.readAudit({ most: 9 })
  assert.deepEqual((await verifyRows(rows)).faults, [])
  assert.deepEqual((await verifyRows(rows.slice(2))).faults, [])
  const empty = await verifyRows([])
  assert.deepEqual([empty.rows, empty.head, empty.faults], [0, { seq: 0, hash: '' }, []])
  const third = rows[2] as AuditRow
  const forged = linkRow({ seq: 2, hash: 'x' }, textOf(third.content))
  const cases: readonly (readonly [Partial<AuditRow>, RegExp])[] = [
    [{ content: '{' }, /^row 3 is damaged and cannot be read$/],
    [{ hash: 'x' }, /^row 3, or one chained together with it, was changed: the hash does not fit/],
    [{ at: 1 }, /^row 3 was changed or moved: its number or time does not fit the content$/],
    [{ ...forged }, /^row 3 does not follow row 2: one of them was changed, put in or moved$/],
    [{ seq: 9 }, /^between row 2 and row 9 rows are missing or out of order$/],
  ]
  for (const [change, fault] of cases) {
    const { faults } = await verifyRows(rows.map((row) => (row.seq === 3 ? { ...row, ...change } : row)))
    assert.ok(
      faults.some((each) => fault.test(each)),
      faults.join('\n'),
    )
  }
  const moved = await verifyRows([{ ...third, seq: 9 }])
  assert.deepEqual(moved.faults, ['row 9 was changed or moved: its number or time does not fit the content'])
  const each = Array.from({ length: 300 }, (_each, place) => ({ ...third, seq: place + 1, content: '{' }))
  assert.equal((await verifyRows(each)).faults.length, 100, 'more would not help anybody')
  const many = await verifyRows(Array.from({ length: 300 }, () => ({ ...third, content: '{' })))
  assert.ok(many.faults.length >= 100 && many.faults.length < 110, `${many.faults.length}`)
  store.tables.exec("UPDATE audit SET packed = X'ff' WHERE last_seq = 2")
  assert.notDeepEqual((await verifyNewest(store)).faults, [])
  store.tables.exec('DELETE FROM audit WHERE last_seq = 2')
  const newest = await verifyNewest(store)
  assert.deepEqual([newest.rows, newest.head.seq], [4, 6])
})

test('anchors that were kept elsewhere are compared, also those that retention has passed', async () => {
  const store = await storeOf(6, 2)
  const rows = await store.readAudit({ most: 9 })
  const anchorOf = (seq: number, hash = rows[seq - 1]?.hash ?? ''): { seq: number; hash: string } => ({
    seq,
    hash,
  })
  const faults = async (...anchors: { seq: number; hash: string }[]): Promise<readonly string[]> =>
    (await verifyStore(store, anchors)).faults
  assert.deepEqual(await faults(anchorOf(2), anchorOf(4), anchorOf(6)), [])
  assert.deepEqual(await faults(anchorOf(4, 'x'), anchorOf(2)), ['row 4 differs from the anchor'])
  assert.deepEqual(await faults(anchorOf(7, 'x')), ['row 7 of the anchor is missing'])
  assert.equal(await store.pruneAudit(3_500, 9_000), 2)
  assert.deepEqual(await faults(anchorOf(1, 'x'), anchorOf(2, 'x'), anchorOf(4)), [])
  assert.deepEqual(await faults(anchorOf(3, 'x')), ['row 3 differs from the anchor'])
  const ends = await store.chainEnds()
  const { head, storeId } = ends
  const anchor = takeAnchor(ends, 1_000)
  const at = '1970-01-01T00:00:01.000Z'
  assert.deepEqual(anchor, { at, head: 7, rows: 5, digest: head.hash, store: storeId })
  const whole = { ...head, at, store: storeId }
  assert.deepEqual(readAnchor(JSON.stringify(anchor)), whole)
  assert.deepEqual(readAnchor(` 7:${head.hash}\n`), head)
  assert.deepEqual(readAnchors(`7:${head.hash}\n\n  \n${JSON.stringify(anchor)}\n`), [head, whole])
  const short = 'A'.repeat(43)
  assert.deepEqual(readAnchor(`123456789012345:${short}=`), { seq: 123_456_789_012_345, hash: `${short}=` })
  for (const wrong of [
    `x7:${head.hash}`,
    `7:${head.hash}x`,
    `7:${short}A`,
    `:${short}=`,
    `1234567890123456:${short}=`,
    '{"head":7}',
    '{"head":1.5,"digest":"x"}',
    '{"digest":"x"}',
  ])
    assert.throws(() => readAnchor(wrong), {
      message: 'an anchor is NUMBER:DIGEST, or a line that "audit anchor" has printed',
    })
})

test('retention leaves a row that says where the chain begins', async () => {
  const store = await storeOf(6, 2)
  const rows = await store.readAudit({ most: 9 })
  assert.equal(await store.pruneAudit(1_000, 9_000), 0, 'a group goes only when all of its rows are due')
  assert.equal(await store.pruneAudit(5_000, 9_000), 4)
  const left = await store.readAudit({ most: 9 })
  assert.deepEqual(seqsOf(left), [5, 6, 7])
  assert.deepEqual(JSON.parse(textOf(left[2]?.content ?? '')), {
    at: '1970-01-01T00:00:09.000Z',
    requestId: 'retention-4',
    keyId: null,
    call: 'retention',
    removed: 4,
    month: '1970-01',
    startsAfter: 4,
    startsAfterHash: rows[3]?.hash,
    partsDigest: digestOf(JSON.stringify([['1970-01', 4, rows[3]?.hash]])),
  })
  assert.deepEqual((await verifyStore(store)).faults, [])
  for (const member of ['startsAfter', 'startsAfterHash']) {
    const other = await storeOf(6, 2)
    const forged = { removed: 4, startsAfter: 4, startsAfterHash: rows[3]?.hash, [member]: 'x' }
    await other.appendAudit([entry(9, { call: 'retention', ...forged })])
    other.tables.exec(
      `DELETE FROM audit WHERE last_seq <= 4; UPDATE chain SET start_seq = 4, start_hash = '${rows[3]?.hash}'`,
    )
    assert.deepEqual((await verifyStore(other)).faults, [
      'rows up to 4 are gone, and no row says that retention removed them',
    ])
  }
})
