/** What administrators do with keys, and the rules that they break. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeySecrets } from '../../../src/store/keys/key-secrets.ts'
import { KeyManager, describeKey } from '../../../src/store/keys/key-manager.ts'
import { KeyRuleError, parseLifetime, scopesFor } from '../../../src/store/keys/key-rules.ts'
import { isWithin, makeKey, mayManage, maySendOutcomes, mayUse } from '../../../src/store/keys/keys.ts'
import { StoreError } from '@patient-risk/runtime'
import type { Store, StoredKey } from '../../../src/store/store.ts'
import { openMemoryStore } from '../memory-store.ts'

const SECRETS = new KeySecrets(Buffer.from('a secret of the server'))

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
  [{ name: 'x', deployments: ['a', 'b', 'a'] }, 'deployment', 'Name each deployment once.'],
  [
    { name: 'x', expires: 'soon' },
    'expires',
    'A length of time is a number and a unit, as in 30m, 12h or 90d.',
  ],
  [
    { name: 'x', limits: { requestsPerMinute: 0 } },
    'requests',
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
  return new KeyManager({ store, secrets: SECRETS, deployments: ['a', 'b'], now: () => clock.now })
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
  await assert.rejects(manager.revoke(heir.id, ['b']), { message: 'There is no key with this id.' })
  assert.equal((await manager.revoke(heir.id, ['a'])).revokedAt, 2_000)
  await assert.rejects(manager.rotate(heir.id, {}, 'all'), subjectOf('key ended'))
  assert.deepEqual(describeKey(await found(heir.id)), {
    id: heir.id,
    name: 'second',
    scopes: ['a', 'admin'],
    limits: {},
    codes: {},
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

test('where a clock ran ahead, a key is replaced only without an overlap, for that would end at a wrong time', async () => {
  const store = await openMemoryStore()
  const manager = managerOf(store)
  const { id } = await manager.create({ name: 'x' }, 'all')
  store.tables.exec('UPDATE chain SET latest_time = 61001')
  await assert.rejects(manager.rotate(id, { overlap: '1s' }, 'all'), subjectOf('expires'))
  assert.equal((await store.findKey(id))?.expiresAt, null)
  await manager.rotate(id, { overlap: '0s' }, 'all')
  assert.equal((await store.findKey(id))?.expiresAt, 61_001)
})

test('a key that was revoked is not reported as a failure where the store is late afterwards', async () => {
  const store = await openMemoryStore()
  const manager = managerOf(store)
  const { id } = await manager.create({ name: 'first' }, 'all')
  const findKey = store.findKey.bind(store)
  const revokeKey = store.revokeKey.bind(store)
  store.revokeKey = async (...args) => {
    store.findKey = () => Promise.reject(new StoreError('the store did not answer in time'))
    return revokeKey(...args)
  }
  assert.equal((await manager.revoke(id, 'all', true)).revokedAt, 1_000)
  store.findKey = findKey
  assert.equal((await manager.revoke(id, 'all', true)).revokedAt, 1_000)
  assert.equal((await findKey(id))?.revokedAt, 1_000)
})

/** The scopes of a key, those of the other keys, and whether it may be revoked. The clock is at 1,000 ms, the latest row at 2,000. */
type Other = Partial<Pick<StoredKey, 'scopes' | 'expiresAt' | 'revokedAt'>>
const LAST_ADMINS: readonly (readonly [what: string, scopes: readonly string[], Other[], boolean])[] = [
  ['the only key', ['admin'], [], false],
  ['the only admin key', ['*', 'admin'], [{ scopes: ['*'] }, { scopes: ['a', 'outcomes'] }], false],
  ['one of two', ['*', 'admin'], [{ scopes: ['admin'] }], true],
  ['one whose deployment another one manages', ['a', 'admin'], [{ scopes: ['b', 'a', 'admin'] }], true],
  ['one of everything beside one of a', ['admin'], [{ scopes: ['a', 'admin'] }], false],
  ['one of a beside one of b', ['a', 'admin'], [{ scopes: ['b', 'admin'] }], false],
  ['one beside a revoked one', ['admin'], [{ scopes: ['admin'], revokedAt: 5 }], false],
  ['one beside an expired one', ['admin'], [{ scopes: ['admin'], expiresAt: 1_000 }], false],
  ['one beside one that ended by a row', ['admin'], [{ scopes: ['admin'], expiresAt: 2_000 }], false],
  ['one beside one that ends later', ['admin'], [{ scopes: ['admin'], expiresAt: 2_001 }], true],
  ['one that manages nothing', ['*'], [], true],
]
for (const [what, scopes, others, isRevoked] of LAST_ADMINS) {
  test(`revoking ${what} is ${isRevoked ? 'done' : 'refused, unless it is forced'}`, async () => {
    const store = await openMemoryStore()
    const make = (request: Other): Promise<{ readonly id: string }> =>
      makeKey(store, SECRETS, { name: 'x', scopes: [], expiresAt: null, ...request }, 0)
    const { id } = await make({ scopes })
    for (const other of others) {
      const made = await make(other)
      if (other.revokedAt !== undefined) await store.revokeKey(made.id, 5)
    }
    store.tables.exec('UPDATE chain SET latest_time = 2000')
    const manager = managerOf(store)
    if (!isRevoked) {
      await assert.rejects(manager.revoke(id, 'all'), {
        subject: 'key last',
        message: 'No other usable key could manage what this one does. Make another admin key first.',
      })
      assert.equal((await store.findKey(id))?.revokedAt, null)
    }
    assert.equal((await manager.revoke(id, 'all', !isRevoked)).revokedAt, 1_000)
  })
}

