/** CDS Hooks: what a request lacks is fetched, with the caller's token. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, exchange } from '../../../../../../test/support/exchange.ts'
import { INSTANCE, searchset } from '../../cds-hooks/requests.ts'
import { OLD, type Resource, STAY, patient } from '../source.ts'
import { serveAdapters } from '../../../../../../test/support/serve-adapters.ts'
import { type Misbehave, endless, json, onEncounters } from './misbehaviours.ts'
import { VISITS, fhir, hook, open, parameters, served } from './set-up.ts'

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

// With a regular expression that tries every slash as a start, this takes many minutes.
test('a long address with many slashes is refused at once', { timeout: 60_000 }, async () => {
  for (const [length, status] of [
    [60_000, 400],
    [900_000, 413],
  ] as const) {
    const long = `${'/'.repeat(length)}x`
    assert.equal((await served.send({ json: parameters(long) })).status, status)
    assert.equal((await hook({ fhirServer: long })).status, 412)
  }
})

test('a body that may be large is parsed by a worker: here only answers of the FHIR server are', async (t) => {
  const parse = t.mock.method(JSON, 'parse')
  const div = `<div>${'x'.repeat(500_000)}</div>`
  const more = { ...patient(), text: { status: 'generated', div } }
  const prefetch = { patient: more, encounters: CUT }
  for (const fhirServer of [open.base, 'http://127.0.0.1:1/fhir']) await hook({ prefetch, fhirServer })
  await served.send({ json: { ...parameters(open.base), text: more.text } })
  const lengths = parse.mock.calls.map((call) => call.arguments[0].length)
  assert.ok(lengths.length > 0 && Math.max(...lengths) < 100_000, `${Math.max(...lengths)}`)
})

test('hook: a token that cannot be sent is 400, one with a narrowed scope 412, and nothing is fetched', async () => {
  const authorize = (fhirAuthorization: Resource): Promise<Answer> => hook({ fhirAuthorization })
  assert.equal((await authorize({ access_token: 'a\nb' })).status, 400)
  assert.equal((await authorize({ access_token: 'a', scope: 'patient/Encounter.rs?class=IMP' })).status, 412)
  assert.equal((await hook({ fhirServer: { toString: 1 } })).status, 412)
  assert.equal(open.calls.length, 0)
})

for (const [fhirAuthorization, status] of [
  [{ scope: 'launch openid fhirUser' }, 200],
  [{ scope: 'patient/*.read' }, 200],
  [{ scope: 'user/*.rs' }, 200],
  [{ scope: 'patient/Patient.r patient/Encounter.s', patient: 'p' }, 200],
  [{ scope: 'patient/Patient.rs' }, 412],
  [{ scope: 'patient/Patient.rs patient/Encounter.r' }, 412],
  [{ scope: 'patient/*.rs', patient: 'q' }, 412],
] as const)
  test(`hook: a token ${JSON.stringify(fhirAuthorization)}: ${status}, because an empty result reads like "none"`, async () => {
    const answer = await hook({ fhirAuthorization: { ...fhirAuthorization, access_token: 'a' } })
    assert.equal(answer.status, status, answer.text)
    assert.equal(open.calls.length === 0, status === 412)
  })

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
  'an answer in a coding other than gzip': [
    /something other than plain JSON/,
    (_url, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' }).end('x')
      return true
    },
  ],
  'an answer that is not the gzip that it says': [
    /is not gzip/,
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
  'an answer without an end': [/sent more than the service takes/, endless],
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

test('hook: a connection that the server closes when it is used again is replaced by a new one', async () => {
  const used = new WeakSet<object>()
  let closed = 0
  const closeUsed: Misbehave = (_url, { socket }) => {
    if (socket === null || !used.has(socket)) {
      if (socket !== null) used.add(socket)
      return false
    }
    closed++
    socket.destroy()
    return true
  }
  open.misbehave = closeUsed
  const expected = await hook({ prefetch: COMPLETE })
  for (let call = 0; call < 3; call++) assert.equal((await hook({})).text, expected.text)
  assert.ok(closed > 0, 'no connection was used again')
})

test('hook: a server that closes every connection cannot be reached', async () => {
  open.misbehave = (_url, { socket }) => socket?.destroy() !== undefined
  const answer = await hook({})
  assert.deepEqual([answer.status, answer.text.includes('cannot be reached')], [412, true])
  // Each connection of an earlier call, at most 16, and a new one for each of the searches.
  assert.ok(open.calls.length < 40, `${open.calls.length} calls`)
})

test('hook: a server that does not answer is given up after some seconds', async () => {
  const service = await serveAdapters({}, { servers: [{ url: open.base, internal: true }] })
  open.misbehave = () => true
  const answer = await hook({}, service)
  await service.close()
  assert.deepEqual([answer.status, answer.text.includes('did not answer in time')], [412, true])
})
