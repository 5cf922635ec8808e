/** The contract of every store: the secret of the key digests is rotated without new keys, while several processes run. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { KeyCache } from '../../../src/store/keys/key-cache.ts'
import { fingerprintOf } from '@patient-risk/runtime'
import type { KeySecrets } from '../../../src/store/keys/key-secrets.ts'
import { makeKey } from '../../../src/store/keys/keys.ts'
import type { OpenStore } from '../../../src/store/open.ts'
import { until } from '../../../../../test/support/until.ts'
import { onEachStore } from './each-store.ts'

const [OLD, NEW] = ['the secret of last year', 'the secret of this year']
const NOW = 5_000
const printOf = (secret: string): string => fingerprintOf(Buffer.from(secret))

onEachStore((given, test) => {
  const opened: OpenStore[] = []
  /** Processes with the old secret, with both, and later with the new one. */
  let [older, both]: OpenStore[] = []
  let open: (secret: string, previous?: string) => Promise<OpenStore>
  const newKey = ({ store, secrets }: { readonly store: OpenStore['store']; readonly secrets: KeySecrets }) =>
    makeKey(store, secrets, { name: 'ward', scopes: ['*'], expiresAt: null }, NOW)
  const isAccepted = async ({ store, secrets }: OpenStore, { key }: { readonly key: string }) =>
    (await new KeyCache(store, secrets).verify(key, NOW)) !== undefined
  before(async () => {
    const place = await given.newPlace()
    open = async (...secrets) => {
      const each = await place.open(...secrets)
      opened.push(each)
      return each
    }
    older = await open(OLD)
    both = await open(NEW, OLD)
  })
  after(() => Promise.all(opened.map(({ store }) => store.close())))

  test('until the new secret is put into use, every process makes and accepts keys of the old one', async () => {
    assert.ok(older !== undefined && both !== undefined)
    for (const key of [await newKey(older), await newKey(both)]) {
      assert.deepEqual([await isAccepted(older, key), await isAccepted(both, key)], [true, true])
      assert.equal((await both.store.findKey(key.id))?.secretFingerprint, printOf(OLD))
    }
    await assert.rejects(open(NEW), {
      message:
        'The keys in this store were made with another key secret. Give every process the same KEY_SECRET, ' +
        'or restore the file key-secret of the data folder. During a rotation, set KEY_SECRET_PREVIOUS too.',
    })
  })

  test('afterwards a key moves with its next use, and the others wait for theirs', async () => {
    assert.ok(older !== undefined && both !== undefined)
    const [used, unused] = [await newKey(older), await newKey(older)]
    assert.equal(await both.store.replaceSecret(printOf(OLD), printOf(NEW)), true)
    assert.equal(await both.store.replaceSecret(printOf(OLD), printOf(NEW)), false, 'it is in use already')
    assert.equal(await isAccepted(both, used), true)
    const { store } = both
    await until(async () => (await store.findKey(used.id))?.secretFingerprint === printOf(NEW), {
      what: 'a move',
    })
    assert.equal((await store.findKey(unused.id))?.secretFingerprint, printOf(OLD))
    const made = await newKey(both)
    const newer = await open(NEW)
    const accepted = [used, made, unused].map((key) => isAccepted(newer, key))
    assert.deepEqual(await Promise.all(accepted), [true, true, false])
  })

  test('a process that lacks the secret in use fails, and refuses no key that may be valid', async () => {
    assert.ok(older !== undefined && both !== undefined)
    const made = await newKey(both)
    await assert.rejects(isAccepted(older, made), /another key secret/)
    await assert.rejects(open(OLD), /another key secret/)
  })

  test('keys of a version that noted no secret belong to the first one that opens the store', async () => {
    const place = await given.newPlace()
    const first = await place.open(OLD)
    const made = await newKey(first)
    await first.store.close()
    await place.tamper(
      'UPDATE keys SET secret_fingerprint = NULL; UPDATE chain SET secret_fingerprint = NULL',
    )
    const again = await place.open(OLD)
    opened.push(again)
    assert.equal((await again.store.findKey(made.id))?.secretFingerprint, printOf(OLD))
    assert.equal(await isAccepted(again, made), true)
    await assert.rejects(place.open(NEW), /another key secret/)
  })
})
