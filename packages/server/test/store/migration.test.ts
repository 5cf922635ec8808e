/** A store of version 0.1.0 is taken over at the start: the same rows, the same hashes, and what was wrong before is still found. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import pg from 'pg'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { makeEntry } from '../../src/store/audit/audit-row.ts'
import { countUsage } from '../../src/store/audit/usage.ts'
import { verifyStore } from '../../src/store/audit/verify-chain.ts'
import { needsPostgres, useDatabases } from '../../../../test/support/postgres-server.ts'
import { UNHURRIED } from '../../../../test/support/unhurried.ts'

const ROWS = 1_000
const REMOVED = 20

interface OldRow {
  readonly seq: number
  readonly at: number
  readonly requestId: string
  readonly content: string
  readonly hash: string
}

/** As version 0.1.0 wrote them. */
const OLD_ROWS: readonly OldRow[] = (() => {
  const rows: OldRow[] = []
  let prev = ''
  for (let seq = 1; seq <= ROWS; seq++) {
    const at = 1_790_000_000_000 + seq * 1_000
    const isRetention = seq === ROWS
    const said = isRetention
      ? {
          call: 'retention',
          removed: REMOVED,
          startsAfter: REMOVED,
          startsAfterHash: rows[REMOVED - 1]?.hash,
        }
      : { call: 'score', status: 200, deployment: `d${seq % 3}`, service: '0.1.0' }
    const facts = { seq, prev, at: new Date(at).toISOString(), requestId: `r-${seq}`, ...said }
    const content = JSON.stringify(facts)
    prev = hash('sha256', content, 'base64')
    rows.push({ seq, at, requestId: facts.requestId, content, hash: prev })
  }
  return rows
})()
const KEPT = OLD_ROWS.slice(REMOVED)

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
const newDatabase = useDatabases()

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-migration-'))
  folders.push(folder)
  return folder
}

const CHAIN = `UPDATE chain SET start_seq = ${REMOVED}, start_hash = '${OLD_ROWS[REMOVED - 1]?.hash}',
  head_seq = ${ROWS}, head_hash = '${OLD_ROWS.at(-1)?.hash}', latest_time = 1791000000000`

const COLUMNS = (blob: string, integer: string): string => `
  CREATE TABLE keys (id TEXT PRIMARY KEY, name TEXT NOT NULL, digest ${blob} NOT NULL, scopes TEXT NOT NULL,
    created_at ${integer} NOT NULL, expires_at ${integer}, revoked_at ${integer}, last_used_at ${integer},
    limits TEXT NOT NULL DEFAULT '{}', replaces TEXT);
  CREATE TABLE audit (seq ${integer} PRIMARY KEY, at ${integer} NOT NULL, request_id TEXT NOT NULL,
    content TEXT NOT NULL, hash TEXT NOT NULL);
  CREATE INDEX audit_request ON audit (request_id);
  CREATE INDEX audit_at ON audit (at);
  CREATE TABLE chain (id ${integer} PRIMARY KEY CHECK (id = 1), start_seq ${integer} NOT NULL, start_hash TEXT NOT NULL,
    head_seq ${integer} NOT NULL, head_hash TEXT NOT NULL, latest_time ${integer} NOT NULL, secret_fingerprint TEXT);
  INSERT INTO chain VALUES (1, 0, '', 0, '', 0, NULL);
  ${CHAIN};`

/** A data folder of version 0.1.0; statements change it before it is taken over. */
function oldFolder(more = ''): string {
  const folder = newFolder()
  const database = new DatabaseSync(join(folder, 'patient-risk.sqlite'))
  database.exec(COLUMNS('BLOB', 'INTEGER'))
  database.exec('CREATE TABLE rings (slot INTEGER PRIMARY KEY, era TEXT NOT NULL, taken INTEGER NOT NULL)')
  const insert = database.prepare('INSERT INTO audit VALUES (?, ?, ?, ?, ?)')
  database.exec('BEGIN')
  for (const { seq, at, requestId, content, hash: own } of KEPT) insert.run(seq, at, requestId, content, own)
  database.exec(`COMMIT; ${more}; PRAGMA user_version = 3`)
  database.close()
  return folder
}

async function oldDatabase(more = ''): Promise<string> {
  const url = await newDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(COLUMNS('bytea', 'bigint'))
  await client.query(`CREATE UNLOGGED TABLE quota (counter text PRIMARY KEY, started_at bigint NOT NULL,
    taken bigint NOT NULL, granted bigint NOT NULL); CREATE TABLE schema_version (version integer NOT NULL);
    INSERT INTO schema_version VALUES (1)`)
  await client.query(
    'INSERT INTO audit SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[])',
    [
      KEPT.map(({ seq }) => seq),
      KEPT.map(({ at }) => at),
      KEPT.map(({ requestId }) => requestId),
      KEPT.map(({ content }) => content),
      KEPT.map(({ hash: own }) => own),
    ],
  )
  if (more !== '') await client.query(more)
  await client.end()
  return url
}

