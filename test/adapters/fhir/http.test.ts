/** `$score` over HTTP: answers, formats, refusals, audit, and what never leaves the service. */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { DeploymentSettings } from '../../../src/config-schema.ts'
import { DEPLOYMENTS, serveAdapters } from '../serve-adapters.ts'
import { type Resource, STAY, bundle, bundleFile, encounter, observation, patient, ucum } from './source.ts'

type Served = Awaited<ReturnType<typeof serveAdapters>>
let served: Served
before(async () => {
  served = await serveAdapters()
})
after(() => served.close())

interface AnswerBundle {
  readonly entry: readonly {
    readonly link?: readonly { url: string }[]
    readonly resource: Resource & { readonly issue?: readonly Resource[] }
  }[]
}
const entriesOf = (json: unknown): AnswerBundle['entry'] => (json as AnswerBundle).entry
const OLD = encounter('old', 'IMP', '2025-09-10T09:00:00+02:00', '2025-09-15T11:00:00+02:00')

test('a whole exchange: the risk as a percentage, its basis, period and rationale', async () => {
  const answer = await served.send({ json: bundleFile('01-complete') })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-type'], 'application/fhir+json; charset=utf-8')
  assert.match(String(answer.headers['risk-model']), /^readmission30@/)
  const record = { idx: 0, age: 84, sex: 'F', inpatientAdmissions: 1, emergencyAdmissions: 2, stayDays: 7 }
  const [{ risk } = { risk: 0 }] = (await served.post([record])).json() as { risk: number }[]
  const [first] = entriesOf(answer.json())
  const { resource } = first as AnswerBundle['entry'][number]
  const [prediction] = resource['prediction'] as Resource[]
  assert.equal(prediction?.['probabilityDecimal'], Number((risk * 100).toFixed(2)))
  assert.ok(String(prediction['rationale']).startsWith(`${(risk * 100).toFixed(2)} %`))
  assert.deepEqual(prediction['whenPeriod'], { start: '2026-03-09', end: '2026-04-08' })
  assert.partialDeepStrictEqual(resource, {
    status: 'final',
    subject: { reference: 'https://hospital.example/fhir/Patient/p1' },
    encounter: { reference: 'https://hospital.example/fhir/Encounter/index' },
  })
  const basis = (resource['basis'] as { reference: string }[]).map(({ reference }) => reference)
  assert.ok(basis.includes('https://hospital.example/fhir/Encounter/old-imp'))
  assert.ok(!basis.includes('https://hospital.example/fhir/Encounter/clinic'))
})

test('a yes-no deployment answers with a qualitative risk and no number', async () => {
  const answer = await served.send({ path: '/flag/fhir/$score', json: bundleFile('01-complete') })
  const [first] = entriesOf(answer.json())
  const [prediction] = first?.resource['prediction'] as Resource[]
  assert.match((prediction?.['qualitativeRisk'] as { text: string }).text, /^(Yes|No): /)
  assert.equal(prediction?.['probabilityDecimal'], undefined)
  assert.ok(!/^[0-9]/.test(String(prediction?.['rationale'])))
})

test('one bad patient never costs another its answer', async () => {
  const bad = { ...patient({ id: 'bad', birthDate: 12 }), name: [{ family: 4 }] }
  const stay = { ...STAY, id: 'b', subject: { reference: 'Patient/bad' }, period: 'none' }
  const good = await served.send({ json: bundle(patient(), STAY, OLD) })
  const both = await served.send({ json: bundle(bad, stay, patient(), STAY, OLD) })
  assert.equal(both.status, 200)
  const [first, second] = entriesOf(both.json())
  assert.equal(first?.resource['resourceType'], 'OperationOutcome')
  assert.deepEqual(first.link, [{ relation: 'about', url: 'Patient/bad' }])
  assert.deepEqual(second?.resource, entriesOf(good.json())[0]?.resource)
})

test('problems: severity, code, message of the contract, reason, and the element at fault', async () => {
  const answer = await served.send({
    path: '/hospital/fhir/$score',
    json: bundle(patient(), STAY, OLD, observation('hb', '718-7', ucum(200, 'g/dL'))),
  })
  const issues = entriesOf(answer.json())[0]?.resource.issue ?? []
  assert.deepEqual(
    issues.find(({ code }) => code === 'value'),
    {
      severity: 'error',
      code: 'value',
      details: { text: 'ValueError for value Haemoglobin in idx 0 (out of range)' },
      expression: ['Bundle.entry[3].resource.value'],
    },
  )
  const missing = issues.find(
    ({ details }) => (details as { text: string }).text === 'ValueMissing for value acuteAdmission',
  )
  assert.partialDeepStrictEqual(missing, {
    severity: 'error',
    code: 'required',
    expression: ['Bundle.entry[1].resource.priority.coding'],
  })
})

