/** `$score` over HTTP: risks, problems of patients, Parameters, and what never leaves the service. */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { serveAdapters } from '../../../../../../test/support/serve-adapters.ts'
import {
  type AnswerBundle,
  OLD,
  type Resource,
  STAY,
  bundle,
  bundleFile,
  encounter,
  entriesOf,
  observation,
  patient,
  ucum,
} from '../source.ts'

type Served = Awaited<ReturnType<typeof serveAdapters>>
let served: Served
before(async () => {
  served = await serveAdapters()
})
after(() => served.close())

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
  assert.equal(
    withOffset.text.replaceAll('2026-03-06T10:00:00+01:00', '2026-03-06'),
    byQuery.text,
    'but for the time of the moment',
  )
})

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
  const texts = entriesOf(scored.json()).flatMap(({ resource }) => JSON.stringify(resource.issue))
  assert.ok(
    texts.every((text) => !text.includes(canary)),
    texts.join(),
  )
  for (const body of [
    `{"${canary}":`,
    JSON.stringify({ resourceType: canary }),
    JSON.stringify({ resourceType: 'Bundle', link: [{ relation: 'next', url: canary }] }),
  ]) {
    assert.ok(!(await served.send({ body })).text.includes(canary))
  }
  const rows = await served.store.readAudit({ most: 1000 })
  const calls = rows
    .map(({ content }) => JSON.parse(content) as Resource)
    .filter(({ call }) => call === 'fhir $score')
  assert.ok(calls.some(({ status, records }) => status === 200 && records === 1))
  assert.ok(calls.some(({ status }) => status === 400))
  assert.ok(!JSON.stringify(rows).includes(canary))
  assert.ok(!served.logText().includes(canary))
  for (const file of readdirSync(served.dataDir)) {
    assert.ok(!readFileSync(join(served.dataDir, file)).includes(canary), file)
  }
})
