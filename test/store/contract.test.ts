/** What every store must do. One suite, run on each of them. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { type AuditEntry, type AuditRow, makeEntry } from '../../src/store/audit/audit-row.ts'
import { KeyCache } from '../../src/store/keys/key-cache.ts'
import { makeKey } from '../../src/store/keys/keys.ts'
import { Limiter } from '../../src/store/quota/limiter.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store, StoredKey } from '../../src/store/store.ts'
import { allRows, verifyStore } from '../../src/store/audit/verify-chain.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

interface Place {
  open(secret?: string): Promise<{ readonly store: Store; readonly secret: Uint8Array }>
  /** Whether several processes count in this store. */
  readonly countsForSeveral: boolean
  /** Runs a statement without the store, as somebody who tampers with it would. */
  tamper(sql: string): Promise<void>
}

let server: PostgresServer | undefined
const folders: string[] = []
after(async () => {
  await server?.remove()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  SQLite() {
    const folder = newFolder()
    return Promise.resolve({
      countsForSeveral: false,
      open: (secret) => openStore(folder, secret),
      tamper(sql) {
        const database = new DatabaseSync(join(folder, 'patient-risk.sqlite'))
        database.exec(sql)
        database.close()
        return Promise.resolve()
      },
    })
  },
  async PostgreSQL() {
    server ??= await startPostgres()
    const url = await server.newDatabase()
    const folder = newFolder()
    return {
      countsForSeveral: true,
      open: (secret) => openStore(folder, secret, url),
      async tamper(sql) {
        const client = new pg.Client({ connectionString: url })
        await client.connect()
        await client.query(sql)
        await client.end()
      },
    }
  },
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-store-'))
  folders.push(folder)
  return folder
}

const entry = (requestId: string, at = 1_000_000, keyId: string | null = null): AuditEntry =>
  makeEntry({ at, requestId, keyId, call: 'score', status: 200 })
const idOf = (row: AuditRow | undefined): unknown =>
  (JSON.parse(row?.content ?? '{}') as { requestId?: unknown }).requestId
const entries = (count: number, at?: number): readonly AuditEntry[] =>
  Array.from({ length: count }, (_, index) => entry(`request-${index}`, at))

const PATIENCE_MS = 60_000
/** Longer than any call goes on after it was refused. */
const SETTLED_MS = 3_000
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Appends three rows once. A busy machine may refuse in time; whether the rows stand all the same is looked up then. */
async function appendOnce(store: Store, id: string): Promise<void> {
  const rows = [0, 1, 2].map((row) => entry(`${id}-${row}`))
  const latest = performance.now() + PATIENCE_MS
  for (let tries = 0; ; tries++) {
    try {
      if (tries > 0 && (await store.readAudit({ requestId: `${id}-0`, most: 1 })).length > 0) return
      await store.appendAudit(rows)
      return
    } catch (error) {
      if (performance.now() > latest) throw error
      await pause(SETTLED_MS)
    }
  }
}

const ROWS_OF_A_PAGE = 5

/** Lets somebody else be faster than the reader of a store. */
function beforeEachPage(store: Store, act: () => Promise<unknown>): void {
  const readAudit = store.readAudit.bind(store)
  store.readAudit = async (query) => {
    await act()
    return readAudit(query)
  }
}

for (const [name, makePlace] of Object.entries(PLACES)) {
  describe(name, () => {
    let place: Place
    let store: Store
    let secret: Uint8Array
    before(async () => {
      place = await makePlace()
      ;({ store, secret } = await place.open())
    })
    after(() => store.close())

    const make = (wanted: Partial<StoredKey> = {}): Promise<{ readonly id: string; readonly key: string }> =>
      makeKey(store, secret, { name: 'Ärztin 3', scopes: ['*', 'admin'], expiresAt: null, ...wanted }, 5_000)

    test('a key comes back as it was stored, also to another process', async () => {
      const { id } = await make({
        expiresAt: 9_000,
        limits: { requestsPerMinute: 5, recordsPerMinute: null },
      })
      const { store: other } = await place.open()
      const key = await other.findKey(id)
      await other.close()
      assert.equal(key?.digest.length, 32)
      assert.deepEqual(
        { ...key, digest: undefined },
        {
          id,
          name: 'Ärztin 3',
          digest: undefined,
          scopes: ['*', 'admin'],
          limits: { requestsPerMinute: 5, recordsPerMinute: null },
          createdAt: 5_000,
          expiresAt: 9_000,
          revokedAt: null,
          lastUsedAt: null,
          replaces: null,
        },
      )
      assert.equal(await store.findKey('nobody'), undefined)
    })

    test('revoking keeps the first time, and tells whether there is such a key', async () => {
      const { id } = await make()
      assert.equal(await store.revokeKey(id, 7_000), true)
      assert.equal(await store.revokeKey(id, 8_000), true)
      assert.equal((await store.findKey(id))?.revokedAt, 7_000)
      assert.equal(await store.revokeKey('nobody', 7_000), false)
    })

    test('a key is stored and the one that it replaces ends, and never later than it would have', async () => {
      const { id } = await make({ expiresAt: 105_000, limits: { requestsPerMinute: 9 } })
      const old = (await store.findKey(id)) as StoredKey
      const rotate = (endsAt: number): Promise<{ readonly id: string }> =>
        makeKey(store, secret, { ...old, expiresAt: 120_000 }, 20_000, { id, endsAt })
      const made = await store.findKey((await rotate(21_000)).id)
      assert.deepEqual(
        [made?.scopes, made?.limits, made?.createdAt, made?.expiresAt, made?.replaces],
        [old.scopes, { requestsPerMinute: 9 }, 20_000, 120_000, id],
      )
      assert.equal((await store.findKey(id))?.expiresAt, 21_000)
      await rotate(90_000)
      assert.equal((await store.findKey(id))?.expiresAt, 21_000)
    })

    test('a revocation by another process is seen within the time that the store states', async () => {
      const { id, key } = await make()
      let steady = 0
      const ring = new KeyCache(store, secret, () => steady)
      assert.equal((await ring.verify(key, 6_000))?.id, id)
      const { store: other } = await place.open()
      await other.revokeKey(id, 6_000)
      await other.close()
      steady += store.keyFreshMs
      assert.equal(await ring.verify(key, 6_000), undefined)
      assert.ok(store.keyFreshMs <= (place.countsForSeveral ? 3_000 : 500))
    })

    test('answers are chained, and note the last use of a key and the latest time', async () => {
      const { id } = await make()
      await store.appendAudit([entry('a', 120_500, id), entry('b', 60_100, id)])
      await store.appendAudit([entry('c', 90_000)])
      const [a, b, c] = await store.readAudit({ most: 10 })
      assert.deepEqual([a?.seq, b?.seq, c?.seq, idOf(a), c?.at], [1, 2, 3, 'a', 90_000])
      assert.equal((JSON.parse(c?.content ?? '') as { prev: string }).prev, b?.hash)
      assert.equal(await store.latestTime(), 120_500)
      const latest = performance.now() + PATIENCE_MS
      while ((await store.findKey(id))?.lastUsedAt === null && performance.now() < latest) {
        await pause(20)
        // A use that could not be noted is noted with the next answer.
        await store.appendAudit([entry('later', 120_600, id)])
      }
      assert.equal((await store.findKey(id))?.lastUsedAt, 120_000)
      assert.deepEqual((await verifyStore(store)).faults, [])
    })

    test('rows are found by request, by time, after a row, and newest first', async () => {
      await store.appendAudit([entry('wanted', 500_000), entry('wanted', 600_000), entry('other', 700_000)])
      const found = await store.readAudit({ requestId: 'wanted', most: 10 })
      assert.deepEqual(
        found.map(({ at }) => at),
        [500_000, 600_000],
      )
      const late = await store.readAudit({ from: 600_000, most: 10 })
      assert.deepEqual(
        late.map(({ at }) => at),
        [600_000, 700_000],
      )
      const [newest, second] = await store.readAudit({ newestFirst: true, most: 2 })
      assert.equal((newest?.seq ?? 0) - (second?.seq ?? 0), 1)
      const before = await store.readAudit({ newestFirst: true, after: newest?.seq ?? 0, most: 1 })
      assert.equal(before[0]?.seq, second?.seq)
    })

    test('two processes that append at once make one chain', async () => {
      const { store: other } = await place.open()
      const { seq: head } = (await store.chainEnds()).head
      await Promise.all(
        [store, other].map(async (each, process) => {
          for (let group = 0; group < 10; group++) await appendOnce(each, `${process}-${group}`)
        }),
      )
      await other.close()
      const report = await verifyStore(store)
      assert.deepEqual(report.faults, [])
      assert.equal(report.head.seq, head + 60)
      const ids = (await store.readAudit({ after: head, most: 100 })).map(idOf)
      assert.equal(new Set(ids).size, 60)
    })

    test('an empty group changes nothing', async () => {
      const before = await store.chainEnds()
      await store.appendAudit([])
      assert.deepEqual(await store.chainEnds(), before)
    })

    test('a counter may have a longer window of its own', async () => {
      const first = await store.takeQuota('token one', 1, 1, 360_000)
      assert.equal(first.granted, 1)
      assert.ok(first.resetsInMs > 60_000 && first.resetsInMs <= 360_000)
      assert.equal((await store.takeQuota('token one', 1, 1, 360_000)).granted, 0)
    })

    test('quota is given up to the limit, and no further', async () => {
      assert.equal((await store.takeQuota('one', 10, 4)).granted, 4)
      assert.equal((await store.takeQuota('one', 10, 4)).remaining, 2)
      const last = await store.takeQuota('one', 10, 4)
      assert.deepEqual([last.granted, last.remaining], [2, 0])
      assert.ok(last.resetsInMs > 0 && last.resetsInMs <= 60_000)
      assert.equal((await store.takeQuota('two', 10, 40)).granted, 10)
    })

    test('the limiter grants the limit exactly, for any callers and any amount at once', async () => {
      const { store: other } = place.countsForSeveral ? await place.open() : { store }
      const limiters = [new Limiter(store), place.countsForSeveral ? new Limiter(other) : undefined].flatMap(
        (each) => each ?? [],
      )
      let granted = 0
      const work = async (index: number): Promise<void> => {
        const limiter = limiters[index % limiters.length] as Limiter
        for (let i = 0; i < 200; i++) if ((await limiter.take('busy', 1_000, 1)).isGranted) granted++
      }
      await Promise.all(Array.from({ length: 8 }, (_, index) => work(index)))
      if (other !== store) await other.close()
      assert.ok(granted >= 990 && granted <= 1_000, `${granted} of 1,000 were granted`)
      if (!place.countsForSeveral) assert.equal(granted, 1_000)
    })

    test('a request that needs more than is left takes nothing from the others', async () => {
      const limiter = new Limiter(store)
      assert.equal((await limiter.take('records', 100, 60)).isGranted, true)
      assert.equal((await limiter.take('records', 100, 60)).isGranted, false)
      assert.equal((await limiter.take('records', 100, 40)).isGranted, true)
      assert.equal((await limiter.take('records', 100, 1)).isGranted, false)
    })

    test('the keys of one secret are not opened with another', async () => {
      await assert.rejects(place.open('another secret'), /another key secret/)
    })

    test('retention removes what is old, says so in the chain, and leaves it verifiable', async () => {
      const { seq } = (await store.chainEnds()).head
      const removed = await store.pruneAudit(700_000, 800_000)
      assert.ok(removed > 0 && removed < seq)
      assert.equal(await store.pruneAudit(700_000, 800_000), 0)
      assert.deepEqual((await verifyStore(store)).faults, [])
      const [last] = await store.readAudit({ newestFirst: true, most: 1 })
      assert.match(last?.content ?? '', /"call":"retention"/)
      await store.pruneAudit(9e12, 900_000)
      assert.deepEqual((await verifyStore(store)).faults, [])
      await store.appendAudit(entries(6))
      assert.deepEqual((await verifyStore(store)).faults, [])
    })

    // Retention may be faster than a reader of the chain: before the first page, between two, and again at each.
    const OVERTAKINGS = [
      ['before the first row is read', [4]],
      ['between two pages', [0, 15]],
      ['at every page', [2, 7, 14]],
      ['with all rows', [90]],
    ] as const
    for (const [when, removals] of OVERTAKINGS) {
      test(`retention that removes rows ${when} is no fault`, async () => {
        const { store: own } = await (await makePlace()).open()
        for (let at = 0; at < 20; at++) await own.appendAudit([entry(`request-${at}`, at)])
        let page = 0
        beforeEachPage(own, () => own.pruneAudit(removals[page++] ?? 0, 100))
        const { faults, head } = await verifyStore(own, [], ROWS_OF_A_PAGE)
        assert.deepEqual(faults, [])
        assert.deepEqual(head, (await own.chainEnds()).head)
        await own.close()
      })
    }

    test('reading all rows fails when retention removes some of them meanwhile', async () => {
      const { store: own } = await (await makePlace()).open()
      for (let at = 0; at < 20; at++) await own.appendAudit([entry(`request-${at}`, at)])
      const removals = [0, 4]
      beforeEachPage(own, () => own.pruneAudit(removals.shift() ?? 0, 100))
      let count = 0
      for await (const { seq } of allRows(own, ROWS_OF_A_PAGE)) assert.equal(seq, ++count)
      assert.equal(count, 21, 'what was read before it was removed is no gap')
      removals.push(0, 15)
      await assert.rejects(async () => {
        for await (const { seq } of allRows(own, ROWS_OF_A_PAGE)) count = seq
      }, /retention removed rows/)
      await own.close()
    })

    const REMOVALS = [
      ['alone', 'DELETE FROM audit WHERE last_seq <= 4', /between row 0 and row 5/],
      [
        'with the start moved over them',
        "DELETE FROM audit WHERE last_seq <= 4; UPDATE chain SET start_seq = 4, start_hash = 'HASH'",
        /no row says that retention removed them/,
      ],
    ] as const
    for (const [how, sql, fault] of REMOVALS) {
      test(`the oldest rows, removed ${how} while the chain is verified, are missed`, async () => {
        const fresh = await makePlace()
        const { store: own } = await fresh.open()
        for (const each of entries(9)) await own.appendAudit([each])
        const fourth = (await own.readAudit({ most: 4 })).at(-1)
        beforeEachPage(own, () => fresh.tamper(sql.replace('HASH', fourth?.hash ?? '')))
        assert.match((await verifyStore(own)).faults.join('; '), fault)
        await own.close()
      })
    }

    test('an anchor that was kept elsewhere shows a chain that was rewritten', async () => {
      const { head } = await verifyStore(store)
      assert.deepEqual((await verifyStore(store, [head])).faults, [])
      const forged = { seq: head.seq, hash: Buffer.alloc(32).toString('base64') }
      assert.match((await verifyStore(store, [forged])).faults.join(), /anchor/)
      assert.match(
        (await verifyStore(store, [{ ...head, seq: head.seq + 9 }])).faults.join(),
        /anchor is missing/,
      )
    })

    const TAMPERINGS = [
      [
        'changed bytes',
        'UPDATE audit SET packed = (SELECT packed FROM audit WHERE last_seq = 4) WHERE last_seq = MID',
      ],
      [
        'a changed hash',
        'UPDATE audit SET hash = (SELECT hash FROM audit WHERE last_seq = 4) WHERE last_seq = MID',
      ],
      ['a changed time', 'UPDATE audit SET last_at = 7 WHERE last_seq = MID'],
      ['a changed count', 'UPDATE audit SET count = 2 WHERE last_seq = MID'],
      ['a changed dictionary', `UPDATE audit_context SET text = replace(text, 'score', 'scare')`],
      ['a removed row', 'DELETE FROM audit WHERE last_seq = MID'],
      ['the last row removed', 'DELETE FROM audit WHERE last_seq = LAST'],
      ['the first row removed', 'DELETE FROM audit WHERE last_seq = FIRST'],
      [
        'the first row removed, and the start moved over it',
        "DELETE FROM audit WHERE last_seq = FIRST; UPDATE chain SET start_seq = FIRST, start_hash = 'HASH'",
      ],
      [
        'two rows that changed places',
        'UPDATE audit SET last_seq = -1 WHERE last_seq = MID; UPDATE audit SET last_seq = MID WHERE last_seq = MID + 1; UPDATE audit SET last_seq = MID + 1 WHERE last_seq = -1',
      ],
      [
        'a row after the head',
        'INSERT INTO audit SELECT LAST + 1, count, last_at, context, packed, hash FROM audit WHERE last_seq = LAST',
      ],
      [
        'a row far after the head',
        'INSERT INTO audit SELECT 900, count, last_at, context, packed, hash FROM audit WHERE last_seq = LAST',
      ],
      [
        'a row before the first',
        'INSERT INTO audit SELECT -7, count, last_at, context, packed, hash FROM audit WHERE last_seq = LAST',
      ],
    ] as const
    for (const [what, sql] of TAMPERINGS) {
      test(`${what} is found`, async () => {
        const fresh = await makePlace()
        const { store: own } = await fresh.open()
        for (const each of entries(9)) await own.appendAudit([each])
        const [first] = await own.readAudit({ most: 1 })
        await fresh.tamper(
          sql
            .replaceAll('MID', '5')
            .replaceAll('LAST', '9')
            .replaceAll('FIRST', '1')
            .replaceAll('HASH', first?.hash ?? ''),
        )
        // Another process, which remembers nothing of what was stored before.
        const { store: reader } = await fresh.open()
        const { faults } = await verifyStore(reader)
        for (const each of [own, reader]) await each.close()
        assert.notDeepEqual(faults, [])
      })
    }
  })
}
