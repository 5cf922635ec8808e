/** The runs that a command asks for: one for all its inputs, or one for each, with the files that they write. */
import { hash } from 'node:crypto'
import { type Stats, fstatSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { tempNames, writing, type RunInput, type ScoreRun } from '@patient-risk/data/bulk'
import type { Deployment } from '@patient-risk/catalog'
import { jsonIn } from 'patient-risk-engine/read'
import { makeFolders } from '@patient-risk/runtime'
import {
  WRITTEN_FORMATS,
  type WrittenFormat,
  formatOf,
  isTextFormat,
  STANDARD_INPUT,
  identityOf,
  isAddress,
} from '@patient-risk/data/tables'
import { UsageError } from '../command.ts'
import { type ScoreValues, named, oneOf } from './score-options.ts'

const STANDARD_OUTPUT = '-'
/** As many links as Linux itself follows. */
const MOST_LINKS = 40
const INSTEAD = {
  '--output': 'Leave --output out, and redirect the standard output to it.',
  '--errors': 'Name a file.',
} as const

export interface Job {
  readonly run: Pick<ScoreRun, 'inputs' | 'output' | 'to' | 'compression' | 'errors' | 'errorsTo'>
  /** Does the work. With `--output-dir` it also notes what is done, so that a resumed run leaves it out. */
  withResume<T>(work: () => Promise<T>): Promise<T>
}

/** Jobs that an earlier run has finished are left out where it is resumed. */
export async function jobsFor(
  inputs: readonly RunInput[],
  values: ScoreValues,
  { model, scorerOptions }: Deployment,
): Promise<readonly Job[]> {
  const { output, errors } = values
  const folder = values['output-dir']
  if (folder !== undefined) {
    if (output !== undefined || errors !== undefined)
      throw new UsageError('--output-dir takes the place of --output and --errors.')
    return folderJobs(inputs, folder, values, [model.digest, scorerOptions])
  }
  if (inputs.length > 1 && inputs.some(({ format }) => isTextFormat(format)))
    throw new UsageError('Several JSON or NDJSON files need --output-dir.')
  const to = outputFormat(values.to, output)
  const paths = outputPaths(inputs, output, errors)
  if (paths.output === undefined && to === 'parquet') throw new UsageError('Parquet needs --output FILE.')
  const compression = paths.output === undefined ? undefined : formatOf(output ?? '').compression
  return [
    {
      run: { inputs, ...paths, to, compression, errorsTo: errorsFormat(errors) },
      withResume: (work) => work(),
    },
  ]
}

function outputFormat(given: string | undefined, path: string | undefined): WrittenFormat {
  const { format, written, compression } = formatOf(path ?? '')
  if (given === undefined && format === 'xlsx')
    throw new UsageError('XLSX is read, not written; name the output .csv or .parquet.')
  if (compression !== undefined && (given ?? written) === 'parquet')
    throw new UsageError('Parquet is compressed inside; name the output without .gz and .zst.')
  if (given !== undefined) return oneOf(WRITTEN_FORMATS, given, '--to')
  return path === undefined || path === STANDARD_OUTPUT ? 'ndjson' : named(written, path, '--to')
}

function errorsFormat(path: string | undefined) {
  if (path === undefined) return undefined
  const { written, compression } = formatOf(path)
  if (compression !== undefined || written === undefined || written === 'json' || written === 'parquet')
    throw new UsageError('--errors takes a name that ends in .ndjson, .csv or .tsv.')
  return written
}

/** Outputs keep the folders of the inputs. A file next to them lists the finished ones until the run has ended. */
async function folderJobs(
  inputs: readonly RunInput[],
  folder: string,
  values: ScoreValues,
  scoredBy: readonly unknown[],
): Promise<readonly Job[]> {
  if (inputs.some(({ path }) => path === STANDARD_INPUT))
    throw new UsageError('--output-dir needs files with names.')
  const root = commonFolder(inputs.map(({ path }) => path))
  const settings = { ...values, resume: undefined, quiet: undefined, threads: undefined }
  const state = join(folder, '.patient-risk-run.json')
  const saved = values.resume === true ? await readFile(state, 'utf8').catch(() => '') : ''
  const done = new Set((jsonIn(saved) ?? []) as readonly string[])
  const doneBefore = done.size
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
    const key = hash('sha256', JSON.stringify([settings, scoredBy, path, identity]), 'hex')
    if (done.has(key)) continue
    const paths = outputPaths(inputs, name, undefined)
    jobs.push({
      run: { inputs: [input], ...paths, to, compression: undefined, errorsTo: undefined },
      withResume: async (work) => {
        const result = await inFolderOf(name, work)
        done.add(key)
        if (jobs.length === done.size - doneBefore) await rm(state, { force: true })
        else await writeFile(state, JSON.stringify([...done]), { flush: true })
        return result
      },
    })
  }
  return jobs
}

