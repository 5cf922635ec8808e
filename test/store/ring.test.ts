/** Rows on their way into the chain: durable at once, each in it once and in order, whoever takes them and whatever breaks. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type AuditEntry, makeEntry } from '../../src/store/audit/audit-row.ts'
import { ringPath } from '../../src/store/sqlite/ring/claim.ts'
import { makeRing } from '../../src/store/sqlite/ring/make-ring.ts'
import { RingLock } from '../../src/store/sqlite/ring/lock.ts'
import { Ring } from '../../src/store/sqlite/ring/ring.ts'
import type { RingWriter } from '../../src/store/sqlite/ring/writer.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { verifyStore } from '../../src/store/audit/verify-chain.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newStorePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-ring-'))
  folders.push(folder)
  return join(folder, 'store.sqlite')
}

const served = (path: string): Promise<Store> => openSqliteStore(path, { hasRing: true })

const row = (requestId: string, bytes = 0): AuditEntry =>
  makeEntry({ at: 1_000_000, requestId, keyId: null, call: 'score', filler: 'ä'.repeat(bytes / 2) })

async function idsIn(store: Store): Promise<readonly string[]> {
  const ids: string[] = []
  for (;;) {
    const page = await store.readAudit({ after: ids.length, most: 1_000 })
    if (page.length === 0) break
    ids.push(...page.map(({ requestId }) => requestId))
  }
  assert.deepEqual((await verifyStore(store)).faults, [])
  return ids
}

/** As a process that is gone: nothing is taken in, nothing is said. */
async function vanish(store: Store): Promise<void> {
  await (store as unknown as { end(): Promise<void> }).end()
}

test('what was acknowledged stands in the chain once, over many laps of the ring', async () => {
  const store = await served(newStorePath())
  const ids: string[] = []
  for (let group = 0; group < 60; group++) {
    // Groups of uneven size, so that laps end in the middle of one.
    const rows = Array.from({ length: 1 + (group % 7) }, (_each, place) =>
      row(`${group}-${place}`, 40_000 + ((group * 7_919) % 90_000)),
    )
    await store.appendAudit(rows)
    ids.push(...rows.map(({ requestId }) => requestId))
  }
  assert.deepEqual(await idsIn(store), ids)
  await store.close()
})

test('rows of a process that vanished are seen by the next reader, and never twice', async () => {
  const path = newStorePath()
  const first = await served(path)
  await first.appendAudit([row('a'), row('b')])
  await vanish(first)
  const reader = await openSqliteStore(path)
  assert.deepEqual(await idsIn(reader), ['a', 'b'])
  await reader.close()
  const second = await served(path)
  await second.appendAudit([row('c')])
  assert.deepEqual(await idsIn(second), ['a', 'b', 'c'])
  await second.close()
})

test('two processes write to rings of their own, and make one chain', async () => {
  const path = newStorePath()
  const [one, two] = [await served(path), await served(path)]
  const ids: string[] = []
  for (let count = 0; count < 40; count++) {
    const id = `${count}`
    await (count % 2 === 0 ? one : two).appendAudit([row(id)])
    ids.push(id)
  }
  const reader = await openSqliteStore(path)
  const numbers = (list: readonly string[]): readonly number[] => list.map(Number)
  const found = numbers(await idsIn(reader))
  assert.deepEqual(
    [...found].sort((a, b) => a - b),
    numbers(ids),
  )
  const odd = found.filter((id) => id % 2 === 1)
  assert.deepEqual(
    odd,
    [...odd].sort((a, b) => a - b),
    'the rows of one process keep their order',
  )
  for (const store of [reader, one, two]) await store.close()
})

test('a row that was written while the event loop stood still is not told to be late', async () => {
  const path = newStorePath()
  const store = await served(path)
  await store.appendAudit([row('before')])
  const appending = store.appendAudit([row('written meanwhile')])
  // The write begins, and is over long before the loop looks for it.
  await new Promise((resolve) => setImmediate(resolve))
  const end = performance.now() + 1_200
  while (performance.now() < end || !readFileSync(ringPath(path, 0)).includes('written meanwhile'));
  await appending
  assert.deepEqual(await idsIn(store), ['before', 'written meanwhile'])
  await store.close()
})

