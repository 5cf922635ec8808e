/** The benchmark refuses what it cannot record, before it measures for half an hour. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { RESULTS_FILE } from '../../bench/documents.ts'

const CASES = [
  ['an unknown part', ['--only', 'nothing'], {}, 64, /There is no part nothing\. Parts: servers, /],
  ['no known commit', ['--rounds', '3'], { GIT_DIR: '/nowhere' }, 1, /Not recorded: .* known commit/],
] as const

for (const [name, args, env, status, said] of CASES) {
  test(`the benchmark ends at once with ${name}`, () => {
    const before = readFileSync(RESULTS_FILE)
    const run = spawnSync(process.execPath, ['bench/run.ts', ...args], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
      timeout: 30_000,
    })
    assert.equal(run.status, status)
    assert.match(run.stderr, said)
    assert.deepEqual(readFileSync(RESULTS_FILE), before)
  })
}
