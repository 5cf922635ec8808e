/** The rules of keys, which the command line and HTTP share. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { KeySecrets } from '../../../src/store/keys/key-secrets.ts'
import { makeEntry } from '../../../src/store/audit/audit-row.ts'
import { KeyManager } from '../../../src/store/keys/key-manager.ts'
import {
  KeyRuleError,
  checkLimits,
  checkName,
  lifetimeOf,
  lifetimeStart,
  scopesFor,
} from '../../../src/store/keys/key-rules.ts'
import { type Reach, isWithin, mayAdminister, reachOf } from '../../../src/store/keys/keys.ts'
import { openMemoryStore } from '../memory-store.ts'
import type { Store, StoredKey } from '../../../src/store/store.ts'

const NAMES = [
  ['ward 4', true],
  ['Ärztin 3', true],
  ['x'.repeat(100), true],
  ['x'.repeat(101), false],
  ['', false],
  ['   ', false],
  ['a\tb', false],
  ['a\nb', false],
  ['a\u0001b', false],
  ['a\u007fb', false],
  ['a\u0085b', false],
  ['a\u2028b', false],
] as const
for (const [name, isGood] of NAMES) {
  test(`the name ${JSON.stringify(name.slice(0, 12))} of ${name.length} characters is ${isGood ? 'good' : 'refused'}`, () => {
    if (isGood) assert.equal(checkName(name), name)
    else assert.throws(() => checkName(name), KeyRuleError)
  })
}

const LIFETIMES = [
  ['30s', 1, 30_000],
  ['30m', 1, 1_800_000],
  ['12h', 1, 43_200_000],
  ['90d', 1, 7_776_000_000],
  ['0m', 0, 0],
  ['0m', 1, undefined],
  ['90', 1, undefined],
  ['-1d', 1, undefined],
  ['1.5d', 1, undefined],
  ['100000d', 1, undefined],
  ['soon', 1, undefined],
] as const
for (const [text, leastMs, ms] of LIFETIMES) {
  test(`${text}, at least ${leastMs} ms, is ${ms ?? 'refused'}`, () => {
    if (ms === undefined) assert.throws(() => lifetimeOf(text, leastMs, 'expires'), KeyRuleError)
    else assert.equal(lifetimeOf(text, leastMs, 'expires'), ms)
  })
}

test('limits are whole numbers from 1, or none', () => {
  for (const limit of [1, 1_000_000_000, null, undefined]) checkLimits({ requestsPerMinute: limit })
  for (const limit of [0, -1, 1.5, NaN, 1_000_000_001]) {
    assert.throws(() => checkLimits({ requestsPerMinute: limit }), KeyRuleError)
    assert.throws(() => checkLimits({ recordsPerMinute: limit }), KeyRuleError)
  }
})

const REACHES: readonly (readonly [readonly string[], Reach | undefined])[] = [
  [['*'], undefined],
  [['a'], undefined],
  [['admin'], 'all'],
  [['*', 'admin'], 'all'],
  [['a', 'admin'], ['a']],
  [
    ['a', 'b', 'admin'],
    ['a', 'b'],
  ],
]
for (const [scopes, reach] of REACHES) {
  test(`a key with the scopes ${scopes.join(', ')} manages ${String(reach)}`, () => {
    assert.deepEqual(reachOf({ scopes }), reach)
    assert.equal(mayAdminister({ scopes } as StoredKey), reach !== undefined)
  })
}

test('an administrator of a deployment sees keys of that deployment alone', () => {
  const seen = (scopes: readonly string[]): boolean => isWithin(['a', 'b'], { scopes })
  assert.deepEqual([['a'], ['a', 'b'], ['a', 'admin']].map(seen), [true, true, true])
  assert.deepEqual([['*'], ['c'], ['a', 'c'], ['admin'], ['*', 'admin']].map(seen), [
    false,
    false,
    false,
    false,
    false,
  ])
})

test('an administrator of a deployment makes keys of that deployment alone', () => {
  const known = ['a', 'b', 'c']
  assert.deepEqual(scopesFor({}, 'all', known), ['*'])
  assert.deepEqual(scopesFor({ admin: true }, 'all', known), ['*', 'admin'])
  assert.deepEqual(scopesFor({ deployments: ['c'] }, 'all', known), ['c'])
  assert.deepEqual(scopesFor({}, ['a', 'b'], known), ['a', 'b'])
  assert.deepEqual(scopesFor({ deployments: ['a'], admin: true }, ['a', 'b'], known), ['a', 'admin'])
  for (const deployments of [['c'], ['a', 'c'], ['*'], ['admin'], ['moon']]) {
    assert.throws(() => scopesFor({ deployments }, ['a', 'b'], known), /There are: a, b\./)
  }
})

test('a lifetime is counted from the clock, and refused where the store has seen a much later time', () => {
  assert.equal(lifetimeStart(1_000_000, 0), 1_000_000)
  assert.equal(lifetimeStart(1_000_000, 1_060_000), 1_060_000)
  assert.throws(() => lifetimeStart(1_000_000, 1_060_001), /a clock was wrong/)
})

let store: Store
const secrets = new KeySecrets(Buffer.from('the secret of the server'))
before(async () => {
  store = await openMemoryStore()
})
after(() => store.close())
let clock = 1_000_000
const manager = (): KeyManager =>
  new KeyManager({ store, secrets, deployments: ['a', 'b'], now: () => clock })
const find = async (id: string): Promise<StoredKey> => (await store.findKey(id)) as StoredKey

test('a rotated key takes over name, scopes, limits and lifetime; the old one ends after the overlap', async () => {
  const { id } = await manager().create(
    { name: 'old', deployments: ['a'], expires: '1h', limits: { requestsPerMinute: 9 } },
    'all',
  )
  clock += 60_000
  const made = await find((await manager().rotate(id, { overlap: '10m' }, 'all')).id)
  assert.deepEqual(
    [made.name, made.scopes, made.limits, made.replaces, made.createdAt, made.expiresAt],
    ['old', ['a'], { requestsPerMinute: 9 }, id, clock, clock + 3_600_000],
  )
  assert.equal((await find(id)).expiresAt, clock + 600_000)
  await manager().rotate(id, { overlap: '9d' }, 'all')
  assert.equal((await find(id)).expiresAt, clock + 600_000, 'an overlap never makes a key live longer')
  const day = await find((await manager().rotate(id, { expires: '1d' }, 'all')).id)
  assert.equal(day.expiresAt, clock + 86_400_000)
})

test('a key that has ended is not replaced, and an unknown one is reported', async () => {
  const subject = (error: unknown): string => (error as KeyRuleError).subject
  const { id } = await manager().create({ name: 'short', expires: '1s' }, 'all')
  clock += 1_000
  await assert.rejects(manager().rotate(id, {}, 'all'), (error) => subject(error) === 'key ended')
  const { id: revoked } = await manager().create({ name: 'revoked' }, 'all')
  assert.equal((await manager().revoke(revoked, 'all')).revokedAt, clock)
  await assert.rejects(manager().rotate(revoked, {}, 'all'), (error) => subject(error) === 'key ended')
  await assert.rejects(manager().revoke('nobody', 'all'), (error) => subject(error) === 'key unknown')
})

test('for an administrator of one deployment the keys of others do not exist', async () => {
  const { id: own } = await manager().create({ name: 'own', deployments: ['a'] }, 'all')
  const { id: other } = await manager().create({ name: 'other', deployments: ['b'] }, 'all')
  const seen = (await manager().list(['a'])).map(({ id }) => id)
  assert.deepEqual([seen.includes(own), seen.includes(other)], [true, false])
  await assert.rejects(manager().revoke(other, ['a']), /There is no key with this id/)
  await assert.rejects(manager().rotate(other, {}, ['a']), /There is no key with this id/)
  assert.equal((await find(other)).revokedAt, null)
  await manager().revoke(own, ['a'])
})

test('after a clock that ran ahead, a key that expires is refused, and one that does not is made', async () => {
  await store.appendAudit([makeEntry({ at: clock + 1e9, requestId: 'x', keyId: null, call: 'score' })])
  await assert.rejects(manager().create({ name: 'x', expires: '1d' }, 'all'), /a clock was wrong/)
  const { id } = await manager().create({ name: 'x' }, 'all')
  assert.equal((await find(id)).expiresAt, null)
})
