/** What a secret has sealed: it is opened under its name alone, and by each of two secrets that are known. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueueSeal, digestOf, fingerprintOf, makeSeal, sealOfRequest, sealRequestId } from '../src/digest.ts'
import {
  SEALED_EXTRA_BYTES,
  newDataKey,
  openBytes,
  openDataKey,
  receiptKeyOf,
  sealBytes,
  sealDataKey,
} from '../src/sealed-bytes.ts'

const [FIRST, SECOND, OTHER] = ['first', 'second', 'other'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
]

for (const size of [0, 1, 15, 16, 17, 1_000]) {
  test(`${size} bytes are opened as they were sealed, and take ${SEALED_EXTRA_BYTES} more`, () => {
    const key = newDataKey()
    const bytes = Buffer.alloc(size, 'x')
    const sealed = sealBytes(key, bytes, 'piece 1')
    assert.equal(sealed.length, size + SEALED_EXTRA_BYTES)
    assert.ok(openBytes(key, sealed, 'piece 1').equals(bytes))
    assert.notDeepEqual(sealBytes(key, bytes, 'piece 1'), sealed, 'another nonce each time')
    assert.throws(() => openBytes(key, sealed, 'piece 2'))
    assert.throws(() => openBytes(newDataKey(), sealed, 'piece 1'))
    // Nonce, content and tag: none of them may be changed.
    for (const at of [0, 12, sealed.length - 1]) {
      const changed = Buffer.from(sealed)
      changed[at] = (changed[at] ?? 0) ^ 1
      assert.throws(() => openBytes(key, changed, 'piece 1'))
    }
  })
}

test('what is too short to have a nonce and a tag says so', () => {
  const key = newDataKey()
  for (const size of [0, SEALED_EXTRA_BYTES - 1])
    assert.throws(() => openBytes(key, new Uint8Array(size), 'a'), /a sealed piece is too short/)
  assert.throws(() => openBytes(key, new Uint8Array(SEALED_EXTRA_BYTES), 'a'), /unable to authenticate/)
})

test('a data key is opened by whichever of two secrets has sealed it', () => {
  const key = newDataKey()
  for (const secret of [FIRST, SECOND]) {
    const sealed = sealDataKey(secret, key, 'job')
    assert.deepEqual(Buffer.from(openDataKey([FIRST, SECOND], sealed, 'job') ?? []), Buffer.from(key))
    assert.equal(openDataKey([OTHER], sealed, 'job'), undefined)
    assert.equal(openDataKey([FIRST, SECOND], sealed, 'another job'), undefined)
  }
})

test('receipts of another deployment or secret have another key', () => {
  const own = receiptKeyOf(FIRST, 'north')
  assert.ok(own.equals(receiptKeyOf(FIRST, 'north')))
  assert.ok(!own.equals(receiptKeyOf(FIRST, 'south')))
  assert.ok(!own.equals(receiptKeyOf(SECOND, 'north')))
})

test('rows of the queue are accepted with either of two secrets, and nothing else is', () => {
  const both = new QueueSeal([FIRST, SECOND])
  for (const secret of [FIRST, SECOND]) {
    const own = new QueueSeal([secret])
    const seal = both.make('row', fingerprintOf(secret))
    assert.deepEqual(Buffer.from(seal), Buffer.from(own.make('row', null)))
    assert.ok(both.fits('row', seal) && own.fits('row', seal))
    assert.ok(!both.fits('another row', seal))
    for (const wrong of [
      seal.subarray(1),
      Buffer.concat([seal, seal]),
      Buffer.alloc(seal.length),
      Buffer.alloc(0),
    ])
      assert.equal(both.fits('row', wrong), false)
    assert.ok(!new QueueSeal([OTHER]).fits('row', seal))
    assert.ok(both.knows(fingerprintOf(secret)))
  }
  assert.deepEqual(Buffer.from(both.make('row', null)), Buffer.from(new QueueSeal([FIRST]).make('row', null)))
  assert.ok(both.knows(null))
  assert.equal(both.knows(fingerprintOf(OTHER)), false)
  assert.throws(() => both.make('row', fingerprintOf(OTHER)), /does not have the key secret in use/)
})

test('seals differ by secret and by what is sealed, and a request id keeps its form', () => {
  const seal = makeSeal(FIRST)
  assert.equal(seal(digestOf('a')), makeSeal(FIRST)(digestOf('a')))
  assert.notEqual(seal(digestOf('a')), seal(digestOf('b')))
  assert.notEqual(seal(digestOf('a')), makeSeal(SECOND)(digestOf('a')))
  assert.match(sealRequestId(seal, 'Smith'), /^sealed-[\w+/]{22}$/)
  assert.notEqual(sealRequestId(seal, 'Smith'), sealRequestId(seal, 'Jones'))
  assert.equal(sealOfRequest(FIRST, ['a', 1]), sealOfRequest(FIRST, ['a', 1]))
  assert.notEqual(sealOfRequest(FIRST, ['a', 1]), sealOfRequest(FIRST, ['a1']))
  assert.notEqual(sealOfRequest(FIRST, ['a', 1]), sealOfRequest(SECOND, ['a', 1]))
})
