/** Two runs of `score --changed` on one folder: the second is refused while the first lives, and a dead one holds nothing. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { asLines, cleanRecords } from '../../../../../test/support/records.ts'
import { MAIN } from '../../../../../test/support/run-command.ts'
import { NightlyFolder } from './nightly-folder.ts'

test('a second run is refused while the first is at work, and runs when that was killed', async () => {
  using folder = new NightlyFolder()
  folder.write('a.ndjson', asLines(cleanRecords(3)))
  const lock = join(folder.outputs, '.risk-manifest.lock')
  await folder.run()
  // A process that holds the folder as a run does, for as long as it lives. What nothing refers to would be closed at some time.
  const holder = `
    import { lockFile } from '@patient-risk/runtime'
    globalThis.held = lockFile(${JSON.stringify(lock)})
    process.stdout.write('held')
    setInterval(() => undefined, 1_000)`
  const first = spawn(process.execPath, ['--input-type=module', '-e', holder], {
    cwd: join(MAIN, '..', '..', '..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(first, 'exit')
  try {
    await once(first.stdout, 'data')
    folder.write('b.ndjson', asLines(cleanRecords(2)))
    const second = await folder.run()
    assert.equal(second.code, 1)
    assert.match(second.err, /out: cannot be written \(another run is at work in it; wait for its end/)
    assert.ok(!existsSync(join(folder.outputs, 'b.ndjson')))
  } finally {
    first.kill('SIGKILL')
  }
  await exit
  assert.match(await folder.line(), /^1 of 2 inputs scored \(1 new\), 1 as before\.$/)
})
