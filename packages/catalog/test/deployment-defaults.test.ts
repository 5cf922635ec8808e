/** What a deployment is where its configuration says nothing: the defaults that docs/configuration.md states. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDeployments } from '../src/catalog/deployment.ts'
import type { DeploymentSettings } from '../src/config/config-schema.ts'
import { testCatalog } from '../../../test/support/serve.ts'

const ENTRY: DeploymentSettings = {
  name: 'a',
  basePath: '/',
  model: 'readmission30',
  output: 'yes-no',
  shadow: { model: 'lace' },
}
const { deployments, faults } = makeDeployments(testCatalog(), [ENTRY])
const [deployment] = deployments
const threshold = deployment?.model.definition.threshold?.risk

/** What the setting is in the deployment. */
const DEFAULTS: Readonly<Record<string, readonly [found: unknown, expected: unknown]>> = {
  threshold: [deployment?.output, { kind: 'yes-no', threshold }],
  unknownFields: [deployment?.unknownFields, 'ignore'],
  units: [deployment?.units, {}],
  codes: [deployment?.codes, {}],
  bands: [deployment?.bands, {}],
  assessmentDays: [deployment?.scorerOptions.assessmentDays, undefined],
  reader: [deployment?.scorerOptions.reader, undefined],
  languages: [deployment?.languages, ['en', 'es']],
  'shadow.share': [deployment?.shadow?.share, 1],
  'shadow.budgetMs': [deployment?.shadow?.budgetMs, 20],
}

for (const [setting, [found, expected]] of Object.entries(DEFAULTS)) {
  test(`${setting} is ${JSON.stringify(expected)} where it is not set`, () => {
    assert.deepEqual(faults, [])
    assert.deepEqual(found, expected)
  })
}
