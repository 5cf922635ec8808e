/** Every call that writes to SQLite, in the function that is its thread: one that may not commit leaves the file as it was. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { mock, test } from 'node:test'
import { type CallLimit, NO_LIMIT } from '@patient-risk/runtime'
import { acceptanceEntry } from '../../src/store/audit/accept-changes.ts'
import { groupEntries } from '../../src/store/audit/audit-row.ts'
import { SqlStore } from '../../src/store/sql-store.ts'
import { PART_CELLS } from '../../src/store/outcomes/outcome-queue.ts'
import { SqliteDatabase } from '../../src/store/sqlite/database.ts'
import { sqliteThread } from '../../src/store/sqlite/sqlite-thread.ts'
import { inFolder } from '../../../../test/support/run-command.ts'
import { FINGERPRINT, KEY } from './given-up-key.ts'
import { entry } from './memory-store.ts'
import { TEST_SECRET } from './open-file.ts'
import { KEPT_UNTIL, NOW, cell, outcomesOf } from './outcome-requests.ts'

type Method = Exclude<keyof SqlStore, symbol>
type Step = readonly [method: Method, ...args: readonly unknown[]]

const ROWS = groupEntries([entry(1), entry(2)])
const STATE = {
  deployment: 'a',
  digest: 'D',
  model: 'm@1.0.0',
  output: 'number',
  threshold: null,
  centre: null,
  riskDigest: 'r',
} as const
const ALARM = {
  kind: 'unit',
  deployment: 'a',
  keyId: 'key1',
  field: 'haemoglobin',
  basis: 'g/dL',
  likely: 'mmol/L',
  reference: 'absolute',
  state: 'raised',
  at: 1,
} as const

/** Its counts wait before they are added. */
const LARGE = outcomesOf('a', {
  cells: Array.from({ length: PART_CELLS + 1 }, (_, bin) => cell({ bin })),
})

const JOB = {
  id: 'job1',
  deployment: 'a',
  digest: 'D',
  owner: 'key1',
  keyId: 'key1',
  requests: [],
  body: 'body',
  createdAt: 1,
  expiresAt: 10,
  sealedKey: new Uint8Array([1]),
  bytes: 1,
  records: null,
  facts: '{}',
  room: { jobs: 9, bytes: 9, totalBytes: 9 },
  row: ROWS,
} as const
const CLAIM = ['claimJob', ['D'], 2, 5] as const
const OWN = { id: 'job1', fence: 1 } as const
const END = {
  ...OWN,
  state: 'done',
  expiresAt: 20,
  bytes: 1,
  done: 1,
  answer: new Uint8Array([2]),
  row: ROWS,
}

const NOTHING_DIFFERS = { isSealed: true, keys: [], outcomes: [], scored: [] }

/** Calls that write, each with what must be there before it. */
const WRITERS: readonly (readonly [call: Step, ...before: readonly Step[]])[] = [
  [['insertKey', KEY]],
  [['insertKey', KEY, undefined, ROWS]],
  [
    ['insertKey', { ...KEY, id: 'key2', replaces: 'key1' }, 99],
    ['insertKey', KEY],
  ],
  [
    ['revokeKey', 'key1', 5],
    ['insertKey', KEY],
  ],
  [
    ['revokeSpareKey', 'key1', 5, 5],
    ['insertKey', KEY],
  ],
  [['secretFingerprint', FINGERPRINT]],
  [
    ['replaceSecret', FINGERPRINT, 'another'],
    ['secretFingerprint', FINGERPRINT],
  ],
  [
    ['moveDigest', 'key1', new Uint8Array([2]), FINGERPRINT],
    ['secretFingerprint', FINGERPRINT],
    ['insertKey', KEY],
  ],
  [['writeAlarm', ALARM]],
  [['noteStates', [STATE, { ...STATE, deployment: 'b' }]]],
  [['countOutcomes', outcomesOf('a')]],
  [['countOutcomes', LARGE]],
  [['countOutcomes', outcomesOf('a', { receipts: [{ digest: 'D', month: '2026-10', serials: [7] }] })]],
  [['reserveReceipts', 'a', 'D', '2026-10', 5]],
  [['addQueuedOutcomes'], ['countOutcomes', LARGE]],
  [['appendGroup', ROWS]],
  [
    ['appendGroup', { ...ROWS, uses: [['key1', 60_000]] }],
    ['insertKey', KEY],
  ],
  [['chainQueued'], ['appendGroup', ROWS]],
  [['tryAppend'], ['appendGroup', ROWS]],
  [['countRows'], ['appendGroup', ROWS], ['chainQueued']],
  [
    ['tidyAudit', KEPT_UNTIL],
    ['countOutcomes', outcomesOf('a')],
  ],
  [['insertJob', JOB]],
  [CLAIM, ['insertJob', JOB]],
  [
    ['claimLostJob', 2, 2, 5],
    ['insertJob', JOB],
  ],
  [['stepJob', { ...OWN, leaseUntil: 7, expiresAt: 20 }], ['insertJob', JOB], CLAIM],
  [['releaseJob', 'job1', 1], ['insertJob', JOB], CLAIM],
  [['endJob', END], ['insertJob', JOB], CLAIM],
  [
    ['removeJob', 'job1'],
    ['insertJob', JOB],
  ],
  [
    ['removeExpiredJobs', 11],
    ['insertJob', JOB],
  ],
  [['acceptChanges', NOTHING_DIFFERS, acceptanceEntry(NOW, 'r', NOTHING_DIFFERS)]],
  [['pruneAudit', NOW, NOW], ['appendGroup', ROWS], ['chainQueued']],
]
/** These chain what is queued, and go on where that fails. Nothing else is written. */
const CHAINING_READERS: readonly Step[] = [['readAudit', { most: 9 }], ['chainEnds']]
const READERS = ['findKey', 'listKeys', 'latestTime', 'readAlarms', 'readStates', 'readOutcomes']
  .concat([
    'readScored',
    'readScoredRisks',
    'readCells',
    'readReceived',
    'readShadow',
    'readGroups',
    'listAudit',
    'readUsage',
    'readTotals',
  ])
  .concat(['findJob', 'listJobs'])
  .sort()