test('an administrator that has ended is revoked as any other key', async () => {
  const store = await openMemoryStore()
  const { id } = await managerOf(store).create({ name: 'x', admin: true, expires: '1s' }, 'all')
  await assert.rejects(managerOf(store, { now: 1_999 }).revoke(id, 'all'), subjectOf('key last'))
  assert.equal((await managerOf(store, { now: 2_000 }).revoke(id, 'all')).revokedAt, 2_000)
})

const key = (scopes: readonly string[]): StoredKey => ({ scopes }) as StoredKey

test('a key may use the deployments that it names, and * stands for all', () => {
  assert.deepEqual(
    [['a'], ['b'], ['*'], ['admin'], ['b', 'a'], []].map((scopes) => mayUse(key(scopes), 'a')),
    [true, false, true, false, true, false],
  )
})

/** Scopes, and whether a key with them manages the deployment ward, and may send its outcomes. */
const RIGHTS = [
  [['ward'], false, false],
  [['*'], false, false],
  [['outcomes'], false, false],
  [['ward', 'outcomes'], false, true],
  [['*', 'outcomes'], false, true],
  [['b', 'outcomes'], false, false],
  [['admin'], true, true],
  [['*', 'admin'], true, true],
  [['b', 'ward', 'admin'], true, true],
  [['ward', 'outcomes', 'admin'], true, true],
  [['b', 'admin'], false, false],
  [['b', 'outcomes', 'admin'], false, false],
  [['outcomes', 'admin'], true, true],
] as const
for (const [scopes, manages, sends] of RIGHTS) {
  test(`a key with the scopes ${scopes.join(', ')} ${manages ? 'manages' : 'does not manage'} ward, and ${sends ? 'sends' : 'sends no'} outcomes`, () => {
    assert.deepEqual([mayManage(key(scopes), 'ward'), maySendOutcomes(key(scopes), 'ward')], [manages, sends])
  })
}

test('the right to send outcomes is asked for, and adds no deployment', () => {
  const scopes = (request: Parameters<typeof scopesFor>[0]): readonly string[] =>
    scopesFor(request, 'all', ['a', 'b'])
  assert.deepEqual(scopes({ deployments: ['a'], outcomes: true }), ['a', 'outcomes'])
  assert.deepEqual(scopes({ outcomes: true, admin: true }), ['*', 'outcomes', 'admin'])
  assert.deepEqual(scopes({ deployments: ['a'], outcomes: false }), ['a'])
  assert.equal(isWithin(['a'], { scopes: ['a', 'outcomes'] }), true)
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
