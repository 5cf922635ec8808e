/** The contract of every store: keys. */
import assert from 'node:assert/strict'
import { KeyCache } from '../../../src/store/keys/key-cache.ts'
import { type EntryGroup, groupEntries, makeEntry } from '../../../src/store/audit/audit-row.ts'
import { makeKey } from '../../../src/store/keys/keys.ts'
import type { StoredKey } from '../../../src/store/store.ts'
import { newKey, onEachStore } from './each-store.ts'

onEachStore((given, test) => {
  test('a key comes back as it was stored, also to another process', async () => {
    const { id } = await newKey(given, {
      expiresAt: 9_000,
      limits: { requestsPerMinute: 5, recordsPerMinute: null },
      codes: { sex: { H: 'M', M: 'F', '9': null } },
    })
    const { store: other } = await given.place.open()
    const key = await other.findKey(id)
    await other.close()
    assert.equal(key?.digest.length, 32)
    assert.deepEqual(
      { ...key, digest: undefined },
      {
        id,
        name: 'Ärztin 3',
        digest: undefined,
        secretFingerprint: given.secrets.fingerprint,
        scopes: ['*', 'admin'],
        limits: { requestsPerMinute: 5, recordsPerMinute: null },
        codes: { sex: { H: 'M', M: 'F', '9': null } },
        createdAt: 5_000,
        expiresAt: 9_000,
        revokedAt: null,
        lastUsedAt: null,
        replaces: null,
      },
    )
    assert.equal(await given.store.findKey('nobody'), undefined)
  })

  test('the row of a change is stored with it, and not where nothing was changed', async () => {
    const place = await given.newPlace()
    const { store, secrets } = await place.open()
    const row = (call: string): EntryGroup =>
      groupEntries([makeEntry({ at: 5_000, requestId: 'r', keyId: null, call })])
    const calls = async (): Promise<readonly unknown[]> =>
      (await store.readAudit({ most: 9 })).map(({ content }) => /"call":"([^"]+)"/.exec(content)?.[1])
    const admin = { name: 'admin', scopes: ['*', 'admin'], expiresAt: null }
    const { id } = await makeKey(store, secrets, admin, 5_000, undefined, () =>
      makeEntry({ at: 5_000, requestId: 'r', keyId: null, call: 'made' }),
    )
    await assert.rejects(
      store.insertKey((await store.findKey(id)) as StoredKey, undefined, row('made twice')),
    )
    assert.equal(await store.revokeSpareKey(id, 6_000, 6_000, row('spare')), false)
    assert.equal(await store.revokeKey('nobody', 6_000, row('nobody')), false)
    assert.deepEqual(await calls(), ['made'])
    await makeKey(store, secrets, admin, 5_000)
    assert.equal(await store.revokeSpareKey(id, 6_000, 6_000, row('spare')), true)
    assert.equal(await store.revokeKey(id, 6_000, row('again')), true)
    assert.deepEqual(await calls(), ['made', 'spare', 'again'])
    await store.close()
  })

  test('revoking keeps the first time, and returns whether the key exists', async () => {
    const { id } = await newKey(given)
    assert.equal(await given.store.revokeKey(id, 7_000), true)
    assert.equal(await given.store.revokeKey(id, 8_000), true)
    assert.equal((await given.store.findKey(id))?.revokedAt, 7_000)
    assert.equal(await given.store.revokeKey('nobody', 7_000), false)
  })

  test('two administrators who revoke each other at the same time cannot both succeed', async () => {
    const place = await given.newPlace()
    const one = await place.open()
    const other = await place.open()
    const admin = { name: 'admin', scopes: ['*', 'admin'], expiresAt: null }
    const { id: kept } = await makeKey(one.store, one.secrets, admin, 5_000)
    let last = kept
    for (let round = 0; round < 8; round++) {
      const { id } = await makeKey(one.store, one.secrets, admin, 5_000)
      const done = await Promise.all([
        one.store.revokeSpareKey(last, 7_000, 7_000),
        other.store.revokeSpareKey(id, 7_000, 7_000),
      ])
      assert.deepEqual([...done].sort(), [false, true])
      if (done[0]) last = id
    }
    const usable = (await one.store.listKeys()).filter(({ revokedAt }) => revokedAt === null)
    assert.deepEqual(
      usable.map(({ id }) => id),
      [last],
    )
    assert.equal(await one.store.revokeSpareKey(last, 7_000, 7_000), false)
    for (const { store } of [one, other]) await store.close()
  })

  test('a key is stored and the one that it replaces ends, and never later than it would have', async () => {
    const { id } = await newKey(given, { expiresAt: 105_000, limits: { requestsPerMinute: 9 } })
    const old = (await given.store.findKey(id)) as StoredKey
    const rotate = (endsAt: number): Promise<{ readonly id: string }> =>
      makeKey(given.store, given.secrets, { ...old, expiresAt: 120_000 }, 20_000, { id, endsAt })
    const made = await given.store.findKey((await rotate(21_000)).id)
    assert.deepEqual(
      [made?.scopes, made?.limits, made?.createdAt, made?.expiresAt, made?.replaces],
      [old.scopes, { requestsPerMinute: 9 }, 20_000, 120_000, id],
    )
    assert.equal((await given.store.findKey(id))?.expiresAt, 21_000)
    await rotate(90_000)
    assert.equal((await given.store.findKey(id))?.expiresAt, 21_000)
  })

  test('a revocation by another process is seen within the time that the store states', async () => {
    const { id, key } = await newKey(given)
    let steady = 0
    const ring = new KeyCache(given.store, given.secrets, () => steady)
    assert.equal((await ring.verify(key, 6_000))?.id, id)
    const { store: other } = await given.place.open()
    await other.revokeKey(id, 6_000)
    await other.close()
    steady += given.store.keyFreshMs
    assert.equal(await ring.verify(key, 6_000), undefined)
    assert.ok(given.store.keyFreshMs <= (given.place.countsForSeveral ? 3_000 : 500))
  })

  test('the keys of one secret are not opened with another', async () => {
    await assert.rejects(given.place.open('another secret'), /another key secret/)
  })
})
