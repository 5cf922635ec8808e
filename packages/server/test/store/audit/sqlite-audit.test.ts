/** The audit in SQLite: rows survive a process that vanishes, two processes make one chain, and damage anywhere is found. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { type AuditEntry, makeEntry } from '../../../src/store/audit/audit-row.ts'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import { openFileStore } from '../open-file.ts'
import { StoreError } from '@patient-risk/runtime'
import type { Store } from '../../../src/store/store.ts'
import { until } from '../../../../../test/support/until.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newStorePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-audit-'))
  folders.push(folder)
  return join(folder, 'store.sqlite')
}

const row = (requestId: string, more: object = {}): AuditEntry =>
  makeEntry({ at: 1_000_000, requestId, keyId: null, call: 'score', ...more })

async function idsIn(store: Store): Promise<readonly string[]> {
  const rows = await store.readAudit({ most: 100_000 })
  assert.deepEqual((await verifyStore(store)).faults, [])
  return rows.map(({ content }) => (JSON.parse(content) as { requestId: string }).requestId)
}

test('rows of a killed process are there for the next one', async () => {
  const path = newStorePath()
  const first = await openFileStore(path)
  await first.appendAudit([row('a'), row('b')])
  // As a process that was killed: nothing is closed.
  await first.end()
  const second = await openFileStore(path)
  await second.appendAudit([row('c')])
  assert.deepEqual(await idsIn(second), ['a', 'b', 'c'])
  await second.close()
})

test('a row whose caller gave up on a locked file is not stored later', async () => {
  const path = newStorePath()
  const store = await openFileStore(path, {})
  await store.appendAudit([row('before')])
  const other = new DatabaseSync(path, { timeout: 5_000 })
  other.exec('BEGIN IMMEDIATE')
  // The thread waits for the lock in this call first, so that the next one starts late.
  const reading = store.chainEnds()
  await assert.rejects(store.appendAudit([row('refused')]), StoreError)
  other.exec('ROLLBACK')
  other.close()
  await reading
  await store.appendAudit([row('after')])
  assert.deepEqual(await idsIn(store), ['before', 'after'])
  await store.close()
})

test('two processes that write by turns make one chain, each in its own order', async () => {
  const path = newStorePath()
  const stores = [await openFileStore(path), await openFileStore(path)]
  for (let count = 0; count < 40; count++) await stores[count % 2]?.appendAudit([row(`${count}`)])
  const reader = await openFileStore(path)
  assert.deepEqual(
    await idsIn(reader),
    Array.from({ length: 40 }, (_each, place) => `${place}`),
  )
  for (const store of [reader, ...stores]) await store.close()
})

test('processes that write all the time get the lock by turns', async () => {
  const path = newStorePath()
  const stores = [await openFileStore(path), await openFileStore(path), await openFileStore(path)]
  let written = 0
  const counting = stores.map(async (store) => {
    let count = 0
    for (; written < 400; count++, written++) await store.appendAudit([row('r')])
    return count
  })
  const counts = await Promise.all(counting)
  // With SQLite's own wait one of them gets three times as many rows as another, which may fail after 700 ms.
  assert.ok(Math.min(...counts) > Math.max(...counts) / 2, counts.join(' '))
  for (const store of stores) await store.close()
})

test('a store that is being closed keeps what it acknowledged, and acknowledges nothing more', async () => {
  for (let round = 0; round < 2; round++) {
    const path = newStorePath()
    const store = await openFileStore(path)
    const kept: string[] = []
    const append = async (place: number): Promise<void> => {
      for (let turns = 0; turns < place; turns++) await new Promise((resolve) => setImmediate(resolve))
      await store.appendAudit([row(`${place}`)]).then(
        () => kept.push(`${place}`),
        (error: unknown) => assert.match((error as Error).message, /closed/),
      )
    }
    const writing = Array.from({ length: 30 }, (_each, place) => append(place))
    for (let turns = 0; turns < 15; turns++) await new Promise((resolve) => setImmediate(resolve))
    await store.close()
    await Promise.all(writing)
    const reader = await openFileStore(path)
    assert.deepEqual([...(await idsIn(reader))].sort(), kept.sort())
    await reader.close()
  }
})

test('rows of many deployments in one group come back as they were written', async () => {
  const store = await openFileStore(newStorePath())
  const entries = Array.from({ length: 300 }, (_each, place) =>
    row(`${place}`, { text: 'ä\u2028"\\'.repeat(place % 5), deployment: `d${place % 7}`, model: 'm@1' }),
  )
  for (let from = 0; from < 300; from += 60) await store.appendAudit(entries.slice(from, from + 60))
  const rows = await store.readAudit({ most: 1_000 })
  rows.forEach(({ content, seq }, place) => {
    const { seq: number, prev, ...said } = JSON.parse(content) as Record<string, unknown>
    assert.deepEqual([number, prev], [place + 1, place === 0 ? '' : rows[place - 1]?.hash])
    assert.deepEqual([seq, said], [place + 1, JSON.parse(entries[place]?.text ?? '')])
  })
  assert.deepEqual((await verifyStore(store)).faults, [])
  await store.close()
})

/** A busy service commits many rows at once, a quiet one each row alone. */
const SIZES = [
  { rows: 6_000, atOnce: 40 },
  { rows: 6_000, atOnce: 8 },
  { rows: 2_000, atOnce: 1 },
] as const
for (const { rows, atOnce } of SIZES) {
  test(`${rows} rows, written ${atOnce} at a time, take at most 300 bytes each on disk`, async (context) => {
    const path = newStorePath()
    const store = await openFileStore(path)
    for (let from = 0; from < rows; from += atOnce) {
      await store.appendAudit(Array.from({ length: atOnce }, (_each, place) => typicalRow(from + place)))
    }
    await store.close()
    const bytes = statSync(path).size / rows
    context.diagnostic(`${bytes.toFixed(0)} bytes a row`)
    assert.ok(bytes <= 300, `${bytes.toFixed(0)} bytes a row`)
  })
}

