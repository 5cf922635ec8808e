/** Small model files that ask for a great deal of work: each is refused with its place, in a process of its own that may not go on. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileWith } from '../../../../../test/support/learning.ts'
import { FILES } from './hostile-files.ts'

/** Far more than a file needs on a slow machine, and far less than the work that these files ask for. */
const LONGEST_MS = 60_000
const HEAP_MB = 800

function readApart(path: string): string {
  const read = 'packages/data/test/learn/import/read-apart.ts'
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`--max-old-space-size=${HEAP_MB}`, read, path],
    { encoding: 'utf8', timeout: LONGEST_MS, killSignal: 'SIGKILL' },
  )
  assert.equal(status, 0, `did not end by itself: ${stderr.slice(-400)}`)
  return stdout
}

for (const [what, text, reason] of FILES)
  test(
    `${what}: ${reason === undefined ? 'is read' : 'is refused with its place'}`,
    { timeout: 2 * LONGEST_MS },
    () => {
      const printed = readApart(fileWith('model.txt', text))
      if (reason === undefined) assert.equal(printed, '')
      else assert.match(printed, reason)
    },
  )
