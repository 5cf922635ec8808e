/** Access tokens of SMART Backend Services: one for many patients, used until it expires, and replaced once after a 401. */
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { LONG, MANY, PLAIN } from './cases.ts'
import { resetAll, servers, startError } from './harness.ts'
import { resultsOf, scoreFetched } from './results.ts'

const server = servers.elliptic
const IDS = [PLAIN.id, MANY.id, LONG.id]

async function assertScored(): Promise<void> {
  const results = resultsOf(await scoreFetched(server, IDS))
  assert.equal(results.filter(({ prediction }) => prediction !== undefined).length, IDS.length)
}
const refused = (): number => server.seen.filter(({ status }) => status === 401).length

suite('tokens', { skip: startError !== undefined }, () => {
  beforeEach(resetAll)

  test('one token for many patients and calls', async () => {
    server.grants.revokeAll()
    await assertScored()
    const asked = server.tokenRequests.length
    assert.equal(asked, 1)
    await assertScored()
    await assertScored()
    assert.equal(server.tokenRequests.length, asked)
  })

  test('several calls at once share the request for a token', async () => {
    server.grants.revokeAll()
    await Promise.all([assertScored(), assertScored(), assertScored()])
    assert.ok(server.tokenRequests.length <= 3, `${server.tokenRequests.length} requests for tokens`)
  })

  test('after a 401 one new token, and everything is scored', async () => {
    await assertScored()
    server.reset()
    server.grants.revokeAll()
    await assertScored()
    assert.equal(server.tokenRequests.length, 1)
    assert.ok(refused() >= 1)
  })

  test('an expired token is not sent', async () => {
    server.grants.revokeAll()
    server.expiresInS = 3
    await assertScored()
    server.seen.length = 0
    await sleep(3_500)
    await assertScored()
    assert.equal(refused(), 0)
    assert.ok(server.tokenRequests.length >= 2)
  })

  test('every assertion is new, and none was refused', () => {
    assert.deepEqual(server.refusals, [])
  })
})
