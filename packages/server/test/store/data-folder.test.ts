/** A data folder that cannot be made: a command that needs the store ends at once and says why. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { MAIN } from '../../../../test/support/run-command.ts'
import { UNHURRIED } from '../../../../test/support/unhurried.ts'

const folder = mkdtempSync(join(tmpdir(), 'data-folder-'))
after(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'file')
writeFileSync(file, '')

const REFUSED: readonly (readonly [string, string, string])[] = [
  ['below a file', join(file, 'data'), 'ENOTDIR'],
  ['a file', file, 'EEXIST'],
  // Such a folder has a parent that exists, and the system still answers that it does not.
  ...(process.platform === 'linux' ? ([['below /proc', '/proc/none/data', 'ENOENT']] as const) : []),
]
for (const [what, path, code] of REFUSED) {
  test(`${what}: ${code}`, () => {
    // The fault that is guarded against is an endless loop, so a process of its own is given some time.
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'keys', 'list'], {
      env: { DATA_DIR: path },
      encoding: 'utf8',
      timeout: 20_000,
    })
    assert.equal(status, 1)
    const why = `The data folder ${path} cannot be made (${code}). Set DATA_DIR to a folder that this user may write.`
    assert.ok(stderr.includes(why), stderr)
  })
}

test('a data folder is made with the folders above it, for its owner alone', async () => {
  const path = join(folder, 'above', 'data')
  for (const round of ['made', 'there already']) {
    const { store } = await openStore(path, undefined, undefined, UNHURRIED)
    await store.close()
    assert.equal(statSync(path).mode & 0o777, 0o700, round)
  }
  assert.equal(statSync(join(folder, 'above')).mode & 0o777, 0o700)
})
