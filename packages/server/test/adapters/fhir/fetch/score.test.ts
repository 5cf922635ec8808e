/** `$score` with patients of a FHIR server: fetched with the service's own token, a result for each. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../../../../../../test/support/exchange.ts'
import { OLD, type Resource, STAY, patient } from '../source.ts'
import { type Misbehave, endless, json } from './misbehaviours.ts'
import { RESOURCES, entriesOf, fhir, open, parameters, score, served, told } from './set-up.ts'

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

const named = (reference: string): Resource => ({ name: 'encounter', valueReference: { reference } })
const AS_OF = { name: 'asOf', valueDateTime: '2026-03-09' }
const indexOf = (answer: Answer): readonly unknown[] =>
  entriesOf(answer).flatMap(
    ({ resource }) => (resource['encounter'] as Resource | undefined)?.['reference'] ?? [],
  )

test('$score: the index stay may be named for patients of a server', async () => {
  for (const reference of ['Encounter/old', `${fhir.base}/Encounter/old`]) {
    const answer = await score(['Patient/p', 'Patient/long'], [named(reference), AS_OF])
    assert.deepEqual(indexOf(answer), [`${fhir.base}/Encounter/old`, `${fhir.base}/Encounter/long`])
  }
  const inQuery = await score(['Patient/p'], [AS_OF], '/fhir/$score?encounter=Encounter/old')
  assert.deepEqual(indexOf(inQuery), [`${fhir.base}/Encounter/old`])
})

test('$score: a named stay that no patient has leaves those without a stay of their own without a risk', async () => {
  const stays = [named('Encounter/old'), named('Encounter/none')]
  const answer = await score(['Patient/p', 'Patient/long'], [...stays, AS_OF])
  const [first, second] = entriesOf(answer)
  assert.equal((first?.resource['encounter'] as Resource)['reference'], `${fhir.base}/Encounter/old`)
  const [issue] = second?.resource.issue ?? []
  assert.match(JSON.stringify(issue), /names an Encounter that none of the patients has/)
  assert.deepEqual(issue?.['expression'], ['Parameters.parameter[4]'])
})

test('$score: what is wrong with a fetched patient points to the parameter that names it, and to resources by id', async () => {
  const answer = await score(['Patient/none', 'Patient/young', 'Patient/p'])
  const expressions = entriesOf(answer).flatMap(({ resource }) =>
    (resource.issue ?? []).map(({ expression }) => (expression as readonly string[]).join()),
  )
  assert.ok(expressions.includes('Parameters.parameter[1]'), expressions.join())
  assert.ok(expressions.includes('Parameters.parameter[2]'), expressions.join())
  for (const each of expressions) assert.match(each, /^Parameters\.parameter\[[123]\]$/)
  assert.doesNotMatch(answer.text, /parameter\[\d+\]\.resource/)
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
  fhir.scope = 'system/Patient.r system/Patient.s'
  assert.match(String(await refused(() => undefined)), /scope system\/Encounter\.rs/)
  for (const scope of ['system/*.cruds', 'system/*.s launch system/*.r', 'system/*.read']) {
    fhir.scope = scope
    assert.equal(typeof (await refused(() => undefined)), 'number', scope)
  }
  fhir.scope = ['system/*.rs', 'launch']
  assert.equal(typeof (await refused(() => undefined)), 'number', 'a list')
  fhir.scope = 'system/*.r'
  assert.match(String(await refused(() => undefined)), /scope system\/Patient\.rs/)
})

test('$score: a patient with an answer without an end costs the others nothing', async () => {
  fhir.misbehave = (url, response) => url.searchParams.get('patient') === 'long' && endless(url, response)
  const risks = told(await score(['Patient/long', 'Patient/p', 'Patient/long', 'Patient/p', 'Patient/p']))
  const texts = risks.map(([, risk]) => (typeof risk === 'number' ? 'number' : risk))
  const refused = 'The FHIR server sent more than the service takes.'
  assert.deepEqual(texts, [refused, 'number', refused, 'number', 'number'])
})

test('$score: a patient that the server never answers for costs the others nothing but some seconds', async () => {
  fhir.misbehave = (url) => url.searchParams.get('patient') === 'long'
  const started = performance.now()
  const risks = told(await score(['Patient/long', 'Patient/p']))
  const texts = risks.map(([, risk]) => (typeof risk === 'number' ? 'number' : risk))
  assert.deepEqual(texts, ['The FHIR server did not answer in time.', 'number'])
  assert.ok(performance.now() - started < 40_000, 'long before the time of the whole call')
})

test('$score: a token is not used in its last 30 seconds', async () => {
  for (const [seconds, more] of [
    [45, 1],
    [29, 2],
  ] as const) {
    // A refusal makes the service ask for a token of the new kind.
    fhir.tokens.clear()
    fhir.seconds = seconds
    const given = fhir.issued
    await score(['Patient/p'])
    await score(['Patient/p'])
    assert.equal(fhir.issued - given, more, `tokens of ${seconds} seconds`)
  }
  fhir.tokens.clear()
})

test('$score: the life of a token may be written as a text, and must be a number', async () => {
  for (const [seconds, isGiven] of [
    ['300', true],
    ['soon', false],
    [undefined, false],
  ] as const) {
    fhir.tokens.clear()
    fhir.seconds = seconds as unknown as number
    const [first] = told(await score(['Patient/p']))
    assert.equal(typeof first?.[1] === 'number', isGiven, String(seconds))
  }
  fhir.tokens.clear()
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
  ['an encounter that is none', 400, () => score(['Patient/p'], [], '/fhir/$score?encounter=Patient/p')],
  [
    'an encounter of another server',
    400,
    () => score(['Patient/p'], [named('https://other.example/Encounter/index')]),
  ],
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
