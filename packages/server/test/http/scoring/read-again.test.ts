/** Bodies that are read more than once while a worker takes them: nobody else may have their bytes. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeDeployments } from '@patient-risk/catalog'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { LARGE_BYTES, openDispatcher } from '../../../src/http/scoring/scoring-dispatcher.ts'
import { cleanRecords } from '../../../../../test/support/records.ts'
import { SCORE, type Served, serve, testCatalog } from '../../../../../test/support/serve.ts'

const DEPLOYMENT: DeploymentSettings = {
  name: 'readmission',
  basePath: '/',
  model: 'readmission30',
  output: 'number',
  outcomes: { horizonDays: 30, eta: 1 },
  shadow: { model: 'readmission30', share: 0.0001 },
}

interface Scored {
  readonly idx: number
  readonly receipt: string
}
interface Counted {
  readonly counted: boolean
}

async function withWorker(): Promise<Served & { readonly admin: Record<string, string> }> {
  const { deployments } = makeDeployments(testCatalog(), [DEPLOYMENT])
  const worker = { entry: new URL('../../../src/adapters/worker.ts', import.meta.url), data: {} }
  const dispatcher = openDispatcher(testCatalog(), deployments, { threads: 1, worker })
  const served = await serve({ deployments: [DEPLOYMENT], service: { dispatcher } })
  after(async () => {
    await served.close()
    await dispatcher.close()
  })
  const key = await served.makeKey({ scopes: ['*', 'admin'] })
  return { ...served, admin: { authorization: `Bearer ${key}` } }
}

test('a large body that asks for receipts is scored by both models, and its outcomes and corrections are counted', async () => {
  const served = await withWorker()
  const { admin } = served
  const records = cleanRecords(6_000)
  assert.ok(JSON.stringify(records).length > LARGE_BYTES)
  const answer = await served.post(records, { path: `${SCORE}?receipts=true`, headers: admin })
  assert.equal(answer.status, 200, answer.text.slice(0, 300))
  const scored = answer.json() as readonly Scored[]
  served.clock.set('2026-08-15T12:00:00Z')
  const send = async (elements: readonly object[]): Promise<number> => {
    const given = await served.post(elements, { path: `${SCORE}/outcomes`, headers: admin })
    assert.equal(given.status, 200, given.text.slice(0, 300))
    return (given.json() as readonly Counted[]).filter(({ counted }) => counted).length
  }
  // More bytes than those of which several bodies lie in one buffer of Node.
  const some = scored.slice(0, 400).map(({ idx, receipt }) => ({ idx, receipt, outcome: 'event' }))
  assert.equal(await send(some), some.length)
  const corrected = some.map((each) => ({ ...each, outcome: 'none', was: 'event' }))
  assert.equal(await send(corrected), some.length)
})
