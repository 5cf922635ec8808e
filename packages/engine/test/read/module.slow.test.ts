/** The byte reader in the engine is what its source compiles to. The compiler is installed for this test. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { MODULE_FILE, compileReader, moduleText } from '../../../../scripts/build-wasm.ts'
import { whyNoTool } from '../../../../scripts/load-tool.ts'

const skip = whyNoTool('assemblyscript')
test('the module in the engine is what its source compiles to', { skip }, async () => {
  assert.equal(readFileSync(MODULE_FILE, 'utf8'), moduleText(await compileReader()))
})
