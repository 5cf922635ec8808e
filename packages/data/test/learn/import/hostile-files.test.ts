/** Small model files that ask for a great deal of work: the command refuses them. `hostile-files.slow.test.ts` has every bound. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runHere } from '../../../../../test/support/run-command.ts'
import { fileWith } from '../../../../../test/support/learning.ts'
import { FILES } from './hostile-files.ts'

test('`learn template` ends with 1 on such files, as on other bad model files', async () => {
  for (const at of [0, 3, 15, 23]) {
    const [what = '', text = '', reason = /never/] = FILES[at] ?? []
    const { code, out, err } = await runHere(['learn', 'template', fileWith('model.txt', text)])
    assert.equal(code, 1, what)
    assert.equal(out, '', what)
    assert.match(err, reason)
  }
})
