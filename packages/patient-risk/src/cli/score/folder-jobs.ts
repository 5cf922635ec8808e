/** One run for each input, without those that an interrupted run has finished. */
import { hash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunInput } from '@patient-risk/data/bulk'
import { jsonIn } from 'patient-risk-engine/read'
import { identityOf, isAddress } from '@patient-risk/data/tables'
import { folderOutputs, inFolderOf, rootOf } from './folder-outputs.ts'
import type { Job } from './job.ts'
import type { ScoreValues } from './score-options.ts'

/** A file next to the outputs lists the finished ones until the run has ended. */
export async function folderJobs(
  inputs: readonly RunInput[],
  operands: readonly string[],
  folder: string,
  values: ScoreValues,
  scoredBy: readonly unknown[],
): Promise<readonly Job[]> {
  const settings = { ...values, resume: undefined, quiet: undefined, threads: undefined }
  const state = join(folder, '.patient-risk-run.json')
  const saved = values.resume === true ? await readFile(state, 'utf8').catch(() => '') : ''
  const done = new Set((jsonIn(saved) ?? []) as readonly string[])
  const doneBefore = done.size
  const jobs: Job[] = []
  for (const { input, to, output } of folderOutputs(inputs, rootOf(operands), folder, values)) {
    const { path } = input
    const identity = isAddress(path) ? '' : await identityOf(path)
    const key = hash('sha256', JSON.stringify([settings, scoredBy, path, identity]), 'hex')
    if (done.has(key)) continue
    jobs.push({
      run: { inputs: [input], output, errors: undefined, to, compression: undefined, errorsTo: undefined },
      withState: async (work) => {
        const result = await inFolderOf(output, work)
        done.add(key)
        if (jobs.length === done.size - doneBefore) await rm(state, { force: true })
        else await writeFile(state, JSON.stringify([...done]), { flush: true })
        return result
      },
    })
  }
  return jobs
}
