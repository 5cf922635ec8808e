/** The pool: answers, refusals, bugs without their text, a bounded queue, and threads that die. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { AppError, CallerLeft } from '../../src/errors.ts'
import { ThreadBug, ThreadPool } from '../../src/workers/pool.ts'
import type { Flags } from './scripted-jobs.ts'

const entry = new URL('./scripted-jobs.ts', import.meta.url)
let deaths = 0
const pool = new ThreadPool({
  size: 1,
  maxWaiting: 2,
  start: () => new Worker(entry),
  onDeath: () => deaths++,
})
after(() => pool.close())

const newFlag = (): Int32Array => new Int32Array(new SharedArrayBuffer(4))

test('a job is answered, refused by its code, or failed without the text of its error', async () => {
  assert.deepEqual(await pool.run({ a: 1 }), { a: 1 })
  await assert.rejects(pool.run('refuse'), new AppError('BODY_NOT_ARRAY'))
  await assert.rejects(pool.run('throw'), (error: Error) => {
    assert.ok(error instanceof ThreadBug)
    assert.doesNotMatch(`${error.message} ${error.stack}`, /Miller/)
    assert.match(error.stack ?? '', /scripted-jobs/)
    return true
  })
})

test('a job beyond the limit of the queue is refused at once; jobs in the queue are not', async () => {
  const waitFor = newFlag()
  const busy = Array.from({ length: 3 }, () => pool.run({ waitFor } satisfies Flags))
  assert.ok(pool.isFull)
  await assert.rejects(pool.run(1), new AppError('OVERLOADED'))
  const inTurn = pool.runInTurn(2)
  Atomics.store(waitFor, 0, 1)
  Atomics.notify(waitFor, 0)
  assert.equal(await inTurn, 2)
  await Promise.all(busy)
  assert.equal(await pool.run(3), 3)
})

test('a job whose caller has left: one that waits is never begun, one at work is told, and the thread takes the next', async () => {
  const sent = newFlag()
  const first = new AbortController()
  const second = new AbortController()
  const third = new AbortController()
  const atWork = pool.run({ isEndless: true, sent } satisfies Flags, [], first.signal)
  const waiting = pool.run('die', [], second.signal)
  const next = pool.run('next', [], third.signal)
  second.abort()
  await assert.rejects(waiting, new CallerLeft())
  assert.equal(pool.waitingCount, 1)
  first.abort()
  await assert.rejects(atWork, new CallerLeft())
  assert.equal(await next, 'next', 'a job whose caller stays is answered')
  assert.equal(Atomics.load(sent, 0), 1, 'the thread has given up the first job')
  assert.equal(deaths, 0)
  await assert.rejects(pool.run('late', [], first.signal), new CallerLeft())
  assert.equal(await pool.run('after', [], new AbortController().signal), 'after')
})

test('a caller that leaves after its answer changes nothing', async () => {
  const caller = new AbortController()
  assert.equal(await pool.run('answered', [], caller.signal), 'answered')
  caller.abort()
  assert.equal(await pool.run('next'), 'next')
})

test('a thread that dies is replaced, its own job fails cleanly, and the next one is answered', async () => {
  const lost = pool.run('die')
  const next = pool.run('after')
  await assert.rejects(lost, new AppError('WORKER_LOST'))
  assert.equal(await next, 'after')
  assert.equal(deaths, 1)
})

test('a closed pool refuses jobs in its queue and new jobs', async () => {
  const short = new ThreadPool({ size: 1, maxWaiting: 5, start: () => new Worker(entry) })
  const neverRaised: Flags = { waitFor: newFlag() }
  const running = assert.rejects(short.run(neverRaised), new AppError('DRAINING'))
  const waiting = assert.rejects(short.run(neverRaised), new AppError('DRAINING'))
  await short.close()
  await Promise.all([running, waiting])
  await assert.rejects(short.run(1), new AppError('DRAINING'))
})

test('a process waits until its pool is closed, also when an answer arrives meanwhile', () => {
  const child = spawnSync(process.execPath, [new URL('./close-child.ts', import.meta.url).pathname])
  assert.deepEqual([child.status, String(child.stderr)], [0, ''])
})