function typicalRow(place: number): AuditEntry {
  const at = 1_800_000_000_000 + place * 37
  return makeEntry({
    at,
    requestId: `sealed-${randomBytes(16).toString('base64url')}`,
    keyId: `key${place % 5}abcdefgh`,
    call: 'score',
    status: 200,
    records: 1 + (place % 3),
    scored: 1,
    problems: place % 4 === 0 ? { ValueMissing: 1 } : {},
    today: 20_772,
    bodyDigest: randomBytes(32).toString('base64'),
    answerDigest: randomBytes(32).toString('base64'),
    durationMs: Math.round((place * 7919) % 4000) / 1000,
    deployment: ['readmission', 'readmission-flag'][place % 2],
    settings: { output: 'number', keysPerRecord: 1024 },
    model: 'readmission30@1.0.0',
    modelDigest: 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=',
    service: '0.2.0',
  })
}

test('a flipped bit in a stored group is found or changes nothing, and the other groups are still read', async () => {
  const path = newStorePath()
  const store = await openFileStore(path)
  for (const group of ['a', 'b', 'c']) {
    await store.appendAudit([row(`${group}1`), row(`${group}2`)])
    await store.chainEnds()
  }
  const database = new DatabaseSync(path, { timeout: 5_000 })
  const read = database.prepare('SELECT packed FROM audit WHERE last_seq = 4')
  const write = database.prepare('UPDATE audit SET packed = ? WHERE last_seq = 4')
  const written = await store.readAudit({ most: 10 })
  const whole = read.get()?.['packed'] as Uint8Array
  let found = 0
  for (let bit = 0; bit < 8 * whole.length; bit++) {
    const damaged = Uint8Array.from(whole)
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    write.run(damaged)
    const { faults, rows } = await verifyStore(store)
    assert.equal(rows, 6)
    found += faults.length > 0 ? 1 : 0
    // The bits that fill up the last byte of a deflate stream mean nothing.
    if (faults.length === 0) assert.deepEqual(await store.readAudit({ most: 10 }), written, `bit ${bit}`)
  }
  assert.ok(found > 6 * whole.length, `${found} of ${8 * whole.length} bits`)
  write.run(whole)
  database.close()
  assert.deepEqual((await verifyStore(store)).faults, [])
  await store.close()
})

test('a forged group without rows is reported as damaged, and the others are still read', async () => {
  const path = newStorePath()
  const store = await openFileStore(path)
  await store.appendAudit([row('genuine')])
  await store.chainEnds()
  const database = new DatabaseSync(path, { timeout: 5_000 })
  database.exec("INSERT INTO audit SELECT 0, 0, 0, context, x'', hash FROM audit")
  database.close()
  assert.match((await verifyStore(store)).faults.join(), /is damaged and cannot be read/)
  const contents = (await store.readAudit({ most: 10 })).map(({ content }) => content)
  assert.ok(contents.some((content) => content.includes('genuine')))
  await store.close()
})

test('a forged row after the head is reported, blocks later rows, and makes the store unhealthy', async () => {
  const path = newStorePath()
  const store = await openFileStore(path)
  await store.appendAudit([row('genuine')])
  await store.chainEnds()
  assert.equal(await store.health(), undefined)
  const database = new DatabaseSync(path, { timeout: 5_000 })
  database.exec('INSERT INTO audit SELECT 9, 1, last_at, context, packed, hash FROM audit')
  assert.match((await verifyStore(store)).faults.join(), /stand after the recorded head/)
  // It is durable, and cannot be chained: that shows as soon as the chain is tried.
  await store.appendAudit([row('queued')])
  await until(async () => (await store.health()) !== undefined, { what: 'the store is unhealthy' })
  assert.match((await store.health()) ?? '', /recorded head/)
  await assert.rejects(store.appendAudit([row('refused')]), /recorded head/)
  database.exec('DELETE FROM audit WHERE last_seq = 9')
  database.close()
  assert.equal(await store.health(), undefined)
  await store.appendAudit([row('accepted')])
  assert.deepEqual(await idsIn(store), ['genuine', 'queued', 'accepted'])
  await store.close()
})
