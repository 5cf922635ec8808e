/** A FHIR server that answers a number of requests a second, writes its public name, and asks for waits. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { type JWK, exportJWK, generateKeyPair } from 'jose'
import { INSTANCE } from '../../cds-hooks/requests.ts'
import type { Answer } from '../../../../../../test/support/exchange.ts'
import { DEPLOYMENTS, serveAdapters } from '../../../../../../test/support/serve-adapters.ts'
import { entriesOf, type Resource, STAY, condition, encounter, patient } from '../source.ts'
import { type FhirServer, serveFhir } from './fhir-server.ts'

const PATIENTS = 100
const A_SECOND = 40
const PUBLIC = 'https://fhir.public.example/api'
const subject = (id: string): Resource => ({ subject: { reference: `Patient/${id}` } })
/** Each with an index stay and earlier visits, so that the Encounters take two pages. */
const RESOURCES = Array.from({ length: PATIENTS }, (_, at) => [
  patient({ id: `p${at}` }),
  { ...STAY, id: `stay${at}`, ...subject(`p${at}`) },
  encounter(`a${at}`, 'AMB', '2025-07-01', '2025-07-01', subject(`p${at}`)),
  encounter(`b${at}`, 'AMB', '2025-06-01', '2025-06-01', subject(`p${at}`)),
]).flat()

