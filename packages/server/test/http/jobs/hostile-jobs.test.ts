/** Jobs that would cost others more than their share: short lines, long answers, numbers that were chosen, quotas that are used up. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeDeployments } from '@patient-risk/catalog'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { newDataKey } from '@patient-risk/runtime'
import { JobFolder, newJobId, pieceName } from '../../../src/http/jobs/job-folder.ts'
import { JobWaits, type LineCheckpoint, type Taken, scoreLineJob } from '../../../src/http/jobs/line-job.ts'
import { ScoringDispatcher } from '../../../src/http/scoring/scoring-dispatcher.ts'
import { testCatalog } from '../../../../../test/support/serve.ts'
import { until } from '../../../../../test/support/until.ts'
import { JOBS, NDJSON, addressOf, bearer, ended, lines, records, serveJobs } from './serve-jobs.ts'

const MIB = 1024 * 1024
/** A piece ends with the step that brings it to a megabyte, and a step has 2,048 short lines. */
const MOST_PIECE_BYTES = MIB + MIB / 2
const SHORT_LINES = 20_000

for (const [what, body, perRecord] of [
  ['one byte each', '1\n'.repeat(SHORT_LINES), 1],
  ['an array of them', `[${'1,'.repeat(SHORT_LINES - 1)}1]`, 1],
  ['20 wrong names each', `${wrongNames(20)}\n`.repeat(1_000), 20],
] as const) {
  test(`results that are many times as long as their lines lie in pieces of bounded size: ${what}`, async (t) => {
    const service = await serveJobs(t)
    const type = body.startsWith('[') ? 'application/json' : 'application/x-ndjson'
    const path = addressOf(await service.post(body, { path: JOBS, headers: { 'content-type': type } }))
    const done = (await ended(service, path)).json() as { records: number; scored: number }
    assert.equal(done.records, perRecord > 1 ? 1_000 : SHORT_LINES)
    assert.equal(done.scored, 0)
    const [id = ''] = readdirSync(service.folder)
    const sizes = readdirSync(join(service.folder, id)).map(
      (name) => statSync(join(service.folder, id, name)).size,
    )
    assert.ok(sizes.length >= 4, `${sizes.length} pieces`)
    assert.ok(Math.max(...sizes) <= MOST_PIECE_BYTES, `${Math.max(...sizes)} bytes in one piece`)
    const { text } = await service.get(`${path}/files/results.ndjson`)
    const streamed = await service.post(body.startsWith('[') ? '1\n'.repeat(SHORT_LINES) : body, {
      headers: NDJSON,
    })
    assert.ok(text === streamed.text, 'the results are those of a stream')
    const errors = await service.get(`${path}/files/errors.ndjson`)
    assert.ok(errors.text === text, 'each of them is an error too')
  })
}

function wrongNames(count: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`barthel_x${at}`, 1])))
}

test('repeated idx are refused where the results of a piece lie in several pieces', async (t) => {
  const service = await serveJobs(t)
  // The 3 comes again behind many results.
  const body = `{"idx":3}\n${'1\n'.repeat(20_000)}{"idx":4}\n{"idx":3}\n`
  const path = addressOf(await service.post(body, { path: JOBS, headers: NDJSON }))
  await ended(service, path)
  const { text } = await service.get(`${path}/files/results.ndjson`)
  const refused = text.split('\n').filter((line) => line.includes('in idx 3 (duplicate)'))
  assert.equal(refused.length, 2)
  assert.equal(text.split('\n').length - 1, 20_003)
  assert.equal(text.split('\n').filter((line) => line.includes('in idx 4 (duplicate)')).length, 0)
})

test('results that take more room than their key has for jobs end the job, and leave nothing', async (t) => {
  const service = await serveJobs(t, { bytesPerKey: 450_000 })
  const submit = async (count: number): Promise<string> => {
    const answer = await service.post('1\n'.repeat(count), { path: JOBS, headers: NDJSON })
    return (await ended(service, addressOf(answer))).text
  }
  assert.match(await submit(1_000), /"state":"done"/)
  // What the first one keeps is no room for the second one.
  assert.match(await submit(1_000), /"state":"failed".*"code":"JOB_FAILED".*more room than the key has/)
  // The files go when the state of the job is written.
  await until(() => readdirSync(service.folder).length === 1)
})

test('a job that waits for the records of its key keeps no other key waiting', async (t) => {
  const service = await serveJobs(t)
  const slow = await service.makeKey({ limits: { recordsPerMinute: 10 } })
  const headers = { ...NDJSON, ...bearer(slow) }
  const path = addressOf(await service.post(lines(records(1_000)), { path: JOBS, headers }))
  const other = addressOf(await service.post(lines(records(3)), { path: JOBS, headers: NDJSON }))
  assert.match((await ended(service, other)).text, /"state":"done"/)
  const waiting = await service.store.findJob(path.split('/').at(-1) ?? '')
  assert.equal(waiting?.state, 'running')
  assert.match(waiting.checkpoint ?? '', /"taken":10,/)
})

test('a job goes on where its quota ended, and each record is counted once', async () => {
  const root = mkdtempSync(join(tmpdir(), 'patient-risk-quota-'))
  try {
    const folder = new JobFolder(root)
    const [deployment] = makeDeployments(testCatalog(), DEFAULT_FILE.deployments).deployments
    assert.ok(deployment)
    const id = newJobId()
    const key = newDataKey()
    await folder.make(id)
    const COUNTS = [7, 5]
    for (const [piece, count] of COUNTS.entries())
      await folder.write(id, pieceName('in', piece), key, Buffer.from(lines(records(count))))
    const asked: number[] = []
    const take = (wanted: number): Promise<Taken> => {
      asked.push(wanted)
      return Promise.resolve({ records: Math.min(wanted, 3), waitMs: wanted > 3 ? 10 : 0 })
    }
    const facts = { from: 'ndjson', to: 'ndjson', today: 20_260_601, model: 'm', codes: null } as const
    const parts = {
      service: { dispatcher: new ScoringDispatcher(), load: { requests: 0 }, feeds: new Map() } as never,
      deployment,
      folder,
      id,
      key,
      keyId: 'k',
      signal: new AbortController().signal,
      scored: undefined,
      facts: { ...facts, scoreGroup: null, requestId: 'r', pieces: COUNTS.length },
      mostBytes: Infinity,
      take,
      keep: () => Promise.resolve(),
    }
    let from: LineCheckpoint | undefined
    const taken: number[] = []
    // A job that asks for the same records again would never end.
    while (asked.length < 9) {
      const ended = await scoreLineJob(parts, from).catch((error: unknown) => error)
      if (!(ended instanceof JobWaits)) {
        assert.equal((ended as { tally?: { records: number } }).tally?.records, 12)
        break
      }
      from = JSON.parse(JSON.stringify(ended.checkpoint)) as LineCheckpoint
      taken.push(from.first)
    }
    assert.deepEqual(asked, [7, 4, 1, 5, 2])
    assert.deepEqual(taken, [0, 0, 7])
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
