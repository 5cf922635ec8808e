/** `$score` with fetching: the same risks as for a Bundle with everything, a result for each patient, and who may ask which server. */
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { CASES, LONG, MANY, PLAIN, SICK } from './cases.ts'
import { forbidden, hapi, resetAll, servers, theService, startError } from './harness.ts'
import { assertFailed, assertNothingScored, resultsOf, scoreFetched, scorePosted } from './results.ts'
import { QUIRKS } from './quirks.ts'
import { CLOSED_DEPLOYMENT, DEPLOYMENTS } from './service.ts'

const MOMENTS = [...new Set(CASES.map(({ asOf }) => asOf))]
const predictions = (answer: Awaited<ReturnType<typeof scoreFetched>>): readonly unknown[] =>
  resultsOf(answer).map(({ patient, prediction, texts }) => ({ patient, prediction, texts }))

suite('$score fetches', { skip: startError !== undefined }, () => {
  beforeEach(resetAll)

  for (const deployment of DEPLOYMENTS) {
    for (const asOf of MOMENTS) {
      test(`${deployment.name} as of ${asOf}: as if everything were sent`, async () => {
        const cases = CASES.filter((each) => each.asOf === asOf)
        const ids = cases.map(({ id }) => id)
        const options = { asOf, basePath: deployment.basePath }
        const [fetched, posted] = [
          await scoreFetched(servers.rsa, ids, options),
          await scorePosted(servers.rsa, cases, options),
        ]
        assert.deepEqual(predictions(fetched), predictions(posted))
        assert.deepEqual(
          resultsOf(fetched).map(({ patient }) => patient),
          ids,
        )
        assert.deepEqual(servers.rsa.refusals, [])
      })
    }
  }

  test('some patients get a number, so the comparison compares something', async () => {
    const results = resultsOf(
      await scoreFetched(
        servers.rsa,
        CASES.map(({ id }) => id),
      ),
    )
    for (const { id } of [PLAIN, MANY, LONG])
      assert.notEqual(results.find(({ patient }) => patient === id)?.prediction, undefined, id)
  })

  test('visits that fill several pages are all fetched', async () => {
    await scoreFetched(servers.rsa, [MANY.id])
    const pages = servers.rsa.seen.filter(({ path }) => path.includes('_getpages'))
    assert.ok(pages.length >= Math.floor(60 / hapi.pageSize) - 1, `${pages.length} further pages`)
  })

  test('links name the Patient on its server', async () => {
    const answer = await scoreFetched(servers.rsa, [PLAIN.id])
    assert.ok(answer.text.includes(`"url":"${servers.rsa.url}/Patient/${PLAIN.id}"`), answer.text)
  })

  test('an unknown patient costs the others nothing', async () => {
    const ids = [PLAIN.id, 'nobody', LONG.id]
    const results = resultsOf(await scoreFetched(servers.rsa, ids))
    assert.deepEqual(
      results.map(({ patient }) => patient),
      ids,
    )
    assertFailed(results[1])
    const alone = resultsOf(await scoreFetched(servers.rsa, [PLAIN.id, LONG.id]))
    assert.deepEqual([results[0], results[2]], alone)
  })

  for (const [name, server] of [
    ['ES384', servers.elliptic],
    ['a token endpoint from the configuration', servers.configured],
  ] as const) {
    test(`a server with ${name}`, async () => {
      const [result] = resultsOf(await scoreFetched(server, [PLAIN.id]))
      const [expected] = resultsOf(await scoreFetched(servers.rsa, [PLAIN.id]))
      assert.notEqual(expected?.prediction, undefined)
      assert.deepEqual(result?.prediction, expected?.prediction)
      assert.deepEqual(server.refusals, [])
    })
  }

  for (const quirk of QUIRKS) {
    test(`a server with another right form of answers gives the same: ${quirk}`, async () => {
      const ids = [PLAIN.id, MANY.id, SICK.id]
      const options = { basePath: '/lace' }
      const expected = predictions(await scoreFetched(servers.rsa, ids, options))
      servers.rsa.quirk = quirk
      assert.deepEqual(predictions(await scoreFetched(servers.rsa, ids, options)), expected)
    })
  }

  for (const reference of ['..', '.', '../Patient/x', 'a?_id=b', 'a/b', 'Ü', 'a'.repeat(65), '']) {
    test(`the reference Patient/${reference.slice(0, 10)} is refused and never sent`, async () => {
      const answer = await scoreFetched(servers.rsa, [PLAIN.id, reference])
      if (answer.status === 200) assertFailed(resultsOf(answer)[1])
      else assert.equal(Math.floor(answer.status / 100), 4)
      const paths = servers.rsa.seen.map(({ path }) => path)
      assert.ok(
        paths.every((path) => path.includes('_getpages') || path.includes(PLAIN.id)),
        paths.join('\n'),
      )
    })
  }

  const REFUSED = [
    ['a server that is not listed', servers.stranger, undefined],
    ['a server without backend access', servers.hooksOnly, undefined],
    ['a deployment that may not use it', servers.rsa, CLOSED_DEPLOYMENT.basePath],
    ['a path below the base of a server', { ...servers.rsa, url: `${servers.rsa.url}/Patient` }, undefined],
    [
      'another host with the same start',
      { ...servers.rsa, url: servers.rsa.url.replace('/fhir', '.example/fhir') },
      undefined,
    ],
    ['a user in the address', { ...servers.rsa, url: servers.rsa.url.replace('//', '//a@') }, undefined],
  ] as const
  for (const [name, server, basePath = '/'] of REFUSED) {
    test(`refused without a request: ${name}`, async () => {
      assertNothingScored(await scoreFetched(server, [PLAIN.id], { basePath }), [PLAIN.id])
      for (const { seen, tokenRequests } of Object.values(servers))
        assert.deepEqual([seen, tokenRequests], [[], []])
      assert.deepEqual(forbidden.calls, [])
    })
  }

  test('the public keys are served without authorization and hold nothing private', async () => {
    const { origin } = theService()
    const answer = await fetch(`${origin}/.well-known/jwks.json`)
    const { keys } = (await answer.json()) as { keys: readonly Readonly<Record<string, unknown>>[] }
    assert.equal(answer.status, 200)
    assert.match(String(answer.headers.get('cache-control')), /max-age/)
    assert.ok(keys.length >= 2)
    for (const key of keys) {
      assert.deepEqual(
        ['d', 'p', 'q', 'dp', 'dq', 'qi'].filter((name) => name in key),
        [],
      )
      assert.ok(['RSA', 'EC'].includes(String(key['kty'])))
      assert.equal(typeof key['kid'], 'string')
    }
  })
})
