/** Spectral, a linter of OpenAPI documents, shows no warnings. It is slow to load. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { serveAdapters } from '../../../../../test/support/serve-adapters.ts'
import type { Served } from '../../../../../test/support/serve.ts'

const { Spectral } = spectralCore
const { oas } = spectralRulesets

let served: Served
before(async () => {
  served = await serveAdapters({}, { deployments: DEFAULT_FILE.deployments })
})
after(() => served.close())

test('Spectral shows no warnings', async () => {
  const spectral = new Spectral()
  spectral.setRuleset({ extends: [[oas as RulesetDefinition, 'recommended']] })
  const document = (await served.get('/openapi.json')).json()
  const found = await spectral.run(document as Record<string, unknown>)
  assert.deepEqual(
    found.map(({ code, path }) => `${code}: ${path.join('.')}`),
    [],
  )
})
