/** The cache of keys: what is recalled, looked up, refused and let go, and what holds while the store is unavailable. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fingerprintOf } from '@patient-risk/runtime'
import { KeySecrets } from '../../../src/store/keys/key-secrets.ts'
import { KeyCache } from '../../../src/store/keys/key-cache.ts'
import { type NewKey, formatApiKey, makeKey, newApiKey } from '../../../src/store/keys/keys.ts'
import type { Store, StoredKey } from '../../../src/store/store.ts'
import { until } from '../../../../../test/support/until.ts'
import { type MemoryStore, openMemoryStore } from '../memory-store.ts'

const SECRETS = new KeySecrets(Buffer.from('a secret of the server'))
const REQUEST: NewKey = { name: 'ward', scopes: ['a'], expiresAt: null }

/** A store that counts look-ups, and fails or waits when asked to. */
function watched(store: MemoryStore): { store: Store; asked: () => number; fail: (fails: boolean) => void } {
  let count = 0
  let fails = false
  const findKey = (id: string): Promise<StoredKey | undefined> => {
    count++
    return fails ? Promise.reject(new Error('unavailable')) : store.findKey(id)
  }
  const latestTime = (): Promise<number> => store.latestTime()
  return {
    store: { keyFreshMs: 200, findKey, latestTime } as Partial<Store> as Store,
    asked: () => count,
    fail: (now) => (fails = now),
  }
}

async function cacheOf(keys: readonly Partial<NewKey>[]): Promise<{
  cache: KeyCache
  made: readonly { readonly id: string; readonly key: string }[]
  asked: () => number
  fail: (fails: boolean) => void
  memory: MemoryStore
  clock: { steady: number }
}> {
  const memory = await openMemoryStore()
  const made = []
  for (const key of keys) made.push(await makeKey(memory, SECRETS, { ...REQUEST, ...key }, 0))
  const { store, asked, fail } = watched(memory)
  const clock = { steady: 0 }
  return { cache: new KeyCache(store, SECRETS, () => clock.steady), made, asked, fail, memory, clock }
}

test('a verified key is recalled without a look-up for as long as the store states', async () => {
  const { cache, made, asked, clock } = await cacheOf([{}])
  const [{ id, key }] = made as [{ id: string; key: string }]
  assert.equal(cache.recall(key, 1), undefined)
  assert.equal((await cache.verify(key, 1))?.id, id)
  assert.equal(asked(), 1)
  clock.steady = 199
  assert.equal((await cache.verify(key, 1))?.id, id)
  assert.equal(cache.recall(key, 1)?.id, id)
  assert.equal(asked(), 1)
  clock.steady = 200
  assert.equal(cache.recall(key, 1), undefined)
  assert.equal((await cache.verify(key, 1))?.id, id)
  assert.equal(asked(), 2)
  cache.forget(id)
  assert.equal(cache.recall(key, 1), undefined)
  const wrong = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')
  await cache.verify(key, 1)
  assert.equal(cache.recall(wrong, 1), undefined)
  assert.equal(cache.recall(`${key}A`, 1), undefined)
  assert.equal(await cache.verify(wrong, 1), undefined)
  assert.equal(asked(), 3, 'a mistyped key is not looked up')
})

test('requests that come at once share one look-up, and a later one has its own', async () => {
  const { cache, made, asked } = await cacheOf([{}, {}])
  const [one, two] = made as [{ key: string; id: string }, { key: string; id: string }]
  const found = await Promise.all([one, one, two, one].map(({ key }) => cache.verify(key, 1)))
  assert.deepEqual(
    found.map((key) => key?.id),
    [one.id, one.id, two.id, one.id],
  )
  assert.equal(asked(), 2)
  cache.forget(one.id)
  await cache.verify(one.key, 1)
  assert.equal(asked(), 3)
})

test('of requests that share a look-up, another secret for the same id is refused, in any order', async () => {
  const { cache, made, asked, clock } = await cacheOf([{}])
  const [{ id, key }] = made as [{ id: string; key: string }]
  const other = formatApiKey({ ...newApiKey(), id })
  for (const [round, texts] of [
    [key, other, key],
    [other, key, other],
  ].entries()) {
    clock.steady = round * 1_000
    const verified = await Promise.all(texts.map((text) => cache.verify(text, 1)))
    assert.deepEqual(
      verified.map((each) => each !== undefined),
      texts.map((text) => text === key),
    )
    assert.equal(asked(), round + 1)
  }
})

