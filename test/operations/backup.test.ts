/** Backup and restore, done as docs/operations.md says: while serving, and into an empty folder. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { STEPS } from '../../src/store/sqlite/migrations.ts'
import { verifyStore } from '../../src/store/audit/verify-chain.ts'
import { KeyRing } from '../../src/store/keys/key-cache.ts'
import { Client } from '../torture/client.ts'
import { startService } from '../torture/service-process.ts'

test('a backup taken while serving, restored into an empty folder, knows the keys', async () => {
  const service = await startService({ logLevel: 'error' })
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-backup-'))
  try {
    const client = new Client(service, 1)
    for (let i = 0; i < 5; i++) assert.equal((await client.post('[]')).status, 200)
    const backup = join(folder, 'monday')
    execFileSync(process.execPath, ['scripts/backup.ts', service.dataDir, backup])
    assert.throws(() =>
      execFileSync(process.execPath, ['scripts/backup.ts', service.dataDir, backup], { stdio: 'pipe' }),
    )
    client.close()
    // On a connection of its own: the service may have ended the other one meanwhile.
    const later = new Client(service, 1)
    assert.equal((await later.post('[]')).status, 200)
    later.close()
    const restored = join(folder, 'restored')
    cpSync(backup, restored, { recursive: true })
    const { store, secret } = await openStore(restored, undefined)
    const key = await new KeyRing(store, secret).verify(service.key, Date.now())
    assert.equal(key?.name, 'first')
    assert.ok((await store.chainEnds()).head.seq >= 5, 'what was answered before the backup is in it')
    assert.deepEqual((await verifyStore(store)).faults, [])
    await store.close()
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true })
  }
})

test('a backup leaves a store of an older version as it is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-backup-'))
  try {
    const file = join(folder, 'patient-risk.sqlite')
    const old = new DatabaseSync(file)
    for (const step of STEPS.slice(0, -1)) old.exec(step)
    old.exec(`PRAGMA user_version = ${STEPS.length - 1}`)
    old.close()
    execFileSync(process.execPath, ['scripts/backup.ts', folder, join(folder, 'backup')])
    for (const each of [file, join(folder, 'backup', 'patient-risk.sqlite')]) {
      const database = new DatabaseSync(each)
      assert.equal(database.prepare('PRAGMA user_version').get()?.['user_version'], STEPS.length - 1)
      database.close()
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
