/** Background work on the audit: what is done at the start, what again and when, and what the log tells operators. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createLog } from '../../../src/log/log.ts'
import { AnchorFile } from '../../../src/store/audit/anchor-file.ts'
import { startUpkeep } from '../../../src/store/audit/audit-upkeep.ts'
import type { ChainEnds } from '../../../src/store/audit/audit-row.ts'
import type { Store } from '../../../src/store/store.ts'
import { until } from '../../../../../test/support/until.ts'
import { type MemoryStore, entry, openMemoryStore, storeOf } from '../memory-store.ts'
import { UNHURRIED } from './unhurried.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-upkeep-'))
const HOUR = 3_600_000
const DAY = 24 * HOUR
let end: (() => void) | undefined
let places = 0
beforeEach(() => {
  end?.()
  mock.timers.reset()
  mock.timers.enable({ apis: ['setInterval'] })
})
after(() => {
  end?.()
  mock.timers.reset()
  rmSync(folder, { recursive: true, force: true })
})

interface Kept {
  /** What was logged, without level and time. */
  readonly lines: object[]
  readonly anchorFile: AnchorFile
}

/** Starts it on a store, and lets it do what it does at the start. Everything but the file of the anchors is done within a turn. */
async function keep(
  store: Store,
  audit: Parameters<typeof startUpkeep>[1] = {},
  anchorFile = new AnchorFile(join(folder, `${++places}`), UNHURRIED),
  isEnded = false,
): Promise<Kept> {
  const lines: object[] = []
  const write = (line: string): void => {
    lines.push(JSON.parse(line.replace(/"time":"[^"]*",/, '')) as object)
  }
  end = startUpkeep({ store, anchorFile }, audit, createLog('info', { write }))
  if (isEnded) end()
  await setImmediate()
  return { lines, anchorFile }
}

async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms)
  await setImmediate()
}

const rowsIn = async (store: Store): Promise<number> => (await store.readAudit({ most: 99 })).length
const MISSING = { level: 50, event: 'audit-anchor-missing' }

test('rows are counted at the start and every ten seconds, until the end', async () => {
  const store = await storeOf(3)
  const counted = async (): Promise<number> => (await store.chainEnds()).countedSeq
  await keep(store)
  assert.equal(await counted(), 3)
  await store.appendAudit([entry(4)])
  await pass(9_999)
  assert.equal(await counted(), 3)
  await pass(1)
  assert.equal(await counted(), 4)
  end?.()
  await store.appendAudit([entry(5)])
  await pass(DAY)
  assert.equal(await counted(), 4)
})

test('rows are counted a thousand at a time, all of them unless the upkeep ends', async () => {
  for (const [isEnded, counted] of [
    [false, 3_000],
    [true, 1_000],
  ] as const) {
    const store = await storeOf(3_000, 1_000)
    const { lines } = await keep(store, {}, undefined, isEnded)
    assert.equal((await store.chainEnds()).countedSeq, counted)
    assert.deepEqual(lines, [MISSING])
    end?.()
  }
})

test('rows that are older than they are kept are removed at the start and every hour, and that is logged', async () => {
  const store = await storeOf(3)
  const now = Math.floor(Date.now() / 1_000)
  await store.appendAudit([entry(now)])
  const { lines } = await keep(store, { retentionDays: 1 })
  const said = { level: 30, event: 'audit-retention' }
  // Rows 4 and 5 are that of today and the one in which retention says what it has removed.
  assert.equal(await rowsIn(store), 2)
  assert.deepEqual(lines, [MISSING, { ...said, count: 3 }])
  await store.appendAudit([entry(now)])
  await pass(HOUR)
  assert.equal(await rowsIn(store), 3)
  assert.equal(lines.length, 2, 'nothing was due')
  store.tables.exec('UPDATE audit SET last_at = 1 WHERE last_seq = 4')
  await pass(HOUR - 1)
  assert.equal(lines.length, 2)
  await pass(1)
  assert.deepEqual(lines.at(-1), { ...said, count: 1 })
})

for (const settings of [undefined, {}, { retentionDays: null, retentionMonths: null }]) {
  test(`with the settings ${JSON.stringify(settings)} no row is removed`, async () => {
    const store = await storeOf(3)
    const { lines } = await keep(store, settings)
    assert.deepEqual([await rowsIn(store), lines], [3, [MISSING]])
  })
}

