/** `patient-risk score`: scores a file of any size, and writes the results when all of them are there. */
import { existsSync } from 'node:fs'
import { BadFile } from '../../tables/bad-file.ts'
import { formatOf } from '../../bulk/format.ts'
import { STANDARD_INPUT } from '../../tables/open-input.ts'
import type { RunOptions } from '../../bulk/options.ts'
import { run } from '../../bulk/run.ts'
import { CannotWrite } from '../../bulk/cannot-write.ts'
import { asOneWriter } from '../../bulk/one-writer.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { type Deployment, makeDeployments } from '../../catalog/deployment.ts'
import { loadCatalog } from '../../catalog/load.ts'
import { AppError } from '../../errors.ts'
import { systemClock } from '../../clock.ts'
import { CLINICAL_ROOT } from '../catalog/clinical-root.ts'
import { type Command, UsageError, configOrFaults, printFaults, readWords } from '../command.ts'
import { NOBODY_READS } from '../output/output-errors.ts'
import { progressView } from '../output/progress.ts'
import { placesFor } from './output-paths.ts'
import {
  type DeploymentWords,
  delimiterFor,
  errorsFormat,
  inputFormat,
  keepOf,
  mapOf,
  outputFormat,
  settingsFor,
  threadsFor,
} from './score-options.ts'

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
  --output FILE         where the results go; they appear when all are there (default, or -: standard output)
  --from, --to FORMAT   json, ndjson, csv or parquet, where a file's name does not say it; --to also tsv
  --deployment NAME     the deployment of the configuration to answer as (default: the first)
  --model NAME          a model instead, with --output-kind number or yes-no and --threshold 0.15
  --errors FILE         the results that have problems, once more, as .ndjson, .csv or .tsv
  --map OURS=THEIRS     a field under another name; repeat it, or give a JSON file {"ours":"theirs"}
  --idx COLUMN          the column that is the idx; short for --map idx=COLUMN
  --number              number the records from 1 instead; CSV and Parquet without idx are always numbered
  --keep COLUMN         a column to keep beside the result; repeat it for several
  --delimiter CHAR      of CSV: a comma, a semicolon or a tab (default: the one that the header uses)
  --decimal-comma       read 12,5 in CSV as 12.5; a number with a dot is then none
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
    const from = inputFormat(values.from, input)
    const to = outputFormat(values.to, values.output)
    const errorsTo = errorsFormat(values.errors)
    const { output, errors } = placesFor(input, values.output, values.errors)
    if (output === undefined && to === 'parquet') throw new UsageError('Parquet needs --output FILE.')
    if (input !== STANDARD_INPUT && !existsSync(input)) return refuse(`${input}: there is no such file.`)
    const found = findDeployment(values)
    if (found === undefined) return 1
    const { catalog, deployment, today } = found
    if (deployment.model.trouble.length > 0) return refuse(deployment.model.trouble.join('\n'))
    // Progress and summary that nobody can read are no reason to lose the results.
    process.stderr.on('error', () => undefined)
    const view = progressView(process.stderr)
    const options: RunOptions = {
      ...{ catalog, deployment, today, input, from, output, to, errors, errorsTo },
      gzip: values.output !== undefined && formatOf(values.output).gzip,
      map: mapOf(values.map ?? [], values.idx, catalog),
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
      const written = [output, errors].filter((path) => path !== undefined)
      const summary = await asOneWriter(written, () => run(options))
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
      if (error instanceof CannotWrite) return refuse(`${error.message}.`)
      const code = (error as NodeJS.ErrnoException).code
      if (code === undefined) throw error
      if (code === 'EPIPE') return NOBODY_READS
      return refuse(`${input}: cannot be read (${code}).`)
    }
  },
}

function refuse(message: string): number {
  process.stderr.write(`${message}\n`)
  return 1
}

function findDeployment(
  values: DeploymentWords,
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
