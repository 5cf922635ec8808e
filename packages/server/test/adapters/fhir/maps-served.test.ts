/** The maps of a site in every interface that reads resources: posted, a line of a stream, fetched, and hooks; in workers too. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { loadMapping } from '../../../src/adapters/fhir/load-mapping.ts'
import { testClock } from '../../../../../test/support/clock.ts'
import { mapping as usual } from '../../../../../test/support/mapping.ts'
import { serveAdapters } from '../../../../../test/support/serve-adapters.ts'
import { CLINICAL_ROOT, testCatalog } from '../../../../../test/support/serve.ts'
import type { Answer } from '../../../../../test/support/exchange.ts'
import { INSTANCE } from '../cds-hooks/requests.ts'
import { type FhirServer, serveFhir } from './fetch/fhir-server.ts'
import { type Resource, condition, encounter, patient } from './source.ts'

const folder = mkdtempSync(join(tmpdir(), 'maps-'))
const SNOMED = 'http://snomed.info/sct'
const MAP = {
  resourceType: 'ConceptMap',
  status: 'active',
  group: [
    {
      source: SNOMED,
      target: 'http://hl7.org/fhir/sid/icd-10',
      element: [{ code: '52448006', target: [{ code: 'F03', equivalence: 'equivalent' }] }],
    },
  ],
}
/** By the clock of the services here. */
const daysAgo = (days: number): string =>
  new Date(testClock().now() - days * 86_400_000).toISOString().slice(0, 10)
const STAY = encounter('index', 'IMP', daysAgo(9), daysAgo(2))
const RESOURCES = [
  patient(),
  STAY,
  condition('a', 'x', {
    code: { coding: [{ system: SNOMED, code: '52448006' }] },
    recordedDate: daysAgo(400),
  }),
]
const deployments = [
  {
    name: 'charlson',
    basePath: '/',
    model: 'charlson10y',
    output: 'number',
    cdsHooks: { hooks: ['patient-view'] },
  },
] as const

let fhir: FhirServer
let mapped: Awaited<ReturnType<typeof serveAdapters>>
let plain: Awaited<ReturnType<typeof serveAdapters>>
let digest = ''
before(async () => {
  mkdirSync(join(folder, 'fhir', 'maps'), { recursive: true })
  writeFileSync(join(folder, 'fhir', 'maps', 'snomed.json'), JSON.stringify(MAP))
  const { mapping } = loadMapping([CLINICAL_ROOT, folder], testCatalog())
  assert.ok(mapping !== undefined)
  digest = mapping.digest
  const { privateKey } = await generateKeyPair('ES384', { extractable: true })
  writeFileSync(join(folder, 'key.json'), JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'k1' }))
  fhir = await serveFhir(RESOURCES)
  const backend = { clientId: 'patient-risk', key: join(folder, 'key.json'), deployments: ['charlson'] }
  const servers = [{ url: fhir.base, internal: true, backend }]
  const hooked = deployments.map((each) => ({ ...each, cdsHooks: { hooks: [...each.cdsHooks.hooks] } }))
  mapped = await serveAdapters({}, { deployments: hooked, servers, mapping, workers: 1 })
  plain = await serveAdapters({}, { deployments: hooked, servers })
  const keys = (await mapped.send({ method: 'GET', path: '/.well-known/jwks.json' })).json() as {
    keys: JWK[]
  }
  fhir.publicKey = keys.keys[0]
})
after(async () => {
  await mapped.close()
  await plain.close()
  await fhir.close()
  rmSync(folder, { recursive: true })
})

const BUNDLE = {
  resourceType: 'Bundle',
  type: 'collection',
  entry: RESOURCES.map((resource) => ({ resource })),
}
const QUERY = `/fhir/$score?history=complete&asOf=${daysAgo(1)}`
const PARAMETERS = {
  resourceType: 'Parameters',
  parameter: [
    { name: 'fhirServer', valueUrl: '' },
    { name: 'patient', valueReference: { reference: 'Patient/p' } },
  ],
}
const searchset = (...resources: readonly Resource[]): Resource => ({
  resourceType: 'Bundle',
  type: 'searchset',
  entry: resources.map((resource) => ({ resource })),
})
const HOOK = {
  hook: 'patient-view',
  hookInstance: INSTANCE,
  context: { userId: 'Practitioner/1', patientId: 'p' },
  prefetch: {
    patient: RESOURCES[0],
    encounters: searchset(STAY),
    conditions: searchset(RESOURCES[2] as Resource),
    observations: null,
    responses: null,
  },
}

type Served = typeof mapped
const CALLS: readonly (readonly [string, (served: Served) => Promise<Answer>])[] = [
  ['a posted Bundle', (served) => served.send({ path: QUERY, json: BUNDLE })],
  [
    'a line of a stream',
    (served) =>
      served.send({
        path: QUERY,
        headers: { 'content-type': 'application/fhir+ndjson' },
        body: `${JSON.stringify(BUNDLE)}\n`,
      }),
  ],
  [
    'a fetched patient',
    (served) => {
      const [, named] = PARAMETERS.parameter
      const parameter = [{ name: 'fhirServer', valueUrl: fhir.base }, named]
      return served.send({ path: '/fhir/$score', json: { ...PARAMETERS, parameter } })
    },
  ],
  [
    'a hook',
    (served) =>
      served.send({
        path: '/cds-services/charlson',
        headers: { 'content-type': 'application/json' },
        json: HOOK,
      }),
  ],
]
for (const [name, call] of CALLS) {
  test(`${name}: a mapped code gives a risk, and the header names the mapping; without the map there is none`, async () => {
    const answer = await call(mapped)
    assert.equal(answer.status, 200, answer.text)
    assert.match(answer.text, /RiskAssessment|"summary":"[^"]*: [\d.]+ %"/)
    assert.equal(answer.headers['risk-mapping-digest'], `sha-256=:${digest}:`)
    const without = await call(plain)
    assert.equal(without.status, 200, without.text)
    assert.doesNotMatch(without.text, /RiskAssessment|"summary":"[^"]*: [\d.]+ %"/)
    // A resource that the caller has not sent is named by its id.
    const place = /posted|line/.test(name) ? 'Bundle.entry[2]' : 'Condition/a'
    assert.ok(without.text.includes(`A Condition has no ICD-10 code, so it may be the one: ${place}.`))
    assert.equal(without.headers['risk-mapping-digest'], `sha-256=:${usual.digest}:`)
  })
}

test('the map is part of the digest of the mapping, and the name of its file is not', () => {
  const other = mkdtempSync(join(tmpdir(), 'maps-'))
  mkdirSync(join(other, 'fhir', 'maps'), { recursive: true })
  writeFileSync(join(other, 'fhir', 'maps', 'another-name.json'), JSON.stringify(MAP))
  assert.equal(loadMapping([CLINICAL_ROOT, other], testCatalog()).mapping?.digest, digest)
  assert.notEqual(digest, usual.digest)
  rmSync(other, { recursive: true })
})