const LATE: CallLimit = { leftMs: () => 1_000, mayCommit: () => false }

/** Everything in the file. */
function contentOf(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true })
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  const rows = tables.map(({ name }) => [name, database.prepare(`SELECT * FROM "${String(name)}"`).all()])
  database.close()
  return JSON.stringify(rows)
}

/** The function of the thread, on a new file. */
function onFile(
  act: (run: (step: Step, limit?: CallLimit) => Promise<unknown>, path: string) => Promise<void>,
): Promise<void> {
  return inFolder(async (folder) => {
    const path = join(folder, 'patient-risk.sqlite')
    const call = sqliteThread({ path, secrets: [TEST_SECRET] })
    await act(([method, ...args], limit = NO_LIMIT) => call(method, args, limit), path)
    await call('close', [], NO_LIMIT)
  })
}

for (const [call, ...before] of WRITERS) {
  test(`${call[0]} after ${before.map(([method]) => method).join(', ') || 'nothing'}: given up, it stores nothing; again, it does`, () =>
    onFile(async (run, path) => {
      for (const step of before) await run(step)
      await run(['latestTime'])
      const found = contentOf(path)
      await assert.rejects(run(call, LATE), /given up before its commit/)
      assert.equal(contentOf(path), found)
      await run(call)
      assert.notEqual(contentOf(path), found)
    }))
}

for (const call of CHAINING_READERS) {
  test(`${call[0]} chains what is queued only where its caller still waits`, () =>
    onFile(async (run, path) => {
      await run(['appendGroup', ROWS])
      const found = contentOf(path)
      await run(call, LATE)
      assert.equal(contentOf(path), found)
      await run(call)
      assert.notEqual(contentOf(path), found)
    }))
}

test('entries of others in the queue are forgotten only by a call whose caller still waits', () =>
  onFile(async (run, path) => {
    await run(['latestTime'])
    const database = new DatabaseSync(path)
    database.exec("INSERT INTO audit_refused VALUES (7, 'forged')")
    database.close()
    const found = contentOf(path)
    await assert.rejects(run(['removeRefused'], LATE), /given up before its commit/)
    assert.equal(contentOf(path), found)
    await run(['removeRefused'])
    assert.notEqual(contentOf(path), found)
  }))

test('a call whose time is over before its turn is not begun', () =>
  onFile(async (run) => {
    const over: CallLimit = { leftMs: () => 0, mayCommit: () => assert.fail('it was begun') }
    await run(['listKeys'])
    const close = mock.method(DatabaseSync.prototype, 'close')
    await assert.rejects(run(['revokeKey', 'key1', 1], over), /given up before its commit/)
    await assert.rejects(run(['insertKey', KEY], LATE), /given up before its commit/)
    assert.equal(
      close.mock.callCount(),
      0,
      'a caller that leaves is no error of the disk, after which the file is opened again',
    )
    close.mock.restore()
  }))

test('every method of the store is in one of the lists above', () => {
  const own = (type: object): readonly string[] =>
    type === Object.prototype
      ? []
      : [...Object.getOwnPropertyNames(type), ...own(Object.getPrototypeOf(type) as object)]
  const isInner =
    /^(constructor|queueRows|insertSealed|lockHead|assertKnown|rememberHead|chainStep|link|recordUses)$/
  const listed = [...WRITERS.map(([[method]]) => method), ...CHAINING_READERS.map(([method]) => method)]
  assert.deepEqual(
    [...new Set(own(SqlStore.prototype).filter((name) => !isInner.test(name)))].sort(),
    [...new Set([...listed, ...READERS, 'removeRefused'])].sort(),
  )
})

test('a statement that changes something is refused outside of a transaction', () =>
  onFile(async (run, path) => {
    await run(['latestTime'])
    const tables = new DatabaseSync(path)
    const database = new SqliteDatabase(tables)
    for (const sql of [
      'DELETE FROM keys',
      ' UPDATE keys SET name = 1',
      'INSERT INTO audit_refused VALUES (1, 2)',
    ])
      await assert.rejects(database.query(sql), /needs write\(\) or a transaction/)
    await database.write('DELETE FROM keys')
    tables.close()
  }))
