/** The contract of every store: a job has one worker at a time, and only the last one changes it. */
import assert from 'node:assert/strict'
import type { NewJob } from '../../../src/store/jobs/stored-job.ts'
import { groupEntries, makeEntry } from '../../../src/store/audit/audit-row.ts'
import { onEachStore } from './each-store.ts'

const row = groupEntries([makeEntry({ at: 1, requestId: 'r', keyId: null, call: 'job end' })])
const ROOM = { jobs: 2, bytes: 100, totalBytes: 150 }
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

const job = (id: string, more: Partial<NewJob> = {}): NewJob => ({
  id,
  deployment: 'readmission',
  digest: 'digest-a',
  owner: 'key-a',
  keyId: 'key-b',
  requests: [],
  body: 'body',
  createdAt: 1_000,
  expiresAt: 10_000,
  sealedKey: bytes('sealed'),
  bytes: 50,
  records: null,
  facts: '{}',
  room: ROOM,
  row,
  ...more,
})

onEachStore((given, test) => {
  test('a worker that has lost its lease cannot publish, step or give back', async () => {
    const { store } = given
    await store.insertJob(job('fenced'))
    const first = await store.claimJob(['other', 'digest-a'], 2_000, 3_000)
    assert.deepEqual([first?.id, first?.state, first?.fence, first?.tries], ['fenced', 'running', 1, 1])
    assert.deepEqual(Buffer.from(first?.sealedKey ?? []).toString(), 'sealed')
    // Up to the end of the lease nobody else gets it; from then on the next one does.
    assert.equal(await store.claimJob(['digest-a'], 2_999, 4_000), undefined)
    const progress = { done: 7, records: 9, checkpoint: '{"next":1}' }
    const step = { id: 'fenced', fence: 1, leaseUntil: 3_000, expiresAt: 11_000 }
    assert.equal(await store.stepJob({ ...step, progress }), true)
    const second = await store.claimJob(['digest-a'], 3_000, 5_000)
    assert.deepEqual(
      [second?.fence, second?.tries, second?.done, second?.checkpoint],
      [2, 1, 7, '{"next":1}'],
    )
    const end = { id: 'fenced', state: 'done', expiresAt: 12_000, bytes: 9, done: 9, row } as const
    assert.equal(await store.stepJob({ ...step, leaseUntil: 9_000 }), false)
    await store.releaseJob('fenced', 1)
    assert.equal(await store.endJob({ ...end, fence: 1, answer: bytes('late') }), false)
    assert.equal((await store.findJob('fenced'))?.state, 'running')
    assert.equal((await store.findJob('fenced'))?.leaseUntil, 5_000)
    assert.equal(await store.endJob({ ...end, fence: 2, answer: bytes('right') }), true)
    // What has ended cannot be changed any more, by its own worker either.
    assert.equal(await store.endJob({ ...end, fence: 2, answer: bytes('twice') }), false)
    const done = await store.findJob('fenced')
    assert.equal(Buffer.from(done?.answer ?? []).toString(), 'right')
    const rows = await store.readAudit({ newestFirst: true, most: 100 })
    // One for taking it, one for its end.
    assert.equal(rows.filter(({ content }) => content.includes('"call":"job end"')).length, 2)
    assert.equal(await store.claimJob(['digest-a'], 99_000, 100_000), undefined)
    await store.removeJob('fenced')
  })

  test('a job is taken once for each request, and only while there is room', async () => {
    const { store } = given
    const first = await store.insertJob(job('one', { requests: ['request', 'request', 'older'] }))
    assert.equal(first.kind, 'new')
    const again = await store.insertJob(job('two', { requests: ['newer', 'newer', 'request'] }))
    assert.equal(again.kind === 'known' && again.job.id, 'one')
    assert.equal((await store.insertJob(job('two', { bytes: 51 }))).kind, 'owner-full')
    assert.equal((await store.insertJob(job('two', { bytes: 50 }))).kind, 'new')
    assert.equal((await store.insertJob(job('three', { bytes: 0 }))).kind, 'owner-full')
    const other = { owner: 'key-c' }
    assert.equal((await store.insertJob(job('four', { ...other, bytes: 51 }))).kind, 'full')
    assert.equal((await store.insertJob(job('four', { ...other, bytes: 50 }))).kind, 'new')
    assert.deepEqual((await store.removeExpiredJobs(9_999)).length, 0)
    // One whose time is over holds its name no longer, at its last moment it does.
    const late = job('five', {
      ...other,
      requests: ['request'],
      bytes: 0,
      createdAt: 9_999,
      expiresAt: 20_000,
    })
    assert.equal((await store.insertJob(late)).kind, 'known')
    assert.equal((await store.insertJob({ ...late, createdAt: 10_000 })).kind, 'new')
    assert.equal(await store.removeJob('five'), true)
    assert.deepEqual((await store.removeExpiredJobs(10_000)).map(({ id }) => id).sort(), ['four', 'two'])
    assert.equal(await store.removeJob('one'), false)
  })

  test('owners take turns, however many jobs each has submitted', async () => {
    const { store } = given
    const room = { jobs: 9, bytes: 900, totalBytes: 9_000 }
    for (const [id, owner, createdAt] of [
      ['a1', 'key-a', 1],
      ['a2', 'key-a', 2],
      ['a3', 'key-a', 3],
      ['c1', 'key-c', 4],
      ['b1', 'key-b', 5],
      ['b2', 'key-b', 6],
    ] as const)
      await store.insertJob(job(id, { owner, createdAt, room }))
    const order: string[] = []
    for (let last = ''; order.length < 6;) {
      const claimed = await store.claimJob(['digest-a'], 2_000, 3_000, last)
      last = claimed?.owner ?? ''
      order.push(claimed?.id ?? '')
    }
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
    for (const id of order) await store.removeJob(id)
  })

  test('a job that no instance can answer is taken after a time, to end it', async () => {
    const { store } = given
    await store.insertJob(job('lost', { digest: 'gone' }))
    assert.equal(await store.claimJob(['digest-a'], 2_000, 3_000), undefined)
    assert.equal(await store.claimLostJob(999, 2_000, 3_000), undefined)
    assert.equal((await store.claimLostJob(1_000, 2_000, 3_000))?.id, 'lost')
    await store.removeJob('lost')
  })
})