async function inFolderOf<T>(path: string, work: () => Promise<T>): Promise<T> {
  const made = await writing(path, () => makeFolders(dirname(path)))
  return work().finally(async () => {
    for (const folder of made) await rmdir(folder).catch(() => undefined)
  })
}

function commonFolder(paths: readonly string[]): string {
  const folders = paths.filter((path) => !isAddress(path)).map((path) => dirname(resolve(path)))
  let [common = '.'] = folders
  while (folders.some((folder) => relative(common, folder).startsWith('..'))) common = dirname(common)
  return common
}

/**
 * The files to write, with links resolved; undefined for the standard output. Throws before anything is written: never over an
 * input, never two outputs in one file, never over anything but a regular file.
 */
function outputPaths(
  inputs: readonly RunInput[],
  output: string | undefined,
  errors: string | undefined,
): { readonly output: string | undefined; readonly errors: string | undefined } {
  const paths = {
    output: output === undefined || output === STANDARD_OUTPUT ? undefined : target('--output', output),
    errors: errors === undefined ? undefined : target('--errors', errors),
  }
  const taken = new Map(inputs.map(({ path }) => [keyOf(path), 'the input']))
  for (const name of ['output', 'errors'] as const) {
    const path = paths[name]
    if (path === undefined) continue
    const keys = [path, ...tempNames(path)].map(keyOf)
    const other = keys.map((key) => taken.get(key)).find((found) => found !== undefined)
    if (other !== undefined) throw new UsageError(`--${name} would write over ${other}; name another file.`)
    for (const key of keys) taken.set(key, `the file of --${name}`)
  }
  return paths
}

/** A link stays a link: the file that it points to is written. */
function target(option: keyof typeof INSTEAD, path: string): string {
  if (path === '') throw new UsageError(`${option} needs the name of a file.`)
  const found = statOf(path)
  if (found !== undefined && !found.isFile())
    throw new UsageError(`${option} ${path} exists and is not a regular file. ${INSTEAD[option]}`)
  let at = path
  for (let links = 0; statOf(at, lstatSync)?.isSymbolicLink() === true; links++) {
    if (links === MOST_LINKS) throw new UsageError(`${option} ${path} is a link without an end.`)
    at = resolve(dirname(at), readlinkSync(at))
  }
  return at
}

/** Identifies a file under any spelling, link and hard link; a file that does not exist yet, by its folder and name. */
function keyOf(path: string): string {
  const found = path === STANDARD_INPUT ? fstatSync(0) : statOf(path)
  if (path === STANDARD_INPUT && found?.isFile() !== true) return STANDARD_INPUT
  if (found !== undefined) return `${found.dev} ${found.ino}`
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    return resolve(path)
  }
}

/** Undefined for a file that does not exist or cannot be examined; opening it gives the reason. */
function statOf(path: string, lookUp = statSync): Stats | undefined {
  try {
    return lookUp(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
