/** Risks are counted when they are scored, at every entrance, and nowhere else. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ScoredCount } from '@patient-risk/monitor'
import type { Answer } from '../../../../../test/support/exchange.ts'
import { contract } from '../../../../../test/support/clauses.ts'
import { DEPLOYMENTS, serveAdapters } from '../../../../../test/support/serve-adapters.ts'
import { factsOf } from '../../../src/store/audit/audit-facts.ts'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import { bundleFile } from '../../adapters/fhir/source.ts'
import { request } from '../../adapters/cds-hooks/requests.ts'

const outcomes = { horizonDays: 30, eta: 1, groups: ['ward 3', 'Süd'] }
const [readmission, flag] = DEPLOYMENTS.map((each) => ({ ...each, outcomes }))
const plain = DEPLOYMENTS.filter(({ name }) => name === 'hospital')
const record = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const SCORE = '/risk/api/do/v0'
const JSON_TYPE = { 'content-type': 'application/json' }
const LINES_TYPE = { 'content-type': 'application/x-ndjson' }

let served: Awaited<ReturnType<typeof serveAdapters>>
before(async () => {
  const deployments = [readmission, flag].flatMap((each) => each ?? [])
  served = await serveAdapters({}, { deployments: [...deployments, ...plain], workers: 1 })
})
after(() => served.close())

const digestOf = async (base = ''): Promise<string> =>
  ((await served.get(`${base}${SCORE}/model`)).json() as { deployment: { digest: string } }).deployment.digest
const countsOf = async (name = 'readmission', base = '', group?: string): Promise<readonly ScoredCount[]> => {
  // What is queued is chained, and counted with it.
  await served.store.chainEnds()
  const digest = (await digestOf(base)).slice(9, -1)
  return served.store.readScoredRisks(name, digest, ['', '9999-12'], ['bin'], group)
}
const totalOf = (cells: readonly ScoredCount[]): number => cells.reduce((sum, { number }) => sum + number, 0)
const call = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  served.post(body, { path, headers: { ...JSON_TYPE, ...headers } })

const body = [record, { ...record, idx: 2, age: 999 }, { ...record, idx: 3 }]
const lines = `${body.map((each) => JSON.stringify(each)).join('\n')}\n`
const large = Array.from({ length: 3_000 }, (_each, idx) => ({ ...record, idx, remark: 'x'.repeat(100) }))
const hook = request({})
/** Each entrance · how many it adds · the call. */
const ENTRANCES: readonly (readonly [string, number, () => Promise<Answer>])[] = [
  ['score', 2, () => call(SCORE, body)],
  ['score in a worker', 3_000, () => call(SCORE, large)],
  ['a stream', 2, () => call(SCORE, lines, LINES_TYPE)],
  ['FHIR', 1, () => served.send({ json: bundleFile('01-complete') })],
  ['CDS Hooks', 1, () => served.send({ path: '/cds-services/readmission', json: hook, headers: JSON_TYPE })],
  ['explain', 0, () => call(`${SCORE}/explain`, body)],
  ['validate', 0, () => call(`${SCORE}/validate`, body)],
  ['the page', 0, () => call(SCORE, body, { 'sec-fetch-site': 'same-origin' })],
  ['a call without outcomes', 0, () => call(SCORE, body, { 'risk-outcomes': 'no' })],
  ['a call with outcomes', 2, () => call(SCORE, body, { 'risk-outcomes': 'yes' })],
  ['a refused body', 0, () => call(SCORE, '[')],
  ['a refused stream', 0, () => call(SCORE, lines, { ...LINES_TYPE, 'risk-group': 'ward 9' })],
]

contract(
  '12.scored',
  'scoring, streams, FHIR and CDS Hooks count; explain, validate and the page do not',
  async () => {
    for (const [name, added, act] of ENTRANCES) {
      const before = totalOf(await countsOf())
      await act()
      assert.equal(totalOf(await countsOf()) - before, added, name)
    }
    const [{ risk } = { risk: 0 }] = (await call(SCORE, [record], { 'risk-outcomes': 'no' })).json() as {
      risk: number
    }[]
    const cells = await countsOf()
    const cell = cells.find(({ bin }) => bin === Math.floor(risk * 1_000))
    assert.ok(cell !== undefined && cell.number > 3_000)
    assert.equal(cell.units % Math.round(risk * 10_000), 0)
    assert.deepEqual((await verifyStore(served.store)).faults, [])
  },
)

test('rows say how many risks were counted, and no risk', async () => {
  await call(SCORE, [record])
  await call(SCORE, [record], { 'risk-outcomes': 'no' })
  const rows = await served.store.readAudit({ most: 2, newestFirst: true })
  const texts = rows.map(({ content }) => content)
  assert.deepEqual(
    texts.map((text) => /"riskCounts":\d+/.exec(text)?.[0]),
    [undefined, '"riskCounts":1'],
  )
  for (const row of rows) assert.ok(!('risk' in factsOf(row)))
  for (const text of texts) assert.doesNotMatch(text, /"units"|0\.\d{4}/)
})

test('the group is that of the header, in any spelling; an unknown one is refused', async () => {
  const spellings: readonly (readonly [string, string, boolean])[] = [
    ['ward 3', 'ward 3', true],
    ['ward%203', 'ward 3', true],
    ['S\u00fcd', 'Süd', true],
    [Buffer.from('Süd').toString('latin1'), 'Süd', true],
    ['S%C3%BCd', 'Süd', true],
    ['ward 9', 'ward 3', false],
    ['', 'ward 3', false],
    ['ward 3, ward 3', 'ward 3', false],
    ['%', 'ward 3', false],
  ]
  for (const [written, group, isKnown] of spellings) {
    const before = totalOf(await countsOf('readmission', '', group))
    const { status } = await call(SCORE, body, { 'risk-group': written })
    assert.equal(status, isKnown ? 200 : 400, written)
    assert.equal(totalOf(await countsOf('readmission', '', group)) - before, isKnown ? 2 : 0, written)
  }
  assert.equal((await call(SCORE, body, { 'risk-outcomes': 'nein' })).status, 400)
  // Where no outcomes are configured there are no groups, and nothing is counted.
  assert.equal((await call(`/hospital${SCORE}`, body, { 'risk-group': 'ward 3' })).status, 400)
  await call(`/hospital${SCORE}`, body)
  assert.deepEqual(await countsOf('hospital', '/hospital'), [])
})

test('answers of Yes and No have two bins, with the mean risk behind each', async () => {
  await call(`/flag${SCORE}`, [record, { ...record, idx: 2, inpatientAdmissions: 0, emergencyAdmissions: 0 }])
  const cells = await countsOf('flag', '/flag')
  const mean = (bin: number): number => {
    const { units = 0, number = 1 } = cells.find((cell) => cell.bin === bin) ?? {}
    return units / number / 10_000
  }
  assert.deepEqual(cells.map(({ bin }) => bin).sort(), [-1, -2])
  assert.ok(mean(-1) > 0 && mean(-1) < 0.15)
  assert.ok(mean(-2) >= 0.15)
})
