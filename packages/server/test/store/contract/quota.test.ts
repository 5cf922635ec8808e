/** The contract of every store: quota. */
import assert from 'node:assert/strict'
import { Limiter } from '../../../src/store/quota.ts'
import { onEachStore } from './each-store.ts'

onEachStore((given, test) => {
  test('a counter may have a longer window of its own', async () => {
    const first = await given.store.takeQuota('token one', 1, 1, 360_000)
    assert.equal(first.granted, 1)
    assert.ok(first.resetsInMs > 60_000 && first.resetsInMs <= 360_000)
    assert.equal((await given.store.takeQuota('token one', 1, 1, 360_000)).granted, 0)
  })

  test('quota is given up to the limit, and no further', async () => {
    assert.equal((await given.store.takeQuota('one', 10, 4)).granted, 4)
    assert.equal((await given.store.takeQuota('one', 10, 4)).remaining, 2)
    const last = await given.store.takeQuota('one', 10, 4)
    assert.deepEqual([last.granted, last.remaining], [2, 0])
    assert.ok(last.resetsInMs > 0 && last.resetsInMs <= 60_000)
    assert.equal((await given.store.takeQuota('two', 10, 40)).granted, 10)
  })

  test('the limiter grants the limit exactly, for any callers and any amount at once', async () => {
    const { store: other } = given.place.countsForSeveral ? await given.place.open() : given
    const limiters = [
      new Limiter(given.store),
      given.place.countsForSeveral ? new Limiter(other) : undefined,
    ].flatMap((each) => each ?? [])
    let granted = 0
    const work = async (index: number): Promise<void> => {
      const limiter = limiters[index % limiters.length] as Limiter
      for (let i = 0; i < 200; i++) if ((await limiter.take('busy', 1_000, 1)).isGranted) granted++
    }
    await Promise.all(Array.from({ length: 8 }, (_, index) => work(index)))
    if (other !== given.store) await other.close()
    assert.ok(granted >= 990 && granted <= 1_000, `${granted} of 1,000 were granted`)
    if (!given.place.countsForSeveral) assert.equal(granted, 1_000)
  })

  test('a request that needs more than is left takes nothing from the others', async () => {
    const limiter = new Limiter(given.store)
    assert.equal((await limiter.take('records', 100, 60)).isGranted, true)
    assert.equal((await limiter.take('records', 100, 60)).isGranted, false)
    assert.equal((await limiter.take('records', 100, 40)).isGranted, true)
    assert.equal((await limiter.take('records', 100, 1)).isGranted, false)
  })
})
