/** A server that misbehaves: a clear answer, never a number, never a hang, and the token stays where it belongs. */
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { LONG, MARK, OPEN, PLAIN } from './cases.ts'
import { forbidden, resetAll, servers, theService, startError } from './harness.ts'
import { FAULTS, TOKEN_FAULTS } from './misbehave.ts'
import { assertFailed, assertNothingScored, callHook, resultsOf, scoreFetched } from './results.ts'

const SEARCH = new RegExp(`/Encounter\\b.*${PLAIN.id}`)
const READ = new RegExp(`/Patient/${PLAIN.id}`)
/** A hook is answered while a clinician waits. */
const HOOK_MS = 8_000
/** What an answer without an end may cost before the service hangs up; some of it waits in buffers of the system. */
const MOST_BYTES = 100 * 1024 * 1024
const IDS = [LONG.id, PLAIN.id, OPEN.id]

suite('a server that misbehaves', { skip: startError !== undefined }, () => {
  beforeEach(resetAll)

  for (const kind of FAULTS) {
    const isOfPages = kind.startsWith('next-')
    for (const [what, only] of Object.entries(
      isOfPages ? { search: SEARCH } : { search: SEARCH, read: READ },
    )) {
      test(`$score, ${kind} at a ${what}: an OperationOutcome for that patient, the others unaffected`, async () => {
        const expected = resultsOf(await scoreFetched(servers.rsa, IDS))
        assert.notEqual(expected[1]?.prediction, undefined)
        servers.rsa.reset()
        servers.rsa.fault = { kind, only }
        const results = resultsOf(await scoreFetched(servers.rsa, IDS))
        assertFailed(results[1])
        assert.equal(results[1]?.patient, PLAIN.id)
        assert.deepEqual([results[0], results[2]], [expected[0], expected[2]])
        assert.deepEqual(forbidden.calls, [])
        // One new token after a 401, and no third.
        assert.ok(servers.rsa.tokenRequests.length <= 1)
        const asked = servers.rsa.seen.filter(({ path }) => only.test(decodeURIComponent(path)))
        assert.ok(asked.length <= 25, `${asked.length} requests`)
        assert.ok(asked.every(({ bytes }) => bytes < MOST_BYTES))
        assert.ok(servers.rsa.seen.every(({ path }) => path.startsWith('/fhir')))
      })

      test(`a hook, ${kind} at a ${what}: 412`, async () => {
        servers.hooksOnly.fault = { kind, only }
        const answer = await callHook(servers.hooksOnly, PLAIN)
        assert.equal(answer.status, 412, answer.text)
        assert.ok(answer.ms < HOOK_MS, `${answer.ms} ms`)
        assert.ok(servers.hooksOnly.seen.every(({ bytes }) => bytes < MOST_BYTES))
        assert.ok(servers.hooksOnly.seen.every(({ path }) => path.startsWith('/fhir')))
        assert.deepEqual(forbidden.calls, [])
      })
    }
  }

  for (const fault of TOKEN_FAULTS) {
    // Discovery may be remembered, so these two have servers of their own, which were never asked.
    const server =
      fault === 'no-configuration'
        ? servers.undiscovered
        : fault === 'token-elsewhere'
          ? servers.misleading
          : servers.elliptic
    test(`$score, ${fault}: no number for anybody`, async () => {
      server.grants.revokeAll()
      server.tokenFault = fault
      assertNothingScored(await scoreFetched(server, IDS), IDS)
      assert.deepEqual(forbidden.calls, [])
      assert.ok(server.tokenRequests.length <= 2 * IDS.length)
      server.reset()
      if (server !== servers.elliptic) return
      server.grants.revokeAll()
      assert.notEqual(resultsOf(await scoreFetched(server, IDS))[0]?.prediction, undefined, 'it recovers')
    })
  }

  test('no token, key or patient is in the log, and no token or key in an answer', () => {
    const service = theService()
    const tokens = Object.values(servers).flatMap(({ grants }) => grants.issued)
    assert.ok(tokens.length > 0)
    const texts = [service.log(), ...service.answers]
    for (const secret of [...tokens, ...service.secrets])
      assert.ok(!texts.some((text) => text.includes(secret)), 'a secret has leaked')
    assert.ok(!service.log().includes(MARK), 'the id of a patient is in the log')
  })
})
