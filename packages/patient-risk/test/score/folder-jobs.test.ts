/** `score --output-dir --resume`: which inputs an interrupted run has finished, also where the next one has other options. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import type { RunInput, RunReport } from '@patient-risk/data/bulk'
import { folderJobs } from '../../src/cli/score/folder-jobs.ts'
import type { Job } from '../../src/cli/score/job.ts'
import type { ScoreValues } from '../../src/cli/score/score-options.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-folder-jobs-'))
after(() => rmSync(folder, { recursive: true }))
const INPUTS = ['a', 'b', 'c'].map((name): RunInput => {
  const path = join(folder, `${name}.ndjson`)
  writeFileSync(path, `{"idx":1}\n`)
  return { path, format: 'ndjson' }
})
const MODEL = ['digest of the model']
let outputs = 0

const jobsIn = (output: string, values: ScoreValues, scoredBy = MODEL): Promise<readonly Job[]> =>
  folderJobs(
    INPUTS,
    INPUTS.map(({ path }) => path),
    output,
    values,
    scoredBy,
  )
const finish = (job: Job | undefined): unknown =>
  job?.withState(() => {
    writeFileSync(job.run.output ?? '', '')
    return Promise.resolve({} as RunReport)
  })
const namesOf = (jobs: readonly Job[]): string =>
  jobs.map(({ run }) => basename(run.inputs[0]?.path ?? '', '.ndjson')).join(' ')

/** What the second run is asked · what it scores after the first one has finished `a`. */
const ROWS: readonly (readonly [what: string, values: ScoreValues, scoredBy: string[], scored: string])[] = [
  ['the same', { resume: true }, MODEL, 'b c'],
  ['other threads', { resume: true, threads: '2' }, MODEL, 'b c'],
  ['quietly', { resume: true, quiet: true }, MODEL, 'b c'],
  ['what results rest on', { resume: true, notices: true }, MODEL, 'a b c'],
  ['another model', { resume: true }, ['another'], 'a b c'],
  ['from the beginning', {}, MODEL, 'a b c'],
]
for (const [what, values, scoredBy, scored] of ROWS) {
  test(`${what}: ${scored} are scored, and the list of what is done goes with the last of them`, async () => {
    const output = join(folder, `out-${outputs++}`)
    const [first] = await jobsIn(output, { 'output-dir': output })
    await finish(first)
    const state = join(output, '.patient-risk-run.json')
    assert.equal(existsSync(state), true)
    const jobs = await jobsIn(output, { 'output-dir': output, ...values }, scoredBy)
    assert.equal(namesOf(jobs), scored)
    for (const [at, job] of jobs.entries()) {
      await finish(job)
      assert.equal(existsSync(state), at < jobs.length - 1, `after ${at + 1} of ${jobs.length}`)
    }
  })
}
