/** Remote calls between the primary and its workers: quota, figures, and messages that are not understood. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { type PrimaryConnection, PrimaryProcess, connectToPrimary, Metrics } from '@patient-risk/server'
import { StoreError } from '@patient-risk/runtime'

/** One side of a channel that carries JSON, as node:cluster does; without its other side it carries nothing. */
class Wire extends EventEmitter {
  other: Wire | undefined
  send(message: object, done: (error: Error | null) => void): void {
    const text = JSON.stringify(message)
    setImmediate(() => {
      this.other?.emit('message', JSON.parse(text) as unknown)
      done(null)
    })
  }
}

interface Process extends PrimaryConnection {
  readonly figures: Metrics
  readonly ends: readonly [Wire, Wire]
}

function join(primary: PrimaryProcess, scored: number): Process {
  const near = new Wire()
  const far = new Wire()
  Object.assign(near, { other: far })
  Object.assign(far, { other: near })
  primary.serve(near as unknown as Parameters<PrimaryProcess['serve']>[0])
  const connection = connectToPrimary(far)
  const figures = new Metrics([])
  for (let i = 0; i < scored; i++) count(figures)
  connection.peers.offer(() => figures.snapshot())
  return { ...connection, figures, ends: [near, far] }
}

function count(figures: Metrics): void {
  const exchange = { deployment: 'do', route: '/x', method: 'POST', status: 200, code: '', seconds: 0.01 }
  figures.count(exchange, undefined)
}

async function requests({ figures, peers }: Process): Promise<number> {
  const text = await figures.print(await peers.collect())
  const total = Number(/^patient_risk_requests_total\{.*\} (\d+)$/m.exec(text)?.[1])
  const timed = Number(/^patient_risk_request_duration_seconds_count\{.*\} (\d+)$/m.exec(text)?.[1])
  assert.equal(timed, total)
  assert.doesNotMatch(text, /NaN/)
  return total
}

test('all workers share one counter', async () => {
  const primary = new PrimaryProcess()
  const one = join(primary, 0)
  const two = join(primary, 0)
  assert.equal((await one.quota.take('key requests', 10, 7)).granted, 7)
  const { granted, remaining } = await two.quota.take('key requests', 10, 7)
  assert.deepEqual([granted, remaining], [3, 0])
})

test('a counter ends with its own window, not with that of another counter', async () => {
  const { quota } = join(new PrimaryProcess(), 0)
  const DAY_MS = 86_400_000
  for (const [counter, windowMs, least, most] of [
    ['token', DAY_MS, DAY_MS - 60_000, DAY_MS],
    ['key requests', undefined, 0, 60_000],
  ] as const) {
    const { resetsInMs } = await quota.take(counter, 1, 1, windowMs)
    assert.ok(resetsInMs > least && resetsInMs <= most, `${counter}: ${resetsInMs}`)
  }
})

test('a primary that does not respond is reported as a store error', async () => {
  const { quota } = connectToPrimary(new Wire(), 10)
  await assert.rejects(async () => quota.take('key requests', 10, 1), StoreError)
})

test('other messages on the channel are ignored', async () => {
  const primary = new PrimaryProcess()
  const one = join(primary, 1)
  const strange = [
    null,
    1,
    'question',
    {},
    { rpc: 'other' },
    { rpc: 'response', id: 99 },
    { rpc: 'request', id: 1 },
  ]
  for (const message of strange) for (const end of one.ends) end.emit('message', message)
  for (const name of ['toString', 'constructor', 'close', 7]) {
    for (const end of one.ends) end.emit('message', { rpc: 'request', id: 1, name, args: [] })
  }
  assert.equal(await requests(one), 1)
})

test('figures are added up for every worker that asks', async () => {
  const primary = new PrimaryProcess()
  const one = join(primary, 3)
  const two = join(primary, 4)
  assert.deepEqual(await Promise.all([one, two, one].map(requests)), [7, 7, 7])
  count(one.figures)
  assert.equal(await requests(two), 8)
})

test('the counts of a process that has ended, or is stuck, stay in the sum', async () => {
  const primary = new PrimaryProcess()
  const one = join(primary, 1)
  const two = join(primary, 2)
  const three = join(primary, 4)
  assert.equal(await requests(one), 7)
  two.ends[0].emit('exit')
  three.ends[0].other = undefined
  assert.equal(await requests(one), 7)
  assert.equal(await requests(one), 7)
  const four = join(primary, 8)
  assert.equal(await requests(four), 15)
  // A second one that ends is added to the first one.
  one.ends[0].emit('exit')
  assert.equal(await requests(four), 15)
  assert.equal(await requests(four), 15)
})
