/** Failed keys are counted by address and by key id, in one process or in several that share a store. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FailedAttempts } from '../../../src/http/request/authenticate.ts'
import { MemoryQuota } from '../../../src/store/quota.ts'
import { around, atLimit } from '../../../../../test/support/limits.ts'
import { StoreError } from '@patient-risk/runtime'

const LIMIT = 10
const ADDRESS = '192.0.2.1'

const storeOver = (quota: MemoryQuota): ConstructorParameters<typeof FailedAttempts>[1] => ({
  takeQuota: (...args) => Promise.resolve(quota.take(...args)),
})
const attemptsOver = (quota = new MemoryQuota(), limit = LIMIT): FailedAttempts =>
  new FailedAttempts(limit, storeOver(quota))
/** Ids as keys have them. */
const idOf = (count: number): string => `id${String(count).padStart(10, '0')}`

/** How many failures are answered as usual before the caller must wait. */
async function usual(processes: readonly FailedAttempts[], keyId: (turn: number) => string): Promise<number> {
  let count = 0
  for (let turn = 0; turn < 5 * LIMIT; turn++) {
    const attempts = processes[turn % processes.length] as FailedAttempts
    if ((await attempts.noteFailure(ADDRESS, keyId(turn))) === 0) count++
  }
  return count
}

test('an address may fail as often as the limit, and other addresses are not affected', async () => {
  const attempts = attemptsOver()
  assert.equal(await usual([attempts], idOf), LIMIT)
  assert.equal(await attempts.noteFailure('192.0.2.2', idOf(99)), 0)
})

test('a key id may fail as often as the limit, whatever the address', async () => {
  const attempts = attemptsOver()
  const waits: number[] = []
  for (let turn = 0; turn < 2 * LIMIT; turn++)
    waits.push(await attempts.noteFailure(`192.0.2.${turn}`, idOf(1)))
  assert.equal(waits.filter((wait) => wait === 0).length, LIMIT)
  assert.notEqual(waits.at(-1), 0)
})

atLimit(
  'failed keys a minute of an address, and of a key id',
  around(LIMIT),
  async (failures, isPermitted) => {
    const ofAddress = attemptsOver()
    const ofKey = attemptsOver()
    for (let turn = 1; turn < failures; turn++) {
      await ofAddress.noteFailure(ADDRESS, idOf(turn))
      await ofKey.noteFailure(`192.0.2.${turn}`, idOf(0))
    }
    assert.equal((await ofAddress.noteFailure(ADDRESS, idOf(failures))) === 0, isPermitted)
    assert.equal((await ofKey.noteFailure(`192.0.2.${failures}`, idOf(0))) === 0, isPermitted)
  },
)

test('text that is not a key id is counted by address only', async () => {
  const counters: string[] = []
  const attempts = new FailedAttempts(LIMIT, {
    takeQuota: (counter) => {
      counters.push(counter)
      return Promise.resolve({ granted: 1, remaining: LIMIT, resetsInMs: 60_000 })
    },
  })
  await attempts.noteFailure(ADDRESS, "x'; --")
  assert.deepEqual(counters, [`failed keys of ${ADDRESS}`])
})

test('failures at the same time are counted exactly', async () => {
  const attempts = attemptsOver()
  const waits = await Promise.all(Array.from({ length: 50 }, () => attempts.noteFailure(ADDRESS, '')))
  assert.equal(waits.filter((wait) => wait === 0).length, LIMIT)
})

test('processes that share a store share the count', async () => {
  const quota = new MemoryQuota()
  assert.equal(
    await usual(
      [1, 2, 3].map(() => attemptsOver(quota)),
      idOf,
    ),
    LIMIT,
  )
})

test('once the limit is reached, the store is not asked again', async () => {
  const quota = new MemoryQuota()
  let asked = 0
  const attempts = new FailedAttempts(LIMIT, {
    takeQuota: (...args) => {
      asked++
      return Promise.resolve(quota.take(...args))
    },
  })
  for (let turn = 0; turn < 5 * LIMIT; turn++) await attempts.noteFailure(ADDRESS, '')
  assert.equal(asked, LIMIT)
})

test('a store that does not count is an error', async () => {
  const silent = { takeQuota: () => Promise.reject(new StoreError('silent')) }
  await assert.rejects(new FailedAttempts(LIMIT, silent).noteFailure(ADDRESS, ''), StoreError)
})

const NETWORKS = [
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff::1', true],
  ['2001:db8::1:0:0:1', '2001:db8::2', true],
  ['2001:db8::a:b:c:d', '2001:db8::e:f:c:d', true],
  ['::1', '::2', true],
  ['2001:db8:1::', '2001:db8:1:0:9::', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['2001:db8::1:2:3:4:5', '2001:db8::1:2:3:4', false],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ['192.0.2.1', '192.0.2.2', false],
] as const
for (const [one, other, isSame] of NETWORKS) {
  test(`${one} and ${other} are counted ${isSame ? 'together' : 'separately'}`, async () => {
    const attempts = attemptsOver(new MemoryQuota(), 1)
    await attempts.noteFailure(one, '')
    assert.equal((await attempts.noteFailure(other, '')) > 0, isSame)
  })
}
