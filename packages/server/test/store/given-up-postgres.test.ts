// Own process: the connections are watched, so that the test can stop a call between two statements.
/** PostgreSQL: what a caller was refused is not stored, and what is being committed is waited for. Time passes when the test says so. */
import assert from 'node:assert/strict'
import { afterEach, mock, test } from 'node:test'
import pg from 'pg'
import { QueueSeal } from '@patient-risk/runtime'
import { groupEntries } from '../../src/store/audit/audit-row.ts'
import { PostgresDatabase } from '../../src/store/postgres/database.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { SqlStore } from '../../src/store/sql-store.ts'
import type { Store } from '../../src/store/store.ts'
import { FINGERPRINT, KEY } from './given-up-key.ts'
import { entry } from './memory-store.ts'
import { TEST_SECRET } from './open-file.ts'
import { auditedIds, countedIn, outcomesOf } from './outcome-requests.ts'
import { useDatabases } from '../../../../test/support/postgres-server.ts'
import { UNHURRIED } from '../../../../test/support/unhurried.ts'

const newDatabase = useDatabases()
const LIMIT_MS = 1_000
const COUNT_LIMIT_MS = 5_000
const LATE = /did not answer in time/

/** Where a call stops: with its connection and before its first statement, after a statement was answered, or before it is sent. */
type Place = 'connected' | { readonly after: RegExp } | { readonly before: RegExp }

let gate: { readonly at: Place; readonly reached: () => void; readonly opened: Promise<unknown> } | undefined

async function pause(isHere: (at: Place) => boolean): Promise<void> {
  if (gate === undefined || !isHere(gate.at)) return
  const { reached, opened } = gate
  gate = undefined
  reached()
  await opened
}

const watched = new WeakSet<pg.PoolClient>()

function watch(client: pg.PoolClient): void {
  if (watched.has(client)) return
  watched.add(client)
  const query = client.query.bind(client) as (text: string, values?: unknown[]) => Promise<unknown>
  Object.assign(client, {
    async query(text: string, values?: unknown[]) {
      await pause((at) => typeof at === 'object' && 'before' in at && at.before.test(text))
      const answer = await query(text, values)
      await pause((at) => typeof at === 'object' && 'after' in at && at.after.test(text))
      return answer
    },
  })
}

const connect = Reflect.get(pg.Pool.prototype, 'connect') as () => Promise<pg.PoolClient>
Object.assign(pg.Pool.prototype, {
  async connect(this: pg.Pool) {
    const client = await Reflect.apply(connect, this, [])
    watch(client)
    await pause((at) => at === 'connected')
    return client
  },
})

/** Begins a call and lets it come to a place. */
async function begin<T>(
  at: Place,
  call: () => Promise<T>,
): Promise<{ answer: Promise<T>; letGo: () => void }> {
  const reached = Promise.withResolvers<undefined>()
  const opened = Promise.withResolvers<undefined>()
  gate = { at, reached: () => reached.resolve(undefined), opened: opened.promise }
  const answer = call()
  answer.catch(() => undefined)
  await Promise.race([reached.promise, answer])
  return { answer, letGo: () => opened.resolve(undefined) }
}

/** After a call without an answer the next ones are refused for half a second. The test does not wait for it. */
const PAUSE_MS = 500
let aheadMs = 0
const now = performance.now.bind(performance)
Object.defineProperty(performance, 'now', { value: () => now() + aheadMs })

/** Time stands still from here on. */
const stopClock = (): void => mock.timers.enable({ apis: ['setTimeout'] })

/** The limit of a call passes. */
const passLimit = (limitMs = LIMIT_MS): Promise<void> => passTime(UNHURRIED.limitFactor * limitMs)

/**
 * Time passes, and the event loop has its turns. What the store does in between may be late by that; later calls are not refused
 * for it.
 */
async function passTime(ms: number): Promise<void> {
  mock.timers.tick(ms)
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
  aheadMs += PAUSE_MS
}

afterEach(() => mock.timers.reset())

/** Everything in the tables. */
async function contentOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const tables = await client.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
  )
  const rows = []
  for (const { name } of tables.rows)
    rows.push([name, (await client.query(`SELECT * FROM ${name} ORDER BY 1`)).rows])
  await client.end()
  return JSON.stringify(rows)
}

async function onStore(act: (store: Store) => Promise<void>): Promise<void> {
  const store = await openPostgresStore(await newDatabase(), { ...UNHURRIED, secrets: [TEST_SECRET] })
  // The first row makes the chain known.
  await store.appendAudit([entry(1)])
  await store.chainEnds()
  stopClock()
  await act(store)
  mock.timers.reset()
  await store.close()
}

const LAST_STATEMENT = { after: /^INSERT INTO audit_queue/ }

