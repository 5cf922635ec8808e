/** Rows are durable in a queue first, and get their place in the chain soon after. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { groupEntries } from '../../../src/store/audit/audit-row.ts'
import { AuditQueue } from '../../../src/store/store-client.ts'
import { QueueSeal } from '@patient-risk/runtime'
import { openStore } from '../../../src/store/open.ts'
import type { SqliteDatabase } from '../../../src/store/sqlite/database.ts'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import { runHere } from '../../../../../test/support/run-command.ts'
import { until } from '../../../../../test/support/until.ts'
import { MemoryStore, entry, openMemoryStore, seqsOf } from '../memory-store.ts'
import { UNHURRIED } from '../../../../../test/support/unhurried.ts'

const range = (count: number): readonly number[] => Array.from({ length: count }, (_each, place) => place + 1)

/** A queue whose steps are written down, and fail while `fault` is set. */
function recordedQueue(): { queue: AuditQueue; done: string[]; fault: { text?: string } } {
  const done: string[] = []
  const fault: { text?: string } = {}
  const step = (name: string): Promise<void> => {
    done.push(name)
    return fault.text === undefined ? Promise.resolve() : Promise.reject(new Error(fault.text))
  }
  const queue = new AuditQueue({
    appendGroup: ({ texts }) => step(`append ${texts.split('\n').length}`),
    chainQueued: () => step('chain'),
  })
  return { queue, done, fault }
}

test('rows are chained once for many commits, after what an earlier process has left', async (context) => {
  // The step that chains is due by time: without this clock a slow machine chains between two commits.
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { queue, done } = recordedQueue()
  await queue.append([])
  assert.deepEqual(done, [])
  for (let count = 0; count < 3; count++) await queue.append([entry(1), entry(2)])
  assert.deepEqual(done, ['chain', 'append 2', 'append 2', 'append 2'])
  context.mock.timers.tick(60)
  await nextTurn()
  assert.deepEqual(done.slice(4), ['chain'])
})

test('while rows cannot be chained, no further rows are taken', async () => {
  const { queue, done, fault } = recordedQueue()
  await queue.append([entry(1)])
  fault.text = 'no place in the chain'
  await until(() => !queue.isHealthy)
  await assert.rejects(queue.append([entry(2)]), /no place/)
  assert.deepEqual(done, ['chain', 'append 1', 'chain', 'chain'])
  delete fault.text
  await queue.append([entry(3)])
  assert.deepEqual(done.slice(4), ['chain', 'append 1'])
  queue.stop()
})

test('a row that is appended while chaining fails does not let others in', async () => {
  const appends: (() => void)[] = []
  let chained = Promise.resolve()
  const queue = new AuditQueue({
    appendGroup: () => new Promise((resolve) => appends.push(resolve)),
    chainQueued: () => chained,
  })
  const append = (): Promise<void> => queue.append([entry(1)])
  const first = append()
  await until(() => appends.length === 1)
  chained = Promise.reject(new Error('no place in the chain'))
  await assert.rejects(queue.chain(), /no place/)
  appends[0]?.()
  await first
  assert.equal(queue.isHealthy, false)
  await assert.rejects(append(), /no place/)
  assert.equal(appends.length, 1)
  queue.stop()
})

test('rows are chained by one step at a time, which sees what was appended before it', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const steps: (() => void)[] = []
  const queue = new AuditQueue({
    appendGroup: () => Promise.resolve(),
    chainQueued: () => new Promise((resolve) => steps.push(resolve)),
  })
  const first = queue.append([entry(1)])
  await nextTurn()
  steps[0]?.()
  await first
  // The second step is slow. Rows come meanwhile, and their time is over more than once.
  for (let count = 0; count < 5; count++) {
    context.mock.timers.tick(60)
    await nextTurn()
    await queue.append([entry(2)])
  }
  assert.equal(steps.length, 2)
  const both = Promise.all([queue.chain(), queue.chain()])
  steps[1]?.()
  await nextTurn()
  steps[2]?.()
  await both
  context.mock.timers.tick(60_000)
  assert.equal(steps.length, 3)
})

test('rows that could not be chained are tried again, also if nobody appends any more', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { queue, done, fault } = recordedQueue()
  await queue.append([entry(1)])
  fault.text = 'busy'
  context.mock.timers.tick(60)
  await nextTurn()
  assert.deepEqual([done.length, queue.isHealthy], [3, false])
  delete fault.text
  context.mock.timers.tick(1_000)
  await nextTurn()
  assert.deepEqual([done.length, queue.isHealthy], [4, true])
})

test('a queue that is stopped leaves its rows for the next process', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { queue, done } = recordedQueue()
  await queue.append([entry(1)])
  queue.stop()
  context.mock.timers.tick(60_000)
  assert.deepEqual(done, ['chain', 'append 1'])
})

/** Queued and not chained, as by a process that was killed. */
async function queued(sizes: readonly number[]): Promise<MemoryStore> {
  const store = await openMemoryStore()
  let place = 0
  for (const size of sizes) {
    await store.appendGroup(groupEntries(range(size).map(() => entry(++place, { deployment: 'd' }))))
  }
  return store
}

