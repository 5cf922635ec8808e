/** The service with two deployments that take outcomes, for the tests of outcomes and of their alarm. */
import { after } from 'node:test'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import type { Answer } from '../../../../../test/support/exchange.ts'
import { ScoredRisks } from '../../../src/store/outcomes/scored-risks.ts'
import { type Served, serve } from '../../../../../test/support/serve.ts'

export const OUTCOMES = '/risk/api/do/v0/outcomes'
export const PERFORMANCE = '/risk/api/do/v0/performance'
export const DAY = 86_400_000

export const readmission: DeploymentSettings = {
  ...{ name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
  outcomes: { horizonDays: 30, eta: 1, groups: ['ward 3', 'ward 4'] },
}
export const flag: DeploymentSettings = { ...readmission, name: 'flag', basePath: '/flag', output: 'yes-no' }

export async function start(
  deployments = [readmission, flag],
): Promise<Served & { readonly admin: Record<string, string> }> {
  const served = await serve({ deployments })
  after(() => served.close())
  const key = await served.makeKey({ scopes: ['*', 'admin'] })
  return { ...served, admin: { authorization: `Bearer ${key}` } }
}
export type Given = Awaited<ReturnType<typeof start>>

export const digestOf = async (served: Given, base = ''): Promise<string> =>
  ((await served.get(`${base}/risk/api/do/v0/model`)).json() as { deployment: { digest: string } }).deployment
    .digest
export const send = (
  served: Given,
  body: unknown,
  headers: Record<string, string> = {},
  path = OUTCOMES,
): Promise<Answer> => served.post(body, { path, headers: { ...served.admin, ...headers } })
export const good = (digest: string, more: object = {}): Record<string, unknown> => ({
  ...{ idx: 1, risk: 0.2294, outcome: true, digest, scored: '2026-02' },
  ...more,
})
/** Patients that the service has scored in a month, with their risks, as an answer counts them. */
export async function scoreIn(
  served: Given,
  month: string,
  digest: string,
  risks: readonly number[],
  more: { readonly group?: string; readonly name?: string; readonly yesFrom?: number } = {},
): Promise<void> {
  const { group = '', name: deployment = 'readmission', yesFrom } = more
  const place = { deployment, digest: digest.slice(9, -1), month, group, yesFrom }
  const countedRisks = new ScoredRisks(place)
  countedRisks.addAll(risks.map((risk) => Math.round(10_000 * risk)))
  const number = risks.length
  const call = { call: 'score', status: 200, records: number, scored: number, riskCounts: number }
  const day = { today: Number(`${month.replace('-', '')}15`) }
  const of = { deployment, deploymentDigest: place.digest }
  const text = JSON.stringify({ at: `${month}-15T00:00:00.000Z`, ...call, ...day, ...of })
  await served.store.appendAudit([
    { at: Date.parse(`${month}-15T00:00:00Z`), keyId: null, text, countedRisks },
  ])
  // Risks are counted when their row is chained, some 50 ms later. Reading does that now.
  await served.store.chainEnds()
}
export const outcomesIn = async (served: Given, name = 'readmission', base = ''): Promise<number> => {
  const digest = (await digestOf(served, base)).slice(9, -1)
  const cells = await served.store.readOutcomes(name, digest, ['', '9999-12'], [])
  return cells.reduce((sum, { number }) => sum + number, 0)
}