test('old counters are removed at the start', async () => {
  const store = await storeOf(3)
  while (await store.countRows());
  await keep(store)
  assert.deepEqual((await store.readUsage({ first: 0, last: HOUR })).hours, [])
})

test('damage and forged entries of the queue are logged at the start and every hour', async () => {
  const store = await storeOf(6, 2)
  const { lines } = await keep(store)
  assert.deepEqual(lines, [MISSING])
  store.tables.exec("UPDATE audit SET packed = X'ff' WHERE last_seq = 4")
  store.tables.exec("INSERT INTO audit_queue (texts, seal) VALUES ('{}', X'00'), ('{}', X'00')")
  await pass(HOUR)
  const found = [
    { level: 50, event: 'audit-damaged', reason: 'row 3 is damaged and cannot be read', count: 3 },
    { level: 50, event: 'audit-queue-forged', count: 2 },
  ]
  assert.deepEqual(lines.slice(1), found)
  end?.()
  assert.deepEqual((await keep(store)).lines, [MISSING, ...found])
})

test('an audit that takes no rows is logged', async () => {
  const store = await openMemoryStore()
  store.health = () => Promise.resolve('no room' as never)
  assert.deepEqual((await keep(store)).lines, [{ level: 50, event: 'audit-not-writable', reason: 'no room' }])
})

test('what cannot be done is logged, each by itself, and tried again', async () => {
  const store = await storeOf(2)
  const { lines } = await keep(store, { retentionDays: 1 })
  lines.splice(0)
  store.tables.exec('ALTER TABLE audit RENAME TO away; ALTER TABLE usage RENAME TO gone')
  await pass(HOUR)
  assert.deepEqual(lines, [
    { level: 50, event: 'audit-damaged', reason: 'the newest rows cannot be read' },
    { level: 50, event: 'audit-retention-failed' },
    { level: 50, event: 'audit-tidy-failed' },
  ])
  store.tables.exec('ALTER TABLE away RENAME TO audit; ALTER TABLE gone RENAME TO usage')
  await pass(HOUR)
  assert.equal(lines.length, 3)
})

const WAIT = { timeoutMs: 5_000, what: 'the anchor file' }

test('every second the newest head is written to the anchor file, until the end', async () => {
  const store: MemoryStore = await openMemoryStore()
  let known: ChainEnds | undefined
  Object.assign(store, { knownChain: () => known })
  const { lines, anchorFile } = await keep(store)
  const written = (seq: number) => (): boolean => anchorFile.read().at(-1)?.seq === seq
  await pass(1_000)
  await store.appendAudit([entry(1), entry(2)])
  known = await store.chainEnds()
  await pass(999)
  assert.deepEqual(anchorFile.read(), [])
  await pass(1)
  await until(written(2), WAIT)
  await store.appendAudit([entry(3)])
  known = await store.chainEnds()
  // A write that is still under way is not made again.
  await until(async () => {
    await pass(1_000)
    return written(3)()
  }, WAIT)
  end?.()
  known = { ...known, head: { seq: 4, hash: 'x' } }
  await pass(DAY)
  await anchorFile.write({ ...known, head: { seq: 3, hash: 'x' } })
  assert.ok(written(3)())
  assert.deepEqual(lines, [])
})

test('a missing anchor is logged where there are rows, and one that cannot be written', async () => {
  const store = await storeOf(1)
  const known = await store.chainEnds()
  Object.assign(store, { knownChain: () => known })
  const { anchorFile, lines } = await keep(store)
  assert.deepEqual(lines, [MISSING])
  await pass(1_000)
  await until(() => anchorFile.read().length === 1, WAIT)
  end?.()
  assert.deepEqual((await keep(store, {}, anchorFile)).lines, [])
  end?.()
  const { lines: failed } = await keep(
    store,
    {},
    new AnchorFile(join(folder, 'no folder', 'anchors'), UNHURRIED),
  )
  await pass(1_000)
  await until(() => failed.length > 1, WAIT)
  assert.deepEqual(failed.at(-1), { level: 50, event: 'audit-anchor-failed', reason: 'ENOENT' })
})

test('a store that cannot be read has no missing anchor', async () => {
  const store = await storeOf(1)
  store.chainEnds = () => Promise.reject(new Error('unavailable'))
  assert.deepEqual((await keep(store)).lines, [
    { level: 50, event: 'audit-damaged', reason: 'the newest rows cannot be read' },
  ])
})
