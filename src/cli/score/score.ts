/** `patient-risk score`: scores files of any size, and writes the results when all of them are there. */
import { CannotWrite } from '../../bulk/output/sink.ts'
import { formatOf, isTextFormat } from '../../bulk/format.ts'
import { scoreLines } from '../../bulk/lines/score-lines.ts'
import type { Outcome, ScoreRun } from '../../bulk/run.ts'
import { scoreTables } from '../../bulk/tables/score-tables.ts'
import { withOutputLock } from '../../bulk/output/with-output-lock.ts'
import { makeDeployments } from '../../catalog/deployment.ts'
import { systemClock } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import { DataError } from '../../learn/data/data-error.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { listInputs } from '../../tables/list-inputs.ts'
import { loadOrFaults } from '../catalog/load-catalog.ts'
import { type Command, UsageError, parseArguments, printFaults } from '../command.ts'
import { NOBODY_READS } from '../output/output-errors.ts'
import { ProgressBar } from '../output/progress-bar.ts'
import { SCORE_HELP } from './help.ts'
import { type Job, jobsFor } from './jobs.ts'
import {
  SCORE_OPTIONS,
  type ScoreValues,
  failShare,
  inputFormat,
  readingOf,
  refuseTableOptions,
  settingsFor,
  threadsFor,
} from './score-options.ts'
import { endRun } from './verdict.ts'

const INTERRUPTED = 130

export const score: Command = {
  handlesOutputErrors: true,
  help: SCORE_HELP,
  async run(args) {
    const start = performance.now()
    const { values, positionals } = parseArguments(args, SCORE_OPTIONS, true)
    if (positionals.length === 0)
      throw new UsageError('Name a file, a folder or a pattern to score, or - for the standard input.')
    const mostUnscored = failShare(values['fail-on'])
    const outcomes: Outcome[] = []
    try {
      const paths = listInputs(positionals, (path) => formatOf(path).format !== undefined)
      const inputs = paths.map((path) => ({ path, format: inputFormat(values.from, path) }))
      if (inputs.some(({ format }) => isTextFormat(format))) refuseTableOptions(values)
      const jobs = await jobsFor(inputs, values)
      const found = findDeployment(values)
      if (found === undefined) return 1
      const { trouble } = found.deployment.model
      if (trouble.length > 0) return refuse(trouble.join('\n'))
      // Progress and summary that nobody can read are no reason to lose the results.
      process.stderr.on('error', () => undefined)
      process.once('SIGINT', () => {
        const canResume = jobs.some(({ run }) => run.output !== undefined)
        process.stderr.write(
          `\nInterrupted.${canResume ? ' Continue with the same command and --resume.' : ''}\n`,
        )
        process.exit(INTERRUPTED)
      })
      for (const job of jobs) {
        outcomes.push(await runJob(job, values, found))
        await job.finish?.()
      }
    } catch (error) {
      const message = messageOf(error, positionals)
      if (message === undefined) throw error
      return typeof message === 'number' ? message : refuse(message)
    }
    return endRun(outcomes, mostUnscored, values.quiet === true, start)
  },
}

type Found = Pick<ScoreRun, 'catalog' | 'deployment' | 'today'>

async function runJob(job: Job, values: ScoreValues, found: Found): Promise<Outcome> {
  const progress = new ProgressBar()
  const run: ScoreRun = {
    ...found,
    ...job.run,
    reading: readingOf(values, found.catalog),
    threads: threadsFor(values.threads),
    isResumed: values.resume === true,
    onProgress: values.quiet === true ? () => undefined : progress.show.bind(progress),
  }
  const written = [run.output, run.errors].filter((path) => path !== undefined)
  const isText = run.inputs.some(({ format }) => isTextFormat(format))
  try {
    return await withOutputLock(written, () => (isText ? scoreLines(run) : scoreTables(run)))
  } finally {
    progress.clear()
  }
}

/** What is said of a failure that the user can do something about, or the exit code where nothing is said. */
function messageOf(error: unknown, args: readonly string[]): string | number | undefined {
  const where = args.length === 1 ? `${args[0] ?? ''}: ` : ''
  if (error instanceof BadFile) return `${error.message.startsWith(where) ? '' : where}${error.message}.`
  if (error instanceof DataError) return error.reasons.join('\n')
  if (error instanceof AppError) return `${where}${error.detail}`
  if (error instanceof CannotWrite) return `${error.message}.`
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  if (code === 'EPIPE') return NOBODY_READS
  return code === undefined ? undefined : `${where}cannot be read (${code}).`
}

function refuse(message: string): number {
  process.stderr.write(`${message}\n`)
  return 1
}

/** Undefined after the faults were printed. */
function findDeployment(values: ScoreValues): Found | undefined {
  const loaded = loadOrFaults()
  if (loaded === undefined) return undefined
  const { config, catalog } = loaded
  const { deployments, faults } = makeDeployments(catalog, [settingsFor(values, config.deployments)])
  const [deployment] = deployments
  if (deployment === undefined) {
    printFaults(faults)
    return undefined
  }
  return { catalog, deployment, today: systemClock(config.timeZone).today() }
}
