/** Backup and restore, done as docs/operations.md says: while serving, and into an empty folder. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { verifyStore } from '../../src/store/verify-chain.ts'
import { KeyRing } from '../../src/store/key-ring.ts'
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
    assert.equal((await client.post('[]')).status, 200)
    client.close()
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
