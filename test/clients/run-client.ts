/** Runs the program `use-client.ts` with the installed client, as a process of some runtime. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Served } from '../support/serve.ts'
import { type Flaky, flakyProxy } from './flaky.ts'
import type { PackedClient } from './pack-client.ts'

const TIMEOUT_MS = 120_000
export const STEPS = 11

export async function runClient(
  command: readonly string[],
  client: PackedClient,
  served: Served,
): Promise<void> {
  const [program = '', ...words] = command
  const flaky = await flakyProxy(() => served.origin)
  try {
    const args = [...words, 'main.js', served.origin, served.key, flaky.origin]
    const { stdout } = await promisify(execFile)(program, args, { cwd: client.folder, timeout: TIMEOUT_MS })
    assert.equal(stdout.trim().split('\n').length, STEPS, stdout)
    checkRetries(flaky)
  } finally {
    flaky.close()
  }
}

/** Three attempts with one request id, for the limits and for the records. */
export function checkRetries({ attempts }: Flaky): void {
  const counts = [...attempts.values()].map((ids) => [ids.length, new Set(ids).size])
  assert.deepEqual(counts, [
    [3, 1],
    [3, 1],
  ])
}
