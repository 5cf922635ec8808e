/** Which rows share a commit, by a store whose commits the test controls: nothing here waits for real time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GroupCommit } from '../../src/store/group-commit.ts'

/** A store whose commits end when the test says so, also when it says so before they begin. */
class HeldStore {
  readonly groups: (readonly number[])[] = []
  private readonly held: PromiseWithResolvers<void>[] = []

  readonly commit = (items: readonly number[]): Promise<void> => {
    this.groups.push(items)
    return this.hold(this.groups.length - 1).promise
  }

  hold(index: number): PromiseWithResolvers<void> {
    return (this.held[index] ??= Promise.withResolvers())
  }

  async hasBegun(count: number): Promise<void> {
    while (this.groups.length < count) await turn()
  }
}

const ROOMY = { group: 100, waiting: 100 }

test('items that arrive during a commit share the next one', async () => {
  const store = new HeldStore()
  const commit = new GroupCommit(store.commit, ROOMY)
  const first = commit.add(0)
  await store.hasBegun(1)
  const rest = [1, 2, 3].map((item) => commit.add(item))
  store.hold(0).resolve()
  store.hold(1).resolve()
  await Promise.all([first, ...rest])
  assert.deepEqual(store.groups, [[0], [1, 2, 3]])
})

test('the next commit starts before callers of the previous one resume, and they do not wait for it', async () => {
  const store = new HeldStore()
  const commit = new GroupCommit(store.commit, ROOMY)
  const first = commit.add(0).then(() => store.groups.length)
  await store.hasBegun(1)
  const second = commit.add(1)
  store.hold(0).resolve()
  assert.equal(await first, 2)
  store.hold(1).reject(new Error('broken'))
  await assert.rejects(second, /broken/)
})

test('a commit that throws at once fails like one that rejects, and the rows before it are durable', async () => {
  let count = 0
  const commit = new GroupCommit<number>(
    () => {
      if (++count === 2) throw new Error('broken')
      return Promise.resolve()
    },
    { group: 1, waiting: 10 },
  )
  const outcomes = await Promise.allSettled([0, 1, 2].map((item) => commit.add(item)))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected'],
  )
  await commit.add(3)
})

test('items of one turn of the event loop share a commit', async () => {
  const store = new HeldStore()
  const commit = new GroupCommit(store.commit, ROOMY)
  store.hold(0).resolve()
  const items = [commit.add(0)]
  await Promise.resolve()
  items.push(commit.add(1))
  await Promise.all(items)
  assert.deepEqual(store.groups, [[0, 1]])
})

test('a group has a maximum size, and the rest goes into the next one', async () => {
  const store = new HeldStore()
  const commit = new GroupCommit(store.commit, { group: 2, waiting: 10 })
  for (const index of [0, 1, 2]) store.hold(index).resolve()
  await Promise.all([0, 1, 2, 3, 4].map((item) => commit.add(item)))
  assert.deepEqual(store.groups, [[0, 1], [2, 3], [4]])
})

test('a failed commit rejects all waiting items, and the next one is tried again', async () => {
  const store = new HeldStore()
  const commit = new GroupCommit(store.commit, { group: 100, waiting: 20 })
  const failing = [commit.add(0)]
  await store.hasBegun(1)
  failing.push(...Array.from({ length: 20 }, () => commit.add(1)))
  await assert.rejects(commit.add(2), /too many rows/)
  store.hold(0).reject(new Error('broken'))
  const outcomes = await Promise.allSettled(failing)
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  assert.deepEqual(store.groups, [[0]], 'those that waited are not written')
  store.hold(1).resolve()
  await commit.add(3)
  assert.deepEqual(store.groups, [[0], [3]])
})

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
