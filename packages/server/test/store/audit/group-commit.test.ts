/** Which rows share a commit, by a store whose commits the test controls: nothing here waits for real time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AuditQueue } from '../../../src/store/store-client.ts'
import { entry } from '../memory-store.ts'

/** A queue whose commits end when the test says so, also when it says so before they begin. */
class HeldQueue extends AuditQueue {
  /** The rows of each commit. */
  readonly groups: (readonly number[])[]
  private readonly held: PromiseWithResolvers<void>[] = []

  constructor(limits = { group: 100, waiting: 100 }) {
    const groups: (readonly number[])[] = []
    const appendGroup = ({ texts }: { readonly texts: string }): Promise<void> => {
      groups.push(texts.split('\n').map((text) => Number(/"r(\d+)"/.exec(text)?.[1])))
      return this.hold(groups.length - 1).promise
    }
    super({ appendGroup, chainQueued: () => Promise.resolve() }, limits)
    this.groups = groups
  }

  hold(index: number): PromiseWithResolvers<void> {
    return (this.held[index] ??= Promise.withResolvers())
  }

  add(...places: readonly number[]): Promise<void> {
    return this.append(places.map((place) => entry(place)))
  }

  async hasBegun(count: number): Promise<void> {
    while (this.groups.length < count) await new Promise((resolve) => setImmediate(resolve))
  }
}

test('rows that arrive during a commit share the next one', async () => {
  const queue = new HeldQueue()
  const first = queue.add(0)
  await queue.hasBegun(1)
  const rest = [queue.add(1), queue.add(2, 3)]
  queue.hold(0).resolve()
  queue.hold(1).resolve()
  await Promise.all([first, ...rest])
  assert.deepEqual(queue.groups, [[0], [1, 2, 3]])
})

test('the next commit starts before callers of the previous one resume, and they do not wait for it', async () => {
  const queue = new HeldQueue()
  const first = queue.add(0).then(() => queue.groups.length)
  await queue.hasBegun(1)
  const second = queue.add(1)
  queue.hold(0).resolve()
  assert.equal(await first, 2)
  queue.hold(1).reject(new Error('broken'))
  await assert.rejects(second, /broken/)
})

test('a commit that throws at once fails like one that rejects, and the rows before it are durable', async () => {
  let count = 0
  const appendGroup = (): Promise<void> => {
    if (++count === 2) throw new Error('broken')
    return Promise.resolve()
  }
  const limits = { group: 1, waiting: 10 }
  const queue = new AuditQueue({ appendGroup, chainQueued: () => Promise.resolve() }, limits)
  const outcomes = await Promise.allSettled([0, 1, 2].map((place) => queue.append([entry(place)])))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected'],
  )
  await queue.append([entry(3)])
})

test('rows of one turn of the event loop share a commit', async () => {
  const queue = new HeldQueue()
  queue.hold(0).resolve()
  const rows = [queue.add(0)]
  await Promise.resolve()
  rows.push(queue.add(1))
  await Promise.all(rows)
  assert.deepEqual(queue.groups, [[0, 1]])
})

test('a group has a maximum size, and the rest goes into the next one', async () => {
  const queue = new HeldQueue({ group: 2, waiting: 10 })
  for (const index of [0, 1, 2]) queue.hold(index).resolve()
  await Promise.all([0, 1, 2, 3, 4].map((place) => queue.add(place)))
  assert.deepEqual(queue.groups, [[0, 1], [2, 3], [4]])
})

test('a failed commit rejects all waiting rows, and the next one is tried again', async () => {
  const queue = new HeldQueue({ group: 100, waiting: 20 })
  const failing = [queue.add(0)]
  await queue.hasBegun(1)
  failing.push(...Array.from({ length: 20 }, () => queue.add(1)))
  await assert.rejects(queue.add(2), /too many rows/)
  queue.hold(0).reject(new Error('broken'))
  const outcomes = await Promise.allSettled(failing)
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  assert.deepEqual(queue.groups, [[0]], 'those that waited are not written')
  queue.hold(1).resolve()
  await queue.add(3)
  assert.deepEqual(queue.groups, [[0], [3]])
})
