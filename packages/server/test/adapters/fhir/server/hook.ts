/** CDS Hooks: what the caller has not fetched, or only a page of it, the service fetches; the card is the same. */
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import type { Resource } from '../source.ts'
import { type Case, FRAIL, LONG, MANY, OPEN, PLAIN, SICK, TODAY, indexOf } from './cases.ts'
import { getFhir } from './client.ts'
import { resetAll, servers, theService, startError } from './harness.ts'
import { CARD_SCOPES, callHook, cardsOf } from './results.ts'

const server = servers.hooksOnly

const searchset = (resources: readonly Resource[]): Resource => ({
  resourceType: 'Bundle',
  type: 'searchset',
  total: resources.length,
  entry: resources.map((resource) => ({ resource, search: { mode: 'match' } })),
})

/** The searches that discovery names, for a patient. */
async function templatesOf(name: string, { id }: Case): Promise<Readonly<Record<string, string>>> {
  const { services } = (await theService().get('/cds-services')).json() as {
    readonly services: readonly { readonly id: string; readonly prefetch: Record<string, string> }[]
  }
  const { prefetch = {} } = services.find((each) => each.id === name) ?? {}
  return Object.fromEntries(
    Object.entries(prefetch).map(([key, path]) => [key, path.replaceAll('{{context.patientId}}', id)]),
  )
}

/** The request of a caller that has fetched all resources, also those outside the window of the templates. */
async function wholePrefetch(name: string, case_: Case): Promise<Resource> {
  const templates = await templatesOf(name, case_)
  const found = Object.entries(templates).map(([key, path]) => {
    const type = path.split(/[?/]/, 1)[0]
    const resources = case_.resources.filter(({ resourceType }) => resourceType === type)
    return [key, key === 'patient' ? resources[0] : searchset(resources)]
  })
  return Object.fromEntries(found) as Resource
}

/** The request of a caller that has fetched the first page of each search only. */
async function firstPages(name: string, case_: Case): Promise<Resource> {
  const { token } = server.grants.issue(CARD_SCOPES, 300, case_.id)
  const entries = Object.entries(await templatesOf(name, case_)).map(async ([key, path]) => {
    const page: unknown = await (await getFhir(`${server.url}/${path}`, token)).json()
    return [key, page] as const
  })
  const pages = Object.fromEntries<unknown>(await Promise.all(entries))
  server.reset()
  return pages
}

suite('a hook fetches', { skip: startError !== undefined }, () => {
  beforeEach(resetAll)

  for (const name of ['readmission', 'hospital', 'lace', 'profund']) {
    for (const case_ of [PLAIN, MANY, LONG, OPEN, SICK, FRAIL]) {
      test(`${name} without prefetch: the card for ${case_.what}`, async () => {
        const expected = cardsOf(await callHook(server, case_, await wholePrefetch(name, case_), { name }))
        assert.equal(expected.length, 1)
        server.reset()
        assert.deepEqual(cardsOf(await callHook(server, case_, undefined, { name })), expected)
        assert.ok(server.seen.length > 0)
        assert.deepEqual(server.tokenRequests, [], 'the token of the caller is used')
      })
    }
    test(`${name} with the first page of each search: the same card`, async () => {
      for (const case_ of [PLAIN, MANY, SICK, FRAIL]) {
        const expected = cardsOf(await callHook(server, case_, await wholePrefetch(name, case_), { name }))
        assert.deepEqual(
          cardsOf(await callHook(server, case_, await firstPages(name, case_), { name })),
          expected,
        )
      }
    })
  }

  test('patient-view without prefetch', async () => {
    const options = { hook: 'patient-view' }
    const whole = await wholePrefetch('readmission', PLAIN)
    const expected = cardsOf(await callHook(server, PLAIN, whole, options))
    assert.deepEqual(cardsOf(await callHook(server, PLAIN, undefined, options)), expected)
  })

  test('nothing is fetched where the prefetch is whole', async () => {
    await callHook(server, PLAIN, await wholePrefetch('readmission', PLAIN))
    assert.deepEqual(server.seen, [])
  })

  test('only what is missing is fetched', async () => {
    const { patient, encounters } = await wholePrefetch('readmission', PLAIN)
    await callHook(server, PLAIN, { patient })
    assert.ok(server.seen.length > 0 && server.seen.every(({ path }) => !path.includes('/Patient/')))
    server.reset()
    await callHook(server, PLAIN, { encounters })
    assert.ok(server.seen.length > 0 && server.seen.every(({ path }) => path.includes('/Patient/')))
  })

  test('what the caller could not fetch is not fetched again', async () => {
    const outcome = { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code: 'exception' }] }
    const whole = await wholePrefetch('readmission', PLAIN)
    assert.equal((await callHook(server, PLAIN, { ...whole, encounters: outcome })).status, 412)
    assert.deepEqual(server.seen, [])
  })

  test('a page that reaches back beyond the window is enough', async () => {
    const old = MANY.resources.filter(({ resourceType }) => resourceType === 'Encounter')
    const next = { relation: 'next', url: `${server.url}?_getpages=x` }
    const { patient } = await wholePrefetch('readmission', MANY)
    const page = { ...searchset(old), total: 500, link: [next] }
    assert.equal(cardsOf(await callHook(server, MANY, { patient, encounters: page })).length, 1)
    assert.deepEqual(server.seen, [])
  })

  test('templates ask for the window of the model by a date', async () => {
    const { encounters = '' } = await templatesOf('readmission', PLAIN)
    const from = /[?&]date=ge(\d{4}-\d\d-\d\d)/.exec(encounters)?.[1]
    const days = (Date.parse(TODAY) - Date.parse(String(from))) / 86_400_000
    assert.ok(days > 390 && days < 460, `${String(from)} is ${days} days ago`)
  })

  const REFUSED: readonly (readonly [string, () => ReturnType<typeof callHook>])[] = [
    ['a server that is not listed', () => callHook(servers.stranger, PLAIN)],
    [
      'a scope without Encounters',
      () => callHook(server, PLAIN, undefined, { scopes: ['patient/Patient.rs'] }),
    ],
    ['an unknown patient', () => callHook(server, { ...PLAIN, id: 'nobody' })],
    ['an id that is a path', () => callHook(server, { ...PLAIN, id: '..' })],
    ['a text that cannot be an id', () => callHook(server, { ...PLAIN, id: `${PLAIN.id}&_id=x` })],
  ]
  for (const [name, call] of REFUSED) {
    test(`no card: ${name}`, async () => {
      const answer = await call()
      assert.ok([400, 412].includes(answer.status), answer.text)
      assert.deepEqual(servers.stranger.seen, [])
      const paths = server.seen.map(({ path }) => path)
      assert.ok(!paths.some((path) => /_id|\.\.|^\/fhir\/$/.test(path)), paths.join('\n'))
    })
  }

  test('another patient than the one of the token gets no card', async () => {
    const other = { ...PLAIN, id: PLAIN.id, resources: LONG.resources }
    assert.notEqual(indexOf(other), indexOf(PLAIN))
    assert.equal((await callHook(server, other)).status, 412)
  })
})
