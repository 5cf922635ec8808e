/** Commands whose output has no reader, as before `| head`, or no space: they end, with a message only where it helps. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { once } from 'node:events'
import { test } from 'node:test'
import { COMPILED, MAIN } from '../../../test/support/run-command.ts'

const NOBODY_READS: readonly (readonly string[])[] = [
  ['--help'],
  ['score', '--help'],
  ['models'],
  ['template', 'lace'],
]

for (const args of NOBODY_READS) {
  test(`patient-risk ${args.join(' ')} ends quietly where nobody reads what it prints`, async () => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: COMPILED,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.destroy()
    assert.deepEqual(await ended(child), { code: 141, said: '' })
  })
}

test('a command whose output has no room says so', async () => {
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [MAIN, 'models'], { env: COMPILED, stdio: ['ignore', full, 'pipe'] })
  assert.deepEqual(await ended(child), { code: 1, said: 'The output cannot be written (ENOSPC).\n' })
})

async function ended(
  child: ReturnType<typeof spawn>,
): Promise<{ readonly code: unknown; readonly said: string }> {
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const [code] = (await once(child, 'close')) as readonly unknown[]
  return { code, said }
}
