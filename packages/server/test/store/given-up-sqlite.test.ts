// Own process: the class of threads is replaced, so that the test can stop one inside a transaction.
/** The embedded store with its real thread: what a caller was refused is not stored, and what is being committed is waited for. */
import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import threads from 'node:worker_threads'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { inFolder } from '../../../../test/support/run-command.ts'
import { CELLS, PLACES } from './blocked-thread.ts'
import { auditedIds, countedIn, outcomesOf } from './outcome-requests.ts'

const gate = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT)
const cells = new Int32Array(gate)
const preload = new URL('./blocked-thread.ts', import.meta.url).href

class GatedWorker extends threads.Worker {
  constructor(entry: URL, options: threads.WorkerOptions) {
    super(entry, {
      ...options,
      execArgv: ['--import', preload],
      workerData: { ...(options.workerData as object), gate },
    })
  }
}
Object.assign(threads, { Worker: GatedWorker })
syncBuiltinESMExports()

/** Resolves when the thread stands at the place. */
async function stopped(place: number, act: () => void): Promise<void> {
  Atomics.store(cells, CELLS.isThere, 0)
  Atomics.store(cells, CELLS.place, place)
  act()
  await Atomics.waitAsync(cells, CELLS.isThere, 0).value
}

function letGo(): void {
  Atomics.add(cells, CELLS.gone, 1)
  Atomics.notify(cells, CELLS.gone)
}

const onStore = (act: (store: Store) => Promise<void>): Promise<void> =>
  inFolder(async (folder) => {
    const { store } = await openStore(folder, undefined)
    try {
      await act(store)
    } finally {
      await store.close()
    }
  })

test('a thread that comes to its COMMIT after the caller was refused rolls back, and the retry counts once', () =>
  onStore(async (store) => {
    let refused: Promise<unknown> = Promise.resolve()
    await stopped(PLACES.beforeCommit, () => {
      refused = assert.rejects(store.countOutcomes(outcomesOf('late')), /did not answer in time/)
    })
    await refused
    letGo()
    assert.equal(await countedIn(store, 'late'), 0)
    assert.deepEqual(await auditedIds(store), [])
    assert.equal(await store.countOutcomes(outcomesOf('late')), 'counted')
    assert.equal(await store.countOutcomes(outcomesOf('late')), 'repeated')
    assert.equal(await countedIn(store, 'late'), 1)
    assert.deepEqual(await auditedIds(store), ['counted late'])
  }))

test('a caller whose limit ends during COMMIT gets the answer of the thread, not a refusal', () =>
  onStore(async (store) => {
    let answer: Promise<unknown> = Promise.resolve()
    await stopped(PLACES.inCommit, () => {
      answer = store.countOutcomes(outcomesOf('slow'))
    })
    // Another call waits behind it. It is refused at the same limit, which shows that the limit of the first one is over too.
    await assert.rejects(store.countOutcomes(outcomesOf('behind')), /did not answer in time/)
    letGo()
    assert.equal(await answer, 'counted')
    assert.equal(await countedIn(store, 'slow'), 1)
    assert.equal(await countedIn(store, 'behind'), 0)
    assert.deepEqual(await auditedIds(store), ['counted slow'])
  }))

test('an audit row whose caller was refused is not in the audit', () =>
  onStore(async (store) => {
    let refused: Promise<unknown> = Promise.resolve()
    await stopped(PLACES.beforeCommit, () => {
      refused = assert.rejects(store.appendAudit([outcomesOf('refused').entry]), /did not answer in time/)
    })
    await refused
    letGo()
    assert.deepEqual(await auditedIds(store), [])
    await store.appendAudit([outcomesOf('next').entry])
    assert.deepEqual(await auditedIds(store), ['counted next'])
  }))

test('figures are read while the thread that writes stands still', () =>
  onStore(async (store) => {
    assert.equal(await store.countOutcomes(outcomesOf('ward')), 'counted')
    let refused: Promise<unknown> = Promise.resolve()
    await stopped(PLACES.beforeCommit, () => {
      refused = assert.rejects(store.countOutcomes(outcomesOf('ward', { request: 'stuck' })), /in time/)
    })
    const counted = await countedIn(store, 'ward').catch((error: unknown) => error)
    await refused
    letGo()
    assert.equal(counted, 1)
  }))
