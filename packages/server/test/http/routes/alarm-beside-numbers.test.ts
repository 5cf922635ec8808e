/** While an alarm of calibration is open, every entrance that gives a number says so, in a header and to people. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Resource, STAY, bundle, patient } from '../../adapters/fhir/source.ts'
import { OLD, request } from '../../adapters/cds-hooks/requests.ts'
import { readmissionRecord } from '../../../../../test/support/records.ts'
import { DEPLOYMENTS, serveAdapters } from '../../../../../test/support/serve-adapters.ts'
import { ALARM_MONTH, setAlarm } from '../../../../../test/support/watched-deployment.ts'

const SENTENCE = /Calibration alarm of 2026-01: the outcomes of this hospital do not fit the risks/

const served = await serveAdapters(
  {},
  { deployments: DEPLOYMENTS.map((each) => ({ ...each, outcomes: { horizonDays: 30, eta: 1 } })) },
)
after(() => served.close())
const turn = (state: 'raised' | 'acknowledged'): Promise<void> => setAlarm(served, state, 'readmission')

const SCORING = '/risk/api/do/v0'
const RECORD = readmissionRecord(1, 80)
const BUNDLE = bundle(patient(), STAY, OLD)
const FHIR_PATH = '/fhir/$score?history=complete&asOf=2026-03-15'

interface Entrance {
  readonly path: string
  readonly body: unknown
  readonly type?: string
  /** Whether the body of the answer says it too. Of records it is the header alone. */
  readonly says: boolean
}

const ENTRANCES: Readonly<Record<string, Entrance>> = {
  score: { path: SCORING, body: [RECORD], says: false },
  explain: { path: `${SCORING}/explain`, body: [RECORD], says: false },
  stream: { path: SCORING, body: RECORD, type: 'application/x-ndjson', says: false },
  'a Bundle': { path: FHIR_PATH, body: BUNDLE, type: 'application/fhir+json', says: true },
  'a stream of Bundles': { path: FHIR_PATH, body: BUNDLE, type: 'application/fhir+ndjson', says: true },
  'a card': { path: '/cds-services/readmission', body: request({}), says: true },
}

async function answerOf({ path, body, type = 'application/json' }: Entrance): Promise<{
  readonly header: unknown
  readonly text: string
}> {
  const line = type.endsWith('ndjson') ? '\n' : ''
  const call = { path, headers: { 'content-type': type }, body: JSON.stringify(body) + line }
  const { status, headers, text } = await served.send(call)
  assert.equal(status, 200, text)
  return { header: headers['risk-calibration-alarm'], text }
}

for (const [name, entrance] of Object.entries(ENTRANCES)) {
  test(`${name}: the alarm stands beside the number while it is open, and only then`, async () => {
    await turn('raised')
    const open = await answerOf(entrance)
    assert.equal(open.header, ALARM_MONTH)
    assert.equal(SENTENCE.test(open.text), entrance.says)
    await turn('acknowledged')
    const calm = await answerOf(entrance)
    assert.equal(calm.header, undefined)
    assert.doesNotMatch(calm.text, SENTENCE)
  })
}

interface Said {
  readonly entry: readonly { readonly resource: Resource }[]
}

test('in FHIR it is a note of the RiskAssessment and an issue of the patient, and nothing without a risk', async () => {
  await turn('raised')
  const resourcesOf = async (body: Resource): Promise<readonly Resource[]> => {
    const { text } = await answerOf({ path: FHIR_PATH, body, type: 'application/fhir+json', says: true })
    return (JSON.parse(text) as Said).entry.map(({ resource }) => resource)
  }
  const [assessment = {}, outcome = {}] = await resourcesOf(BUNDLE)
  const notes = assessment['note'] as readonly { readonly text: string }[]
  assert.equal(notes.filter(({ text }) => SENTENCE.test(text)).length, 1)
  const issues = outcome['issue'] as readonly Resource[]
  const issue = issues.find(({ diagnostics }) => diagnostics === `calibration-alarm:${ALARM_MONTH}`)
  assert.equal(issue?.['severity'], 'warning')
  assert.deepEqual(issue?.['expression'], ['Bundle.entry[0].resource'])
  const refused = await resourcesOf(bundle(patient({ gender: undefined }), STAY, OLD))
  assert.doesNotMatch(JSON.stringify(refused), SENTENCE)
})

/** Scopes · the deployments that the key may score with · those whose outcomes it may send. */
const KEYS = [
  [['readmission'], ['readmission'], []],
  [['readmission', 'outcomes'], ['readmission'], ['readmission']],
  [['readmission', 'admin'], ['readmission'], ['readmission']],
  [['admin'], [], ['readmission', 'flag', 'hospital']],
] as const

for (const [scopes, scoring, outcomes] of KEYS) {
  test(`a key with ${scopes.join(' and ')} is told what it may use, and the open alarm`, async () => {
    await turn('raised')
    const key = await served.makeKey({ scopes: [...scopes] })
    type Listed = readonly { readonly name: string; readonly calibrationAlarm?: string }[]
    const summary = (await served.get('/deployments', { authorization: `Bearer ${key}` })).json() as {
      readonly deployments: Listed
      readonly outcomes: Listed
    }
    const namesOf = (listed: Listed): readonly string[] => listed.map(({ name }) => name)
    assert.deepEqual([namesOf(summary.deployments), namesOf(summary.outcomes)], [scoring, outcomes])
    for (const { name, calibrationAlarm } of [...summary.deployments, ...summary.outcomes])
      assert.equal(calibrationAlarm, name === 'readmission' ? ALARM_MONTH : undefined)
  })
}
