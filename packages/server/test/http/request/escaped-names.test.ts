/** Over HTTP no caller's body changes how another one's names are read: every call that takes a body, in this thread and in a worker. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { INSTANCE, OLD } from '../../adapters/cds-hooks/requests.ts'
import { STAY, bundle, patient } from '../../adapters/fhir/source.ts'
import { DEPLOYMENTS, serveAdapters } from '../../../../../test/support/serve-adapters.ts'
import type { Answer } from '../../../../../test/support/exchange.ts'
import { asLines, readmissionRecord } from '../../../../../test/support/records.ts'
import { SCORE } from '../../../../../test/support/serve.ts'
import { holdPair, pairOf } from '../../../../../test/support/escaped-pair.ts'

const JSON_TYPE = 'application/json'
const LINES_TYPE = 'application/x-ndjson'
const FHIR_TYPE = 'application/fhir+json'
const FHIR_LINES_TYPE = 'application/fhir+ndjson'

type Served = Awaited<ReturnType<typeof serveAdapters>>
const deployments = DEPLOYMENTS.map((each) => ({ ...each, outcomes: { horizonDays: 30, eta: 1 } }))
let here: Served
let inWorker: Served
let digest = ''
before(async () => {
  here = await serveAdapters({}, { deployments })
  inWorker = await serveAdapters({}, { deployments, workers: 1 })
  const model = (await here.get(`${SCORE}/model`)).json() as { deployment: { digest: string } }
  digest = model.deployment.digest
})
after(async () => {
  await here.close()
  await inWorker.close()
})

/** What an answer says, but for times and ids of its own. */
function said({ status, text }: Answer): unknown {
  const steady = text
    .replaceAll(/"(key|id|createdAt|instance|uuid|fullUrl|lastUpdated|timestamp)":"[^"]*"/g, '"$1":""')
    .replaceAll(/urn:uuid:[\w-]+/g, 'urn:uuid:')
  return { status, text: steady }
}

/** A record with a member before its age that no other row has. */
const record = (place: string): object => {
  const { idx, ...others } = readmissionRecord(1, 84) as Record<string, unknown>
  return { idx, [place]: 0, ...others }
}
const bundleText = (place: string): string =>
  JSON.stringify(bundle({ resourceType: 'Patient', [place]: 0, ...patient() }, STAY, OLD))

interface Row {
  readonly path: string
  readonly type: string
  /** A text with a member of this name before the one that is escaped. */
  readonly text: (place: string) => string
  readonly name: string
  /** What a good answer has. */
  readonly expected: RegExp
}

const RISK = /"status":200.*risk\\":0\.\d/
const ROWS: Readonly<Record<string, Row>> = {
  score: {
    path: SCORE,
    type: JSON_TYPE,
    text: (place) => JSON.stringify([record(place)]),
    name: 'age',
    expected: RISK,
  },
  explain: {
    path: `${SCORE}/explain`,
    type: JSON_TYPE,
    text: (place) => JSON.stringify([record(place)]),
    name: 'age',
    expected: RISK,
  },
  validate: {
    path: `${SCORE}/validate`,
    type: JSON_TYPE,
    text: (place) => JSON.stringify([record(place)]),
    name: 'age',
    expected: /valid\\":true/,
  },
  stream: {
    path: SCORE,
    type: LINES_TYPE,
    text: (place) => asLines([record(place)]),
    name: 'age',
    expected: RISK,
  },
  'stream of explain': {
    path: `${SCORE}/explain`,
    type: LINES_TYPE,
    text: (place) => asLines([record(place)]),
    name: 'age',
    expected: RISK,
  },
  outcomes: {
    path: `${SCORE}/outcomes`,
    type: JSON_TYPE,
    text: (place) =>
      JSON.stringify([{ idx: 1, [place]: 0, risk: 0.2294, outcome: true, digest, scored: '2026-02' }]),
    name: 'risk',
    expected: /"status":200.*error_message\\":null/,
  },
  'admin body': {
    path: '/admin/keys',
    type: JSON_TYPE,
    // Unknown members are refused, so the order is the unusual thing.
    text: () => '{"outcomes":true,"expires":"9d","name":"ward"}',
    name: 'name',
    expected: /"status":201/,
  },
  'FHIR Bundle': {
    path: '/fhir/$score',
    type: FHIR_TYPE,
    text: (place) => bundleText(place),
    name: 'birthDate',
    expected: /"status":200.*probabilityDecimal/,
  },
  'FHIR lines': {
    path: '/fhir/$score',
    type: FHIR_LINES_TYPE,
    text: (place) => `${bundleText(place)}\n`,
    name: 'birthDate',
    expected: /"status":200.*probabilityDecimal/,
  },
  'CDS hook': {
    path: '/cds-services/readmission',
    type: JSON_TYPE,
    text: (place) =>
      JSON.stringify({
        hook: 'encounter-discharge',
        hookInstance: INSTANCE,
        [place]: 0,
        context: { userId: 'Practitioner/1', patientId: 'p', encounterId: 'index' },
        prefetch: { patient: patient(), encounters: bundle(STAY, OLD) },
      }),
    name: 'context',
    expected: /"status":200.*summary/,
  },
  'CDS feedback': {
    path: '/cds-services/readmission/feedback',
    type: JSON_TYPE,
    text: (place) =>
      JSON.stringify({
        [place]: 0,
        feedback: [{ card: INSTANCE, outcome: 'accepted', outcomeTimestamp: '2026-03-15T11:00:00Z' }],
      }),
    name: 'feedback',
    expected: /"status":200/,
  },
}

/** Bodies and chunks of this size go to a worker, where there is one. White space makes them so long. */
const WORKER_BYTES = 400_000
const isOfThisThread = (entrance: string): boolean => /^(admin|outcomes|CDS feedback)/.test(entrance)

for (const [entrance, row] of Object.entries(ROWS)) {
  for (const where of ['this thread', 'a worker'] as const) {
    if (where === 'a worker' && isOfThisThread(entrance)) continue
    test(`${entrance}: a name with an escape is read as itself, in ${where}`, async () => {
      const served = where === 'a worker' ? inWorker : here
      const key = await served.makeKey({ scopes: ['*', 'admin'] })
      const space = where === 'a worker' ? ' '.repeat(WORKER_BYTES) : ''
      const send = async (body: string): Promise<unknown> =>
        said(
          await served.send({
            path: row.path,
            body: space + body,
            headers: { 'content-type': row.type, authorization: `Bearer ${key}` },
          }),
        )
      await holdPair(pairOf(row.text(`${entrance} in ${where}`), row.name), send, row.expected)
    })
  }
}

test('records of one body, and lines of one stream, do not change each other', async () => {
  for (const [type, ofAll] of [
    [JSON_TYPE, (texts: readonly string[]) => `[${texts.join()}]`],
    [LINES_TYPE, (texts: readonly string[]) => texts.join('\n')],
  ] as const) {
    const pair = pairOf(JSON.stringify(record(`one body ${type}`)), 'age')
    const second = pair.second.replace('"idx":1', '"idx":2')
    const answer = await here.send({
      path: SCORE,
      body: ofAll([pair.first, second]),
      headers: { 'content-type': type },
    })
    assert.match(answer.text, /"idx":2,"risk":0\.\d/)
  }
})
