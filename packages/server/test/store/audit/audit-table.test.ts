/** The audit as it is stored and read: queries over many groups, dictionaries, and rows of version 0.1.0. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertHead, commonPart, linkRow, timeOf } from '../../../src/store/audit/write-groups.ts'
import { QueueSeal, digestOf, fingerprintOf } from '@patient-risk/runtime'
import { type AuditRow, makeEntry, recoveryEntry, textOf } from '../../../src/store/audit/audit-row.ts'
import { NOTE_REMOVED_ROWS, copyOldRows, sealQueue } from '../../../src/store/audit/copy-old-rows.ts'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import { SqliteDatabase } from '../../../src/store/sqlite/database.ts'
import { type AuditQuery, readRows } from '../../../src/store/audit/read-groups.ts'
import type { Query } from '../../../src/store/sql.ts'
import { TEST_SECRET } from '../open-file.ts'
import { MemoryStore, entry, openMemoryStore, seqsOf, storeOf } from '../memory-store.ts'

const range = (from: number, to: number): readonly number[] =>
  from <= to
    ? Array.from({ length: to - from + 1 }, (_each, place) => from + place)
    : [...range(to, from)].reverse()

/** 450 rows alone are three pages of groups; 450 in groups of three end within one. */
const QUERIES: readonly (readonly [AuditQuery, readonly number[]])[] = [
  [{ most: 1_000 }, range(1, 450)],
  [{ most: 450 }, range(1, 450)],
  [{ most: 1 }, [1]],
  [{ most: 201 }, range(1, 201)],
  [{ after: 0, most: 2 }, [1, 2]],
  [{ after: 199, most: 3 }, [200, 201, 202]],
  [{ after: 448, most: 9 }, [449, 450]],
  [{ after: 450, most: 9 }, []],
  [{ newestFirst: true, most: 1_000 }, range(450, 1)],
  [{ newestFirst: true, most: 2 }, [450, 449]],
  [{ newestFirst: true, after: 450, most: 2 }, [449, 448]],
  [{ newestFirst: true, after: 302, most: 3 }, [301, 300, 299]],
  [{ newestFirst: true, after: 9_999, most: 2 }, [450, 449]],
  [{ newestFirst: true, after: 1, most: 2 }, []],
  [{ from: 449_000, most: 9 }, [449, 450]],
  [{ from: 200_500, most: 3 }, [201, 202, 203]],
  [{ from: 451_000, most: 9 }, []],
  [{ from: 448_000, newestFirst: true, most: 9 }, [450, 449, 448]],
  [{ requestId: 'r444', most: 9 }, [444]],
  [{ requestId: 'r44', most: 9 }, [44]],
  [{ requestId: 'nobody', most: 9 }, []],
]
for (const atOnce of [1, 3]) {
  const opened = storeOf(450, atOnce, { deployment: 'd' })
  for (const [query, seqs] of QUERIES) {
    test(`${JSON.stringify(query)} of rows that were stored ${atOnce} at a time`, async () => {
      assert.deepEqual(seqsOf(await (await opened).readAudit(query)), seqs)
    })
  }
  test(`rows that were stored ${atOnce} at a time are linked, and read back as they were written`, async () => {
    const rows = await (await opened).readAudit({ most: 1_000 })
    let prev = ''
    for (const { seq, at, content, hash } of rows) {
      assert.equal(at, seq * 1_000)
      assert.equal(content, `{"seq":${seq},"prev":"${prev}",${entry(seq, { deployment: 'd' }).text.slice(1)}`)
      assert.equal(hash, digestOf(content))
      prev = hash
    }
  })
}

