/** An answer that came while the event loop stood still is in time, however long it stood; one that never comes is not. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { openStore } from '../../src/store/open.ts'
import { Rpc, withinLimit, StoreError } from '@patient-risk/runtime'

/** Nothing of this thread is done meanwhile. */
const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('a result that is ready when the limit is over is used', async () => {
  const { port1, port2 } = new MessageChannel()
  const answer = new Promise((resolve) => port1.once('message', resolve))
  const waiting = withinLimit(answer, 100, 'late')
  port2.postMessage('here')
  standStill(150)
  assert.equal(await waiting.finally(() => port1.close()), 'here')
})

test('a result that does not come is a timeout, and a failure is passed on', async () => {
  const never = new Promise(() => undefined)
  await assert.rejects(withinLimit(never, 20, 'late'), (error: Error) => error instanceof StoreError)
  await assert.rejects(withinLimit(Promise.reject(new Error('broken')), 20, 'late'), { message: 'broken' })
})

test('a result of the embedded store counts as in time if the event loop was blocked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-limit-'))
  const { store } = await openStore(folder, undefined)
  try {
    const ask = async (): Promise<unknown> => {
      // At the end of a turn: what comes next is the timers, and the answers after them.
      await new Promise((resolve) => setImmediate(resolve))
      const asked = store.findKey('nobody')
      standStill(1_200)
      return asked
    }
    // A busy machine may keep the thread of the store from its work as well; not ten times.
    let failure: unknown
    for (let tries = 0; tries < 10; tries++) {
      failure = await ask().then(
        () => undefined,
        (error: unknown) => error,
      )
      if (failure === undefined) break
    }
    assert.equal(failure, undefined)
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a response of the primary counts as in time if the event loop was blocked', async () => {
  const { port1, port2 } = new MessageChannel()
  const grant = { granted: 4, remaining: 6, resetsInMs: 1 }
  const rpc = new Rpc<{ quota(counter: string): object }>(
    {
      send: (question) =>
        port2.postMessage({ rpc: 'response', id: Reflect.get(question, 'id') as unknown, result: grant }),
      on: (_event, listener) => port1.on('message', listener),
    },
    'the primary',
  )
  const asked = rpc.call('quota', ['counter'], 100)
  standStill(150)
  assert.deepEqual(await asked.finally(() => port1.close()), grant)
})
