/** Keys as they are written and stored, and what is sealed with the same secret. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fingerprintOf, makeSeal, sealRequestId } from '@patient-risk/runtime'
import { KeySecrets } from '../../../src/store/keys/key-secrets.ts'
import {
  type NewKey,
  formatApiKey,
  idOfApiKey,
  isGenuine,
  makeKey,
  newApiKey,
  parseApiKey,
} from '../../../src/store/keys/keys.ts'
import type { StoredKey } from '../../../src/store/store.ts'
import { openMemoryStore } from '../memory-store.ts'

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

test('new keys use every digit at every position, and are unique', () => {
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
  const { id, key } = await makeKey(
    store,
    new KeySecrets(SECRET),
    { ...REQUEST, limits: { recordsPerMinute: 5 } },
    7,
  )
  const stored = (await store.findKey(id)) as StoredKey
  const { digest, ...rest } = stored
  assert.deepEqual(
    { ...rest },
    {
      id,
      name: 'ward',
      secretFingerprint: fingerprintOf(SECRET),
      scopes: ['a'],
      limits: { recordsPerMinute: 5 },
      codes: {},
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
  assert.deepEqual(
    (await store.findKey((await makeKey(store, new KeySecrets(SECRET), REQUEST, 1)).id))?.limits,
    {},
  )
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
