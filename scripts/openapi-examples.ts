/**
 * Records the examples of the OpenAPI document: one exchange with the default deployments for each call. Long lists are cut to two
 * entries. The examples of score, validate and explain are not recorded: the service computes them for each deployment.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { format } from 'prettier'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { packageVersion } from '@patient-risk/runtime'
import type { Alarm } from '@patient-risk/monitor'
import { serveAdapters } from '../test/support/serve-adapters.ts'

export const EXAMPLES_FILE = 'examples/calls.json'

const JSON_TYPE = 'application/json'
const FHIR = 'application/fhir+json'
const FHIR_LINES = 'application/fhir+ndjson'
const SCORING = '/risk/api/do/v0'
const BUNDLE = JSON.parse(readFileSync('examples/fhir/bundle.json', 'utf8')) as object
const HOOK = readFileSync('examples/fhir/hook.json', 'utf8')
  .replace('@BORN@', '1941-12-01')
  .replace('@ADMITTED@', '2026-03-08')
  .replaceAll('@EARLIER@', '2025-12-15')
const FEEDBACK = {
  feedback: [
    {
      card: '5394f034-c70a-8ea6-8485-7e26442ed817',
      outcome: 'overridden',
      overrideReason: { reason: { system: 'urn:patient-risk:override-reasons', code: 'already-planned' } },
      outcomeTimestamp: '2026-03-15T12:00:00Z',
    },
  ],
}
const DIGEST_LENGTH = 44
const ALARM: Alarm = {
  kind: 'unit',
  deployment: 'mortality',
  keyId: 'exampleKey00',
  field: 'haemoglobin',
  basis: 'g/dL',
  likely: 'mmol/L',
  reference: 'history',
  state: 'raised',
  at: Date.parse('2026-03-15T09:30:00Z'),
}
/** The digest of the deployment that is called, which the time zone decides too. */
const OWN_DIGEST = 'sha-256=:DIGEST:'
const OUTCOMES = [
  { idx: 1, risk: 0.2294, outcome: true, digest: OWN_DIGEST, scored: '2026-02' },
  { idx: 2, risk: 0.0712, outcome: false, digest: OWN_DIGEST, scored: '2027-02' },
]
const FLAGGED = OUTCOMES.map((each) => ({ ...each, risk: 'Yes' }))
const NEW_KEY = { name: 'ward 7', deployments: ['readmission'], expires: '90d' }

/** The exchanges in their order: the name of the example, the address, the media type, and a body for POST. ID is the key made before. */
const CALLS: readonly (readonly [string, string, string, (object | string)?])[] = [
  ['model', `${SCORING}/model`, JSON_TYPE],
  ['fields', `${SCORING}/fields`, JSON_TYPE],
  ['report', `${SCORING}/model/report`, JSON_TYPE],
  ['shadow', `${SCORING}/shadow`, JSON_TYPE],
  ['outcomes', `${SCORING}/outcomes`, JSON_TYPE, OUTCOMES],
  ['outcomes-yes-no', `/flag${SCORING}/outcomes`, JSON_TYPE, FLAGGED],
  ['performance', `${SCORING}/performance`, JSON_TYPE],
  ['localEvidence', `${SCORING}/local-evidence`, JSON_TYPE],
  ['acknowledge', `${SCORING}/performance/acknowledge`, JSON_TYPE, {}],
  ['fhir-score', '/fhir/$score', FHIR, BUNDLE],
  ['fhir-score', '/fhir/$score', FHIR_LINES, `${JSON.stringify(BUNDLE)}\n`],
  ['fhir-score-yes-no', '/flag/fhir/$score', FHIR, BUNDLE],
  ['fhir-score-yes-no', '/flag/fhir/$score', FHIR_LINES, `${JSON.stringify(BUNDLE)}\n`],
  ['fhir-metadata', '/fhir/metadata', FHIR],
  ['fhir-definition', '/fhir/OperationDefinition/score', FHIR],
  ['service-cds-services', '/cds-services', JSON_TYPE],
  ['cds-hook', '/cds-services/readmission', JSON_TYPE, JSON.parse(HOOK) as object],
  ['cds-feedback', '/cds-services/readmission/feedback', JSON_TYPE, FEEDBACK],
  ['deployments', '/deployments', JSON_TYPE],
  ['live', '/health/live', JSON_TYPE],
  ['ready', '/health/ready', JSON_TYPE],
  ['openapi', '/openapi.json', JSON_TYPE],
  ['keys-create', '/admin/keys', JSON_TYPE, NEW_KEY],
  ['keys-rotate', '/admin/keys/ID/rotate', JSON_TYPE, { overlap: '7d' }],
  ['keys-revoke', '/admin/keys/ID/revoke', JSON_TYPE, {}],
  ['keys-list', '/admin/keys', JSON_TYPE],
  ['audit-list', '/admin/audit?most=2', JSON_TYPE],
  ['usage', '/admin/usage?hours=2', JSON_TYPE],
  ['alarms-list', '/admin/alarms', JSON_TYPE],
]

