/** Who may read the files of the embedded store: their owner, whatever the folder and the system would allow. */
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { makeEntry } from '../../src/store/audit/audit-row.ts'
import { openStore } from '../../src/store/open.ts'
import { UNHURRIED } from '../../../../test/support/unhurried.ts'

const OPEN_TO_ALL = 0o755
const folders: string[] = []
let folder: string
let oldMask: number
before(() => {
  oldMask = process.umask(0o022)
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patient-risk-private-'))
  chmodSync(folder, OPEN_TO_ALL)
  folders.push(folder)
})
after(() => {
  process.umask(oldMask)
  for (const each of folders) rmSync(each, { recursive: true, force: true })
})

/** The files that others than the owner may do anything with, while the store is in use. */
async function openFiles(): Promise<readonly string[]> {
  const { store } = await openStore(folder, undefined, undefined, UNHURRIED)
  await store.appendAudit([makeEntry({ at: 1, requestId: 'a', keyId: null, call: 'score' })])
  await store.readAudit({ most: 1 })
  const names = readdirSync(folder)
  for (const suffix of ['', '-wal', '-shm']) {
    assert.ok(names.includes(`patient-risk.sqlite${suffix}`), names.join())
  }
  const open = names.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)
  await store.close()
  return open
}

test('all files are made for their owner alone, also in a folder that was there', async () => {
  assert.deepEqual(await openFiles(), [])
})

test('files that an older version made readable for everyone are restricted to the owner', async () => {
  const { store: older } = await openStore(folder, undefined, undefined, UNHURRIED)
  // The secret never was readable by others.
  const madeBySqlite = readdirSync(folder).filter((name) => !name.endsWith('secret'))
  for (const name of madeBySqlite) chmodSync(join(folder, name), 0o644)
  assert.deepEqual(await openFiles(), [])
  await older.close()
})
