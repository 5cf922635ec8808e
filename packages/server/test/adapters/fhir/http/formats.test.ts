/** `$score` over HTTP: `Accept`, `_format`, lines of Bundles, and CORS. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { DEPLOYMENTS, serveAdapters } from '../../../../../../test/support/serve-adapters.ts'
import { OLD, type Resource, STAY, bundle, patient } from '../source.ts'

type Served = Awaited<ReturnType<typeof serveAdapters>>
let served: Served
before(async () => {
  served = await serveAdapters()
})
after(() => served.close())

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
  const good = JSON.stringify(bundle(patient(), STAY, OLD))
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

for (const type of ['application/fhir+json', 'application/fhir+ndjson']) {
  test(`a byte order mark before ${type} is skipped, and a charset that means nothing ignored`, async () => {
    const body = JSON.stringify(bundle(patient(), STAY, OLD))
    const plain = await served.send({ body, headers: { 'content-type': type } })
    const headers = { 'content-type': `${type}; charset=us-ascii` }
    const marked = await served.send({ body: `\ufeff${body}`, headers: { 'content-type': type } })
    const declared = await served.send({ body, headers })
    assert.equal(plain.status, 200)
    assert.equal(marked.text, plain.text)
    assert.equal(declared.text, plain.text)
  })
}

test('a Bundle in another charset is refused by the name of the charset', async () => {
  const body = Buffer.from(JSON.stringify(bundle(patient({ name: [{ family: 'Muñoz' }] }))), 'latin1')
  const answer = await served.send({
    body,
    headers: { 'content-type': 'application/fhir+json; charset=iso-8859-15' },
  })
  assert.equal(answer.status, 415)
  assert.match(answer.text, /iso-8859-15/)
})

test('a line may be as long as a body', async () => {
  const long = bundle(patient({ text: { status: 'generated', div: 'x'.repeat(3_000_000) } }), STAY, OLD)
  const answer = await served.send({
    body: `${JSON.stringify(long)}\n${JSON.stringify(bundle(patient(), STAY, OLD))}\n`,
    headers: { 'content-type': 'application/fhir+ndjson' },
  })
  const [first, second] = answer.text.trimEnd().split('\n')
  assert.equal(first, second)
  assert.partialDeepStrictEqual(JSON.parse(first ?? ''), { resourceType: 'Bundle' })
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
