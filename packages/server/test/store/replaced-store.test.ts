/** A store that was deleted, or replaced by an older copy, is noticed while the service runs and when it starts. */
import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { QueueSeal } from '@patient-risk/runtime'
import { makeEntry } from '../../src/store/audit/audit-row.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { inFolder, runHere } from '../../../../test/support/run-command.ts'
import { serve } from '../../../../test/support/serve.ts'
import { UNHURRIED } from '../../../../test/support/unhurried.ts'

const FILE = 'patient-risk.sqlite'
const ANCHORS = 'anchor-sqlite.ndjson'
const entry = (requestId: string): ReturnType<typeof makeEntry> =>
  makeEntry({ at: Date.now(), requestId, keyId: null, call: 'score' })
const RECORD = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }

async function append(dataDir: string, count: number): Promise<void> {
  const { store } = await openStore(dataDir, undefined, undefined, UNHURRIED)
  for (let row = 0; row < count; row++) await store.appendAudit([entry(`r${row}`)])
  await store.close()
}

/** What somebody does to the files under a running service. */
const REPLACED: Readonly<Record<string, (dataDir: string) => void>> = {
  deleted: (dataDir) => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(dataDir, FILE + suffix))
  },
  'without its log': (dataDir) => rmSync(join(dataDir, `${FILE}-wal`)),
  'an older copy renamed over it': (dataDir) => {
    const copy = join(dataDir, 'older')
    new DatabaseSync(join(dataDir, FILE)).prepare('VACUUM INTO ?').run(copy)
    renameSync(copy, join(dataDir, FILE))
  },
  'a new file': (dataDir) => {
    rmSync(join(dataDir, FILE))
    writeFileSync(join(dataDir, FILE), '')
  },
}

for (const [how, replace] of Object.entries(REPLACED)) {
  test(`a store that is ${how} while the service runs: 503 and not ready at once`, async (context) => {
    const served = await serve()
    context.after(() => served.close())
    assert.equal((await served.post([RECORD])).status, 200)
    replace(served.dataDir)
    const { status, text } = await served.post([RECORD])
    assert.equal(status, 503, text)
    // Without its log the file itself is still the same: it is opened again, with all rows.
    if (how === 'without its log') {
      assert.equal((await served.post([RECORD])).status, 200)
      assert.equal((await served.store.chainEnds()).head.seq, 3, 'with the row of the refused answer')
    } else {
      assert.equal((await served.get('/health/ready')).status, 503)
      assert.match(served.logText(), /deleted or replaced while it was in use/)
      assert.equal((await served.post([RECORD])).status, 503, 'no new file is used in its place')
      assert.notEqual(existsSync(join(served.dataDir, FILE)), how === 'deleted', 'no file is made')
    }
  })
}

test('a file that was moved away and comes back is used again', async () => {
  const served = await serve()
  await served.post([RECORD])
  renameSync(join(served.dataDir, FILE), join(served.dataDir, 'away'))
  assert.equal((await served.get('/health/ready')).status, 503)
  renameSync(join(served.dataDir, 'away'), join(served.dataDir, FILE))
  assert.equal((await served.get('/health/ready')).status, 200)
  assert.equal((await served.post([RECORD])).status, 200)
  await served.close()
})

/** States of the data folder that the service must not start on. The folder had 5 rows, and before that 3. */
const LOSSES: readonly (readonly [how: string, lose: (dataDir: string) => Promise<void>, message: RegExp])[] =
  [
    [
      'an older copy of the file',
      (dataDir) => {
        renameSync(join(dataDir, 'three'), join(dataDir, FILE))
        return Promise.resolve()
      },
      /ends at row 3, but had row 5 at 20/,
    ],
    [
      'an older copy that has grown since',
      async (dataDir) => {
        renameSync(join(dataDir, 'three'), join(dataDir, FILE))
        renameSync(join(dataDir, ANCHORS), join(dataDir, 'kept'))
        await append(dataDir, 4)
        renameSync(join(dataDir, 'kept'), join(dataDir, ANCHORS))
      },
      /row 5 is not the one of 20/,
    ],
    [
      'no file',
      (dataDir) => {
        rmSync(join(dataDir, FILE))
        return Promise.resolve()
      },
      /There is no .*patient-risk\.sqlite/,
    ],
    [
      'another store',
      async (dataDir) => {
        const keep = [ANCHORS, 'key-secret']
        for (const name of readdirSync(dataDir)) if (!keep.includes(name)) rmSync(join(dataDir, name))
        renameSync(join(dataDir, ANCHORS), join(dataDir, 'kept'))
        await append(dataDir, 9)
        renameSync(join(dataDir, 'kept'), join(dataDir, ANCHORS))
      },
      /It is another store/,
    ],
  ]

