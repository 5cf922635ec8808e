// Own process: the class of threads is replaced, so that the test can end one.
/** A store that is deleted or replaced is noticed even if the thread of the store dies at the same time. */
import assert from 'node:assert/strict'
import { existsSync, renameSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import threads from 'node:worker_threads'
import { makeEntry } from '../../src/store/audit/audit-row.ts'
import { openStore } from '../../src/store/open.ts'
import { inFolder } from '../../../../test/support/run-command.ts'
import { UNHURRIED } from '../../../../test/support/unhurried.ts'

const started: threads.Worker[] = []
class WatchedWorker extends threads.Worker {
  constructor(...args: ConstructorParameters<typeof threads.Worker>) {
    super(...args)
    started.push(this)
  }
}
Object.assign(threads, { Worker: WatchedWorker })
syncBuiltinESMExports()

const row = (requestId: string): ReturnType<typeof makeEntry> =>
  makeEntry({ at: Date.now(), requestId, keyId: null, call: 'score' })

test('a thread that replaces another one makes no new store where the file is gone', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'patient-risk.sqlite')
    const { store } = await openStore(folder, undefined, undefined, UNHURRIED)
    await store.appendAudit([row('before')])
    for (const suffix of ['', '-wal', '-shm']) renameSync(path + suffix, `${path}${suffix}.moved`)
    await Promise.all(started.map((each) => each.terminate()))
    await assert.rejects(store.appendAudit([row('away')]), /deleted or replaced/)
    assert.equal(existsSync(path), false)
    for (const suffix of ['', '-wal', '-shm']) {
      if (existsSync(`${path}${suffix}.moved`)) renameSync(`${path}${suffix}.moved`, path + suffix)
    }
    await store.appendAudit([row('after')])
    const rows = await store.readAudit({ most: 10 })
    assert.deepEqual(
      rows.map(({ content }) => (JSON.parse(content) as { readonly requestId: string }).requestId),
      ['before', 'after'],
    )
    await store.close()
  }))
