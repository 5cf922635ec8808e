/** The service with two FHIR servers for the tests of fetching: one that needs a token, and one that is open. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach } from 'node:test'
import { type JWK, exportJWK, generateKeyPair } from 'jose'
import type { Answer } from '../../../../../../test/support/exchange.ts'
import { INSTANCE } from '../../cds-hooks/requests.ts'
import { serveAdapters } from '../../../../../../test/support/serve-adapters.ts'
import { type AnswerBundle, OLD, type Resource, STAY, encounter, patient } from '../source.ts'
import { type FhirServer, serveFhir } from './fhir-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'fetch-'))
const UNHURRIED_MS = 600_000
const LONG = encounter('long', 'IMP', '2025-11-01T10:00:00+01:00', '2026-03-09T12:00:00+01:00', {
  subject: { reference: 'Patient/long' },
})
/** Within a year of the long stay, and more than 13 months ago. */
const EARLY = encounter('early', 'IMP', '2024-12-01', '2024-12-08', {
  subject: { reference: 'Patient/long' },
})
export const VISITS = Array.from({ length: 7 }, (_, at) =>
  encounter(`v${at}`, 'AMB', `2025-0${8 - at}-01`, `2025-0${8 - at}-01`),
)
export const RESOURCES = [
  patient(),
  patient({ id: 'long' }),
  patient({ id: 'young', birthDate: '2020-01-01' }),
  ...[STAY, OLD, ...VISITS, LONG, EARLY],
]
export let fhir: FhirServer
export let open: FhirServer
export let served: Awaited<ReturnType<typeof serveAdapters>>
before(async () => {
  const { privateKey } = await generateKeyPair('ES384', { extractable: true })
  writeFileSync(join(folder, 'key.json'), JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'k1' }))
  ;[fhir, open] = [await serveFhir(RESOURCES), await serveFhir(RESOURCES, { needsToken: false })]
  const backend = { clientId: 'patient-risk', key: join(folder, 'key.json'), deployments: ['readmission'] }
  const servers = [
    { url: fhir.base, internal: true, backend },
    { url: `${open.base}/`, internal: true },
  ]
  // A worker takes the body that it answers, so that it is gone here. On a busy machine a large answer takes longer than a hook may wait.
  served = await serveAdapters({}, { servers, workers: 1, hookMs: UNHURRIED_MS })
  const { keys } = (await served.send({ method: 'GET', path: '/.well-known/jwks.json' })).json() as {
    keys: JWK[]
  }
  assert.deepEqual(Object.keys(keys[0] ?? {}).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  fhir.publicKey = keys[0]
})
after(async () => {
  await served.close()
  await Promise.all([fhir.close(), open.close()])
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  for (const server of [fhir, open])
    Object.assign(server, { misbehave: () => false, scope: undefined, seconds: 300 }).calls.length = 0
})

export const hook = (more: Resource, service = served): Promise<Answer> =>
  service.send({
    path: '/cds-services/readmission',
    headers: { 'content-type': 'application/json' },
    json: {
      hook: 'patient-view',
      hookInstance: INSTANCE,
      context: { userId: 'Practitioner/1', patientId: 'p' },
      fhirServer: open.base,
      ...more,
    },
  })
export const score = (
  patients: readonly string[],
  more: readonly Resource[] = [],
  path = '/fhir/$score',
): Promise<Answer> =>
  served.send({
    path,
    json: {
      resourceType: 'Parameters',
      parameter: [
        { name: 'fhirServer', valueUrl: fhir.base },
        ...patients.map((reference) => ({ name: 'patient', valueReference: { reference } })),
        ...more,
      ],
    },
  })
export const entriesOf = (answer: Answer): AnswerBundle['entry'] => (answer.json() as AnswerBundle).entry
/** For each entry its patient, and its risk or the texts of its issues; without what is doubted of the feed after so many tests. */
export const told = (answer: Answer): readonly (readonly unknown[])[] =>
  entriesOf(answer).flatMap(({ link, resource }) => {
    const [prediction] = (resource['prediction'] ?? []) as readonly Resource[]
    const issues = (resource.issue ?? []).filter((issue) => !isOfFeed(issue))
    if (prediction === undefined && issues.length === 0) return []
    const texts = issues.map(({ details }) => (details as Resource)['text'])
    const risk = prediction?.['probabilityDecimal'] ?? texts.join()
    return [[link?.[0]?.url.replace(`${fhir.base}/`, ''), risk]]
  })

function isOfFeed({ diagnostics }: Resource): boolean {
  return String(diagnostics).startsWith('feed-doubt:')
}

export function parameters(server: string): Resource {
  const named = { name: 'patient', valueReference: { reference: 'Patient/p' } }
  return { resourceType: 'Parameters', parameter: [{ name: 'fhirServer', valueUrl: server }, named] }
}
