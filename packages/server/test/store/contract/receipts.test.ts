/** The contract of every store: serial numbers of receipts are given once, and each has an outcome once. */
import assert from 'node:assert/strict'
import { verifyStore } from '../../../src/store/audit/verify-chain.ts'
import type { OutcomeRequest } from '../../../src/store/outcomes/sql-outcomes.ts'
import type { ReceiptSerials } from '../../../src/store/outcomes/sql-receipts.ts'
import type { Store } from '../../../src/store/store.ts'
import { auditedIds, countedIn, outcomesOf } from '../outcome-requests.ts'
import { onEachStore } from './each-store.ts'

const place = { digest: 'D', month: '2026-10' }
const request = (name: string, id: string, serials: readonly number[]): OutcomeRequest =>
  outcomesOf(name, { request: id, body: id, receipts: [{ ...place, serials }] })
const received = async (store: Store, name: string, serials: readonly number[]): Promise<readonly number[]> =>
  (await store.readReceived(name, [{ ...place, serials }])).flatMap((each: ReceiptSerials) => each.serials)

onEachStore((given, test) => {
  test('serial numbers are given once, to all processes and after a crash', async () => {
    const own = await given.newPlace()
    const [first, second] = [await own.open(), await own.open()]
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_each, at) =>
        (at % 2 === 0 ? first : second).store.reserveReceipts('ward', 'D', '2026-10', 10),
      ),
    )
    assert.deepEqual(
      taken.toSorted((a, b) => a - b),
      Array.from({ length: 20 }, (_each, at) => 10 * at),
    )
    // Not closed: the process is gone. Another one goes on after its last number.
    const third = await own.open()
    assert.equal(await third.store.reserveReceipts('ward', 'D', '2026-10', 1), 200)
    const others = [
      ['ward', 'D', '2026-11'],
      ['ward', 'E', '2026-10'],
      ['flag', 'D', '2026-10'],
    ] as const
    for (const [deployment, digest, month] of others)
      assert.equal(await third.store.reserveReceipts(deployment, digest, month, 1), 0)
    for (const { store } of [first, second, third]) await store.close()
  })

  // A byte has 8 bits, and a page 4,096.
  const EDGES = [0, 7, 8, 4_095, 4_096, 8_191, 8_192, 10_000_000, 2 ** 40]
  test('each receipt has an outcome once; the others of its page and of other places have none', async () => {
    const { store } = await (await given.newPlace()).open()
    assert.deepEqual(await received(store, 'ward', EDGES), [])
    assert.equal(await store.countOutcomes(request('ward', 'a', EDGES)), 'counted')
    assert.deepEqual(await received(store, 'ward', EDGES), EDGES)
    const around = EDGES.flatMap((serial) => [serial - 1, serial + 1]).filter(
      (serial) => serial > 0 && !EDGES.includes(serial),
    )
    assert.deepEqual(await received(store, 'ward', around), [])
    assert.deepEqual(await received(store, 'flag', EDGES), [])
    for (const serial of EDGES)
      assert.equal(await store.countOutcomes(request('ward', `${serial}`, [...around, serial])), 'changed')
    assert.equal(await countedIn(store, 'ward'), 1)
    assert.equal(await store.countOutcomes(request('ward', 'others', around)), 'counted')
    assert.deepEqual(
      await received(
        store,
        'ward',
        [...EDGES, ...around].sort((a, b) => a - b),
      ).then(({ length }) => length),
      EDGES.length + around.length,
    )
    assert.deepEqual((await verifyStore(store)).faults, [])
    await store.close()
  })

  test('what is not counted leaves no receipt, and what is counted leaves one with its row', async () => {
    const place = await given.newPlace()
    const { store } = await place.open()
    await place.tamper('ALTER TABLE audit_queue RENAME TO away')
    await assert.rejects(store.countOutcomes(request('ward', 'a', [3])))
    await place.tamper('ALTER TABLE away RENAME TO audit_queue')
    assert.deepEqual(await received(store, 'ward', [3]), [])
    assert.equal(await store.countOutcomes(request('ward', 'a', [3])), 'counted')
    assert.equal(await store.countOutcomes(request('ward', 'a', [3])), 'repeated')
    assert.deepEqual(await auditedIds(store), ['counted ward'])
    assert.equal(await countedIn(store, 'ward'), 1)
    await store.close()
  })

  test('the same receipts in two processes at once are counted in one of them', async () => {
    const own = await given.newPlace()
    const [first, second] = [await own.open(), await own.open()]
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_each, at) =>
        (at % 2 === 0 ? first : second).store.countOutcomes(request('ward', `r${at}`, [at % 3, 50, 9_000])),
      ),
    )
    assert.deepEqual(answers.sort(), [...Array<string>(11).fill('changed'), 'counted'])
    assert.equal(await countedIn(first.store, 'ward'), 1)
    for (const { store } of [first, second]) await store.close()
  })
})
