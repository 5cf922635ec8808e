/** A job of lines that goes on after any of its checkpoints says and counts what it would have said and counted at once. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Deployment } from '@patient-risk/catalog'
import { newDataKey } from '@patient-risk/runtime'
import { testDeployments, testDispatcher } from '../../../../../test/support/serve.ts'
import type { JobFacts } from '../../../src/http/jobs/job-facts.ts'
import { JobFolder, newJobId, pieceName } from '../../../src/http/jobs/job-folder.ts'
import {
  JobWaits,
  type LineCheckpoint,
  type LineResult,
  type Taken,
  scoreLineJob,
} from '../../../src/http/jobs/line-job.ts'
import { scoredIn } from '../../../src/http/scoring/counted-scores.ts'
import type { Service } from '../../../src/http/service.ts'
import { RECORD, lines } from './serve-jobs.ts'

const TODAY = 20260315
/** The first and the last piece share an idx, and one record has no risk. */
const PIECES = [
  [
    { idx: 1, ...RECORD },
    { idx: 2, ...RECORD, age: 60 },
  ],
  [{ idx: 3, ...RECORD, age: 999 }],
  [{ idx: 4, ...RECORD, age: 40 }],
  [
    { idx: 5, ...RECORD },
    { idx: 1, ...RECORD, age: 60 },
  ],
]

/** Runs the job from a checkpoint to its end. */
type Run = (
  from: LineCheckpoint | undefined,
  take?: (count: number) => Promise<Taken>,
) => Promise<{ result: LineResult; counts: readonly string[]; checkpoints: LineCheckpoint[] }>

const takeAll = (records: number): Promise<Taken> => Promise.resolve({ records, waitMs: 0 })

async function jobOf(t: TestContext): Promise<Run> {
  const root = mkdtempSync(join(tmpdir(), 'patient-risk-jobs-'))
  const dispatcher = testDispatcher()
  t.after(async () => {
    await dispatcher.close()
    rmSync(root, { recursive: true, force: true })
  })
  const deployment = testDeployments({})[0] as Deployment
  const folder = new JobFolder(root)
  const id = newJobId()
  const key = newDataKey()
  await folder.make(id)
  for (const [number, records] of PIECES.entries())
    await folder.write(id, pieceName('in', number), key, Buffer.from(lines(records)))
  const service = { dispatcher, load: { requests: 0 }, feeds: new Map() } as unknown as Service
  const facts: JobFacts = {
    from: 'ndjson',
    to: 'ndjson',
    today: TODAY,
    model: 'm@1',
    codes: null,
    requestId: 'r',
    pieces: PIECES.length,
  }
  return async (from, take = takeAll) => {
    const scored = scoredIn(deployment, TODAY, '')
    const checkpoints: LineCheckpoint[] = []
    const { signal } = new AbortController()
    const keep = (reached: LineCheckpoint): Promise<void> =>
      Promise.resolve(void checkpoints.push(JSON.parse(JSON.stringify(reached)) as LineCheckpoint))
    const job = { deployment, folder, id, key, keyId: 'k', facts, scored }
    const parts = { ...job, service, mostBytes: Infinity, signal, take, keep }
    const result = await scoreLineJob(parts, from)
    return { result, counts: Array.from(scored.cells(), String).sort(), checkpoints }
  }
}

test('a job that goes on after a checkpoint has the results, problems and counts of the whole', async (t) => {
  const run = await jobOf(t)
  const whole = await run(undefined)
  assert.equal(whole.checkpoints.length, PIECES.length)
  assert.equal(whole.result.tally.scored, 3)
  for (const checkpoint of whole.checkpoints) {
    const { result, counts } = await run(checkpoint)
    const place = `after ${checkpoint.next} pieces`
    assert.deepEqual(counts, whole.counts, place)
    assert.deepEqual(result, whole.result, place)
  }
})

test('a job that waits for its quota in the middle of a piece counts each record once', async (t) => {
  const run = await jobOf(t)
  const whole = await run(undefined)
  const asked: number[] = []
  /** One record at a time. */
  const take = (records: number): Promise<Taken> => {
    asked.push(records)
    return Promise.resolve({ records: 1, waitMs: Number(records > 1) })
  }
  let from: LineCheckpoint | undefined
  let done: LineResult | undefined
  while (done === undefined && asked.length < 10) {
    try {
      const { result, counts } = await run(from, take)
      assert.deepEqual(counts, whole.counts)
      done = result
    } catch (error) {
      assert.ok(error instanceof JobWaits)
      from = JSON.parse(JSON.stringify(error.checkpoint)) as LineCheckpoint
    }
  }
  assert.deepEqual(done, whole.result)
  // The first and the last piece have two records: one of them is counted, the job waits, and the other one is.
  assert.deepEqual(asked, [2, 1, 1, 1, 2, 1])
})
