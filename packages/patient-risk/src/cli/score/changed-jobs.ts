/** `score --changed`: which inputs are scored, and the manifest that says it to the next run. */
import { hash } from 'node:crypto'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { Deployment } from '@patient-risk/catalog'
import { ChangedFolder, type ColumnOptions, MANIFEST, type RunInput } from '@patient-risk/data/bulk'
import { STANDARD_INPUT, isAddress, isReadOnce } from '@patient-risk/data/tables'
import { formatDate } from 'patient-risk-engine/read'
import type { ScorerOptions } from 'patient-risk-engine'
import { packageVersion } from '@patient-risk/runtime'
import { UsageError } from '../command.ts'
import { type FolderOutput, folderOutputs, inFolderOf, rootOf } from './folder-outputs.ts'
import type { Job } from './job.ts'
import { type ScoreValues, sourceOf } from './score-options.ts'

/** The form of the outputs. It grows when an output of the same answers would have other bytes. */
const OUTPUT_FORM = 2

/**
 * Options that do not decide what is written, and those that are counted by what they mean: the deployment, the names of columns, the
 * texts for missing values, and formats. Every other option counts as it is given, also one that is added later.
 */
const NOT_COUNTED: ReadonlySet<string> = new Set([
  ...['output-dir', 'changed', 'remove-gone', 'resume', 'quiet', 'threads', 'fail-on', 'accept-doubts'],
  ...[
    'deployment',
    'model',
    'output-kind',
    'threshold',
    'map',
    'idx',
    'specification',
    'missing',
    'from',
    'to',
  ],
])

/** Whether a setting of the scorer is part of the digest of its deployment, or decides nothing that a file could show. */
const IS_IN_DIGEST: Readonly<Record<keyof ScorerOptions, boolean>> = {
  output: true,
  conversions: true,
  codes: true,
  bands: true,
  assessmentDays: true,
  reportUnknown: true,
  maxKeys: true,
  maxRecords: true,
  reader: true,
  window: true,
  maxDepth: false,
  maxLineBytes: false,
}

export interface ChangedRun {
  readonly jobs: readonly Job[]
  readonly folder: ChangedFolder
}

export async function changedJobs(
  inputs: readonly RunInput[],
  operands: readonly string[],
  values: ScoreValues,
  setting: {
    readonly deployment: Deployment
    readonly columnOptions: ColumnOptions
    readonly today: number
  },
): Promise<ChangedRun> {
  const folder = outputFolder(inputs, operands, values)
  const { deployment, columnOptions, today } = setting
  const root = rootOf(operands)
  const outputs = folderOutputs(inputs, root, folder, values)
  if (outputs.some(({ outputName }) => outputName === MANIFEST))
    throw new UsageError(`An output would have the name of the manifest, ${MANIFEST}; rename its input.`)
  const { model, deployment_digest: deploymentDigest } = sourceOf(deployment)
  const opened = await ChangedFolder.open(
    {
      folder,
      root,
      key: values.key,
      removesGone: values['remove-gone'] === true,
      model,
      deploymentDigest,
      today: formatDate(today).split('-').reverse().join('-'),
      tellsAges: values.notices === true,
    },
    outputs.map((output) => {
      const { name, outputName, input } = output
      const options = optionsDigest(output, values, deployment, columnOptions)
      return { name, output: outputName, path: input.path, options }
    }),
  )
  const byName = new Map(outputs.map((output) => [output.name, output]))
  const jobs = opened.changed.map(({ name, rowChanges }): Job => {
    const { input, output, to } = byName.get(name) as FolderOutput
    const files = { output, errors: undefined, to, compression: undefined, errorsTo: undefined }
    return {
      run: { inputs: [input], ...files, rowChanges },
      withState: async (work) => {
        const report = await inFolderOf(output, work)
        await opened.done(name, report)
        return report
      },
    }
  })
  return { jobs, folder: opened }
}

/** Throws where a later run could not tell what has changed. */
function outputFolder(inputs: readonly RunInput[], operands: readonly string[], values: ScoreValues): string {
  const folder = values['output-dir']
  if (folder === undefined)
    throw new UsageError('--changed needs --output-dir, the folder that it keeps up to date.')
  if (values.resume === true)
    throw new UsageError('--changed continues an interrupted run by itself; leave out --resume.')
  // A file that is lost is refused alone, when it is read.
  const isThere = (path: string): boolean => path === STANDARD_INPUT || existsSync(path)
  const distant = inputs.find(({ path }) => isAddress(path) || (isReadOnce(path) && isThere(path)))
  if (distant !== undefined)
    throw new UsageError(`--changed compares files; ${distant.path} is none. Copy it into a folder first.`)
  const folders = operands.filter((operand) => statSync(operand, { throwIfNoEntry: false })?.isDirectory())
  const around = folders.find((operand) => isInside(operand, folder))
  if (around !== undefined)
    throw new UsageError(
      `--output-dir ${folder} lies in the input folder ${around}: the next run would score the results. Name a folder outside.`,
    )
  return folder
}

/** Also of a folder that does not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const full = resolve(path)
    return dirname(full) === full ? full : join(realPath(dirname(full)), basename(full))
  }
}

function isInside(outer: string, inner: string): boolean {
  const way = relative(realPath(outer), realPath(inner))
  return way !== '..' && !way.startsWith(`..${sep}`)
}

/** Everything that decides what is written, except the content of the input and the digest of the deployment. */
export function optionsDigest(
  { input: { path, format }, to }: Pick<FolderOutput, 'input' | 'to'>,
  values: ScoreValues,
  { scorerOptions }: Pick<Deployment, 'scorerOptions'>,
  columnOptions: ColumnOptions,
): string {
  const given = Object.entries(values).filter(([name]) => !NOT_COUNTED.has(name))
  const scorer = Object.entries(scorerOptions).filter(([name]) => !IS_IN_DIGEST[name as keyof ScorerOptions])
  const columns = { ...columnOptions, map: [...columnOptions.map] }
  // The names of folders are columns of a Parquet file.
  const partitions =
    format === 'parquet'
      ? dirname(path)
          .split(sep)
          .filter((part) => part.includes('='))
      : []
  const all = [OUTPUT_FORM, packageVersion(), given.sort(), columns, scorer, format, to, partitions]
  return hash('sha256', JSON.stringify(all), 'hex')
}
