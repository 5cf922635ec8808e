/** Windows that the memory of one process counts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Limiter } from '../../src/store/quota.ts'
import { MemoryQuota } from '../../src/store/quota.ts'

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
