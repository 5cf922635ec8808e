/** Backup and restore, done as docs/storage.md says: while serving, and into an empty folder. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { KeyCache, openStore, STEPS } from '@patient-risk/server/store'
import { runHere } from '../support/run-command.ts'
import { Client } from '../support/client.ts'
import { startService } from '../support/service-process.ts'
import { UNHURRIED } from '../support/unhurried.ts'

async function command(
  dataDir: string,
  ...args: string[]
): Promise<{ readonly status: number | null; readonly text: string }> {
  const { code, out, err } = await runHere(args, { DATA_DIR: dataDir })
  return { status: code, text: out + err }
}

/** The steps before the first one that is more than statements. */
const OLDER = STEPS.findIndex((step) => typeof step !== 'string')

test('a backup taken while serving, restored into an empty folder, knows the keys', async () => {
  const service = await startService({ logLevel: 'error' })
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-backup-'))
  try {
    const client = new Client(service, 1)
    for (let i = 0; i < 5; i++) assert.equal((await client.post('[]')).status, 200)
    const backup = join(folder, 'monday')
    assert.equal((await command(service.dataDir, 'backup', backup)).status, 0)
    const again = await command(service.dataDir, 'backup', backup)
    assert.equal(again.status, 1)
    assert.match(again.text, /exists already/)
    client.close()
    // On a connection of its own: the service may have ended the other one meanwhile.
    const later = new Client(service, 1)
    assert.equal((await later.post('[]')).status, 200)
    later.close()
    const restored = join(folder, 'restored')
    const done = await command(restored, 'restore', backup)
    assert.equal(done.status, 0, done.text)
    assert.match(done.text, /1 keys, [5-9] audit rows, intact/)
    for (const name of ['patient-risk.sqlite', 'key-secret']) {
      assert.equal(statSync(join(restored, name)).mode & 0o077, 0, name)
    }
    assert.match((await command(restored, 'restore', backup)).text, /exists already/)
    const { store, secrets } = await openStore(restored, undefined, undefined, UNHURRIED)
    const key = await new KeyCache(store, secrets).verify(service.key, Date.now())
    assert.equal(key?.name, 'first')
    await store.close()
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true })
  }
})

test('a backup leaves a store of an older version as it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-backup-'))
  try {
    const file = join(folder, 'patient-risk.sqlite')
    const old = new DatabaseSync(file)
    for (const step of STEPS.slice(0, OLDER)) old.exec(step as string)
    old.exec(`PRAGMA user_version = ${OLDER}`)
    old.close()
    assert.equal((await command(folder, 'backup', join(folder, 'backup'))).status, 0)
    for (const each of [file, join(folder, 'backup', 'patient-risk.sqlite')]) {
      const database = new DatabaseSync(each)
      assert.equal(database.prepare('PRAGMA user_version').get()?.['user_version'], OLDER)
      database.close()
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('with PostgreSQL the commands name its own tools', async () => {
  const env = { DATABASE_URL: 'postgres://nowhere.invalid/x' }
  const { code, err } = await runHere(['backup', 'somewhere'], env)
  assert.equal(code, 1)
  assert.match(err, /pg_dump/)
  // Over existing tables, those that the dump does not have would stay, and a later upgrade would fail on them.
  assert.match(err, /an empty database/)
  assert.doesNotMatch(err, /--clean/)
})

test('a backup during a rotation has both secrets, and keys of both are known after it is restored', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-backup-'))
  const own = join(folder, 'own')
  const newKey = async (name: string): Promise<string> => {
    const { out } = await runHere(['keys', 'create', '--name', name, '--json'], { DATA_DIR: own })
    return (JSON.parse(out) as { readonly key: string }).key
  }
  const older = await newKey('before the rotation')
  assert.equal((await command(own, 'keys', 'rotate-secret')).status, 0)
  const newer = await newKey('after it')
  const backup = join(folder, 'monday')
  const restored = join(folder, 'restored')
  assert.equal((await command(own, 'backup', backup)).status, 0)
  assert.equal((await command(restored, 'restore', backup)).status, 0)
  for (const name of ['key-secret', 'key-secret-previous']) {
    const read = (at: string): string => readFileSync(join(at, name), 'utf8')
    assert.equal(read(restored), read(own), name)
    assert.equal(statSync(join(restored, name)).mode & 0o077, 0, name)
  }
  const { store, secrets } = await openStore(restored, undefined, undefined, UNHURRIED)
  const keys = new KeyCache(store, secrets)
  assert.equal((await keys.verify(older, Date.now()))?.name, 'before the rotation')
  assert.equal((await keys.verify(newer, Date.now()))?.name, 'after it')
  await store.close()
  rmSync(folder, { recursive: true })
})
