/** A call that is given up has committed nothing, and a commit that has begun is waited for: one of the two always comes first. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { StoreError } from '../../src/errors.ts'
import { type CallLimit, CommitClaims, Rpc, type RpcPort, claimCommit } from '../../src/workers/rpc.ts'

const LIMIT_MS = 1_000
const VERDICT_MS = 1_000
const START = Date.parse('2026-03-15T12:00:00Z')

interface Methods {
  work(): Promise<string>
}

/** Two ends of a channel in this thread. What is sent arrives at once. */
function channel(): readonly [RpcPort, RpcPort] {
  const listeners: ((message: unknown) => void)[][] = [[], []]
  const end = (own: number): RpcPort => ({
    send: (message) => {
      for (const listener of listeners[1 - own] ?? []) listener(message)
    },
    on: (_event, listener) => listeners[own]?.push(listener),
  })
  return [end(0), end(1)]
}

interface Given {
  readonly calls: Rpc<Methods>
  /** The work of the next call. */
  work: (limit: CallLimit) => Promise<string>
}

function connect(claims: CommitClaims | undefined): Given {
  const [near, far] = channel()
  const given: Given = {
    calls: new Rpc<Methods>(near, 'the store', {}, { claims }),
    work: () => Promise.resolve('done'),
  }
  new Rpc(far, 'the caller', { work: (limit: CallLimit) => given.work(limit) }, { memory: claims?.memory })
  return given
}

/** After the time has passed, the event loop delivers what has arrived, in two turns. */
async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms)
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** What became of a promise so far. */
function watch(promise: Promise<unknown>): { state: string } {
  const seen = { state: 'open' }
  promise.then(
    (result) => (seen.state = String(result)),
    (error: unknown) => {
      assert.ok(error instanceof StoreError)
      seen.state = error.message
    },
  )
  return seen
}

const LATE = 'the store did not answer in time'

beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: START }))
afterEach(() => mock.timers.reset())

const MOMENTS = [
  ['below the limit', LIMIT_MS - 1, true, 'committed'],
  ['at the limit', LIMIT_MS, false, LATE],
  ['after the limit', LIMIT_MS + 1, false, LATE],
] as const

for (const [name, ms, mayCommit, answer] of MOMENTS) {
  test(`work that is ready to commit ${name}: ${mayCommit ? 'it may' : 'it may not'}`, async () => {
    const given = connect(new CommitClaims())
    const ready = Promise.withResolvers<undefined>()
    let asked: boolean | undefined
    given.work = async (limit) => {
      await ready.promise
      asked = limit.mayCommit()
      return asked ? 'committed' : 'rolled back'
    }
    const seen = watch(given.calls.call('work', [], LIMIT_MS))
    await pass(ms)
    ready.resolve(undefined)
    await pass(0)
    assert.equal(asked, mayCommit)
    assert.equal(seen.state, answer)
  })
}

test('a caller whose limit ends during a commit waits for the answer', async () => {
  const given = connect(new CommitClaims())
  const committed = Promise.withResolvers<string>()
  given.work = (limit) => {
    assert.ok(limit.mayCommit())
    return committed.promise
  }
  const seen = watch(given.calls.call('work', [], LIMIT_MS))
  await pass(LIMIT_MS)
  await pass(VERDICT_MS - 1)
  assert.equal(seen.state, 'open')
  committed.resolve('committed')
  await pass(0)
  assert.equal(seen.state, 'committed')
})

test('a commit that does not end leaves its caller without a verdict, and says so', async () => {
  const given = connect(new CommitClaims())
  given.work = (limit) => {
    assert.ok(limit.mayCommit())
    return new Promise(() => undefined)
  }
  const seen = watch(given.calls.call('work', [], LIMIT_MS))
  await pass(LIMIT_MS)
  await pass(VERDICT_MS)
  assert.equal(seen.state, 'the store did not end a commit in time')
})

test('a clock that was set back does not let a call commit that was given up', async () => {
  const given = connect(new CommitClaims())
  const ready = Promise.withResolvers<undefined>()
  let asked: boolean | undefined
  given.work = async (limit) => {
    await ready.promise
    asked = limit.mayCommit()
    return 'done'
  }
  const seen = watch(given.calls.call('work', [], LIMIT_MS))
  await pass(LIMIT_MS)
  assert.equal(seen.state, LATE)
  mock.timers.setTime(START - 3_600_000)
  ready.resolve(undefined)
  await pass(0)
  assert.equal(asked, false)
})

test('a call with several commits may make each of them until its limit', async () => {
  const given = connect(new CommitClaims())
  const between = Promise.withResolvers<undefined>()
  const asked: boolean[] = []
  given.work = async (limit) => {
    asked.push(limit.mayCommit(), limit.mayCommit())
    await between.promise
    asked.push(limit.mayCommit())
    throw new Error('rolled back')
  }
  const seen = watch(given.calls.call('work', [], LIMIT_MS))
  await pass(LIMIT_MS)
  assert.equal(seen.state, 'open')
  between.resolve(undefined)
  await pass(0)
  assert.deepEqual(asked, [true, true, false])
  assert.equal(seen.state, 'rolled back')
})

test('the cell of a call that is over is of no use to a thread that still works on it', () => {
  const claims = new CommitClaims()
  const first = claims.open()
  assert.ok(first !== undefined)
  claims.close(first)
  assert.equal(claimCommit(claims.memory, first), false)
  const second = claims.open()
  assert.ok(second !== undefined)
  assert.equal(second.cell, first.cell)
  assert.equal(claimCommit(claims.memory, first), false)
  assert.equal(claimCommit(claims.memory, second), true)
  assert.equal(claims.withdraw(second), false)
})

test('4,096 calls may wait for a thread; one more is refused, and has a place again when one is over', async () => {
  const given = connect(new CommitClaims())
  const ready = Promise.withResolvers<string>()
  given.work = () => ready.promise
  const waiting = Array.from({ length: 4_096 }, () => given.calls.call('work', [], LIMIT_MS))
  await assert.rejects(given.calls.call('work', [], LIMIT_MS), /too many calls wait for the store/)
  ready.resolve('done')
  assert.equal(new Set(await Promise.all(waiting)).size, 1)
  assert.equal(await given.calls.call('work', [], LIMIT_MS), 'done')
})

test('without shared memory the clock alone decides', async () => {
  const given = connect(undefined)
  const ready = Promise.withResolvers<undefined>()
  let asked: boolean | undefined
  given.work = async (limit) => {
    await ready.promise
    asked = limit.mayCommit()
    return 'done'
  }
  const seen = watch(given.calls.call('work', [], LIMIT_MS))
  await pass(LIMIT_MS)
  ready.resolve(undefined)
  await pass(0)
  assert.equal(asked, false)
  assert.equal(seen.state, LATE)
})
