/** What holds when the keys cannot be read: the lines of the policy, on a real store whose keys are locked away. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { makeEntry } from '../../src/store/audit-row.ts'
import { GroupCommit } from '../../src/store/group-commit.ts'
import { KeyRing } from '../../src/store/key-ring.ts'
import { makeKey } from '../../src/store/keys.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-ring-'))
let server: PostgresServer
let locker: pg.Client
let store: Store
let secret: Uint8Array
before(async () => {
  server = await startPostgres()
  const url = await server.newDatabase()
  ;({ store, secret } = await openStore(folder, undefined, url))
  locker = new pg.Client({ connectionString: url })
  await locker.connect()
})
after(async () => {
  await locker.end()
  await store.close()
  await server.remove()
  rmSync(folder, { recursive: true, force: true })
})

test('with the keys out of reach, a key verified lately goes on for a minute, any other is told to wait', async () => {
  const request = { name: 'x', scopes: ['*'], expiresAt: null }
  const known = await makeKey(store, secret, request, 0)
  const unknown = await makeKey(store, secret, request, 0)
  let steady = 0
  const ring = new KeyRing(store, secret, () => steady)
  assert.equal((await ring.verify(known.key, 1))?.id, known.id)
  await locker.query('BEGIN; LOCK TABLE keys IN ACCESS EXCLUSIVE MODE')
  steady = 59_000
  // Without a time limit on the statement this would wait for the lock for ever.
  assert.equal((await ring.verify(known.key, 1))?.id, known.id)
  assert.equal(ring.recall(known.key, 1)?.id, known.id, 'the store is not asked again at once')
  await assert.rejects(ring.verify(unknown.key, 1))
  await assert.rejects(new KeyRing(store, secret).verify(known.key, 1))
  await store.appendAudit([makeEntry({ at: 1, requestId: 'r', keyId: known.id })])
  steady = 60_000
  await assert.rejects(ring.verify(known.key, 1))
  await locker.query('ROLLBACK')
  assert.equal((await ring.verify(known.key, 1))?.id, known.id, 'it goes on by itself')
  assert.equal((await ring.verify(unknown.key, 1))?.id, unknown.id)
})

test('a mistyped key and a wrong secret for a known id are refused without asking', async () => {
  const { key, id } = await makeKey(store, secret, { name: 'x', scopes: ['*'], expiresAt: null }, 0)
  const ring = new KeyRing(store, secret)
  assert.equal((await ring.verify(key, 1))?.id, id)
  const last = key.at(-1) === 'A' ? 'B' : 'A'
  assert.equal(await ring.verify(key.slice(0, -1) + last, 1), undefined)
  assert.equal(await ring.verify('nonsense', 1), undefined)
})

test('what arrives during a commit shares the next one, and a failed commit tells all who wait', async () => {
  const groups: number[] = []
  let open: (() => void) | undefined
  let isBroken = false
  const commit = new GroupCommit<number>(
    async (items) => {
      groups.push(items.length)
      await new Promise<void>((resolve) => (open = resolve))
      if (isBroken) throw new Error('broken')
    },
    { group: 100, waiting: 20 },
  )
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const begun = async (count: number): Promise<void> => {
    while (groups.length < count) await turn()
  }
  const first = commit.add(1)
  await begun(1)
  const rest = Promise.all(Array.from({ length: 10 }, (_, index) => commit.add(index)))
  open?.()
  await first
  await begun(2)
  open?.()
  await rest
  assert.deepEqual(groups, [1, 10])

  const early = commit.add(1)
  await turn()
  const late = commit.add(2)
  await begun(3)
  open?.()
  await Promise.all([early, late])
  assert.deepEqual(groups, [1, 10, 2], 'what comes in the next turn of the event loop goes along')

  isBroken = true
  const failing = [commit.add(1)]
  await begun(4)
  failing.push(...Array.from({ length: 20 }, () => commit.add(2)))
  await assert.rejects(commit.add(3), /too many rows/)
  open?.()
  const outcomes = await Promise.allSettled(failing)
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
})