test('the same patient id from two servers is two patients; a resource twice with other content is refused', async () => {
  const two = entriesOf((await served.send({ json: bundleFile('03-two-patients') })).json())
  assert.equal(two.length, 2)
  const conflict = await served.send({ json: bundle(patient(), STAY, OLD, { ...OLD, status: 'cancelled' }) })
  assert.partialDeepStrictEqual(entriesOf(conflict.json())[0]?.resource, { issue: [{ code: 'duplicate' }] })
  const repeated = await served.send({ json: bundle(patient(), STAY, OLD, OLD) })
  assert.equal(entriesOf(repeated.json())[0]?.resource['resourceType'], 'RiskAssessment')
})

test('resources of a Patient that is not there are named and not used', async () => {
  const lost = { ...OLD, subject: { reference: 'Patient/other' } }
  const entries = entriesOf(
    (await served.send({ json: bundle(patient(), STAY, OLD, { ...lost, id: 'lost' }) })).json(),
  )
  assert.partialDeepStrictEqual(entries.at(-1)?.resource, {
    issue: [{ severity: 'warning', expression: ['Bundle.entry[3].resource.subject'] }],
  })
})

test('Parameters: resources one by one, with history, asOf and encounter', async () => {
  const open = { ...encounter('index', 'IMP', '2026-03-02T10:20:00+01:00'), status: 'in-progress' }
  const parameter = [
    ...[patient(), open].map((resource) => ({ name: 'resource', resource })),
    { name: 'history', valueCode: 'complete' },
    { name: 'asOf', valueDateTime: '2026-03-06T08:00:00+01:00' },
    { name: 'encounter', valueReference: { reference: 'Encounter/index' } },
  ]
  const answer = await served.send({ json: { resourceType: 'Parameters', parameter } })
  assert.equal(entriesOf(answer.json())[0]?.resource['resourceType'], 'RiskAssessment')
  const byQuery = await served.send({
    path: '/fhir/$score?history=complete&asOf=2026-03-06',
    json: bundle(patient(), open),
  })
  assert.deepEqual(
    entriesOf(byQuery.json())[0]?.resource['prediction'],
    entriesOf(answer.json())[0]?.resource['prediction'],
  )
  // A plus sign that was not encoded is a space once it is decoded.
  const withOffset = await served.send({
    path: '/fhir/$score?history=complete&asOf=2026-03-06T10:00:00+01:00',
    json: bundle(patient(), open),
  })
  assert.equal(withOffset.text, byQuery.text)
})

const json = (value: unknown): string => JSON.stringify(value)
const REFUSALS: readonly (readonly [string, number, string, Parameters<Served['send']>[0]])[] = [
  ['not JSON', 400, 'structure', { body: '{' }],
  ['nothing', 400, 'structure', { body: '' }],
  ['a key twice', 400, 'structure', { body: '{"resourceType":"Bundle","type":"collection","type":"batch"}' }],
  ['33 levels', 400, 'too-costly', { body: '['.repeat(33) + ']'.repeat(33) }],
  ['not UTF-8', 400, 'structure', { body: Buffer.from([0x7b, 0xff, 0x7d]) }],
  ['an array', 400, 'structure', { body: '[]' }],
  ['a Patient alone', 400, 'structure', { body: json(patient()) }],
  ['R5 by its class', 400, 'not-supported', { json: bundle(patient(), { ...STAY, class: [{}] }) }],
  ['R5 by its status', 400, 'not-supported', { json: bundle(patient(), { ...STAY, status: 'completed' }) }],
  ['R5 by its period', 400, 'not-supported', { json: bundle(patient(), { ...STAY, actualPeriod: {} }) }],
  [
    'a page of several',
    422,
    'incomplete',
    { json: { ...bundle(patient()), link: [{ relation: 'next', url: 'x' }] } },
  ],
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

test('an address beside FHIR is refused as a problem', async () => {
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

test('a resource with and without its address is one resource; different content is a conflict', async () => {
  const included = { fullUrl: 'https://h.example/fhir/Patient/p', resource: patient() }
  const body: Resource = { ...bundle(STAY, OLD), type: 'searchset', total: 2 }
  const send = async (alone: Resource): Promise<AnswerBundle['entry']> => {
    const found = {
      ...body,
      entry: [...(body['entry'] as Resource[]), { ...included, search: { mode: 'include' } }],
    }
    const parameter = [
      { name: 'patient', resource: alone },
      { name: 'encounters', resource: found },
    ]
    return entriesOf((await served.send({ json: { resourceType: 'Parameters', parameter } })).json())
  }
  const { birthDate, ...rest } = patient()
  const same = await send({ birthDate, ...rest })
  assert.deepEqual(
    same.map((each) => [each.resource['resourceType'], each.link?.[0]?.url]),
    [['RiskAssessment', included.fullUrl]],
  )
  const [conflict, ...others] = await send({ ...rest, birthDate: '1941-01-01' })
  assert.partialDeepStrictEqual(conflict?.resource, { issue: [{ code: 'duplicate' }] })
  assert.deepEqual(others, [])
})

for (const [format, type] of [
  ['json', 'application/fhir+json'],
  ['application/json', 'application/json'],
  ['application/fhir%2Bjson', 'application/fhir+json'],
  ['application/fhir+json', 'application/fhir+json'],
  ['application/fhir%2Bjson;%20charset=utf-8', 'application/fhir+json'],
  ['application/fhir+json;fhirVersion=4.0', 'application/fhir+json'],
] as const) {
  test(`_format=${format} gets ${type}`, async () => {
    const path = `/fhir/metadata?_format=${format}`
    const answer = await served.send({ method: 'GET', path, headers: { accept: 'application/fhir+xml' } })
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, `${type}; charset=utf-8`])
  })
}

for (const [accept, type] of [
  ['*/*', 'application/fhir+json'],
  ['application/json', 'application/json'],
  ['application/json+fhir', 'application/fhir+json'],
  ['application/fhir+json;fhirVersion=5.0, application/fhir+json;fhirVersion=4.0.1', 'application/fhir+json'],
  ['application/fhir+xml, application/fhir+json;q=0.5', 'application/fhir+json'],
] as const) {
  test(`Accept: ${accept} gets ${type}`, async () => {
    const answer = await served.send({ json: bundle(), headers: { accept } })
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, `${type}; charset=utf-8`])
  })
}