test('an unknown key, another secret for a known id, a revoked and an expired key are refused', async () => {
  const { cache, made, memory, clock } = await cacheOf([{}, { expiresAt: 100 }, {}])
  const [revoked, expiring, good] = made as [Made, Made, Made]
  assert.equal(await cache.verify(formatApiKey(newApiKey()), 1), undefined)
  const forged = formatApiKey({ ...newApiKey(), id: good.id })
  assert.equal(await cache.verify(forged, 1), undefined)
  assert.equal(cache.recall(forged, 1), undefined)
  assert.equal((await cache.verify(good.key, 1))?.id, good.id)
  assert.equal(await cache.verify(forged, 1), undefined)
  await cache.verify(revoked.key, 1)
  await memory.revokeKey(revoked.id, 5)
  clock.steady = 200
  assert.equal(await cache.verify(revoked.key, 1), undefined)
  assert.equal(cache.recall(revoked.key, 1), undefined)
  assert.equal((await cache.verify(expiring.key, 99))?.id, expiring.id)
  assert.equal(cache.recall(expiring.key, 99)?.id, expiring.id)
  assert.equal(cache.recall(expiring.key, 100), undefined)
  assert.equal(cache.recall(expiring.key, 99), undefined, 'a clock that is set back revives no key')
  assert.equal(cache.latestTime(3), 100)
})
interface Made {
  readonly id: string
  readonly key: string
}

test('a time that another process has recorded ends a key too', async () => {
  const { cache, made, memory } = await cacheOf([{ expiresAt: 100 }])
  memory.tables.exec('UPDATE chain SET latest_time = 100')
  assert.equal(await cache.verify(made[0]?.key ?? '', 1), undefined)
})

test('a key that was removed from the store is forgotten', async () => {
  const { cache, made, memory, clock, fail } = await cacheOf([{}])
  const [{ key }] = made as [Made]
  await cache.verify(key, 1)
  memory.tables.exec('DELETE FROM keys')
  clock.steady = 200
  assert.equal(await cache.verify(key, 1), undefined)
  fail(true)
  await assert.rejects(cache.verify(key, 1), /unavailable/)
})

for (const uptimeMs of [0, 86_400_000]) {
  test(`while the store is unavailable, a key that it confirmed stays valid for a minute, and is asked for once a second; after ${uptimeMs} ms`, async () => {
    const { cache, made, asked, fail, clock } = await cacheOf([{}, {}])
    const [known, unknown] = made as [Made, Made]
    const at = (ms: number): number => (clock.steady = uptimeMs + ms)
    at(0)
    await cache.verify(known.key, 1)
    fail(true)
    at(1_000)
    await assert.rejects(cache.verify(unknown.key, 1), /unavailable/)
    assert.equal(cache.recall(known.key, 1), undefined)
    assert.equal((await cache.verify(known.key, 1))?.id, known.id)
    const forged = formatApiKey({ ...newApiKey(), id: known.id })
    assert.equal(await cache.verify(forged, 1), undefined)
    const before = asked()
    at(1_999)
    assert.equal((await cache.verify(known.key, 1))?.id, known.id)
    assert.equal(asked(), before)
    at(2_000)
    assert.equal((await cache.verify(known.key, 1))?.id, known.id)
    assert.equal(asked(), before + 1)
    at(59_999)
    assert.equal((await cache.verify(known.key, 1))?.id, known.id)
    at(60_000)
    assert.equal(cache.recall(known.key, 1), undefined)
    await assert.rejects(cache.verify(known.key, 1), /unavailable/)
    fail(false)
    assert.equal((await cache.verify(known.key, 1))?.id, known.id)
  })
}

test('somebody who guesses at the secret of a known id does not make the cache forget the key', async () => {
  const { cache, made, fail } = await cacheOf([{}])
  const [{ id, key }] = made as [Made]
  await cache.verify(key, 1)
  assert.equal(await cache.verify(formatApiKey({ ...newApiKey(), id }), 1), undefined)
  fail(true)
  assert.equal((await cache.verify(key, 1))?.id, id)
})

