/** Limits of a key as its command takes them: a number, or none. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openStore } from '@patient-risk/server/store'
import { runHere } from '../../../test/support/run-command.ts'
import { UNHURRIED } from '../../../test/support/unhurried.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-limits-'))
after(() => rmSync(folder, { recursive: true }))

/** The words of the command, and the limits of the key. */
const LIMITS = [
  [['--requests', '60', '--records', 'none'], { requestsPerMinute: 60, recordsPerMinute: null }],
  [['--requests', 'none', '--records', '1'], { requestsPerMinute: null, recordsPerMinute: 1 }],
] as const

for (const [words, limits] of LIMITS) {
  test(`keys create ${words.join(' ')}: ${JSON.stringify(limits)}`, async () => {
    const { out, err } = await runHere(['keys', 'create', '--name', 'a', '--json', ...words], {
      DATA_DIR: folder,
    })
    const { id } = JSON.parse(out) as { readonly id: string }
    const { store } = await openStore(folder, undefined, undefined, UNHURRIED)
    const key = await store.findKey(id)
    await store.close()
    const stated = Object.entries({ ...key?.limits }).filter(([, value]) => value !== undefined)
    assert.deepEqual(Object.fromEntries(stated), limits, err)
  })
}
