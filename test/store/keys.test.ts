/** Keys as they are written, stored, recalled, managed and shown. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatApiKey, idOfApiKey, newApiKey, parseApiKey } from '../../src/store/keys/api-key.ts'
import { KeyCache } from '../../src/store/keys/key-cache.ts'
import { KeyManager, describeKey } from '../../src/store/keys/key-manager.ts'
import { KeyRuleError, mayUse, parseLifetime, scopesFor } from '../../src/store/keys/key-rules.ts'
import { type NewKey, fingerprintOf, isGenuine, makeKey } from '../../src/store/keys/keys.ts'
import { makeSeal, sealRequestId } from '../../src/store/audit/seal.ts'
import type { Store, StoredKey } from '../../src/store/store.ts'
import { type MemoryStore, openMemoryStore } from './memory-store.ts'

const SECRET = Buffer.from('a secret of the server')
const REQUEST: NewKey = { name: 'ward', scopes: ['a'], expiresAt: null }

/** Id, secret and check sum, the last computed by another program: another form would refuse every key in use. */
const WRITTEN = [
  ['AAAAAAAAAAAA', 'B'.repeat(43), '2CgLoI'],
  ['zz0Z9aB8cD7e', '0'.repeat(43), '3782u2'],
] as const
for (const [id, secret, check] of WRITTEN) {
  test(`the key of ${id} is written with the check sum ${check}`, () => {
    assert.equal(formatApiKey({ id, secret }), `prk_${id}_${secret}${check}`)
  })
}