const PLACES: Readonly<Record<string, (more?: string) => Promise<Store>>> = {
  SQLite: async (more) => (await openStore(oldFolder(more), undefined, undefined, UNHURRIED)).store,
  PostgreSQL: async (more) =>
    (await openStore(newFolder(), undefined, await oldDatabase(more), UNHURRIED)).store,
}

for (const [name, open] of Object.entries(PLACES)) {
  describe(name, () => {
    const needs = name === 'PostgreSQL' ? needsPostgres() : {}
    test('every row keeps its content and hash, and the chain goes on', needs, async () => {
      const store = await open()
      const rows = await store.readAudit({ most: 2 * ROWS })
      assert.deepEqual(
        rows,
        KEPT.map(({ seq, at, content, hash: own }) => ({ seq, at, content, hash: own })),
      )
      await store.appendAudit([
        makeEntry({ at: 1_791_000_000_000, requestId: 'new', keyId: null, call: 'score' }),
      ])
      const report = await verifyStore(store)
      assert.deepEqual([report.faults, report.head.seq, report.rows], [[], ROWS + 1, KEPT.length + 1])
      assert.equal((await store.readAudit({ requestId: 'r-500', most: 5 }))[0]?.seq, 500)
      await store.close()
    })

    test(
      'stored rows are counted; those that retention removed before are a part without a month',
      needs,
      async () => {
        const store = await open()
        while (await store.countRows());
        const { parts, countedSeq } = await store.chainEnds()
        assert.equal(parts, JSON.stringify([['', REMOVED, OLD_ROWS[REMOVED - 1]?.hash]]))
        assert.equal(countedSeq, ROWS)
        const [from, to] = [OLD_ROWS[REMOVED]?.at ?? 0, OLD_ROWS.at(-1)?.at ?? 0]
        const { complete, exactSince, hours } = await countUsage(store, to, 2, 'all')
        assert.equal(
          hours.reduce((sum, { requests }) => sum + requests, 0),
          KEPT.length,
        )
        // The rows that are gone may have been of this hour.
        assert.deepEqual([complete, Date.parse(exactSince ?? '') >= from], [false, true])
        assert.equal((await countUsage(store, to + 9 * 3_600_000, 2, 'all')).complete, true)
        await store.close()
      },
    )

    const DAMAGES = [
      ['a changed row', `UPDATE audit SET content = replace(content, '200', '403') WHERE seq = 500`],
      ['a removed row', 'DELETE FROM audit WHERE seq = 500'],
      ['a row after the head', `INSERT INTO audit VALUES (2000, 5, 'x', '{}', 'x')`],
    ] as const
    for (const [what, sql] of DAMAGES) {
      test(`${what} of the old store is still found`, needs, async () => {
        const store = await open(sql)
        const { faults } = await verifyStore(store)
        await store.close()
        assert.notDeepEqual(faults, [])
        assert.ok(faults.length < 10, faults.join('; '))
      })
    }
  })
}

/** The head of a frame as version 0.1.0 wrote it. */
function frame(era: bigint, offset: number): Buffer {
  const head = Buffer.alloc(32)
  head.writeUInt32BE(0x50524146, 0)
  head.writeBigUInt64BE(era, 16)
  head.writeBigUInt64BE(BigInt(offset), 24)
  return head
}

const RING = "INSERT INTO rings VALUES (0, 'ab', 4096)"

test('a ring file whose rows all stand in the chain is removed', async () => {
  const folder = oldFolder(RING)
  const ring = join(folder, 'patient-risk.sqlite-ring-0')
  const content = Buffer.alloc(8_388_608)
  // Of a former owner, and before the place up to which rows were taken.
  frame(0xaan, 4096).copy(content, 4096)
  frame(0xabn, 0).copy(content, 0)
  writeFileSync(ring, content)
  const { store } = await openStore(folder, undefined, undefined, UNHURRIED)
  assert.deepEqual((await verifyStore(store)).faults, [])
  await store.close()
  assert.equal(existsSync(ring), false)
})

test('a ring file with rows that never reached the chain is refused, and nothing is changed', async () => {
  const folder = oldFolder(RING)
  const ring = join(folder, 'patient-risk.sqlite-ring-0')
  const content = Buffer.alloc(8_388_608)
  frame(0xabn, 4096).copy(content, 4096)
  writeFileSync(ring, content)
  await assert.rejects(openStore(folder, undefined), /run its "patient-risk audit verify" once/)
  const database = new DatabaseSync(join(folder, 'patient-risk.sqlite'))
  assert.equal(database.prepare('SELECT count(*) AS n FROM audit').get()?.['n'], KEPT.length)
  database.close()
  assert.ok(existsSync(ring))
})

test('a folder on which version 0.1.0 still runs is refused', async () => {
  const folder = oldFolder()
  const lock = new DatabaseSync(join(folder, 'patient-risk.sqlite-ring-3.lock'))
  lock.exec('BEGIN EXCLUSIVE')
  await assert.rejects(openStore(folder, undefined), /still runs on this data folder/)
  lock.close()
  const { store } = await openStore(folder, undefined, undefined, UNHURRIED)
  await store.close()
})