test('while somebody else writes to the file rows wait in the ring, until it is full; none is lost', async () => {
  const path = newStorePath()
  const store = await served(path)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  const kept: string[] = []
  let refused = ''
  for (let count = 0; refused === '' && count < 200; count++) {
    try {
      await store.appendAudit([row(`${count}`, 200_000)])
      kept.push(`${count}`)
    } catch (error) {
      refused = (error as Error).message
    }
  }
  assert.ok(kept.length > 30 && kept.length < 50, `${kept.length} rows of 200 kB in a ring of 8 MB`)
  assert.match(refused, /no room|in time|locked/)
  other.exec('ROLLBACK')
  other.close()
  // What was refused is not recorded; what was not is, and there is room again.
  await retried(() => store.appendAudit([row('last')]))
  assert.deepEqual(await idsIn(store), [...kept, 'last'])
  await store.close()
})

async function retried(act: () => Promise<void>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await act()
      return
    } catch (error) {
      if (attempt === 20) throw error
      await setTimeout(100)
    }
  }
}

test('a ring that cannot be written is given up and claimed anew; what it held is kept', async () => {
  const path = newStorePath()
  const store = await served(path)
  await store.appendAudit([row('before')])
  const { ring } = store as unknown as { ring: { writer: RingWriter } }
  ring.writer.close()
  // The file is gone from under the writer.
  await assert.rejects(store.appendAudit([row('refused')]), /could not be written/)
  await store.appendAudit([row('after')])
  assert.deepEqual(await idsIn(store), ['before', 'after'])
  await store.close()
})

test('the file of a ring is for its owner alone', async () => {
  const path = newStorePath()
  const store = await served(path)
  await store.appendAudit([row('x')])
  assert.ok(readFileSync(ringPath(path, 0)).includes('score'))
  assert.equal(statSync(ringPath(path, 0)).mode & 0o077, 0)
  await store.close()
})

test('an owner whose ring was given to another, or is gone, is told; nothing is acknowledged that nobody would find', async () => {
  const path = newStorePath()
  const store = await served(path)
  await store.appendAudit([row('kept')])
  assert.deepEqual(await idsIn(store), ['kept'])
  const other = new DatabaseSync(path)
  other.exec("UPDATE rings SET era = 'ff'")
  other.close()
  await untilRefused(store, /given to another/)
  await store.close()

  const gone = await served(newStorePath())
  const { storePath } = (gone as unknown as { ring: { storePath: string } }).ring
  rmSync(ringPath(storePath, 0))
  await untilRefused(gone, /ENOENT/)
  await gone.close()
})

/** Rows are taken in by and by, so it shows with one of the next. */
async function untilRefused(store: Store, reason: RegExp): Promise<void> {
  for (let attempt = 0; attempt < 40; attempt++) {
    try {
      await store.appendAudit([row(`more-${attempt}`)])
    } catch (error) {
      assert.match((error as Error).message, reason)
      return
    }
    await setTimeout(25)
  }
  assert.fail('it went on')
}

test('a store that is being closed keeps what it has acknowledged, and acknowledges nothing more', async () => {
  for (let round = 0; round < 10; round++) {
    const path = newStorePath()
    const store = await served(path)
    const kept: string[] = []
    const writing = Array.from({ length: 30 }, async (_each, place) => {
      await setTimeout(place / 4)
      await store.appendAudit([row(`${place}`)]).then(
        () => kept.push(`${place}`),
        (error: unknown) => assert.match((error as Error).message, /closed/),
      )
    })
    await setTimeout(4)
    await store.close()
    await Promise.all(writing)
    const reader = await openSqliteStore(path)
    assert.deepEqual([...(await idsIn(reader))].sort(), kept.sort())
    await reader.close()
  }
})

test('a claim that takes too long keeps the ring, and is made again', async () => {
  const path = newStorePath()
  const claims: number[] = []
  let isSlow = true
  const ring = new Ring(path, {
    adoptRing(slot) {
      claims.push(slot)
      if (isSlow) return Promise.reject(new Error('the store did not answer in time'))
      makeRing(ringPath(path, slot))
      return Promise.resolve({ slot, path: ringPath(path, slot), era: 7n })
    },
    takeRing: () => Promise.resolve(0),
  })
  await assert.rejects(ring.open())
  // Nobody else may have it: the thread may still be at work on it.
  assert.equal(RingLock.take(ringPath(path, 0)), undefined)
  isSlow = false
  await ring.append('a row')
  assert.deepEqual(claims, [0, 0])
  ring.release()
  RingLock.take(ringPath(path, 0))?.release()
})
