/** One model of each real tool is imported again, or refused for the stated reason. The slow test has all of them. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { FIXTURES, isAsItMustBe } from './fixture-tests.ts'

const TOOLS = [
  'xgboost-1',
  'xgboost-3',
  'lightgbm-2',
  'lightgbm-4',
  'coefficients',
  'sklearn2pmml',
  'jpmml',
  'r-pmml',
]
const names = readdirSync(FIXTURES)

assert.ok(names.length > 50)
for (const tool of TOOLS) {
  const [first] = names.filter((name) => name.startsWith(tool))
  isAsItMustBe(first ?? assert.fail(`no model of ${tool}`))
}
