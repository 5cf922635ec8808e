/** A store whose pages are damaged is refused by the service, and one on a full disk can still be read. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { makeEntry } from '../../src/store/audit/audit-row.ts'
import { allRows, verifyNewest, verifyStore } from '../../src/store/audit/verify-chain.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { UNHURRIED } from '../../../../test/support/unhurried.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-damaged-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const ROWS = 300

async function filled(dataDir: string): Promise<void> {
  const { store } = await openStore(dataDir, undefined, undefined, UNHURRIED)
  for (let from = 0; from < ROWS; from += 30) {
    await store.appendAudit(
      Array.from({ length: 30 }, (_each, place) =>
        makeEntry({ at: 1_000 + from + place, requestId: `r${from + place}`, keyId: null, call: 'score' }),
      ),
    )
    // Each as a group of its own.
    await store.chainEnds()
  }
  await store.close()
}

async function count(store: Store): Promise<number> {
  let rows = 0
  for await (const { content } of allRows(store)) rows += content === '' ? 0 : 1
  return rows
}

test('damaged pages are found when the service starts, and commands still open the file', async () => {
  const dataDir = join(folder, 'pages')
  await filled(dataDir)
  const path = join(dataDir, 'patient-risk.sqlite')
  // The keys of a b-tree page in the middle of the file, overwritten as a bad disk might.
  const file = openSync(path, 'r+')
  const pages = statSync(path).size / 4096
  for (let page = 4; page < pages; page++) writeSync(file, Buffer.alloc(64, 0xa5), 0, 64, page * 4096)
  closeSync(file)
  await assert.rejects(
    openStore(dataDir, undefined, undefined, { ...UNHURRIED, isServing: true }),
    /damaged|malformed/,
  )
  const reader = await openStore(dataDir, undefined, undefined, UNHURRIED).catch(
    (error: unknown) => error as Error,
  )
  if (!(reader instanceof Error)) await reader.store.close()
})

test('a damaged group among the newest rows is found at the start', async () => {
  const dataDir = join(folder, 'group')
  await filled(dataDir)
  const { store } = await openStore(dataDir, undefined, undefined, { ...UNHURRIED, isServing: true })
  assert.deepEqual((await verifyNewest(store)).faults, [])
  const database = new DatabaseSync(join(dataDir, 'patient-risk.sqlite'), { timeout: 5_000 })
  database.exec('UPDATE audit SET packed = zeroblob(40) WHERE last_seq = 270')
  database.close()
  assert.match((await verifyNewest(store)).faults.join(), /row 241 is damaged and cannot be read/)
  assert.equal(await count(store), ROWS - 30)
  await store.close()
})

/** A small disk of its own; undefined where none can be mounted. */
function smallDisk(): string | undefined {
  const disk = mkdtempSync(join(folder, 'disk-'))
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status === 0 ? disk : undefined
}

test('on a full disk the audit can be verified and exported, and figures are read', async (context) => {
  const disk = smallDisk()
  if (disk === undefined) {
    context.skip('no small disk can be mounted here')
    return
  }
  try {
    await filled(disk)
    assert.equal(existsSync(join(disk, 'patient-risk.sqlite-wal')), false)
    const ballast = openSync(join(disk, 'ballast'), 'w')
    assert.throws(() => {
      for (;;) writeSync(ballast, Buffer.alloc(4096))
    }, /ENOSPC/)
    closeSync(ballast)
    const { store } = await openStore(disk, undefined, undefined, UNHURRIED)
    assert.deepEqual((await verifyStore(store)).faults, [])
    assert.equal(await count(store), ROWS)
    // By a connection of its own.
    assert.deepEqual(await store.readScored('a', 'D'), [])
    await assert.rejects(
      store.appendAudit([makeEntry({ at: 1, requestId: 'x', keyId: null, call: 'score' })]),
    )
    await store.close().catch(() => undefined)
  } finally {
    spawnSync('umount', ['-l', disk])
  }
})
