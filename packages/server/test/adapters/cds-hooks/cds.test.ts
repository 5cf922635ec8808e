/** CDS Hooks over HTTP: discovery, prefetch, cards, feedback and CORS. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Answer } from '../../../../../test/support/exchange.ts'
import { type Resource, STAY, condition, encounter, observation, patient, ucum } from '../fhir/source.ts'
import { INSTANCE, OLD, request, searchset } from './requests.ts'
import { ORIGIN, serveAdapters } from '../../../../../test/support/serve-adapters.ts'

type Served = Awaited<ReturnType<typeof serveAdapters>>
const PAGE = 'https://ward.example.org'
let served: Served
before(async () => {
  served = await serveAdapters({ origins: [PAGE] })
})
after(() => served.close())

const call = (json: unknown, more: Parameters<Served['send']>[0] = {}): Promise<Answer> =>
  served.send({
    path: '/cds-services/readmission',
    json,
    ...more,
    headers: { 'content-type': 'application/json', ...more.headers },
  })
const cardsOf = (answer: Answer): readonly Resource[] =>
  (answer.json() as { cards: readonly Resource[] }).cards

test('discovery: a service for each deployment and hook, with templates from the mapping', async () => {
  const answer = await served.send({ method: 'GET', path: '/cds-services', headers: { authorization: '' } })
  const { services } = answer.json() as {
    services: readonly (Resource & { prefetch: Record<string, string> })[]
  }
  assert.deepEqual(
    services.map(({ id, hook }) => [id, hook]),
    [
      ['readmission', 'patient-view'],
      ['readmission', 'encounter-discharge'],
      ['hospital', 'encounter-discharge'],
    ],
  )
  assert.deepEqual(services[0]?.prefetch, {
    patient: 'Patient/{{context.patientId}}',
    // 13 months before the day of the call: the window of the model, and a month for the stay.
    encounters: 'Encounter?patient={{context.patientId}}&date=ge2025-02-15&_sort=-date&_count=200',
  })
  const asked = services[2]?.prefetch['observations'] ?? ''
  assert.match(asked, /code=http:\/\/loinc\.org\|718-7,.*urn:patient-risk:fields\|oncologyService/)
  assert.ok(services[2]?.prefetch['procedures']?.startsWith('Procedure?'))
})

test('a card: summary, indicator, detail, source, link, and the same id for the same request', async () => {
  const [answer, again] = [await call(request({})), await call(request({}))]
  assert.equal(answer.status, 200, answer.text)
  const [card = {}] = cardsOf(answer)
  assert.match(String(card['summary']), /^Readmission within 30 days: \d+(\.\d+)? %$/)
  assert.ok(String(card['summary']).length < 140)
  assert.ok(['info', 'warning'].includes(String(card['indicator'])))
  assert.match(String(card['detail']), /\| Length of stay \| stayDays 7 \|/)
  assert.partialDeepStrictEqual(card, {
    source: { url: `${ORIGIN}/model-card` },
    links: [{ type: 'absolute', url: `${ORIGIN}/#/readmission/patient` }],
  })
  for (const path of ['/model-card', '/']) {
    const page = await served.send({ method: 'GET', path, headers: { authorization: '' } })
    assert.equal(page.status, 200, path)
    assert.match(String(page.headers['content-type']), /^text\/html/)
  }
  assert.equal(again.text, answer.text)
  assert.equal(answer.headers['risk-deployment'], 'readmission')
})

test('an open stay is counted to the day of the call', async () => {
  const open = { ...encounter('index', 'IMP', '2026-03-12T10:20:00+01:00'), status: 'in-progress' }
  const [card = {}] = cardsOf(await call(request({ encounters: searchset(open, OLD) })))
  assert.match(String(card['detail']), /stayDays 3/)
})

const CASES: readonly (readonly [string, number, Resource])[] = [
  ['encounters that are a text', 412, request({ encounters: 'oops' })],
  ['encounters that are no resource', 412, request({ encounters: {} })],
  [
    'encounters with an error among them',
    412,
    request({
      encounters: searchset(STAY, { resourceType: 'OperationOutcome', issue: [{ severity: 'error' }] }),
    }),
  ],
  [
    'an Encounter of another patient',
    412,
    request({ encounters: searchset(STAY, { ...OLD, subject: { reference: 'Patient/other' } }) }),
  ],
  ['no prefetch at all', 412, { ...request({}), prefetch: undefined }],
  ['encounters were not fetched', 412, request({ encounters: undefined })],
  ['encounters could not be fetched', 412, request({ encounters: { resourceType: 'OperationOutcome' } })],
  [
    'encounters have a next page',
    412,
    request({ encounters: { ...searchset(STAY), link: [{ relation: 'next', url: 'x' }] } }),
  ],
  ['encounters are fewer than their total', 412, request({ encounters: { ...searchset(STAY), total: 2 } })],
  ['a Bundle within the encounters', 412, request({ encounters: searchset(STAY, searchset(OLD)) })],
  [
    'the patient of the context with different content',
    412,
    request({ encounters: searchset(STAY, patient({ birthDate: '1941-01-01' })) }),
  ],
  ['no patient was found', 412, request({ patient: null })],
  ['another patient', 412, request({ patient: patient({ id: 'q' }) })],
  ['the Encounter of the context is not there', 412, request({ encounters: searchset(OLD) })],
  ['no encounter was found', 412, request({ encounters: null })],
  ['another hook', 400, request({}, { hook: 'order-select' })],
  ['no UUID', 400, request({}, { hookInstance: '1' })],
  ['no context', 400, request({}, { context: null })],
  [
    'fhirAuthorization without fhirServer',
    400,
    request({}, { fhirAuthorization: { access_token: 'foo-token' } }),
  ],
  [
    'fhirAuthorization with a fhirServer that is no text',
    400,
    request({}, { fhirServer: 1, fhirAuthorization: { access_token: 'foo-token' } }),
  ],
  [
    'a context without encounterId',
    400,
    request({}, { context: { userId: 'Practitioner/1', patientId: 'p' } }),
  ],
  // From the tests of the CDS Hooks sandbox services (Apache-2.0): its services answer them alike.
  ['sandbox: a request without prefetch', 412, { hook: 'patient-view' }],
  [
    'sandbox: an open FHIR server is not called',
    412,
    { hook: 'patient-view', fhirServer: 'http://some-fhir-server/open', context: { patientId: 'foo-id' } },
  ],
  [
    'sandbox: a secured FHIR server is not called',
    412,
    {
      hook: 'patient-view',
      fhirServer: 'http://some-fhir-server/secured',
      fhirAuthorization: { access_token: 'foo-token' },
      context: { patientId: 'foo-id' },
    },
  ],
]
for (const [name, status, json] of CASES) {
  test(`${status}: ${name}`, async () => {
    const answer = await call(json)
    assert.equal(answer.status, status, answer.text)
    assert.equal(answer.headers['content-type'], 'application/problem+json')
  })
}

test('sandbox: a body that is not JSON is 400, an unknown service 404', async () => {
  assert.equal((await call(undefined, { body: '{"invalid"}' })).status, 400)
  assert.equal((await call({}, { path: '/cds-services/none' })).status, 404)
})

const view = (prefetch: Resource): Resource =>
  request(prefetch, { hook: 'patient-view', context: { userId: 'Practitioner/1', patientId: 'p' } })
test('nothing to say gives an empty list', async () => {
  const long = encounter('index', 'IMP', '2025-03-02', '2025-03-09')
  for (const [json, path] of [
    [view({ encounters: searchset(long) }), '/cds-services/readmission'],
    [view({ patient: patient({ birthDate: '2020-01-01' }) }), '/cds-services/readmission'],
    // An outpatient: no stay, or none but an outpatient visit. Data that was not fetched would not change that.
    [view({ encounters: null }), '/cds-services/readmission'],
    [
      view({ encounters: searchset(encounter('index', 'AMB', '2026-03-10', '2026-03-10')) }),
      '/cds-services/readmission',
    ],
    // The discharge from an outpatient or emergency visit.
    [
      request({ encounters: searchset(encounter('index', 'EMER', '2026-03-10', '2026-03-10')) }),
      '/cds-services/hospital',
    ],
  ] as const) {
    const answer = await call(json, { path })
    assert.deepEqual([answer.status, answer.json()], [200, { cards: [] }])
  }
})

test('a patient who has died gets no card', async () => {
  const answer = await call(request({ patient: patient({ deceasedBoolean: true }) }))
  assert.deepEqual([answer.status, cardsOf(answer)], [200, []])
})

test('the patient may come a second time with the encounters', async () => {
  const found = searchset(STAY, OLD)
  const included = { fullUrl: 'https://h.example/fhir/Patient/p', resource: patient() }
  const encounters = { ...found, entry: [...(found['entry'] as Resource[]), included] }
  const answer = await call(request({ encounters }))
  assert.deepEqual([answer.status, cardsOf(answer).length], [200, 1])
})

test('several stays that may be the latest: the card names the reason', async () => {
  const answer = await call(view({ encounters: searchset(STAY, { ...STAY, id: 'twin' }) }))
  const [card = {}] = cardsOf(answer)
  assert.match(String(card['detail']), /Several inpatient Encounters begin last/)
})

test('a latest Encounter of an unknown class: a card names the reason, no empty list', async () => {
  const local = { ...STAY, class: { system: 'http://local.example', code: 'ward' } }
  for (const encounters of [searchset(local), searchset(local, OLD)]) {
    const [card = {}] = cardsOf(await call(view({ encounters })))
    assert.match(String(card['detail']), /stayDays: The class of the latest Encounter is not in the mapping/)
  }
})

test('no patient was found: the refusal names the key', async () => {
  const { detail } = (await call(request({ patient: null }))).json() as { detail: string }
  assert.equal(detail, 'The data under "patient" is not the patient that was asked for.')
})

test('an empty search is a complete one: null means that nothing was found', async () => {
  const [card = {}] = cardsOf(await call(request({ encounters: searchset(STAY) })))
  assert.match(String(card['detail']), /inpatientAdmissions 0/)
})

test('a card compares each input with the typical patient, age once, and tells the notices', async () => {
  const [card = {}] = cardsOf(await call(request({ patient: patient({ birthDate: '1916-01-15' }) })))
  const detail = String(card['detail'])
  assert.match(detail, /Compared with the typical patient of the model's data \(\d+(\.\d+)? %\):/)
  assert.equal(detail.match(/\| age 110 \|/g)?.length, 1)
  assert.match(detail, /\n- age is above 99, the highest value in the data of readmission30\.\n/)
})

test('a card without a number has the range over what is missing', async () => {
  const [card = {}] = cardsOf(await call(request({ patient: patient({ gender: undefined }) })))
  assert.match(String(card['summary']), /no risk, because sex is missing/)
  const text = /\n- The risk lies between \d+(\.\d+)? % and \d+(\.\d+)? %, whatever sex is\.$/
  assert.match(String(card['detail']), text)
})

test('what is missing is named; what was not fetched is 412', async () => {
  const path = '/cds-services/hospital'
  const full = {
    observations: searchset(observation('hb', '718-7', ucum(11, 'g/dL'))),
    procedures: null,
    conditions: searchset(condition('c', 'I50')),
  }
  const [card = {}] = cardsOf(await call(request(full), { path }))
  assert.equal(card['indicator'], 'info')
  assert.match(String(card['summary']), /no risk, because .*sodium/)
  assert.equal((await call(request({ procedures: null }), { path })).status, 412)
})

test('feedback: card, outcome and coded reason reach the audit, the comment does not', async () => {
  const comment = 'CANARY-comment'
  const outcomeTimestamp = '2026-03-15T12:00:00Z'
  const feedback = [
    {
      card: INSTANCE,
      outcome: 'overridden',
      overrideReason: {
        reason: { system: 'urn:patient-risk:override-reasons', code: 'data-wrong' },
        userComment: comment,
      },
      outcomeTimestamp,
    },
    {
      card: INSTANCE,
      outcome: 'overridden',
      overrideReason: { reason: { system: 'urn:patient-risk:override-reasons', code: comment } },
      outcomeTimestamp,
    },
    { card: INSTANCE, outcome: 'accepted', acceptedSuggestions: [], outcomeTimestamp },
  ]
  assert.equal((await call({ feedback }, { path: '/cds-services/readmission/feedback' })).status, 200)
  const rows = (await served.store.readAudit({ most: 1000 })).map(({ content }) => content)
  const row = rows.find((content) => content.includes('"cds feedback"')) ?? ''
  assert.ok(
    row.includes(`${INSTANCE} overridden data-wrong, ${INSTANCE} overridden other, ${INSTANCE} accepted`),
    row,
  )
  assert.ok(!rows.join().includes(comment) && !served.logText().includes(comment))
  for (const wrong of [
    {},
    { feedback: [] },
    { feedback: [{ card: 'x', outcome: 'accepted', outcomeTimestamp }] },
    { feedback: [{ card: INSTANCE, outcome: 'read', outcomeTimestamp }] },
    ...[undefined, null, 1, '', '2026-03-15', '2026-03-15T12:00:00', 'now'].map((wrong) => {
      return { feedback: [{ card: INSTANCE, outcome: 'accepted', outcomeTimestamp: wrong }] }
    }),
  ]) {
    assert.equal((await call(wrong, { path: '/cds-services/readmission/feedback' })).status, 400)
  }
})

test('CORS: the pages that are allowed, also for refusals and preflights', async () => {
  const headers = { origin: PAGE, authorization: '' }
  const preflight = await served.send({ method: 'OPTIONS', path: '/cds-services/readmission', headers })
  assert.deepEqual([preflight.status, preflight.headers['access-control-allow-origin']], [204, PAGE])
  assert.equal(
    preflight.headers['access-control-allow-headers'],
    'authorization, content-type, if-match, risk-group, risk-outcomes',
  )
  const refused = await call(request({}), { headers })
  assert.deepEqual([refused.status, refused.headers['access-control-allow-origin']], [401, PAGE])
  const other = await call(request({}), { headers: { origin: 'https://evil.example.org' } })
  assert.equal(other.headers['access-control-allow-origin'], undefined)
})

test('no log line, audit row or refusal holds a word of a patient', async () => {
  const canary = 'CANARY-9d1e'
  const odd = patient({ name: [{ family: canary }], birthDate: canary, gender: canary })
  await call(request({ patient: odd }))
  await call(request({ patient: { ...odd, id: canary } }))
  await call(request({}, { hookInstance: canary }))
  const rows = await served.store.readAudit({ most: 1000 })
  assert.ok(!JSON.stringify(rows).includes(canary) && !served.logText().includes(canary))
})
