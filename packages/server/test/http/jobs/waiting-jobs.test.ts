/** Jobs that wait are answered as of the day and by the right with which they were submitted, however late a worker takes them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '@patient-risk/runtime'
import { until } from '../../../../../test/support/until.ts'
import type { TableRunner, TableTask } from '../../../src/http/jobs/table-runner.ts'
import { JOBS, NDJSON, RECORD, addressOf, bearer, ended, lines, records, serveJobs } from './serve-jobs.ts'

const CSV = { 'content-type': 'text/csv' }
const TAKEN = 20260315
const LATER = '2026-03-17T12:00:00Z'
/** On the day of the submission it lies in the future. */
const RECORD_OF_LATER = { idx: 1, ...RECORD, barthel_date: '16-03-2026' }

/** Reads no table. The worker is busy with the first one until the test lets it go on. */
class HeldRunner implements TableRunner {
  readonly tasks: TableTask[] = []
  letGo: () => void = () => undefined
  private readonly held = new Promise<void>((resolve) => (this.letGo = resolve))

  isAvailable(): boolean {
    return true
  }

  async run(task: TableTask): Promise<never> {
    this.tasks.push(task)
    await this.held
    throw new AppError('JOB_FAILED', 'This runner reads no tables.')
  }
}

test('a table that is read two days later is judged by the day of its submission', async (t) => {
  const runner = new HeldRunner()
  const service = await serveJobs(t, { keepHours: 240 }, {}, runner)
  const first = addressOf(await service.post('idx,age\n1,84\n', { path: JOBS, headers: CSV }))
  const second = addressOf(await service.post('idx,age\n2,84\n', { path: JOBS, headers: CSV }))
  service.clock.set(LATER)
  runner.letGo()
  for (const path of [first, second]) assert.match((await ended(service, path)).text, /"state":"failed"/)
  assert.deepEqual(
    runner.tasks.map(({ today }) => today),
    [TAKEN, TAKEN],
  )
})

test('lines that are scored two days later are judged by the day of their submission', async (t) => {
  const runner = new HeldRunner()
  const service = await serveJobs(t, { keepHours: 240 }, {}, runner)
  await service.post('idx,age\n1,84\n', { path: JOBS, headers: CSV })
  const path = addressOf(await service.post(lines([RECORD_OF_LATER]), { path: JOBS, headers: NDJSON }))
  const now = await service.post([RECORD_OF_LATER])
  assert.match(now.text, /barthel_date.*future/)
  service.clock.set(LATER)
  runner.letGo()
  assert.equal((await ended(service, path)).status, 200)
  const results = await service.get(`${path}/files/results.ndjson`)
  assert.equal(`[${results.text.trim()}]`, now.text)
})

test('a job goes on with the key that has replaced the one that submitted it, and not with that of another', async (t) => {
  const runner = new HeldRunner()
  const service = await serveJobs(t, {}, {}, runner)
  const admin = bearer(await service.makeKey({ name: 'admin', scopes: ['admin'] }))
  const submit = async (key: string, headers: object = NDJSON): Promise<string> => {
    const all = { ...headers, ...bearer(key) }
    return addressOf(await service.post(lines(records(1)), { path: JOBS, headers: all }))
  }
  const manage = async (key: string, what: 'rotate' | 'revoke'): Promise<string> => {
    const path = `/admin/keys/${key.split('_')[1] ?? ''}/${what}`
    const answer = await service.post(what === 'rotate' ? '{}' : '', { path, headers: admin })
    assert.ok(answer.status < 300, answer.text)
    return (answer.json() as { readonly key?: string }).key ?? ''
  }
  const held = await service.makeKey({ name: 'held' })
  const replaced = await service.makeKey({ name: 'replaced' })
  const revoked = await service.makeKey({ name: 'revoked' })
  await submit(held, CSV)
  const ofReplaced = await submit(replaced)
  const ofRevoked = await submit(revoked)
  const successor = await manage(replaced, 'rotate')
  await manage(replaced, 'revoke')
  await manage(revoked, 'revoke')
  runner.letGo()
  for (const path of [ofRevoked, ofReplaced])
    await until(async () => (await service.get(path, admin)).status === 200)
  assert.match((await service.get(ofRevoked, admin)).text, /KEY_INVALID/)
  assert.match((await service.get(ofReplaced, bearer(successor))).text, /"state":"done"/)
})

test('keys take turns, however many jobs each of them has', async (t) => {
  const runner = new HeldRunner()
  const service = await serveJobs(t, {}, {}, runner)
  const keys = [await service.makeKey({ name: 'first' }), await service.makeKey({ name: 'second' })]
  const owners = new Map<string, number>()
  const submit = async (owner: number): Promise<void> => {
    const headers = { ...CSV, ...bearer(keys[owner] ?? '') }
    const path = addressOf(await service.post('idx,age\n1,84\n', { path: JOBS, headers }))
    owners.set(path.split('/').at(-1) ?? '', owner)
  }
  await submit(0)
  await until(() => runner.tasks.length === 1)
  for (const owner of [0, 0, 1, 1]) await submit(owner)
  runner.letGo()
  await until(() => runner.tasks.length === owners.size)
  assert.deepEqual(
    runner.tasks.map(({ id }) => owners.get(id)),
    [0, 1, 0, 1, 0],
  )
})
