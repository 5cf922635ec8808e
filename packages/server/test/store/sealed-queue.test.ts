/** Entries of the audit queue are taken only by a process that has the key secret in use, and no entry can stop the others. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { QueueSeal, fingerprintOf } from '@patient-risk/runtime'
import { makeEntry } from '../../src/store/audit/audit-row.ts'
import { STORE_FILE, openStore } from '../../src/store/open.ts'
import { inFolder } from '../../../../test/support/run-command.ts'
import { serve } from '../../../../test/support/serve.ts'
import { UNHURRIED } from '../../../../test/support/unhurried.ts'

const entry = (requestId: string): ReturnType<typeof makeEntry> =>
  makeEntry({ at: Date.now(), requestId, keyId: null, call: 'score' })
const RECORD = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }

test('a process with another secret takes no row out of the queue', () =>
  inFolder(async (folder) => {
    const path = join(folder, STORE_FILE)
    const { store, secrets } = await openStore(folder, 'first secret of the tests', undefined, UNHURRIED)
    await store.appendAudit([entry('one')])
    await store.close()
    const database = new DatabaseSync(path)
    const { text } = entry('two')
    const seal = new QueueSeal(secrets.all).make(text, secrets.fingerprint)
    database.prepare('INSERT INTO audit_queue (texts, seal) VALUES (?, ?)').run(text, seal)
    await assert.rejects(openStore(folder, 'another secret of the tests'), /another key secret/)
    const count = (table: string): unknown =>
      database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']
    assert.deepEqual([count('audit_queue'), count('audit_refused')], [1, 0])
    database.close()
    const again = await openStore(folder, 'first secret of the tests', undefined, UNHURRIED)
    assert.equal((await again.store.chainEnds()).head.seq, 2)
    await again.store.close()
  }))

test('a row is sealed with the secret that is in use when it is written', () =>
  inFolder(async (folder) => {
    const both = { previousSecret: 'old secret of the tests' }
    await openStore(folder, both.previousSecret, undefined, UNHURRIED).then(({ store }) => store.close())
    const idle = await openStore(folder, 'new secret of the tests', undefined, both)
    await idle.store.appendAudit([entry('one')])
    await idle.store.chainEnds()
    await idle.store.replaceSecret(
      idle.secrets.fingerprint,
      fingerprintOf(Buffer.from('new secret of the tests')),
    )
    const alone = await openStore(folder, 'new secret of the tests', undefined, UNHURRIED)
    // The other process chains the row before the one that wrote it does.
    await idle.store.appendAudit([entry('two')])
    const { head, refused } = await alone.store.chainEnds()
    assert.deepEqual([head.seq, refused], [2, []])
    for (const { store } of [idle, alone]) await store.close()
  }))

test('an entry of the queue with the highest possible number stops nothing', async (context) => {
  const served = await serve()
  context.after(() => served.close())
  await served.post([RECORD])
  await served.store.chainEnds()
  const database = new DatabaseSync(join(served.dataDir, STORE_FILE), { timeout: 5_000 })
  database.exec("INSERT INTO audit_queue (id, texts, seal) VALUES (9223372036854775807, '{}', x'00')")
  database.close()
  for (let more = 0; more < 3; more++) assert.equal((await served.post([RECORD])).status, 200)
  const { head, refused } = await served.store.chainEnds()
  assert.deepEqual([head.seq, refused?.length], [4, 1])
})