const QUEUES = [
  ['one row', [1], 1],
  ['many commits in one group', range(10), 1],
  ['more entries than one step takes', range(150).map(() => 3), 3],
  ['more rows than one group holds', [700, 700, 700], 3],
] as const
for (const [what, sizes, groups] of QUEUES) {
  test(`queued rows are chained in their order: ${what}`, async () => {
    const store = await queued(sizes)
    const rows = await store.readAudit({ most: 10_000 })
    assert.deepEqual(seqsOf(rows), range(sizes.reduce((sum, size) => sum + size, 0)))
    assert.deepEqual(
      rows.map(({ at }) => at),
      rows.map(({ seq }) => seq * 1_000),
    )
    assert.deepEqual((await verifyStore(store)).faults, [])
    const count = (table: string): unknown =>
      store.tables.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']
    assert.deepEqual([count('audit'), count('audit_queue')], [groups, 0])
    assert.equal(await store.latestTime(), rows.length * 1_000)
  })
}

test('a step that fails leaves the rows in the queue, and no dictionary that is not stored', async () => {
  const store = await queued([2])
  store.tables.exec("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no room'); END")
  await assert.rejects(store.chainQueued(), /no room/)
  assert.deepEqual(await store.readAudit({ most: 9 }), [], 'what is in the chain can still be read')
  assert.equal((await store.chainEnds()).queueFault, 'no room')
  await assert.rejects(store.tryAppend(), /no room/)
  store.tables.exec('DROP TRIGGER full')
  assert.deepEqual(seqsOf(await store.readAudit({ most: 9 })), [1, 2])
  assert.equal((await store.chainEnds()).queueFault, undefined)
  assert.deepEqual((await verifyStore(new MemoryStore(store.tables))).faults, [])
})

/** With the number of rows that are still chained. */
const FORGED: readonly (readonly [how: string, chained: number, sql: string])[] = [
  [
    'put in with a text of its own',
    1,
    `INSERT INTO audit_queue (texts, seal) VALUES ('{"at":"1999-01-01T00:00:00.000Z"}', x'00')`,
  ],
  [
    'put in with the seal of another',
    1,
    "INSERT INTO audit_queue (texts, seal) SELECT replace(texts, 'score', 'scare'), seal FROM audit_queue",
  ],
  ['put in without a seal', 1, "INSERT INTO audit_queue (texts, seal) SELECT texts, x'' FROM audit_queue"],
  ['changed', 0, "UPDATE audit_queue SET texts = replace(texts, 'r1', 'r7')"],
]

for (const [how, chained, sql] of FORGED) {
  test(`a queued row that was ${how} does not get into the chain, and verify names it`, async () => {
    const store = await queued([1])
    store.tables.exec(sql)
    assert.equal((await store.readAudit({ most: 9 })).length, chained)
    assert.equal((await store.chainEnds()).refused?.length, 1)
    const { faults } = await verifyStore(store)
    assert.match(faults.join(), /^entry \d+ of the queue was not written by the service/)
    await store.appendAudit([entry(3)])
    assert.equal((await store.chainEnds()).head.seq, chained + 1, 'rows of the service go on')
    await store.removeRefused()
    assert.deepEqual((await verifyStore(store)).faults, [])
  })
}

test('commands that read the audit report queued rows that they leave out', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'patient-risk-queue-'))
  const { store, secrets } = await openStore(dataDir, undefined, undefined, UNHURRIED)
  await store.appendAudit([entry(1)])
  await store.close()
  const tables = new DatabaseSync(join(dataDir, 'patient-risk.sqlite'))
  const { text } = entry(2)
  const seal = new QueueSeal(secrets.all).make(text, null)
  tables.prepare('INSERT INTO audit_queue (texts, seal) VALUES (?, ?)').run(text, seal)
  tables.exec("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no room'); END")
  for (const command of ['list', 'verify', 'export', 'anchor']) {
    const { code, out, err } = await runHere(['audit', command], { DATA_DIR: dataDir })
    assert.equal(code, 0, err)
    assert.match(out, /r1|Intact: 1 rows|"rows":1/)
    assert.match(err, /^The newest rows are left out, they cannot be chained: /m)
  }
  tables.exec('DROP TRIGGER full')
  tables.close()
  const { out, err } = await runHere(['audit', 'list'], { DATA_DIR: dataDir })
  assert.match(out, /r2/)
  assert.equal(err, '')
  rmSync(dataDir, { recursive: true })
})

test('a long queue is chained in transactions of a bounded size, in its order', async () => {
  const store = await openMemoryStore()
  const commits = 12
  const filler = 'x'.repeat(500)
  for (let commit = 0; commit < commits; commit++) {
    const rows = range(1_000).map((row) => entry(commit * 1_000 + row, { filler }))
    await store.appendGroup(groupEntries(rows))
  }
  const database = Reflect.get(store, 'database') as SqliteDatabase
  const transaction = database.transaction.bind(database)
  const sizes: number[] = []
  const storedRows = (): number =>
    Number(store.tables.prepare('SELECT coalesce(sum(count), 0) AS rows FROM audit').get()?.['rows'])
  database.transaction = async (work) => {
    const before = storedRows()
    const result = await transaction(work)
    sizes.push(storedRows() - before)
    return result
  }
  await store.chainQueued()
  assert.deepEqual(sizes, Array(commits / 2).fill(2_000))
  const { rows, faults } = await verifyStore(store)
  assert.deepEqual([rows, faults], [commits * 1_000, []])
})