test('a transaction that comes to its COMMIT after the caller was refused rolls back, and the retry counts once', () =>
  onStore(async (store) => {
    const { answer, letGo } = await begin(LAST_STATEMENT, () => store.countOutcomes(outcomesOf('late')))
    await passLimit(COUNT_LIMIT_MS)
    await assert.rejects(answer, LATE)
    letGo()
    assert.equal(await store.countOutcomes(outcomesOf('late')), 'counted')
    assert.equal(await store.countOutcomes(outcomesOf('late')), 'repeated')
    assert.equal(await countedIn(store, 'late'), 1)
    assert.deepEqual(await auditedIds(store), ['r1', 'counted late'])
  }))

test('a transaction that comes to its COMMIT in time counts', () =>
  onStore(async (store) => {
    const { answer, letGo } = await begin(LAST_STATEMENT, () => store.countOutcomes(outcomesOf('in time')))
    await passTime(UNHURRIED.limitFactor * COUNT_LIMIT_MS - 1)
    letGo()
    assert.equal(await answer, 'counted')
    assert.equal(await countedIn(store, 'in time'), 1)
  }))

test('a caller whose limit ends during COMMIT gets its answer, not a refusal', () =>
  onStore(async (store) => {
    const { answer, letGo } = await begin({ before: /^COMMIT/ }, () =>
      store.countOutcomes(outcomesOf('slow')),
    )
    await passLimit(COUNT_LIMIT_MS)
    letGo()
    assert.equal(await answer, 'counted')
    assert.equal(await countedIn(store, 'slow'), 1)
    assert.deepEqual(await auditedIds(store), ['r1', 'counted slow'])
  }))

test('a caller whose limit ends while a single statement commits gets its answer', () =>
  onStore(async (store) => {
    const { answer, letGo } = await begin({ before: /^INSERT INTO audit_queue/ }, () =>
      store.appendAudit([entry(2)]),
    )
    await passLimit()
    letGo()
    await answer
    assert.deepEqual(await auditedIds(store), ['r1', 'r2'])
  }))

test('quota is not taken for a caller that was refused', () =>
  onStore(async (store) => {
    const { answer, letGo } = await begin('connected', () => store.takeQuota('key1', 10, 4))
    await passLimit()
    await assert.rejects(answer, LATE)
    letGo()
    assert.equal((await store.takeQuota('key1', 10, 4)).remaining, 6)
  }))

const ALARM = {
  kind: 'drift',
  deployment: 'a',
  keyId: 'key1',
  field: 'age',
  basis: 'm@1.0.0',
  likely: '',
  reference: 'profile',
  state: 'raised',
  at: 1,
} as const
const STATE = {
  deployment: 'a',
  digest: 'D',
  model: 'm@1.0.0',
  output: 'number',
  threshold: null,
  centre: null,
  riskDigest: 'r',
} as const

/** Calls whose first statement writes. The others use the same transactions. */
const WRITERS: Readonly<Record<string, (store: SqlStore) => Promise<unknown>>> = {
  insertKey: (store) => store.insertKey({ ...KEY, id: 'key2', replaces: 'key1' }, 99),
  revokeKey: (store) => store.revokeKey('key1', 5),
  replaceSecret: (store) => store.replaceSecret(FINGERPRINT, 'another'),
  moveDigest: (store) => store.moveDigest('key1', new Uint8Array([2]), FINGERPRINT),
  writeAlarm: (store) => store.writeAlarm(ALARM),
  noteStates: (store) => store.noteStates([STATE, { ...STATE, deployment: 'b' }]),
  countOutcomes: (store) => store.countOutcomes(outcomesOf('a')),
  appendGroup: (store) => store.appendGroup(groupEntries([entry(2)])),
}

for (const [name, call] of Object.entries(WRITERS)) {
  test(`${name}: given up before it has a connection, it stores nothing; again, it does`, async () => {
    const url = await newDatabase()
    await (await openPostgresStore(url, { ...UNHURRIED, secrets: [TEST_SECRET] })).close()
    const open = (): readonly [PostgresDatabase, SqlStore] => {
      const database = new PostgresDatabase(url, UNHURRIED.limitFactor)
      return [database, new SqlStore(database, new QueueSeal([TEST_SECRET]))]
    }
    const [database, store] = open()
    await store.secretFingerprint(FINGERPRINT)
    await store.insertKey(KEY)
    await store.appendGroup(groupEntries([entry(1)]))
    const found = await contentOf(url)
    stopClock()
    const { answer, letGo } = await begin('connected', () => call(store))
    await passLimit(name === 'countOutcomes' ? COUNT_LIMIT_MS : LIMIT_MS)
    await assert.rejects(answer, LATE)
    letGo()
    mock.timers.reset()
    // Waits for the end of what was given up.
    await database.close()
    assert.equal(await contentOf(url), found)
    const [again, retried] = open()
    await call(retried)
    assert.notEqual(await contentOf(url), found)
    await again.close()
  })
}