for (const [how, lose, message] of LOSSES) {
  test(`the start is refused: ${how}`, () =>
    inFolder(async (folder) => {
      const dataDir = join(folder, 'data')
      await append(dataDir, 3)
      copyFileSync(join(dataDir, FILE), join(dataDir, 'three'))
      await append(dataDir, 2)
      await lose(dataDir)
      const isThere = existsSync(join(dataDir, FILE))
      const env = { DATA_DIR: dataDir }
      const refused = await runHere(['keys', 'list'], env)
      assert.equal(refused.code, 1)
      assert.match(refused.err, message)
      assert.match(refused.err, /patient-risk audit accept-loss/)
      assert.equal(existsSync(join(dataDir, FILE)), isThere, 'nothing is made in its place')

      const verified = await runHere(['audit', 'verify'], env)
      assert.equal(verified.code, 1)
      assert.match(verified.err, /row 5 of the anchor is missing|row 5 differs from the anchor|There is no/)

      const asked = await runHere(['audit', 'accept-loss'], env)
      assert.equal(asked.code, 1)
      assert.match(asked.err, /audit accept-loss/)
      assert.equal(existsSync(join(dataDir, FILE)), isThere, 'looking makes no store')
      // Refused again and again: a refused start leaves the anchor as it is.
      assert.equal((await runHere(['keys', 'list'], env)).code, 1)
      const accepted = await runHere(['audit', 'accept-loss', '--yes'], env)
      assert.equal(accepted.code, 0, accepted.err)
      assert.equal((await runHere(['keys', 'list'], env)).code, 0)
      assert.equal((await runHere(['audit', 'verify'], env)).code, 0)
      assert.match((await runHere(['audit', 'list'], env)).out, /audit accept-loss/)
      assert.equal((await runHere(['audit', 'accept-loss'], env)).out, 'Nothing was lost.\n')
    }))
}

test('the chain goes on from what the process has seen, also in the same file', async () => {
  const served = await serve()
  await served.post([RECORD])
  await served.post([RECORD])
  await served.store.chainEnds()
  const database = new DatabaseSync(join(served.dataDir, FILE), { timeout: 5_000 })
  // The state of before the second answer, as a copy of the bytes would bring it back.
  const [first] = await served.store.readAudit({ most: 1 })
  database.exec(
    `DELETE FROM audit WHERE last_seq = 2; UPDATE chain SET head_seq = 1, head_hash = '${first?.hash}'`,
  )
  assert.equal((await served.post([RECORD])).status, 503)
  assert.equal((await served.get('/health/ready')).status, 503)
  // Another id at the same head.
  database.exec("UPDATE chain SET store_id = 'another'")
  assert.equal((await served.post([RECORD])).status, 503)
  database.close()
  await served.close()
})

test('readiness appends a row where the last one could not be written', async () => {
  const served = await serve()
  await served.post([RECORD])
  const database = new DatabaseSync(join(served.dataDir, FILE), { timeout: 5_000 })
  const head = async (store: Store): Promise<number> => (await store.chainEnds()).head.seq
  // As on a full disk: rows can be changed, and none can be added.
  database.exec("CREATE TRIGGER full BEFORE INSERT ON audit_queue BEGIN SELECT RAISE(ABORT, 'no room'); END")
  assert.equal((await served.get('/health/ready')).status, 200, 'nobody has noticed it yet')
  assert.equal((await served.post([RECORD])).status, 503)
  assert.equal((await served.get('/health/ready')).status, 503)
  assert.equal((await served.get('/health/ready')).status, 503)
  assert.equal(await head(served.store), 1)
  database.exec('DROP TRIGGER full')
  database.close()
  assert.equal((await served.get('/health/ready')).status, 200)
  assert.equal((await served.get('/health/ready')).status, 200)
  assert.equal(await head(served.store), 2, 'one row says when rows could be written again')
  assert.equal((await served.post([RECORD])).status, 200)
  await served.close()
})

test('a copy with queued rows is refused each time, also if the newest anchor is of another day', () =>
  inFolder(async (folder) => {
    const dataDir = join(folder, 'data')
    await append(dataDir, 3)
    copyFileSync(join(dataDir, FILE), join(dataDir, 'three'))
    await append(dataDir, 2)
    renameSync(join(dataDir, 'three'), join(dataDir, FILE))
    const anchors = join(dataDir, ANCHORS)
    writeFileSync(anchors, readFileSync(anchors, 'utf8').replace(/"at":"\d{4}/, '"at":"2025'))
    const { secrets } = await openStore(dataDir, undefined, undefined, {
      ...UNHURRIED,
      isAnyState: true,
    }).then(async (open) => {
      await open.store.close()
      return open
    })
    const database = new DatabaseSync(join(dataDir, FILE))
    const inUse = String(database.prepare('SELECT secret_fingerprint AS f FROM chain').get()?.['f'])
    const { text } = entry('queued')
    const seal = new QueueSeal(secrets.all).make(text, inUse)
    database.prepare('INSERT INTO audit_queue (texts, seal) VALUES (?, ?)').run(text, seal)
    database.close()
    for (let start = 0; start < 3; start++)
      await assert.rejects(openStore(dataDir, undefined, undefined, UNHURRIED), /accept the loss/)
  }))
