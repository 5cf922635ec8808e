/** A service with jobs, for tests of its calls. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { jobSettings } from '@patient-risk/catalog/config'
import { SCORE, type ServeOptions, type Served, serve } from '../../../../../test/support/serve.ts'
import type { Answer } from '../../../../../test/support/exchange.ts'
import { until } from '../../../../../test/support/until.ts'
import type { TableRunner } from '../../../src/http/jobs/table-runner.ts'

export const JOBS = `${SCORE}/jobs`
export const RECORD = { age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
export const records = (count: number): object[] =>
  Array.from({ length: count }, (_each, idx) => ({ idx, ...RECORD }))
export const lines = (all: readonly object[]): string =>
  all.map((each) => `${JSON.stringify(each)}\n`).join('')
export const NDJSON = { 'content-type': 'application/x-ndjson' }

export interface WithJobs extends Served {
  readonly folder: string
}

export async function serveJobs(
  t: TestContext,
  limits: object = {},
  options: ServeOptions = {},
  runner?: TableRunner,
): Promise<WithJobs> {
  const folder = mkdtempSync(join(tmpdir(), 'patient-risk-jobs-'))
  const settings = jobSettings({ folder, ...limits })
  const service = await serve({
    ...options,
    service: { ...options.service, jobs: { settings, runner, worker: { pollMs: 20, pauseMs: 1 } } },
  })
  t.after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { ...service, folder }
}

export function addressOf(answer: Answer): string {
  assert.equal(answer.status, 202, answer.text)
  return String(answer.headers['content-location'])
}

export async function ended(service: Served, path: string): Promise<Answer> {
  let answer = await service.get(path)
  await until(async () => {
    answer = await service.get(path)
    return answer.status !== 202
  })
  return answer
}

export const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` })
