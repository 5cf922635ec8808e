/** The languages of a deployment: English is always among them, and first. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Deployment, makeDeployments } from '@patient-risk/catalog'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { testCatalog } from '../../../../test/support/serve.ts'

const ENTRY: DeploymentSettings = { name: 'a', basePath: '/', model: 'readmission30', output: 'number' }

const ROWS: readonly (readonly [listed: readonly string[] | undefined, languages: readonly string[]])[] = [
  [undefined, ['en', 'es']],
  [[], ['en']],
  [['en'], ['en']],
  [['es'], ['en', 'es']],
  [
    ['pt', 'en', 'ca'],
    ['en', 'pt', 'ca'],
  ],
  [
    ['ca', 'ca'],
    ['en', 'ca'],
  ],
]
for (const [listed, languages] of ROWS) {
  test(`${JSON.stringify(listed)} gives ${languages.join(', ')}`, () => {
    const entry = listed === undefined ? ENTRY : { ...ENTRY, languages: listed }
    const { deployments, faults } = makeDeployments(testCatalog(), [entry as DeploymentSettings])
    assert.deepEqual(faults, [])
    assert.deepEqual((deployments[0] as Deployment).languages, languages)
  })
}
