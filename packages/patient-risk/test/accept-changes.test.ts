/** `patient-risk audit accept-changes`: what an operator sees before and after. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { inFolder, runHere } from '../../../test/support/run-command.ts'

test('changed keys are listed, accepted only with --yes, and the acceptance stays visible', () =>
  inFolder(async (folder) => {
    const env = { DATA_DIR: join(folder, 'data') }
    const run = (...args: readonly string[]): ReturnType<typeof runHere> => runHere(['audit', ...args], env)
    const made = await runHere(['keys', 'create', '--name', 'ward', '--json'], env)
    const { id } = JSON.parse(made.out) as { readonly id: string }
    const nothing = await run('accept-changes', '--yes')
    assert.deepEqual([nothing.code, nothing.out], [0, 'Counts and keys are as the audit says.\n'])
    assert.equal((await run('verify')).out.split('\n').length, 2, 'nothing was recorded')

    const tables = new DatabaseSync(join(folder, 'data', 'patient-risk.sqlite'))
    tables.exec(`UPDATE keys SET name = 'other'`)
    tables.close()
    assert.equal((await run('verify')).code, 1)
    const asked = await run('accept-changes')
    assert.equal(asked.code, 1)
    assert.match(
      asked.err,
      new RegExp(`Key ${id} differs.\\nTo accept it: patient-risk audit accept-changes --yes`),
    )
    assert.equal((await run('verify')).code, 1, 'looking changes nothing')

    const accepted = await run('accept-changes', '--yes')
    assert.deepEqual(
      [accepted.code, accepted.out],
      [0, `Key ${id} differs.\nAccepted, and recorded in the audit.\n`],
    )
    const { code, out } = await run('verify')
    assert.equal(code, 0)
    assert.match(out, /^Intact: 2 rows\..*\nChanges of counts or keys were accepted: see row 2\.\n$/)
    assert.match((await run('list')).out, /audit accept-changes/)
  }))