/** A query over 450 rows, and how many statements and groups may be read for it at most. */
const COSTS: readonly (readonly [AuditQuery, statements: number, groups: number])[] = [
  [{ most: 2 }, 1, 2],
  [{ newestFirst: true, most: 2 }, 1, 2],
  [{ newestFirst: true, after: 400, most: 2 }, 3, 4],
  [{ from: 440_000, most: 2 }, 2, 2],
  [{ from: 440_000, most: 99 }, 3, 11],
  [{ from: 440_000, newestFirst: true, most: 99 }, 3, 11],
  [{ requestId: 'r5', most: 1 }, 1, 450],
  [{ requestId: 'r5', most: 2 }, 2, 450],
  [{ most: 9_999 }, 2, 450],
]
const alone = storeOf(450)
for (const [query, statements, groups] of COSTS) {
  test(`${JSON.stringify(query)} costs ${statements} statements and reads ${groups} groups`, async () => {
    const { tables } = await alone
    const database = new SqliteDatabase(tables)
    let [asked, read] = [0, 0]
    const counting: Query = async <Row>(...args: Parameters<Query>) => {
      const rows = await database.query<Row & { readonly packed?: unknown }>(...args)
      asked++
      read += rows.filter(({ packed }) => packed !== undefined).length
      return rows
    }
    await readRows(counting, query)
    assert.deepEqual(
      [asked <= statements, read <= groups],
      [true, true],
      `${asked} statements, ${read} groups`,
    )
  })
}

test('more rows than a statement reads are read by several', async () => {
  const store = await storeOf(5_100, 100)
  assert.equal((await store.readAudit({ most: 9_999 })).length, 5_100)
  assert.deepEqual(seqsOf(await store.readAudit({ requestId: 'r5099', most: 9 })), [5_099])
  assert.deepEqual(seqsOf(await store.readAudit({ requestId: 'r2', most: 9, newestFirst: true })), [2])
})

test('deployments have a dictionary each, once, also for another process', async () => {
  const store = await openMemoryStore()
  const texts = (): unknown[] => store.tables.prepare('SELECT id, text FROM audit_context ORDER BY id').all()
  for (const [place, deployment] of ['a', 'b', 'a', 'b'].entries()) {
    await store.appendAudit([
      entry(place + 1, { deployment, model: 'm' }),
      entry(place + 1, { deployment: 'z' }),
    ])
  }
  assert.equal(texts().length, 2)
  assert.deepEqual(
    { ...(texts()[1] as object) },
    { id: 2, text: entry(2, { deployment: 'b', model: 'm' }).text },
  )
  const other = new MemoryStore(store.tables)
  await other.appendAudit([entry(5, { deployment: 'b', model: 'm' }), entry(5)])
  await other.appendAudit([entry(6)])
  assert.equal(texts().length, 3)
  assert.equal((await other.readAudit({ most: 99 })).length, 11)
  assert.deepEqual((await verifyStore(store)).faults, [])
  store.tables.exec('DELETE FROM audit_context WHERE id = 2')
  assert.equal(
    (await new MemoryStore(store.tables).readAudit({ most: 99 })).filter(({ content }) => content === '')
      .length,
    6,
  )
})

test('what rows of a deployment have in common begins with its name', () => {
  assert.equal(commonPart('{"at":1,"deployment":"d","model":"m"}'), ',"deployment":"d","model":"m"}')
  assert.equal(commonPart('{"a":1}'), '')
  assert.equal(commonPart('{"x":",\\"deployment\\":","deployment":"d"}'), ',"deployment":"d"}')
})

test('a row has its time and its text', () => {
  const { at, keyId, text } = makeEntry({ at: 5, requestId: 'r', keyId: 'k', deployment: 'd' })
  assert.deepEqual([at, keyId], [5, 'k'])
  assert.equal(text, '{"at":"1970-01-01T00:00:00.005Z","requestId":"r","keyId":"k","deployment":"d"}')
  const { content } = linkRow({ seq: 7, hash: 'h' }, text)
  assert.ok(content.startsWith('{"seq":8,"prev":"h","at":'))
  assert.equal(textOf(content), text)
  assert.equal(textOf('{"other":1}'), '{"other":1}')
  assert.equal(textOf(`x${content}`), `x${content}`)
  assert.equal(timeOf(text), 5)
  assert.ok(Number.isNaN(timeOf('{}')))
})

test('the row that shows when rows could be written again has its time and no key', () => {
  assert.deepEqual(JSON.parse(recoveryEntry(5).text), {
    at: '1970-01-01T00:00:00.005Z',
    requestId: 'recovery-5',
    keyId: null,
    call: 'audit recovery',
  })
})