test('a written key is read back, and has its id at a fixed place', () => {
  for (let count = 0; count < 20; count++) {
    const made = newApiKey()
    const key = formatApiKey(made)
    assert.match(key, /^prk_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
    assert.deepEqual(parseApiKey(key), made)
    assert.equal(idOfApiKey(key), made.id)
  }
})

test('new keys have digits of all kinds at every place, and no two are alike', () => {
  const keys = Array.from({ length: 400 }, newApiKey)
  assert.equal(new Set(keys.map(({ id }) => id)).size, 400)
  for (const part of ['id', 'secret'] as const) {
    const length = part === 'id' ? 12 : 43
    assert.ok(keys.every((key) => key[part].length === length))
    for (let place = part === 'id' ? 0 : 1; place < length; place++) {
      const digits = new Set(keys.map((key) => key[part][place]))
      assert.ok(digits.size > 50, `${part} ${place}: ${digits.size}`)
    }
  }
})

test('a key with one wrong character, or one too many or too few, is not a key', () => {
  const key = formatApiKey(newApiKey())
  for (let place = 0; place < key.length; place++) {
    for (const other of ['-', key[place] === 'x' ? 'y' : 'x']) {
      assert.equal(parseApiKey(key.slice(0, place) + other + key.slice(place + 1)), undefined, `${place}`)
    }
  }
  for (const wrong of ['', key.slice(1), key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, key.repeat(2)]) {
    assert.equal(parseApiKey(wrong), undefined, JSON.stringify(wrong))
  }
})

test('what is stored of a key is a digest that depends on the secrets of the key and of the server', async () => {
  const store = await openMemoryStore()
  const { id, key } = await makeKey(store, SECRET, { ...REQUEST, limits: { recordsPerMinute: 5 } }, 7)
  const stored = (await store.findKey(id)) as StoredKey
  const { digest, ...rest } = stored
  assert.deepEqual(
    { ...rest },
    {
      id,
      name: 'ward',
      scopes: ['a'],
      limits: { recordsPerMinute: 5 },
      createdAt: 7,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      replaces: null,
    },
  )
  const shown = parseApiKey(key)
  assert.ok(shown)
  assert.equal(digest.length, 32)
  assert.ok(!Buffer.from(digest).includes(shown.secret))
  assert.equal(isGenuine(SECRET, shown, stored), true)
  assert.equal(isGenuine(SECRET, { id, secret: `${shown.secret}x` }, stored), false)
  assert.equal(isGenuine(Buffer.from('another'), shown, stored), false)
  assert.notEqual(fingerprintOf(SECRET), fingerprintOf(Buffer.from('another')))
  assert.notEqual(fingerprintOf(SECRET), Buffer.from(digest).toString('base64'))
  assert.deepEqual((await store.findKey((await makeKey(store, SECRET, REQUEST, 1)).id))?.limits, {})
})

test('sealed digests and request ids depend on the secret, and show nothing of what was sealed', () => {
  const [one, other] = [makeSeal(SECRET), makeSeal(Buffer.from('another'))]
  assert.notEqual(one('digest'), other('digest'))
  assert.notEqual(one('digest'), one('digest2'))
  assert.equal(one('digest'), makeSeal(SECRET)('digest'))
  assert.match(one('digest'), /^[A-Za-z0-9+/]{43}=$/)
  assert.match(sealRequestId(one, 'MRN-621287'), /^sealed-[A-Za-z0-9+/]{22}$/)
  assert.notEqual(sealRequestId(one, 'MRN-621287'), sealRequestId(one, 'MRN-621288'))
  // Computed by another program: rows and stores that are kept must still be recognised by later versions.
  assert.equal(one('digest'), '8hZege1RFLlVMXAxJx5JMDydjGLRkQDEc3AA0KTqjFE=')
  assert.equal(sealRequestId(one, 'MRN-621287'), 'sealed-yi45NYsa8zD25N4tGJx5s5')
  assert.equal(fingerprintOf(SECRET), '0KOOmVFbks6YDPb8T9fxMmPrqv8R3MSTxAk4lTnDfbQ=')
  // A body that reads like a request id must not be sealed to the same text.
  assert.notEqual(sealRequestId(one, 'x').slice(7), one('x').slice(0, 22))
})

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
  for (const key of keys) made.push(await makeKey(memory, SECRET, { ...REQUEST, ...key }, 0))
  const { store, asked, fail } = watched(memory)
  const clock = { steady: 0 }
  return { cache: new KeyCache(store, SECRET, () => clock.steady), made, asked, fail, memory, clock }
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

test('while the store is unavailable, a key that it confirmed stays valid for a minute, and is asked for once a second', async () => {
  const { cache, made, asked, fail, clock } = await cacheOf([{}, {}])
  const [known, unknown] = made as [Made, Made]
  await cache.verify(known.key, 1)
  fail(true)
  clock.steady = 1_000
  await assert.rejects(cache.verify(unknown.key, 1), /unavailable/)
  assert.equal(cache.recall(known.key, 1), undefined)
  assert.equal((await cache.verify(known.key, 1))?.id, known.id)
  const forged = formatApiKey({ ...newApiKey(), id: known.id })
  assert.equal(await cache.verify(forged, 1), undefined)
  const before = asked()
  clock.steady = 1_999
  assert.equal((await cache.verify(known.key, 1))?.id, known.id)
  assert.equal(asked(), before)
  clock.steady = 2_000
  assert.equal((await cache.verify(known.key, 1))?.id, known.id)
  assert.equal(asked(), before + 1)
  clock.steady = 59_999
  assert.equal((await cache.verify(known.key, 1))?.id, known.id)
  clock.steady = 60_000
  assert.equal(cache.recall(known.key, 1), undefined)
  await assert.rejects(cache.verify(known.key, 1), /unavailable/)
  fail(false)
  assert.equal((await cache.verify(known.key, 1))?.id, known.id)
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

const subjectOf =
  (subject: KeyRuleError['subject']): ((error: unknown) => boolean) =>
  (error) =>
    error instanceof KeyRuleError && error.subject === subject

/** What is asked of a manager, what is refused of it, and the sentence. */
const REFUSED = [
  [
    { name: '' },
    'name',
    'A name has 1 to 100 characters, at least one of them visible, and no control characters.',
  ],
  [{ name: 'x', deployments: ['c'] }, 'deployment', 'There is no such deployment. There are: a, b.'],
  [
    { name: 'x', expires: 'soon' },
    'expires',
    'A length of time is a number and a unit, as in 30m, 12h or 90d.',
  ],
  [
    { name: 'x', limits: { requestsPerMinute: 0 } },
    'limits',
    'A limit is a whole number from 1 to 1000000000, or none.',
  ],
] as const
for (const [request, subject, message] of REFUSED) {
  test(`a key is refused for its ${subject}: ${message}`, async () => {
    const manager = managerOf(await openMemoryStore())
    await assert.rejects(manager.create(request, 'all'), subjectOf(subject))
    await assert.rejects(manager.create(request, 'all'), { message })
  })
}

function managerOf(store: Store, clock = { now: 1_000 }): KeyManager {
  return new KeyManager({ store, secret: SECRET, deployments: ['a', 'b'], now: () => clock.now })
}

test('the manager makes, lists, replaces and revokes keys', async () => {
  const store = await openMemoryStore()
  const clock = { now: 1_000 }
  const manager = managerOf(store, clock)
  const { id } = await manager.create({ name: 'first', expires: '1m' }, 'all')
  const { id: admin } = await manager.create({ name: 'second', deployments: ['a'], admin: true }, 'all')
  const found = async (key: string): Promise<StoredKey> => (await store.findKey(key)) as StoredKey
  assert.deepEqual((await found(id)).scopes, ['*'])
  assert.deepEqual([(await found(id)).createdAt, (await found(id)).expiresAt], [1_000, 61_000])
  assert.deepEqual((await found(admin)).scopes, ['a', 'admin'])
  assert.deepEqual([(await found(admin)).expiresAt, (await found(admin)).limits], [null, {}])
  assert.deepEqual((await manager.list('all')).map(({ name }) => name).sort(), ['first', 'second'])
  assert.deepEqual(
    (await manager.list(['a'])).map(({ name }) => name),
    ['second'],
  )
  clock.now = 2_000
  const heir = await found((await manager.rotate(admin, {}, 'all')).id)
  assert.deepEqual([heir.replaces, heir.expiresAt, heir.createdAt], [admin, null, 2_000])
  assert.equal((await found(admin)).expiresAt, 2_000 + 24 * 3_600_000, 'a day unless said otherwise')
  const second = await found((await manager.rotate(id, { overlap: '0s' }, 'all')).id)
  assert.equal(second.expiresAt, 62_000, 'it lives as long as the old one was made for')
  assert.equal((await found(id)).expiresAt, 2_000)
  await assert.rejects(manager.rotate(id, {}, 'all'), subjectOf('key ended'))
  await assert.rejects(manager.rotate(id, {}, 'all'), {
    message: 'The key is revoked or expired. Make a new one instead.',
  })
  await assert.rejects(manager.rotate(admin, { overlap: 'x' }, 'all'), subjectOf('overlap'))
  await assert.rejects(manager.rotate(admin, { expires: '0s' }, 'all'), subjectOf('expires'))
  await assert.rejects(manager.rotate('nobody', {}, 'all'), subjectOf('key unknown'))
  await assert.rejects(manager.revoke(heir.id, ['b']), { message: 'There is no key of this id.' })
  assert.equal((await manager.revoke(heir.id, ['a'])).revokedAt, 2_000)
  await assert.rejects(manager.rotate(heir.id, {}, 'all'), subjectOf('key ended'))
  assert.deepEqual(describeKey(await found(heir.id)), {
    id: heir.id,
    name: 'second',
    scopes: ['a', 'admin'],
    limits: {},
    created: '1970-01-01T00:00:02.000Z',
    expires: null,
    revoked: '1970-01-01T00:00:02.000Z',
    lastUsed: null,
    replaces: admin,
  })
})

test('a key is made at the latest time that was recorded, and one that expires not if that is far ahead', async () => {
  const store = await openMemoryStore()
  const manager = managerOf(store)
  store.tables.exec('UPDATE chain SET latest_time = 61000')
  const { id } = await manager.create({ name: 'x', expires: '1s' }, 'all')
  assert.equal((await store.findKey(id))?.expiresAt, 62_000)
  store.tables.exec('UPDATE chain SET latest_time = 61001')
  await assert.rejects(manager.create({ name: 'x', expires: '1s' }, 'all'), {
    message:
      'The store has recorded a time (1970-01-01T00:01:01.001Z) after the present one: a clock was wrong, then or now. A key that expires cannot be made until that time has passed. Correct the clock, or make a key that does not expire.',
  })
  const { id: lasting } = await manager.create({ name: 'x' }, 'all')
  assert.equal((await store.findKey(lasting))?.createdAt, 61_001)
})

const key = (scopes: readonly string[]): StoredKey => ({ scopes }) as StoredKey

test('a key may use the deployments that it names, and * stands for all', () => {
  assert.deepEqual(
    [['a'], ['b'], ['*'], ['admin'], ['b', 'a'], []].map((scopes) => mayUse(key(scopes), 'a')),
    [true, false, true, false, true, false],
  )
})

test('an administrator of some deployments must name one of them', () => {
  assert.throws(() => scopesFor({ deployments: [], admin: true }, ['a'], ['a', 'b']), {
    message: 'Name at least one deployment. There are: a.',
    subject: 'deployment',
  })
  assert.deepEqual(scopesFor({ deployments: [], admin: true }, 'all', ['a']), ['admin'])
})

test('a length of time is digits and a unit, and nothing else', () => {
  assert.deepEqual(
    ['1s', '2m', '3h', '4d', '99999d', '5', 'm', '5w', ' 5m', '5m ', '123456s'].map(parseLifetime),
    [1_000, 120_000, 10_800_000, 345_600_000, 99_999 * 86_400_000, ...Array<undefined>(6).fill(undefined)],
  )
})
