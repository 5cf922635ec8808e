/** A thread that gives way is less urgent than the others of its process, and the only one that is. */
import assert from 'node:assert/strict'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

const SCRIPT = `
  const { parentPort } = require('node:worker_threads')
  const { readlinkSync } = require('node:fs')
  const { getPriority } = require('node:os')
  const own = () => getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)))
  import(${JSON.stringify(new URL('../../src/workers/give-way.ts', import.meta.url).href)}).then(({ giveWay }) => {
    const before = own()
    giveWay()
    parentPort.postMessage([before, own()])
  })
`

test('the thread that calls it gives way, and no other', { skip: process.platform !== 'linux' }, async () => {
  const before = getPriority()
  const worker = new Worker(SCRIPT, { eval: true })
  const said = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  await worker.terminate()
  assert.deepEqual(said, [before, Math.min(19, before + 5)])
  assert.equal(getPriority(), before)
})