test('an end of the chain that does not fit the rows is refused', () => {
  const point = { seq: 3, hash: 'h' }
  assertHead({ head: point, lastSeq: 3 })
  for (const lastSeq of [2, 4]) {
    assert.throws(() => assertHead({ head: point, lastSeq }), {
      message:
        'the stored rows do not end at the recorded head of the audit chain; run "patient-risk audit verify"',
    })
  }
})

test('rows of version 0.1.0 become groups of at most 200, without a gap in one', async () => {
  const store = await openMemoryStore()
  store.tables.exec('CREATE TABLE audit_0_1 (seq INTEGER PRIMARY KEY, at INTEGER, content TEXT, hash TEXT)')
  const add = store.tables.prepare('INSERT INTO audit_0_1 VALUES (?, ?, ?, ?)')
  let head = { seq: 0, hash: '' }
  const rows: AuditRow[] = []
  for (let seq = 1; seq <= 2_300; seq++) {
    const row = { ...linkRow(head, entry(seq, { deployment: `d${seq % 2}` }).text), at: seq * 1_000 }
    head = row
    if (seq === 450 || seq === 451) continue
    rows.push(row)
    // The column beside the text is not covered by the hash.
    add.run(row.seq, seq === 200 ? 1 : row.at, row.content, row.hash)
  }
  await copyOldRows(new SqliteDatabase(store.tables).write)
  store.tables.exec(`UPDATE chain SET head_seq = ${head.seq}, head_hash = '${head.hash}'`)
  const groups = store.tables.prepare('SELECT last_seq, count, last_at FROM audit ORDER BY last_seq').all()
  assert.deepEqual(
    groups.slice(0, 5).map((group) => Object.values(group)),
    [
      [200, 200, 200_000],
      [400, 200, 400_000],
      [449, 49, 449_000],
      [651, 200, 651_000],
      [851, 200, 851_000],
    ],
  )
  assert.equal(groups.length, 13)
  const [dictionary] = store.tables.prepare('SELECT text FROM audit_context ORDER BY id').all()
  assert.equal(dictionary?.['text'], entry(1, { deployment: 'd1' }).text, 'as for rows that are new')
  assert.deepEqual((await store.readAudit({ most: 449 })).at(-1), rows[448])
  assert.deepEqual(await store.readAudit({ after: 651, most: 9_999 }), rows.slice(649))
  assert.match((await verifyStore(store)).faults.join('\n'), /^between row 449 and row 452 rows are missing/)
})

test('rows that a version without counters has removed are not counted, and are a part without a month', async () => {
  const store = await storeOf(6, 2)
  const note = (): void => store.tables.exec(NOTE_REMOVED_ROWS)
  note()
  assert.deepEqual([(await store.chainEnds()).parts, (await store.chainEnds()).countedSeq], ['[]', 0])
  await store.pruneAudit(2_500, 9_000)
  const { hash } = (await store.chainEnds()).start
  store.tables.exec("UPDATE chain SET parts = '[]'")
  note()
  const { parts, countedSeq } = await store.chainEnds()
  assert.deepEqual([JSON.parse(parts), countedSeq], [[['', 2, hash]], 2])
  assert.equal((await store.readUsage({ first: 0, last: 0 })).since, 4_000)
})

test('rows that a version without seals has queued are chained, in their order', async () => {
  for (const inUse of [null, fingerprintOf(TEST_SECRET)]) {
    const store = await storeOf(1)
    store.tables.prepare('UPDATE chain SET secret_fingerprint = ?').run(inUse)
    store.tables.exec('CREATE TABLE audit_queue_0_1 (id INTEGER PRIMARY KEY, texts TEXT)')
    const add = store.tables.prepare('INSERT INTO audit_queue_0_1 VALUES (?, ?)')
    add.run(9, entry(4).text)
    add.run(5, `${entry(2).text}\n${entry(3).text}`)
    await sealQueue(new SqliteDatabase(store.tables).write, new QueueSeal([TEST_SECRET]))
    const rows = await store.readAudit({ most: 9 })
    assert.deepEqual(
      rows.map(({ seq, at }) => [seq, at]),
      [1, 2, 3, 4].map((place) => [place, place * 1_000]),
    )
    assert.deepEqual((await store.chainEnds()).refused, [])
  }
})
