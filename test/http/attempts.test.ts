/** Failed keys: how many an address may show, to one process or to several that count together. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Attempts } from '../../src/http/request/failed-attempts.ts'
import { MemoryQuota } from '../../src/store/quota/memory-quota.ts'
import { StoreError } from '../../src/store/store.ts'

const LIMIT = 10

/** How many failures in a row each process takes note of, before the address must wait. */
async function failures(processes: readonly Attempts[], address = '192.0.2.1'): Promise<number> {
  let taken = 0
  for (let turn = 0; turn < 5 * LIMIT; turn++) {
    const attempts = processes[turn % processes.length] as Attempts
    if (attempts.waitMs(address) === 0 && (await attempts.noteFailure(address)) === 0) taken++
  }
  for (const attempts of processes) assert.ok(attempts.waitMs(address) > 0)
  return taken
}

test('an address may show as many as the limit, and others are not touched by it', async () => {
  const attempts = new Attempts(LIMIT)
  assert.equal(await failures([attempts]), LIMIT)
  assert.equal(attempts.waitMs('192.0.2.2'), 0)
})

test('many at once are no more', async () => {
  const attempts = new Attempts(LIMIT)
  const waits = await Promise.all(Array.from({ length: 50 }, () => attempts.noteFailure('192.0.2.1')))
  assert.equal(waits.filter((wait) => wait === 0).length, LIMIT)
})

test('processes that count together let pass as many as one', async () => {
  const quota = new MemoryQuota()
  assert.equal(await failures([1, 2, 3].map(() => new Attempts(LIMIT, quota))), LIMIT)
})

test('an address that must wait is known without asking', async () => {
  const quota = new MemoryQuota()
  let asked = 0
  const counted = {
    take: (counter: string, limit: number, want: number) => {
      asked++
      return quota.take(counter, limit, want)
    },
  }
  const attempts = new Attempts(LIMIT, counted)
  await failures([attempts])
  assert.equal(asked, LIMIT)
})

test('where nobody counts, nothing is let pass', async () => {
  const silent = { take: () => Promise.reject(new StoreError('silent')) }
  await assert.rejects(new Attempts(LIMIT, silent).noteFailure('192.0.2.1'), StoreError)
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
  test(`${one} and ${other} are counted ${isSame ? 'together' : 'apart'}`, async () => {
    const attempts = new Attempts(1)
    await attempts.noteFailure(one)
    assert.equal(attempts.waitMs(other) > 0, isSame)
  })
}