/** By content type. */
interface Example {
  readonly request: Record<string, unknown>
  readonly answer: Record<string, unknown>
}

type Examples = Record<string, Example>

export async function recordExamples(): Promise<Examples> {
  // A shadow is no part of what decides an answer, so the examples are those of the default deployments.
  const [first, ...others] = DEFAULT_FILE.deployments
  const deployments = first === undefined ? [] : [{ ...first, shadow: { model: 'lace' } }, ...others]
  const served = await serveAdapters({}, { deployments })
  await served.store.writeAlarm(ALARM)
  const examples: Examples = {}
  // Keys are listed by the time they were made.
  served.clock.advance(60_000)
  const keys = [served.key, await served.makeKey({ name: 'admin', scopes: ['*', 'admin'] })]
  const digestAt = async (base: string): Promise<string> =>
    ((await served.get(`${base}${SCORING}/model`)).headers.etag ?? '').replaceAll('"', '')
  const digest = await digestAt('')
  const ofFlag = await digestAt('/flag')
  await served.store.writeAlarm({
    kind: 'calibration',
    deployment: 'readmission',
    keyId: '',
    field: '',
    basis: digest,
    likely: '2026-01',
    reference: '',
    state: 'raised',
    at: served.clock.now(),
  })
  for (const [number, [name, path, type, given]] of CALLS.entries()) {
    const isAdmin = /^\/admin|\/(outcomes|performance|acknowledge|shadow)$/.test(path)
    const body =
      given &&
      (JSON.parse(
        JSON.stringify(given).replaceAll('DIGEST', path.startsWith('/flag') ? ofFlag : digest),
      ) as typeof given)
    served.clock.advance(60_000)
    const answer = await served.send({
      method: body === undefined ? 'GET' : 'POST',
      path: path.replace('ID', keys[2]?.split('_')[1] ?? ''),
      headers: {
        authorization: `Bearer ${keys[isAdmin ? 1 : 0] ?? ''}`,
        'content-type': type,
        'x-request-id': `example-${number + 1}`,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    if (answer.status >= 300) throw new Error(`${name}: ${answer.text}`)
    const example = examples[name] ?? { request: {}, answer: {} }
    examples[name] = example
    if (body !== undefined && Object.keys(body).length > 0) example.request[type] = body
    if (answer.text === '') continue
    example.answer[type] = type === FHIR_LINES ? answer.text : cut(name, answer.json())
    const { key } = (type === JSON_TYPE ? answer.json() : {}) as { key?: unknown }
    if (typeof key === 'string') keys.push(key)
  }
  const { deployments: all } = (await served.get('/deployments')).json() as {
    deployments: { digest: string }[]
  }
  await served.close()
  const digests = all.map(({ digest }) => digest.slice('sha-256=:'.length, -1))
  return JSON.parse(steady(JSON.stringify(examples), keys, digests)) as Examples
}

function cut(name: string, answer: unknown): unknown {
  if (name === 'openapi') {
    const { openapi, info } = answer as Readonly<Record<string, unknown>>
    return { openapi, info }
  }
  return JSON.parse(
    JSON.stringify(answer, (_key, value: unknown) => (Array.isArray(value) ? value.slice(0, 2) : value)),
  ) as unknown
}

/** Keys, sealed request ids, durations, the version of the package, the time zone and the digests with it differ between recordings. */
function steady(text: string, keys: readonly string[], digests: readonly string[]): string {
  let all = text
    .replaceAll(/"requestId":"[^"]+"/g, '"requestId":"sealed-exampleRequest"')
    .replaceAll(/"durationMs":[\d.]+/g, '"durationMs":1.5')
    .replaceAll(new RegExp(`("version":)"${packageVersion()}"(?=[,}])`, 'g'), '$1"1.0.0"')
  for (const [number, key] of keys.entries()) {
    const id = `exampleKey0${number}`
    all = all.replaceAll(key, `prk_${id}_shownHereOnly`).replaceAll(key.split('_')[1] ?? '', id)
  }
  all = all.replaceAll(/"timeZone":"[^"]*"/g, '"timeZone":"Europe/Madrid"')
  // In JSON a slash needs no escape, so a digest is written as it is.
  for (const [number, digest] of digests.entries())
    all = all.replaceAll(digest, `exampleDigestOfDeployment${number}`.padEnd(DIGEST_LENGTH - 1, '0') + '=')
  return all
}

if (import.meta.main) {
  const text = await format(JSON.stringify(await recordExamples()), { parser: 'json', printWidth: 110 })
  writeFileSync(EXAMPLES_FILE, text)
}