test('lines of Bundles: an answer a line, in order, and a bad line costs only itself', async () => {
  const good = json(bundle(patient(), STAY, OLD))
  const answer = await served.send({
    body: `${good}\n{"a":\n\n${good}`,
    headers: { 'content-type': 'application/fhir+ndjson' },
  })
  assert.equal(answer.headers['content-type'], 'application/fhir+ndjson')
  const lines = answer.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Resource)
  assert.deepEqual(
    lines.map(({ resourceType }) => resourceType),
    ['Bundle', 'OperationOutcome', 'Bundle'],
  )
  assert.deepEqual(lines[2], lines[0])
})

test('a line may be as long as a body', async () => {
  const long = bundle(patient({ text: { status: 'generated', div: 'x'.repeat(3_000_000) } }), STAY, OLD)
  const answer = await served.send({
    body: `${json(long)}\n${json(bundle(patient(), STAY, OLD))}\n`,
    headers: { 'content-type': 'application/fhir+ndjson' },
  })
  const [first, second] = answer.text.trimEnd().split('\n')
  assert.equal(first, second)
  assert.partialDeepStrictEqual(JSON.parse(first ?? ''), { resourceType: 'Bundle' })
})

test('every call leaves a row; no row, log line or refusal holds a word of a patient', async () => {
  const canary = 'CANARY-51b2'
  const marked = { ...patient({ id: canary, name: [{ family: canary }], gender: canary, birthDate: canary }) }
  const stay = { ...STAY, id: canary, subject: { reference: `Patient/${canary}` }, status: canary }
  const odd = observation(
    canary,
    '718-7',
    { value: canary, unit: canary, comparator: canary },
    { subject: { reference: `Patient/${canary}` } },
  )
  const scored = await served.send({ json: bundle(marked, stay, odd) })
  assert.equal(scored.status, 200)
  const texts = entriesOf(scored.json()).flatMap(({ resource }) => json(resource.issue))
  assert.ok(
    texts.every((text) => !text.includes(canary)),
    texts.join(),
  )
  for (const body of [
    `{"${canary}":`,
    json({ resourceType: canary }),
    json({ resourceType: 'Bundle', link: [{ relation: 'next', url: canary }] }),
  ]) {
    assert.ok(!(await served.send({ body })).text.includes(canary))
  }
  const rows = await served.store.readAudit({ most: 1000 })
  const calls = rows
    .map(({ content }) => JSON.parse(content) as Resource)
    .filter(({ call }) => call === 'fhir $score')
  assert.ok(calls.some(({ status, records }) => status === 200 && records === 1))
  assert.ok(calls.some(({ status }) => status === 400))
  assert.ok(!json(rows).includes(canary))
  assert.ok(!served.logText().includes(canary))
  for (const file of readdirSync(served.dataDir)) {
    assert.ok(!readFileSync(join(served.dataDir, file)).includes(canary), file)
  }
})

test('CORS: web pages of the origins of the deployment may call', async () => {
  const page = 'https://ward.example.org'
  const [deployment] = DEPLOYMENTS
  const open = await serveAdapters(
    {},
    { deployments: [{ ...(deployment as DeploymentSettings), cors: { origins: [page] } }] },
  )
  const headers = { origin: page, 'access-control-request-method': 'POST' }
  const preflight = await open.send({ method: 'OPTIONS', headers })
  assert.deepEqual([preflight.status, preflight.headers['access-control-allow-origin']], [204, page])
  const answer = await open.send({ json: bundle(patient()), headers })
  assert.equal(answer.headers['access-control-allow-origin'], page)
  await open.close()
})

test('FHIR can be switched off', async () => {
  const without = await serveAdapters({}, { isFhirServed: false })
  assert.equal((await without.send({ json: bundle() })).status, 404)
  await without.close()
})
