/** The runs that a command asks for: one for all its inputs, or one for each, with the places that they write to. */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { type Format, type WrittenFormat, isTextFormat } from '../../bulk/format.ts'
import { isAddress } from '../../tables/list-inputs.ts'
import { STANDARD_INPUT, identityOf } from '../../tables/open-input.ts'
import { UsageError } from '../command.ts'
import { type OutputPaths, outputPaths } from './output-paths.ts'
import { type ScoreValues, errorsFormat, outputFormat } from './score-options.ts'

export interface JobInput {
  readonly path: string
  readonly format: Format
}

export interface Places extends OutputPaths {
  /** The output's name as it was given. */
  readonly name: string
  readonly to: WrittenFormat
  readonly errorsTo: ReturnType<typeof errorsFormat>
}

export interface Job {
  readonly inputs: readonly JobInput[]
  readonly places: Places
  /** Whether an earlier run that is resumed has written it already. */
  isDone(): Promise<boolean>
  finish(): Promise<void>
}

export async function jobsFor(inputs: readonly JobInput[], values: ScoreValues): Promise<readonly Job[]> {
  const { output, errors } = values
  const folder = values['output-dir']
  const paths = inputs.map(({ path }) => path)
  if (folder !== undefined) {
    if (output !== undefined || errors !== undefined)
      throw new UsageError('--output-dir takes the place of --output and --errors.')
    return folderJobs(inputs, folder, values)
  }
  if (inputs.length > 1 && inputs.some(({ format }) => isTextFormat(format)))
    throw new UsageError('Several JSON or NDJSON files need --output-dir.')
  const to = outputFormat(values.to, output)
  const places = {
    ...outputPaths(paths, output, errors),
    name: output ?? '',
    to,
    errorsTo: errorsFormat(errors),
  }
  if (places.output === undefined && to === 'parquet') throw new UsageError('Parquet needs --output FILE.')
  return [{ inputs, places, isDone: () => Promise.resolve(false), finish: () => Promise.resolve() }]
}

const STATE = '.patient-risk-run.json'

/** Outputs keep the folders of the inputs. What is done is noted beside them until the run has ended. */
async function folderJobs(
  inputs: readonly JobInput[],
  folder: string,
  values: ScoreValues,
): Promise<readonly Job[]> {
  if (inputs.some(({ path }) => path === STANDARD_INPUT))
    throw new UsageError('--output-dir needs files with names.')
  const root = commonFolder(inputs.map(({ path }) => path))
  const settings = JSON.stringify({ ...values, resume: undefined, quiet: undefined, threads: undefined })
  const state = join(folder, STATE)
  const done = new Set(values.resume === true ? await readDone(state) : [])
  await mkdir(folder, { recursive: true })
  const names = inputs.map(({ path, format }) => {
    const to = outputFormat(values.to ?? (format === 'xlsx' ? 'csv' : format), undefined)
    const inside = isAddress(path) ? basename(path) : relative(root, path)
    return { to, name: join(folder, `${inside.replace(/(\.[A-Za-z]+)(\.(gz|zst))?$/, '')}.${to}`) }
  })
  const twice = names.find(({ name }, place) => names.findIndex((other) => other.name === name) !== place)
  if (twice !== undefined)
    throw new UsageError(`Two inputs would be written to ${twice.name}; score them apart.`)
  let left = inputs.length
  return Promise.all(
    inputs.map(async (input, place): Promise<Job> => {
      const { name, to } = names[place] as (typeof names)[number]
      const identity = isAddress(input.path) ? '' : await identityOf(input.path)
      const key = createHash('sha256')
        .update(JSON.stringify([settings, input.path, identity]))
        .digest('hex')
      await mkdir(dirname(name), { recursive: true })
      const paths = outputPaths(
        inputs.map(({ path }) => path),
        name,
        undefined,
      )
      return {
        inputs: [input],
        places: { ...paths, name, to, errorsTo: undefined },
        isDone: () => {
          const isDone = done.has(key)
          if (isDone) left--
          return Promise.resolve(isDone)
        },
        finish: async () => {
          done.add(key)
          left--
          if (left === 0) await rm(state, { force: true })
          else await writeFile(state, JSON.stringify([...done]), { flush: true })
        },
      }
    }),
  )
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
