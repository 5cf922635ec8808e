/** `$score` over HTTP: bodies, addresses and formats that are refused, and faults of a body that the answer names. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { serveAdapters } from '../../../../../../test/support/serve-adapters.ts'
import { OLD, type Resource, STAY, bundle, entriesOf, patient } from '../source.ts'

type Served = Awaited<ReturnType<typeof serveAdapters>>
let served: Served
before(async () => {
  served = await serveAdapters()
})
after(() => served.close())

const REFUSALS: readonly (readonly [string, number, string, Parameters<Served['send']>[0]])[] = [
  ['not JSON', 400, 'structure', { body: '{' }],
  ['nothing', 400, 'structure', { body: '' }],
  ['a key twice', 400, 'structure', { body: '{"resourceType":"Bundle","type":"collection","type":"batch"}' }],
  ['33 levels', 400, 'too-costly', { body: '['.repeat(33) + ']'.repeat(33) }],
  ['not UTF-8', 400, 'structure', { body: Buffer.from([0x7b, 0xff, 0x7d]) }],
  ['an array', 400, 'structure', { body: '[]' }],
  ['a Patient alone', 400, 'structure', { body: JSON.stringify(patient()) }],
  ['R5 by its class', 400, 'not-supported', { json: bundle(patient(), { ...STAY, class: [{}] }) }],
  ['R5 by its status', 400, 'not-supported', { json: bundle(patient(), { ...STAY, status: 'completed' }) }],
  ['R5 by its period', 400, 'not-supported', { json: bundle(patient(), { ...STAY, actualPeriod: {} }) }],
  [
    'a page of several',
    422,
    'incomplete',
    { json: { ...bundle(patient()), link: [{ relation: 'next', url: 'x' }] } },
  ],
  [
    'a next page outside of a list',
    422,
    'incomplete',
    { json: { ...bundle(patient()), link: { relation: 'Next', url: 'x' } } },
  ],
  ['a total as a text', 422, 'incomplete', { json: { ...bundle(patient()), type: 'searchset', total: '2' } }],
  ['a parameter in another case', 400, 'invalid', { path: '/fhir/$score?asof=2026-01-01', json: bundle() }],
  ['an unknown history', 400, 'invalid', { path: '/fhir/$score?history=all', json: bundle(patient()) }],
  [
    'asOf twice',
    400,
    'invalid',
    { path: '/fhir/$score?asOf=2026-01-01&asOf=2026-01-02', json: bundle(patient()) },
  ],
  [
    'an index stay that is not there',
    400,
    'invalid',
    { path: '/fhir/$score?encounter=Encounter/9', json: bundle(patient()) },
  ],
  ['XML', 415, 'not-supported', { body: '<Bundle/>', headers: { 'content-type': 'application/fhir+xml' } }],
  [
    'another version',
    415,
    'not-supported',
    { body: '{}', headers: { 'content-type': 'application/fhir+json; fhirVersion=5.0' } },
  ],
  ['XML wanted', 406, 'not-supported', { json: bundle(), headers: { accept: 'application/fhir+xml' } }],
  ['XML wanted by _format', 406, 'not-supported', { path: '/fhir/$score?_format=xml', json: bundle() }],
  ['an answer later', 422, 'not-supported', { json: bundle(), headers: { prefer: 'respond-async' } }],
  ['an answer later or soon', 422, 'not-supported', { headers: { prefer: 'wait=10, Respond-Async' } }],
  ['R5 wanted', 406, 'not-supported', { headers: { accept: 'application/fhir+json; fhirVersion=5.0' } }],
  ['R5 wanted by _format', 406, 'not-supported', { path: '/fhir/$score?_format=json;fhirVersion=5.0' }],
  ['JSON not wanted', 406, 'not-supported', { headers: { accept: 'application/fhir+json;q=0' } }],
  ['entries that are no list', 400, 'structure', { json: { ...bundle(), entry: {} } }],
  ['parameters that are no list', 400, 'structure', { json: { resourceType: 'Parameters', parameter: {} } }],
  [
    'fewer entries than the total',
    422,
    'incomplete',
    { json: { ...bundle(patient()), type: 'searchset', total: 2 } },
  ],
  [
    'the last page of several',
    422,
    'incomplete',
    { json: { ...bundle(patient()), link: [{ relation: 'previous', url: 'x' }] } },
  ],
  ...['history', 'asOf'].map((name): (typeof REFUSALS)[number] => {
    const parameter = ['complete', 'complete'].map((valueCode) => ({ name, valueCode }))
    return [
      `${name} twice in Parameters`,
      400,
      'invalid',
      { json: { resourceType: 'Parameters', parameter } },
    ]
  }),
  [
    'a history that is no text',
    400,
    'invalid',
    { json: { resourceType: 'Parameters', parameter: [{ name: 'history', valueBoolean: true }] } },
  ],
  ['2 million objects', 413, 'too-long', { body: `[${'{},'.repeat(2_000_000)}{}]` }],
  ['no key', 401, 'login', { json: bundle(), headers: { authorization: '' } }],
  ['an unknown key', 401, 'login', { json: bundle(), headers: { authorization: 'Bearer prk_x' } }],
  ['another address', 404, 'not-found', { path: '/fhir/Patient', json: bundle() }],
  ['another method', 405, 'not-supported', { method: 'GET' }],
  ['a method of another protocol', 404, 'not-found', { method: 'PROPFIND', path: '/fhir/Patient' }],
  ['the base address', 404, 'not-found', { path: '/fhir', json: bundle() }],
  ['the base address, read', 404, 'not-found', { method: 'GET', path: '/fhir?_format=json' }],
  ['the base address of another deployment', 404, 'not-found', { path: '/flag/fhir', json: bundle() }],
  ['an address that cannot be decoded', 400, 'invalid', { path: '/fhir/%zz', json: bundle() }],
  ['a query that cannot be decoded', 400, 'invalid', { path: '/fhir/$score?asOf=%zz', json: bundle() }],
]
for (const [name, status, code, call] of REFUSALS) {
  test(`refused with an OperationOutcome: ${name}`, async () => {
    const answer = await served.send(call)
    assert.equal(answer.status, status, answer.text)
    assert.equal(answer.headers['content-type'], 'application/fhir+json; charset=utf-8')
    assert.partialDeepStrictEqual(answer.json(), {
      resourceType: 'OperationOutcome',
      issue: [{ severity: 'error', code }],
    })
  })
}

test('an encoded dollar sign is the same address', async () => {
  const [plain, encoded] = [
    await served.send({ json: bundle(patient(), STAY, OLD) }),
    await served.send({ path: '/fhir/%24score', json: bundle(patient(), STAY, OLD) }),
  ]
  assert.equal(encoded.status, 200)
  assert.equal(encoded.text, plain.text)
  const refused = await served.send({ method: 'GET', path: '/fhir/%24score' })
  assert.deepEqual([refused.status, refused.headers.allow], [405, 'POST'])
})

test('an unknown path outside /fhir gets problem+json', async () => {
  const answer = await served.send({ path: '/fhirs' })
  assert.deepEqual([answer.status, answer.headers['content-type']], [404, 'application/problem+json'])
})

const resource = patient()
const FAULTS: readonly (readonly [string, Resource, Resource])[] = [
  ['an empty Bundle', bundle(), { severity: 'warning', code: 'not-found', expression: ['Bundle'] }],
  [
    'empty Parameters',
    { resourceType: 'Parameters' },
    { severity: 'warning', code: 'not-found', expression: ['Parameters'] },
  ],
  [
    'a Bundle within a Bundle',
    bundle(resource, STAY, bundle(OLD)),
    { severity: 'error', code: 'not-supported', expression: ['Bundle.entry[2].resource'] },
  ],
  [
    'entries without a resource',
    { ...bundle(), entry: [{ resource }, {}, { resource: STAY }, 7] },
    { severity: 'error', code: 'structure', expression: ['Bundle.entry[1]', 'Bundle.entry[3]'] },
  ],
  [
    'a search that has failed',
    {
      ...bundle(resource, STAY, { resourceType: 'OperationOutcome', issue: [{ severity: 'fatal' }] }),
      type: 'searchset',
    },
    { severity: 'error', code: 'incomplete', expression: ['Bundle.entry[2].resource'] },
  ],
  [
    'a response without a resource',
    { ...bundle(), entry: [{ resource }, { resource: STAY }, { response: { status: '404' } }] },
    { severity: 'error', code: 'structure', expression: ['Bundle.entry[2]'] },
  ],
  [
    'a resource without a type',
    bundle(resource, STAY, { id: 'x' }),
    { severity: 'error', code: 'structure', expression: ['Bundle.entry[2].resource'] },
  ],
  [
    'Parameters with parts',
    {
      resourceType: 'Parameters',
      parameter: [{ resource }, { resource: STAY }, { name: 'x', part: [{ name: 'y', resource: OLD }] }],
    },
    { severity: 'error', code: 'not-supported', expression: ['Parameters.parameter[2]'] },
  ],
  [
    'an unknown parameter',
    { resourceType: 'Parameters', parameter: [{ resource }, { name: 'histroy', valueCode: 'complete' }] },
    { severity: 'warning', code: 'not-supported', expression: ['Parameters.parameter[1]'] },
  ],
]
for (const [name, json, issue] of FAULTS) {
  test(`a fault of the body is named: ${name}`, async () => {
    const answer = await served.send({ path: '/fhir/$score?history=complete', json })
    assert.equal(answer.status, 200, answer.text)
    const entries = entriesOf(answer.json())
    assert.partialDeepStrictEqual(entries.at(-1)?.resource, {
      resourceType: 'OperationOutcome',
      issue: [issue],
    })
    // What could not be read may belong to the history.
    const isScored = entries.some((each) => each.resource['resourceType'] === 'RiskAssessment')
    assert.equal(isScored, false)
  })
}
