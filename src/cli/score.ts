/** `patient-risk score`: scores a file of any size, and writes the results when all of them are there. */
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { BadFile } from '../tables/bad-file.ts'
import { FORMATS, type Format, formatOf } from '../bulk/format.ts'
import { STANDARD_INPUT } from '../tables/open-input.ts'
import type { RunOptions } from '../bulk/options.ts'
import { run } from '../bulk/run.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { type Deployment, makeDeployments } from '../catalog/deployment.ts'
import { loadCatalog } from '../catalog/load.ts'
import type { DeploymentSettings } from '../config-file.ts'
import { AppError } from '../errors.ts'
import { systemClock } from '../http/clock.ts'
import { CLINICAL_ROOT } from './clinical-root.ts'
import { type Command, UsageError, configOrFaults, printFaults, readWords } from './command.ts'
import { progressView } from './progress.ts'

const RESULT_NAMES = ['idx', 'risk', 'error_message']

const WORDS = {
  deployment: { type: 'string' },
  model: { type: 'string' },
  'output-kind': { type: 'string' },
  threshold: { type: 'string' },
  output: { type: 'string', short: 'o' },
  from: { type: 'string' },
  to: { type: 'string' },
  errors: { type: 'string' },
  map: { type: 'string', multiple: true },
  keep: { type: 'string', multiple: true },
  idx: { type: 'string' },
  number: { type: 'boolean' },
  delimiter: { type: 'string' },
  'decimal-comma': { type: 'boolean' },
  resume: { type: 'boolean' },
  threads: { type: 'string' },
  quiet: { type: 'boolean' },
} as const

export const score: Command = {
  mindsItsOutput: true,
  help: `Usage: patient-risk score FILE [--output FILE] [OPTIONS]

FILE is a JSON array, NDJSON, CSV or Parquet, each also gzipped; - is the standard input.
The results are written in the order of the records: idx, risk, error_message.

Options:
  --output FILE         where the results go; they appear when all are there (default: standard output)
  --from, --to FORMAT   json, ndjson, csv or parquet, where a file's name does not say it
  --deployment NAME     the deployment of the configuration to answer as (default: the first)
  --model NAME          a model instead, with --output-kind number or yes-no and --threshold 0.15
  --errors FILE         the results that have problems, once more, as .ndjson or .csv
  --map OURS=THEIRS     a field under another name; repeat it, or give a JSON file {"ours":"theirs"}
  --idx COLUMN          the column that is the idx; short for --map idx=COLUMN
  --number              number the records from 1 instead; CSV and Parquet without idx are always numbered
  --keep COLUMN         a column to keep beside the result; repeat it for several
  --delimiter CHAR      of CSV: a comma, a semicolon or a tab (default: the one that the header uses)
  --decimal-comma       read 12,5 in CSV as 12.5
  --resume              go on with a run that was interrupted
  --threads N           threads to work with (default: as many as the machine has cores)
  --quiet               neither progress nor summary

Progress and a summary go to the standard error. Environment: CONFIG, as for serve.
Exit codes: 0 every record has its result, 1 the file is refused or cannot be written, 2 wrong usage.`,
  async run(words) {
    const { values, positionals } = readWords(words, WORDS, true)
    const [input, ...more] = positionals
    if (input === undefined || more.length > 0)
      throw new UsageError('Name one file to score, or - for the standard input.')
    const from = formatFor(values.from, input, 'ndjson', '--from')
    const to = formatFor(values.to, values.output, 'ndjson', '--to')
    if (values.output === undefined && to === 'parquet') throw new UsageError('Parquet needs --output FILE.')
    if (input !== STANDARD_INPUT && !existsSync(input)) return refuse(`${input}: there is no such file.`)
    const found = findDeployment(values)
    if (found === undefined) return 1
    const { catalog, deployment, today } = found
    if (deployment.model.trouble.length > 0) return refuse(deployment.model.trouble.join('\n'))
    const view = progressView(process.stderr)
    const options: RunOptions = {
      ...{ catalog, deployment, today, input, from, to },
      output: values.output,
      gzip: values.output !== undefined && formatOf(values.output).gzip,
      errors: errorsFile(values.errors, values.output),
      map: mapOf(values.map ?? [], values.idx),
      keep: keepOf(values.keep ?? []),
      isNumbered: values.number === true,
      delimiter: delimiterFor(values.delimiter),
      hasDecimalComma: values['decimal-comma'] === true,
      threads: threadsFor(values.threads),
      isResumed: values.resume === true,
      onProgress: values.quiet === true ? () => undefined : (progress) => view.show(progress),
    }
    const start = performance.now()
    try {
      const summary = await run(options)
      if (values.quiet === true) return 0
      view.end()
      const seconds = (performance.now() - start) / 1000
      const rate = Math.round(summary.tally.records / seconds).toLocaleString('en')
      process.stderr.write(`${summary.text()}${seconds.toFixed(1)} s, ${rate} records a second.\n`)
      return 0
    } catch (error) {
      view.end()
      if (error instanceof BadFile) return refuse(`${input}: ${error.message}.`)
      if (error instanceof AppError) return refuse(`${input}: ${error.detail}`)
      const code = (error as NodeJS.ErrnoException).code
      if (code === undefined) throw error
      return refuse(`${input}: cannot be read, or its results cannot be written (${code}).`)
    }
  },
}

