/** The runs that a command asks for: one for all its inputs, or one for each, with the files that they write. */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { formatOf, isTextFormat } from '../../bulk/format.ts'
import type { RunInput, ScoreRun } from '../../bulk/run.ts'
import { isAddress } from '../../tables/list-inputs.ts'
import { STANDARD_INPUT, identityOf } from '../../tables/open-input.ts'
import { UsageError } from '../command.ts'
import { outputPaths } from './output-paths.ts'
import { type ScoreValues, errorsFormat, outputFormat } from './score-options.ts'

export interface Job {
  readonly run: Pick<ScoreRun, 'inputs' | 'output' | 'to' | 'compression' | 'errors' | 'errorsTo'>
  /** Notes that it is done, for a run that is resumed. */
  finish?(): Promise<void>
}

/** Jobs that an earlier run has finished are left out where it is resumed. */
export async function jobsFor(inputs: readonly RunInput[], values: ScoreValues): Promise<readonly Job[]> {
  const { output, errors } = values
  const folder = values['output-dir']
  if (folder !== undefined) {
    if (output !== undefined || errors !== undefined)
      throw new UsageError('--output-dir takes the place of --output and --errors.')
    return folderJobs(inputs, folder, values)
  }
  if (inputs.length > 1 && inputs.some(({ format }) => isTextFormat(format)))
    throw new UsageError('Several JSON or NDJSON files need --output-dir.')
  const to = outputFormat(values.to, output)
  const paths = outputPaths(inputs, output, errors)
  if (paths.output === undefined && to === 'parquet') throw new UsageError('Parquet needs --output FILE.')
  const compression = paths.output === undefined ? undefined : formatOf(output ?? '').compression
  return [{ run: { inputs, ...paths, to, compression, errorsTo: errorsFormat(errors) } }]
}

/** Outputs keep the folders of the inputs. What is done is noted beside them until the run has ended. */
async function folderJobs(
  inputs: readonly RunInput[],
  folder: string,
  values: ScoreValues,
): Promise<readonly Job[]> {
  if (inputs.some(({ path }) => path === STANDARD_INPUT))
    throw new UsageError('--output-dir needs files with names.')
  const root = commonFolder(inputs.map(({ path }) => path))
  const settings = { ...values, resume: undefined, quiet: undefined, threads: undefined }
  const state = join(folder, '.patient-risk-run.json')
  const done = new Set(values.resume === true ? await readDone(state) : [])
  const doneBefore = done.size
  await mkdir(folder, { recursive: true })
  const jobs: Job[] = []
  const names = new Set<string>()
  for (const input of inputs) {
    const { path, format } = input
    const to = outputFormat(values.to ?? (format === 'xlsx' ? 'csv' : format), undefined)
    const inside = isAddress(path) ? basename(path) : relative(root, path)
    const name = join(folder, `${inside.replace(/(\.[A-Za-z]+)(\.(gz|zst))?$/, '')}.${to}`)
    if (names.has(name)) throw new UsageError(`Two inputs would be written to ${name}; score them apart.`)
    names.add(name)
    const identity = isAddress(path) ? '' : await identityOf(path)
    const key = createHash('sha256')
      .update(JSON.stringify([settings, path, identity]))
      .digest('hex')
    if (done.has(key)) continue
    await mkdir(dirname(name), { recursive: true })
    const paths = outputPaths(inputs, name, undefined)
    jobs.push({
      run: { inputs: [input], ...paths, to, compression: undefined, errorsTo: undefined },
      finish: async () => {
        done.add(key)
        if (jobs.length === done.size - doneBefore) await rm(state, { force: true })
        else await writeFile(state, JSON.stringify([...done]), { flush: true })
      },
    })
  }
  return jobs
}

async function readDone(path: string): Promise<readonly string[]> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as string[]
  } catch {
    return []
  }
}

/** The innermost folder that holds every file. */
function commonFolder(paths: readonly string[]): string {
  const folders = paths.filter((path) => !isAddress(path)).map((path) => dirname(resolve(path)))
  let [common = '.'] = folders
  while (folders.some((folder) => relative(common, folder).startsWith('..'))) common = dirname(common)
  return common
}
