/** Data that the service fetches itself: for hooks with the caller's token, for `$score` with its own. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { type JWK, exportJWK, generateKeyPair } from 'jose'
import { type Answer, exchange } from '../../../exchange.ts'
import { INSTANCE, searchset } from '../../cds-hooks/requests.ts'
import { serveAdapters } from '../../serve-adapters.ts'
import { type AnswerBundle, OLD, type Resource, STAY, encounter, patient } from '../source.ts'
import { type FhirServer, serveFhir } from './fhir-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'fetch-'))
const LONG = encounter('long', 'IMP', '2025-11-01T10:00:00+01:00', '2026-03-09T12:00:00+01:00', {
  subject: { reference: 'Patient/long' },
})
/** Within a year of the long stay, and more than 13 months ago. */
const EARLY = encounter('early', 'IMP', '2024-12-01', '2024-12-08', {
  subject: { reference: 'Patient/long' },
})
const VISITS = Array.from({ length: 7 }, (_, at) =>
  encounter(`v${at}`, 'AMB', `2025-0${8 - at}-01`, `2025-0${8 - at}-01`),
)
const RESOURCES = [
  patient(),
  patient({ id: 'long' }),
  patient({ id: 'young', birthDate: '2020-01-01' }),
  ...[STAY, OLD, ...VISITS, LONG, EARLY],
]
let fhir: FhirServer
let open: FhirServer
let served: Awaited<ReturnType<typeof serveAdapters>>
before(async () => {
  const { privateKey } = await generateKeyPair('ES384', { extractable: true })
  writeFileSync(join(folder, 'key.json'), JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'k1' }))
  ;[fhir, open] = [await serveFhir(RESOURCES), await serveFhir(RESOURCES, { needsToken: false })]
  const backend = { clientId: 'patient-risk', key: join(folder, 'key.json'), deployments: ['readmission'] }
  const servers = [
    { url: fhir.base, internal: true, backend },
    { url: `${open.base}/`, internal: true },
  ]
  // A worker takes the body that it answers, so that it is gone here.
  served = await serveAdapters({}, { servers, workers: 1 })
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
    Object.assign(server, { misbehave: () => false, scope: undefined }).calls.length = 0
})