test('a key is found by its id alone while it is valid', async () => {
  const { cache, made, memory, fail } = await cacheOf([{}, { expiresAt: 100 }])
  const [key, expiring] = made as [Made, Made]
  assert.equal((await cache.find(key.id, 99))?.id, key.id)
  assert.equal((await cache.find(expiring.id, 99))?.id, expiring.id)
  assert.equal(await cache.find(expiring.id, 100), undefined)
  await memory.revokeKey(key.id, 5)
  assert.equal(await cache.find(key.id, 99), undefined)
  assert.equal(await cache.find('nobody', 99), undefined)
  fail(true)
  await assert.rejects(cache.find(key.id, 99), /unavailable/)
})

test('by the clock of the process a key is soon looked up again', async () => {
  const memory = await openMemoryStore()
  const { key } = await makeKey(memory, SECRETS, REQUEST, 0)
  const { store } = watched(memory)
  const cache = new KeyCache(Object.assign(store, { keyFreshMs: 20 }), SECRETS)
  await cache.verify(key, 1)
  await setTimeout(30)
  assert.equal(cache.recall(key, 1), undefined)
})

test('the cache lets go of keys that were not checked for a minute, the oldest first, and of more than it may keep', async () => {
  const { cache, made, clock } = await cacheOf([{}, {}, {}])
  const entries = Reflect.get(cache, 'entries') as Map<string, unknown>
  for (const [place, { key }] of made.entries()) {
    clock.steady = place * 30_000
    await cache.verify(key, 1)
  }
  assert.deepEqual([...entries.keys()], [made[1]?.id, made[2]?.id])
  clock.steady = 61_000
  await cache.verify(made[1]?.key ?? '', 1)
  assert.deepEqual([...entries.keys()], [made[2]?.id, made[1]?.id], 'in the order of their checks')
  for (let count = entries.size; count < 10_000; count++) entries.set(`${count}`, { checkedAt: 61_000 })
  await cache.verify(made[0]?.key ?? '', 1)
  assert.equal(entries.size, 10_000)
  assert.equal(entries.has(made[2]?.id ?? ''), false)
  assert.equal(entries.has(made[1]?.id ?? ''), true)
})

test('a time that was seen with a key without an end counts for all keys', async () => {
  const { cache, made } = await cacheOf([{}, { expiresAt: 100 }])
  const [endless, expiring] = made as [{ id: string; key: string }, { id: string; key: string }]
  assert.notEqual(await cache.verify(expiring.key, 99), undefined)
  assert.notEqual(await cache.verify(endless.key, 100), undefined)
  assert.equal(cache.recall(expiring.key, 99), undefined, 'a clock that is set back revives no key')
})

test('a time that was seen while the store did not answer counts too', async () => {
  const { cache, made, fail } = await cacheOf([{ expiresAt: 100 }])
  const key = made[0]?.key ?? ''
  fail(true)
  await assert.rejects(cache.verify(key, 100))
  fail(false)
  assert.equal(await cache.verify(key, 99), undefined, 'a clock that is set back revives no key')
})

test('after a rotation the requests of a key that come at once write its new digest once', async () => {
  const memory = await openMemoryStore()
  const older = Buffer.from('a secret of the server')
  const { id, key } = await makeKey(memory, new KeySecrets(older), REQUEST, 0)
  const secrets = new KeySecrets(Buffer.from('the next secret'), older)
  await memory.secretFingerprint(fingerprintOf(older))
  await memory.replaceSecret(fingerprintOf(older), secrets.fingerprint)
  let writes = 0
  const store: Partial<Store> = {
    keyFreshMs: 200,
    findKey: (wanted) => memory.findKey(wanted),
    latestTime: () => Promise.resolve(0),
    secretFingerprint: () => Promise.resolve(secrets.fingerprint),
    moveDigest: (...moved) => {
      writes++
      return memory.moveDigest(...moved)
    },
  }
  const cache = new KeyCache(store as Store, secrets, () => 0)
  const verified = await Promise.all(Array.from({ length: 50 }, () => cache.verify(key, 1)))
  assert.deepEqual(new Set(verified.map((each) => each?.id)), new Set([id]))
  assert.equal(writes, 1)
  await until(async () => (await memory.findKey(id))?.secretFingerprint === secrets.fingerprint)
  cache.forget(id)
  assert.equal((await cache.verify(key, 1))?.id, id)
  assert.equal(writes, 1, 'a digest by the secret in use is not written again')
})
