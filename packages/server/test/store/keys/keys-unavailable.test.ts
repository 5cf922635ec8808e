/** What holds when the keys cannot be read: the lines of the policy, on a real store whose keys are locked away. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { KeySecrets } from '../../../src/store/keys/key-secrets.ts'
import { makeEntry } from '../../../src/store/audit/audit-row.ts'
import { KeyCache } from '../../../src/store/keys/key-cache.ts'
import { makeKey } from '../../../src/store/keys/keys.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { untilSucceeds } from '../../../../../test/support/until.ts'
import { needsPostgres, useDatabases, whyNoPostgres } from '../../../../../test/support/postgres-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-keys-'))
let locker: pg.Client
let store: Store
let secrets: KeySecrets
after(async () => {
  if (whyNoPostgres() === undefined) {
    await locker.end()
    await store.close()
  }
  rmSync(folder, { recursive: true, force: true })
})
const newDatabase = useDatabases()
before(async () => {
  if (whyNoPostgres() !== undefined) return
  const url = await newDatabase()
  ;({ store, secrets } = await openStore(folder, undefined, url))
  locker = new pg.Client({ connectionString: url })
  await locker.connect()
})

// A server that was late is left alone for a moment. Steps that must succeed are repeated until they do.
test(
  'while the store is unavailable, a recently verified key stays valid for a minute; others get 503',
  needsPostgres(),
  async () => {
    const request = { name: 'x', scopes: ['*'], expiresAt: null }
    const known = await untilSucceeds(() => makeKey(store, secrets, request, 0))
    const unknown = await untilSucceeds(() => makeKey(store, secrets, request, 0))
    let steady = 0
    const cache = new KeyCache(store, secrets, () => steady)
    assert.equal((await untilSucceeds(() => cache.verify(known.key, 1)))?.id, known.id)
    await locker.query('BEGIN; LOCK TABLE keys IN ACCESS EXCLUSIVE MODE')
    steady = 59_000
    // Without a time limit on the statement this would wait for the lock for ever.
    assert.equal((await cache.verify(known.key, 1))?.id, known.id)
    assert.equal(cache.recall(known.key, 1)?.id, known.id, 'the store is not asked again at once')
    await assert.rejects(cache.verify(unknown.key, 1))
    await assert.rejects(new KeyCache(store, secrets).verify(known.key, 1))
    await untilSucceeds(() => store.appendAudit([makeEntry({ at: 1, requestId: 'r', keyId: known.id })]))
    steady = 60_000
    await assert.rejects(cache.verify(known.key, 1))
    await locker.query('ROLLBACK')
    assert.equal(
      (await untilSucceeds(() => cache.verify(known.key, 1)))?.id,
      known.id,
      'it goes on by itself',
    )
    assert.equal((await untilSucceeds(() => cache.verify(unknown.key, 1)))?.id, unknown.id)
  },
)

test(
  'a mistyped key and a wrong secret for a known id are refused without asking',
  needsPostgres(),
  async () => {
    const request = { name: 'x', scopes: ['*'], expiresAt: null }
    const { key, id } = await untilSucceeds(() => makeKey(store, secrets, request, 0))
    const cache = new KeyCache(store, secrets)
    assert.equal((await untilSucceeds(() => cache.verify(key, 1)))?.id, id)
    const last = key.at(-1) === 'A' ? 'B' : 'A'
    assert.equal(await cache.verify(key.slice(0, -1) + last, 1), undefined)
    assert.equal(await cache.verify('nonsense', 1), undefined)
  },
)
