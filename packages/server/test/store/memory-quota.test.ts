/** Windows that the memory of one process counts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Limiter, MemoryQuota } from '../../src/store/quota.ts'

test('a window that has just begun ends after its length, at any fraction of a millisecond', async () => {
  for (let step = 0; step < 20_000; step++) {
    const now = (): number => 1_000 + step * 0.7301
    const quota = new MemoryQuota(now)
    assert.equal(quota.take('one', 1, 1, 360_000).resetsInMs, 360_000)
    if (step % 20 > 0) continue
    const limiter = new Limiter({ takeQuota: (...asked) => Promise.resolve(quota.take(...asked)) }, now)
    assert.equal((await limiter.take('two', 10, 1)).resetsInMs, 60_000)
  }
})

test('a portion that arrives late is not used in the next window', async () => {
  let now = 0
  const quota = new MemoryQuota(() => now)
  const store = {
    async takeQuota(...args: Parameters<MemoryQuota['take']>) {
      const grant = quota.take(...args)
      // The answer is under way until after the end of the window.
      await Promise.resolve()
      now += 500
      return grant
    },
  }
  const limiter = new Limiter(store, () => now)
  quota.take('ward', 1_000, 1)
  now = 59_900
  await limiter.take('ward', 1_000, 1)
  assert.equal(limiter.takeAtHand('ward', 1), undefined)
})