function refuse(message: string): number {
  process.stderr.write(`${message}\n`)
  return 1
}

function formatFor(
  given: string | undefined,
  path: string | undefined,
  otherwise: Format,
  word: string,
): Format {
  if (given !== undefined) {
    const known = FORMATS.find((format) => format === given)
    if (known === undefined) throw new UsageError(`${word} takes ${FORMATS.join(', ')}.`)
    return known
  }
  if (path === undefined || path === STANDARD_INPUT) return otherwise
  const { format } = formatOf(path)
  if (format === undefined)
    throw new UsageError(`The name ${path} does not say its form; say it with ${word}.`)
  return format
}

function findDeployment(
  values: Readonly<Partial<Record<'deployment' | 'model' | 'output-kind' | 'threshold', string>>>,
): { readonly catalog: Catalog; readonly deployment: Deployment; readonly today: number } | undefined {
  const config = configOrFaults()
  if (config === undefined) return undefined
  const { catalog, faults } = loadCatalog([CLINICAL_ROOT, ...config.clinicalFolders])
  if (catalog === undefined) {
    printFaults(faults)
    return undefined
  }
  const settings = settingsFor(values, config.deployments)
  const made = makeDeployments(catalog, [settings])
  const [deployment] = made.deployments
  if (deployment === undefined) {
    printFaults(made.faults)
    return undefined
  }
  return { catalog, deployment, today: systemClock(config.timeZone).today() }
}

function settingsFor(
  values: Readonly<Partial<Record<'deployment' | 'model' | 'output-kind' | 'threshold', string>>>,
  deployments: readonly DeploymentSettings[],
): DeploymentSettings {
  const { deployment, model, threshold } = values
  if (model === undefined) {
    const found =
      deployment === undefined ? deployments[0] : deployments.find(({ name }) => name === deployment)
    if (found !== undefined) return found
    throw new UsageError(
      `There is no deployment ${deployment}. There are ${deployments.map(({ name }) => name).join(', ')}.`,
    )
  }
  if (deployment !== undefined) throw new UsageError('Give either --deployment or --model.')
  const output = values['output-kind'] ?? 'number'
  if (output !== 'number' && output !== 'yes-no')
    throw new UsageError('--output-kind takes number or yes-no.')
  const risk = threshold === undefined ? undefined : Number(threshold)
  if (risk !== undefined && !(risk >= 0 && risk <= 1))
    throw new UsageError('--threshold takes a number from 0 to 1.')
  return { name: 'score', basePath: '/', model, output, ...(risk === undefined ? {} : { threshold: risk }) }
}

function mapOf(given: readonly string[], idx: string | undefined): ReadonlyMap<string, string> {
  const map = new Map<string, string>()
  for (const each of given) {
    const equals = each.indexOf('=')
    if (equals > 0) map.set(each.slice(0, equals), each.slice(equals + 1))
    else for (const [ours, theirs] of mapFile(each)) map.set(ours, theirs)
  }
  if (idx !== undefined) map.set('idx', idx)
  for (const [ours, theirs] of map) if (ours === theirs) map.delete(ours)
  const twice = [...map.values()].find((theirs, place, all) => all.indexOf(theirs) !== place)
  if (twice !== undefined) throw new UsageError(`--map gives the column ${twice} two names.`)
  return map
}

function mapFile(path: string): readonly (readonly [string, string])[] {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new UsageError(`--map takes OURS=THEIRS or a JSON file; ${path} is neither.`)
  }
  const pairs = Object.entries(value ?? {})
  if (!pairs.every((pair): pair is [string, string] => typeof pair[1] === 'string')) {
    throw new UsageError(`${path} must hold an object of names: {"age":"edad"}.`)
  }
  return pairs
}

function keepOf(given: readonly string[]): readonly string[] {
  const taken = given.find((name, place) => RESULT_NAMES.includes(name) || given.indexOf(name) !== place)
  if (taken !== undefined)
    throw new UsageError(`--keep ${taken}: the results already have a column of that name.`)
  return given
}

function errorsFile(errors: string | undefined, output: string | undefined): string | undefined {
  if (errors === undefined) return undefined
  const { format, gzip } = formatOf(errors)
  if ((format !== 'ndjson' && format !== 'csv') || gzip)
    throw new UsageError('--errors takes a name that ends in .ndjson or .csv.')
  if (errors === output) throw new UsageError('--errors and --output name the same file.')
  return errors
}

function delimiterFor(given: string | undefined): string | undefined {
  const word = given === '\\t' || given === 'tab' ? '\t' : given
  if (word === undefined || [',', ';', '\t'].includes(word)) return word
  throw new UsageError('--delimiter takes a comma, a semicolon or tab.')
}

function threadsFor(given: string | undefined): number {
  if (given === undefined) return availableParallelism()
  if (/^[1-9]\d{0,2}$/.test(given)) return Number(given)
  throw new UsageError('--threads takes a number from 1 to 999.')
}
