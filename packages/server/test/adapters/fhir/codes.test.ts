/** Codes of a deployment and of a key do not touch FHIR and CDS Hooks: their codes have a meaning of their own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { DEPLOYMENTS, serveAdapters } from '../../../../../test/support/serve-adapters.ts'
import { OLD, STAY, bundle, patient } from './source.ts'

for (const workers of [0, 1]) {
  test(`a Bundle gets the same answer with codes as without, with ${workers} workers`, async () => {
    const [plain] = DEPLOYMENTS as readonly [DeploymentSettings]
    const swapped = { ...plain, name: 'swapped', basePath: '/swapped', codes: { sex: { F: 'M', M: 'F' } } }
    const served = await serveAdapters({}, { deployments: [plain, swapped], workers })
    const json = bundle(patient({ gender: 'female' }), STAY, OLD)
    const key = await served.makeKey({ codes: { sex: { F: 'M', M: 'F' } } })
    const risksOf = async (path: string, authorization?: string): Promise<readonly string[]> => {
      const headers = authorization === undefined ? {} : { authorization }
      const { status, text } = await served.send({ path, json, headers })
      assert.equal(status, 200, text)
      return text.match(/"probabilityDecimal":[\d.]+/g) ?? []
    }
    const expected = await risksOf('/fhir/$score')
    assert.equal(expected.length, 1)
    assert.deepEqual(await risksOf('/swapped/fhir/$score'), expected)
    assert.deepEqual(await risksOf('/fhir/$score', `Bearer ${key}`), expected)
    await served.close()
  })
}