const folder = mkdtempSync(join(tmpdir(), 'busy-'))
let fhir: FhirServer
let served: Awaited<ReturnType<typeof serveAdapters>>
before(async () => {
  const { privateKey } = await generateKeyPair('ES384', { extractable: true })
  writeFileSync(join(folder, 'key.json'), JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'k1' }))
  fhir = await serveFhir(RESOURCES)
  const backend = {
    clientId: 'patient-risk',
    key: join(folder, 'key.json'),
    deployments: ['readmission', 'charlson'],
  }
  const servers = [{ url: fhir.base, aliases: [PUBLIC], internal: true, backend }]
  const charlson = {
    name: 'charlson',
    basePath: '/charlson',
    model: 'charlson10y',
    output: 'number',
  } as const
  served = await serveAdapters({}, { servers, deployments: [...DEPLOYMENTS, charlson] })
  const keys = (await served.send({ method: 'GET', path: '/.well-known/jwks.json' })).json() as {
    keys: JWK[]
  }
  fhir.publicKey = keys.keys[0]
})
after(async () => {
  await served.close()
  await fhir.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => (fhir.misbehave = () => false))

const score = (count: number, server = fhir.base, path = '/fhir/$score'): Promise<Answer> =>
  served.send({
    path,
    json: {
      resourceType: 'Parameters',
      parameter: [
        { name: 'fhirServer', valueUrl: server },
        { name: 'asOf', valueDateTime: '2026-03-09' },
        ...Array.from({ length: count }, (_, at) => ({
          name: 'patient',
          valueReference: { reference: `Patient/p${at}` },
        })),
      ],
    },
  })
const risksOf = (answer: Answer): number =>
  entriesOf(answer.json()).filter(({ resource }) => resource['resourceType'] === 'RiskAssessment').length

test('a server with 40 requests a second: all of 100 patients are answered', async () => {
  let second = 0
  let inSecond = 0
  let refused = 0
  fhir.misbehave = (_url, response) => {
    const now = Math.floor(Date.now() / 1_000)
    inSecond = now === second ? inSecond + 1 : 1
    second = now
    if (inSecond <= A_SECOND) return false
    refused++
    response.writeHead(429, { 'retry-after': '1' }).end()
    return true
  }
  assert.equal(risksOf(await score(PATIENTS)), PATIENTS)
  assert.ok(refused > 0, 'the server was busy at times')
})

test('waits that a server asks for are not the time of a patient', async () => {
  const seen = new Map<string, number>()
  fhir.misbehave = (url, response) => {
    const id = url.searchParams.get('patient') ?? url.pathname
    const times = (seen.get(id) ?? 0) + 1
    seen.set(id, times)
    // Eleven waits of a second: more than the ten seconds of a patient.
    if (!id.includes('p0') || times > 11) return false
    response.writeHead(503, { 'retry-after': '1' }).end()
    return true
  }
  assert.equal(risksOf(await score(1)), 1)
})

test('the token endpoint may ask for a wait, and gets another assertion then', async () => {
  fhir.tokens.clear()
  let isBusy = true
  fhir.misbehave = (url, response) => {
    if (!url.pathname.endsWith('/token') || !isBusy) return false
    isBusy = false
    response.writeHead(429, { 'retry-after': '1' }).end()
    return true
  }
  assert.equal(risksOf(await score(1)), 1)
})

test('a next page with the public name of the server is fetched from the server itself', async () => {
  const pages: string[] = []
  fhir.misbehave = (url, response) => {
    if (!url.pathname.endsWith('/Encounter')) return false
    const page = url.searchParams.get('_page')
    pages.push(page ?? 'first')
    const ofPage = page === null ? ['stay0', 'a0'] : ['b0']
    const entry = RESOURCES.filter(({ id }) => ofPage.includes(String(id))).map((resource) => {
      return { fullUrl: `${PUBLIC}/Encounter/${String(resource['id'])}`, resource }
    })
    const next = { relation: 'next', url: `${PUBLIC}/Encounter?patient=p0&_page=2` }
    const link = page === null ? [next] : []
    response
      .writeHead(200, { 'content-type': 'application/fhir+json' })
      .end(JSON.stringify({ resourceType: 'Bundle', type: 'searchset', link, entry }))
    return true
  }
  const answer = await score(1, PUBLIC)
  assert.equal(risksOf(answer), 1, answer.text)
  assert.deepEqual(pages, ['first', '2'])
})

test('a patient without stays is found where its diagnoses have the public name of the server', async () => {
  fhir.misbehave = (url, response) => {
    const [type = ''] = url.pathname.split('/').slice(-1)
    if (type !== 'Condition' && type !== 'Encounter') return false
    const resource = { ...condition('c', 'F03', { recordedDate: '2025-01-01' }), ...subject('p0') }
    const entry = type === 'Encounter' ? [] : [{ fullUrl: `${PUBLIC}/Condition/c`, resource }]
    response
      .writeHead(200, { 'content-type': 'application/fhir+json' })
      .end(JSON.stringify({ resourceType: 'Bundle', type: 'searchset', total: entry.length, entry }))
    return true
  }
  const answer = await score(1, fhir.base, '/charlson/fhir/$score')
  assert.equal(risksOf(answer), 1, answer.text)
})

test('a hook may name the server by its public name, and waits inside its time', async () => {
  let isBusy = true
  fhir.tokens.add('of-the-client')
  fhir.misbehave = (_url, response) => {
    if (!isBusy) return false
    isBusy = false
    response.writeHead(503, { 'retry-after': '1' }).end()
    return true
  }
  const hook = (): Promise<Answer> =>
    served.send({
      path: '/cds-services/readmission',
      headers: { 'content-type': 'application/json' },
      json: {
        hook: 'patient-view',
        hookInstance: INSTANCE,
        context: { userId: 'Practitioner/1', patientId: 'p0' },
        fhirServer: PUBLIC,
        fhirAuthorization: {
          access_token: 'of-the-client',
          token_type: 'Bearer',
          expires_in: 300,
          scope: 'x',
        },
      },
    })
  const answer = await hook()
  assert.equal(answer.status, 200, answer.text)
  fhir.misbehave = (_url, response) => {
    response.writeHead(503, { 'retry-after': '60' }).end()
    return true
  }
  const late = await hook()
  assert.equal(late.status, 412)
  assert.match(late.text, /asks to wait longer than this call may take/)
})
