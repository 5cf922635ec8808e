/** Models that the real tools made: each is imported again, or refused for the stated reason. `run.ts` makes them. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { importFolder } from './import-folder.ts'

const FIXTURES = 'test/models/fixtures'
const names = readdirSync(FIXTURES)

test('there are models of every tool', () => {
  for (const tool of [
    'xgboost-1',
    'xgboost-3',
    'lightgbm-2',
    'lightgbm-4',
    'coefficients',
    'sklearn2pmml',
    'jpmml',
    'r-pmml',
  ])
    assert.ok(
      names.some((name) => name.startsWith(tool)),
      tool,
    )
  assert.ok(names.length > 50)
})

for (const name of names) {
  test(`${name} is imported, or refused as it must be`, async () => {
    const { wrong } = await importFolder(join(FIXTURES, name))
    assert.equal(wrong, undefined)
  })
}