const hook = (more: Resource): Promise<Answer> =>
  served.send({
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
const score = (
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
const entriesOf = (answer: Answer): AnswerBundle['entry'] => (answer.json() as AnswerBundle).entry
/** For each entry its patient, and its risk or the texts of its issues. */
const told = (answer: Answer): readonly (readonly unknown[])[] =>
  entriesOf(answer).map(({ link, resource }) => {
    const [prediction] = (resource['prediction'] ?? []) as readonly Resource[]
    const issues = (resource.issue ?? []).map(({ details }) => (details as Resource)['text'])
    return [link?.[0]?.url.replace(`${fhir.base}/`, ''), prediction?.['probabilityDecimal'] ?? issues.join()]
  })

const COMPLETE = { patient: patient(), encounters: searchset(STAY, OLD, ...VISITS) }
const CUT = { ...searchset(STAY), link: [{ relation: 'next', url: 'x' }] }

for (const [name, prefetch] of Object.entries({
  'no prefetch': undefined,
  'an empty prefetch': {},
  'no Encounters': { patient: patient() },
  'one page of the Encounters': { patient: patient(), encounters: CUT },
})) {
  test(`hook: ${name}: what is missing is fetched, and the card is the same`, async () => {
    const [expected, answer] = [await hook({ prefetch: COMPLETE }), await hook({ prefetch })]
    assert.equal(expected.status, 200, expected.text)
    assert.equal(answer.text, expected.text)
    assert.match(answer.text, /inpatientAdmissions 1/)
    const searches = open.calls.filter(({ url }) => url.includes('/Encounter?'))
    assert.match(searches[0]?.url ?? '', /patient=p&date=ge2025-02-15&_sort=-date&_count=200$/)
    assert.equal(searches.length, 4)
  })
}

test('hook: nothing is fetched for a complete prefetch, and the token of the caller is used otherwise', async () => {
  await hook({ prefetch: COMPLETE })
  assert.equal(open.calls.length, 0)
  fhir.tokens.add('of-the-caller')
  const fhirAuthorization = { access_token: 'of-the-caller', token_type: 'Bearer' }
  const answer = await hook({ fhirServer: fhir.base, fhirAuthorization })
  assert.equal(answer.status, 200, answer.text)
  assert.ok(fhir.calls.every(({ token }) => token === 'of-the-caller'))
  const rows = await served.store.readAudit({ most: 1000 })
  assert.ok(!(JSON.stringify(rows) + served.logText()).includes('of-the-caller'))
})

test('hook: a large request that a worker has taken is completed too', async () => {
  const more = { ...patient(), text: { status: 'generated', div: `<div>${'x'.repeat(100_000)}</div>` } }
  const json = {
    prefetch: { patient: more },
    hook: 'patient-view',
    hookInstance: INSTANCE,
    fhirServer: open.base,
  }
  const answer = await exchange(served.origin, {
    method: 'POST',
    path: '/cds-services/readmission',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${served.key}` },
    body: JSON.stringify({ ...json, context: { userId: 'Practitioner/1', patientId: 'p' } }),
  })
  assert.deepEqual([answer.status, answer.text.includes('inpatientAdmissions 1')], [200, true], answer.text)
})

test('hook: a stay that is longer than the month of the search: all Encounters are fetched', async () => {
  const answer = await hook({ context: { userId: 'Practitioner/1', patientId: 'long' } })
  assert.match(answer.text, /inpatientAdmissions 1/)
  assert.ok(open.calls.some(({ url }) => url.includes('Encounter?patient=long&_sort')))
})

test('hook: what the client has tried in vain is not tried again', async () => {
  const prefetch = { patient: patient(), encounters: { resourceType: 'OperationOutcome' } }
  assert.equal((await hook({ prefetch })).status, 412)
  assert.equal(open.calls.length, 0)
})

for (const [name, more] of Object.entries({
  'a server that is not listed': { fhirServer: 'http://127.0.0.1:1/fhir' },
  'another path of a listed server': { fhirServer: 'FHIR/other' },
  'a listed server with a name and password': { fhirServer: 'USER' },
  'no server': { fhirServer: undefined },
  'an id that would change the address': { context: { userId: 'P/1', patientId: 'p/../../x?y=' } },
})) {
  test(`hook: ${name} is not called`, async () => {
    const given: Record<string, unknown> = { ...more }
    if (given['fhirServer'] === 'FHIR/other') given['fhirServer'] = `${open.base}/other`
    if (given['fhirServer'] === 'USER') given['fhirServer'] = open.base.replace('//', '//a:b@')
    assert.equal((await hook(given)).status, 412)
    assert.equal(open.calls.length + fhir.calls.length, 0)
  })
}

test('a long address with many slashes is refused at once', async () => {
  const long = `${'/'.repeat(200_000)}x`
  const before = performance.now()
  assert.equal((await served.send({ json: parameters(long) })).status, 400)
  assert.equal((await hook({ fhirServer: long })).status, 412)
  assert.ok(performance.now() - before < 2_000)
})

test('hook: a token that cannot be sent is 400, one with a narrowed scope 412, and nothing is fetched', async () => {
  const authorize = (fhirAuthorization: Resource): Promise<Answer> => hook({ fhirAuthorization })
  assert.equal((await authorize({ access_token: 'a\nb' })).status, 400)
  assert.equal((await authorize({ access_token: 'a', scope: 'patient/Encounter.rs?class=IMP' })).status, 412)
  assert.equal((await hook({ fhirServer: { toString: 1 } })).status, 412)
  assert.equal(open.calls.length, 0)
})

type Misbehave = FhirServer['misbehave']
const json =
  (body: (base: string) => Resource): Misbehave =>
  (_url, response) => {
    response.writeHead(200, { 'content-type': 'application/fhir+json' }).end(JSON.stringify(body(open.base)))
    return true
  }
const onEncounters =
  (misbehave: Misbehave): Misbehave =>
  (url, response) =>
    url.pathname.endsWith('/Encounter') && misbehave(url, response)
const withNext = (url: (base: string) => string): Misbehave =>
  json((base) => ({ ...searchset(STAY), link: [{ relation: 'next', url: url(base) }] }))
const MISBEHAVIOURS: Readonly<Record<string, readonly [RegExp, Misbehave]>> = {
  'a redirect': [
    /answered with status 302/,
    (_url, response) => {
      response.writeHead(302, { location: `${fhir.base}/Encounter` }).end()
      return true
    },
  ],
  'a failure': [
    /answered with status 500/,
    (_url, response) => {
      response.writeHead(500, { 'content-type': 'application/fhir+json' }).end('{"CANARY":1}')
      return true
    },
  ],
  'a page of HTML': [
    /something other than plain JSON/,
    (_url, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>CANARY</p>')
      return true
    },
  ],
  'text that is not JSON': [
    /not a resource/,
    (_url, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"CANARY"')
      return true
    },
  ],
  'a compressed answer': [
    /something other than plain JSON/,
    (_url, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('x')
      return true
    },
  ],
  'an answer that breaks off': [
    /broke off its answer/,
    (_url, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '9' }).write('{')
      setTimeout(() => response.destroy(), 20)
      return true
    },
  ],
  'an answer without an end': [
    /sent more than the service takes/,
    (_url, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const chunk = Buffer.alloc(1024 * 1024, ' ')
      const more = (): void => {
        if (!response.destroyed) response.write(chunk, () => setImmediate(more))
      }
      more()
      return true
    },
  ],
  'a next page elsewhere': [/not one of this result/, withNext(() => `${fhir.base}/Encounter`)],
  'a next page outside the base': [
    /not one of this result/,
    withNext((base) => base.replace('/fhir', '/other')),
  ],
  'a next page that was there before': [
    /not one of this result/,
    onEncounters((url, response) => withNext(() => url.href)(url, response)),
  ],
  'pages without an end': [
    /more than 20 pages/,
    onEncounters((url, response) => withNext(() => `${url.href}&x`)(url, response)),
  ],
  'fewer entries than the total': [
    /fewer entries than its total/,
    json(() => ({ ...searchset(STAY), total: 9 })),
  ],
  'a warning that something was left out': [
    /is missing/,
    json(() => {
      const issue = [{ severity: 'warning', code: 'suppressed' }]
      return searchset(STAY, { resourceType: 'OperationOutcome', issue })
    }),
  ],
  'a next page whose address is no text': [
    /not one of this result/,
    json(() => ({ ...searchset(STAY), link: [{ relation: 'next', url: { toString: 1 } }] })),
  ],
  'no searchset': [/with a searchset/, json(() => patient())],
}
for (const [name, [why, misbehave]] of Object.entries(MISBEHAVIOURS)) {
  test(`hook: ${name} is 412, with the reason and without the server's words`, async () => {
    open.misbehave = onEncounters(misbehave)
    const answer = await hook({})
    assert.equal(answer.status, 412, answer.text)
    assert.match(answer.text, why)
    assert.ok(!(answer.text + served.logText()).includes('CANARY'))
    assert.equal(fhir.calls.length, 0)
  })
}

test('hook: a server that does not answer is given up after some seconds', async () => {
  open.misbehave = () => true
  const answer = await hook({})
  assert.deepEqual([answer.status, answer.text.includes('did not answer in time')], [412, true])
})

test('$score: the patients of a server, each with its own result', async () => {
  const answer = await score(['Patient/p', 'Patient/none', 'Patient/..', 'Patient/young', 'Patient/long'])
  assert.equal(answer.status, 200, answer.text)
  const posted = await served.send({
    path: '/fhir/$score?history=complete',
    json: { resourceType: 'Bundle', type: 'collection', entry: RESOURCES.map((resource) => ({ resource })) },
  })
  const risks = told(posted).filter(([, risk]) => typeof risk === 'number')
  assert.deepEqual(
    told(answer).filter(([, risk]) => typeof risk === 'number'),
    risks,
  )
  assert.deepEqual(
    risks.map(([about]) => about),
    ['Patient/p', 'Patient/long'],
  )
  const others = told(answer).filter(([, risk]) => typeof risk !== 'number')
  assert.deepEqual(others[0], ['Patient/none', 'The FHIR server has no such Patient.'])
  assert.deepEqual(others[1], [undefined, 'A patient must be named as Patient/<id>.'])
  assert.equal(others[2]?.[0], 'Patient/young')
  assert.match(answer.text, /"RiskAssessment"/)
  assert.ok(fhir.calls.every(({ url }) => !url.includes('..')))
  const [last] = (await served.store.readAudit({ most: 1000 })).slice(-2)
  assert.match(last?.content ?? '', /"subject":"fetched from a FHIR server"/)
})

test('$score: a Patient is named on its server, also where that has another address', async () => {
  const other = 'https://fhir.example.org/r4'
  fhir.misbehave = (url, response) => {
    if (!url.pathname.endsWith('/Encounter')) return false
    const entry = [STAY, OLD].map((resource) => {
      const subject = { reference: `${other}/Patient/p` }
      return { fullUrl: `${other}/Encounter/${String(resource['id'])}`, resource: { ...resource, subject } }
    })
    return json(() => ({ resourceType: 'Bundle', type: 'searchset', entry }))(url, response)
  }
  const [first] = told(await score(['Patient/p']))
  assert.deepEqual([first?.[0], typeof first?.[1]], [`${other}/Patient/p`, 'number'])
  fhir.misbehave = () => false
  const [link] = entriesOf(await score(['Patient/p']))[0]?.link ?? []
  assert.equal(link?.url, `${fhir.base}/Patient/p`)
})

test('$score: one token for all patients, and one new token where it was revoked', async () => {
  await score(['Patient/p'])
  const given = fhir.issued
  await score(['Patient/p', 'Patient/long'])
  assert.equal(fhir.issued, given)
  fhir.tokens.clear()
  const answer = await score(['Patient/p', 'Patient/long', 'Patient/p', 'Patient/long'])
  assert.equal(told(answer).filter(([, risk]) => typeof risk === 'number').length, 4)
  const names = entriesOf(answer).map((entry) => (entry as unknown as Resource)['fullUrl'])
  assert.equal(new Set(names).size, names.length)
  assert.equal(fhir.issued, given + 1)
  const rows = await served.store.readAudit({ most: 1000 })
  assert.ok(!(JSON.stringify(rows) + served.logText() + answer.text).includes('secret-token'))
})

test('$score: a smaller scope, a wrong key and a token endpoint elsewhere: no number, and the reason', async () => {
  const refused = async (change: () => void): Promise<unknown> => {
    fhir.tokens.clear()
    change()
    const [first] = told(await score(['Patient/p']))
    return first?.[1]
  }
  const elsewhere: Misbehave = (url, response) =>
    url.pathname.endsWith('smart-configuration') &&
    json(() => ({ token_endpoint: `${open.base}/token` }))(url, response)
  assert.match(
    String(await refused(() => (fhir.scope = 'system/Patient.read'))),
    /scope system\/Encounter\.rs/,
  )
  fhir.scope = undefined
  assert.match(String(await refused(() => (fhir.misbehave = elsewhere))), /Set backend\.tokenUrl/)
  fhir.misbehave = () => false
  const { publicKey } = fhir
  assert.match(String(await refused(() => (fhir.publicKey = undefined))), /answered with status 400/)
  fhir.publicKey = publicKey
  fhir.scope = 'system/*.rs?class=IMP'
  assert.match(String(await refused(() => undefined)), /scope system\/Patient\.rs/)
  fhir.scope = 'system/*.cruds'
  assert.equal(typeof (await refused(() => undefined)), 'number')
})

test('$score: a patient with an answer without an end costs the others nothing', async () => {
  const endless = MISBEHAVIOURS['an answer without an end']?.[1] ?? (() => false)
  fhir.misbehave = (url, response) => url.searchParams.get('patient') === 'long' && endless(url, response)
  const risks = told(await score(['Patient/long', 'Patient/p', 'Patient/long', 'Patient/p', 'Patient/p']))
  const texts = risks.map(([, risk]) => (typeof risk === 'number' ? 'number' : risk))
  const refused = 'The FHIR server sent more than the service takes.'
  assert.deepEqual(texts, [refused, 'number', refused, 'number', 'number'])
})

test('$score: as of a moment, what came later does not count', async () => {
  const answer = await score(['Patient/p'], [{ name: 'asOf', valueDateTime: '2025-09-15' }])
  assert.match(answer.text, /"encounter":\{"reference":"[^"]*Encounter\/old"\}/)
})

test('$score: a refused sign-in is tried once, whatever the number of patients', async () => {
  const { publicKey } = fhir
  fhir.tokens.clear()
  fhir.publicKey = undefined
  const answer = await score(Array.from({ length: 9 }, () => 'Patient/p'))
  assert.equal(told(answer).length, 9)
  assert.equal(fhir.calls.filter(({ url }) => url.endsWith('/token')).length, 1)
  fhir.publicKey = publicKey
})

for (const [name, status, call] of [
  ['asOf that is no day', 400, () => score(['Patient/p'], [{ name: 'asOf', valueDateTime: '2026' }])],
  ['asOf twice', 400, () => score(['Patient/p'], [], '/fhir/$score?asOf=2026-03-09&asOf=2026-03-10')],
  ['an encounter', 400, () => score(['Patient/p'], [], '/fhir/$score?encounter=Encounter/index')],
  ['a name that is no text', 400, () => score(['Patient/p'], [{ name: { toString: 1 } }])],
  ['a server that is not listed', 400, () => served.send({ json: parameters('https://other.example/fhir') })],
  ['a server without backend', 400, () => served.send({ json: parameters(open.base) })],
  ['a deployment that may not', 400, () => score(['Patient/p'], [], '/flag/fhir/$score')],
  ['no patient', 400, () => score([])],
  ['another parameter', 400, () => score(['Patient/p'], [{ name: 'history', valueCode: 'complete' }])],
  ['a resource beside them', 400, () => score(['Patient/p'], [{ name: 'resource', resource: patient() }])],
  ['more patients than a call may name', 413, () => score(Array.from({ length: 101 }, () => 'Patient/p'))],
] as const) {
  test(`$score: ${name} is ${status}, and nothing is fetched`, async () => {
    const answer = await call()
    assert.equal(answer.status, status, answer.text)
    assert.equal(open.calls.length + fhir.calls.length, 0)
  })
}
function parameters(server: string): Resource {
  const named = { name: 'patient', valueReference: { reference: 'Patient/p' } }
  return { resourceType: 'Parameters', parameter: [{ name: 'fhirServer', valueUrl: server }, named] }
}
