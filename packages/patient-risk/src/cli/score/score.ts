/** `patient-risk score`: scores files of any size, and writes the results when all of them are there. */
import { availableParallelism } from 'node:os'
import {
  WriteError,
  withOutputLock,
  type FolderReport,
  type ScoreRun,
  type RunReport,
  type Summary,
  count,
} from '@patient-risk/data/bulk'
import type { Catalog, LanguageWords } from '@patient-risk/catalog'
import { appErrorOf, systemClock } from '@patient-risk/runtime'
import { DataError } from '@patient-risk/data/tables'
import { BadFile, EngineMissing, loadDuckDb, isTextFormat } from '@patient-risk/data/tables'
import { languageOrRefusal } from '../catalog/load-catalog.ts'
import { EXIT_BROKEN_PIPE, Refusal, UsageError, command, printNote } from '../command.ts'
import { ProgressBar } from '../progress-bar.ts'
import { type ChangedRun, changedJobs } from './changed-jobs.ts'
import type { Job } from './job.ts'
import { jobsFor } from './jobs.ts'
import { reportDoubts } from './report-doubts.ts'
import { reportFolder } from './report-folder.ts'
import {
  SCORE_OPTIONS,
  type ScoreValues,
  deploymentFor,
  inputsFor,
  columnOptionsOf,
  partsOf,
  sourceOf,
} from './score-options.ts'

const INTERRUPTED = 130
/** Exit code of a run that completed but scored too little. */
const UNSCORED = 3
const MOST_NOTES = 30
const ignore = (): void => undefined

export const score = command(
  { ...SCORE_OPTIONS, operands: true, handlesOutputErrors: true },
  async (values, positionals) => {
    const start = performance.now()
    if (positionals.length === 0)
      throw new UsageError('Name a file, a folder or a pattern to score, or - for the standard input.')
    const mostUnscored = failShare(values['fail-on'])
    if (values.changed !== true) refuseWithoutChanged(values)
    // Results are patient data: every file of a run, including those of DuckDB, is readable by its owner only.
    const umask = process.umask(0o077)
    const reports: RunReport[] = []
    let jobs: readonly Job[] = []
    let changed: ChangedRun | undefined
    let folderReport: FolderReport | undefined
    let inputsInWork = positionals
    const refused: string[] = []
    const interrupt = (): void => {
      printNote(`\nInterrupted.${howToContinue(jobs, changed)}`)
      process.exit(INTERRUPTED)
    }
    try {
      const inputs = inputsFor(positionals, values)
      const { catalog, deployment, config } = deploymentFor(values)
      const today = systemClock(config.timeZone).today()
      const setting = { catalog, deployment, today, words: wordsFor(values, catalog) }
      const { selfCheckFailures } = deployment.model
      if (selfCheckFailures.length > 0) throw new Refusal(selfCheckFailures.join('\n'))
      if (values.changed === true) {
        const columnOptions = await columnOptionsOf(values, catalog, false)
        changed = await changedJobs(inputs, positionals, values, { ...setting, columnOptions })
      }
      jobs = changed?.jobs ?? (await jobsFor(inputs, positionals, values, deployment))
      // If progress and summary cannot be written, the run goes on. The writer of results gets its own errors.
      for (const stream of [process.stdout, process.stderr]) stream.off('error', ignore).on('error', ignore)
      process.once('SIGINT', interrupt)
      // Before the first job: one that only writes a table would fail after it has scored everything.
      if (jobs.some(hasTable)) await loadDuckDb()
      if (jobs.length > 0) await changed?.folder.begin()
      for (const [path, error] of changed?.folder.refused ?? []) {
        if (!isOfInput(error)) throw error
        refused.push(messageOf(error, [path]) ?? '')
      }
      for (const job of jobs) {
        inputsInWork = job.run.inputs.map(({ path }) => path)
        const report = await runJob(job, values, setting).catch((error: unknown) => {
          // Of a folder that is kept up to date, the other inputs are scored all the same.
          if (changed === undefined || !isOfInput(error)) throw error
          refused.push(messageOf(error, inputsInWork) ?? '')
        })
        if (report !== undefined) reports.push(report)
      }
      folderReport = await changed?.folder.finish()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') return EXIT_BROKEN_PIPE
      const message = messageOf(error, inputsInWork)
      throw message === undefined ? error : new Refusal(message)
    } finally {
      await changed?.folder.close()
      process.umask(umask)
      process.off('SIGINT', interrupt)
    }
    const isQuiet = values.quiet === true
    const isAccepted = values['accept-doubts'] === true
    // The folder of a changed run knows the doubts about inputs that are as before, too.
    const doubts = folderReport?.doubts ?? reports.flatMap((report) => report.doubts)
    const doubtsBefore = doubts.filter(({ file }) => !inputsInRun(reports).has(file))
    const code = reportRuns(reports, folderReport === undefined ? mostUnscored : undefined, isQuiet, start)
    const unscored =
      folderReport === undefined
        ? code
        : reportFolder(folderReport, reports, { code, mostUnscored, unscoredCode: UNSCORED, isQuiet })
    const doubted = reportDoubts([...reports.flatMap((report) => report.doubts), ...doubtsBefore], isAccepted)
    if (refused.length > 0) throw new Refusal(refused.join('\n'))
    return unscored === 0 ? doubted : unscored
  },
)

/** The files that were scored now and have doubts, which say more than the manifest. */
function inputsInRun(reports: readonly RunReport[]): ReadonlySet<string> {
  return new Set(reports.flatMap((report) => report.doubts.map(({ file }) => file)))
}

function refuseWithoutChanged(values: ScoreValues): void {
  const given = (['key', 'remove-gone'] as const).find((name) => values[name] !== undefined)
  if (given !== undefined) throw new UsageError(`--${given} goes with --changed.`)
}

function howToContinue(jobs: readonly Job[], changed: ChangedRun | undefined): string {
  if (changed !== undefined) return ' The same command continues.'
  const canResume = jobs.some(({ run }) => run.output !== undefined)
  return canResume ? ' Continue with the same command and --resume.' : ''
}

/** The share of records that may go unscored before a run counts as failed; undefined: all but one of them. */
function failShare(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const [found, percent] = /^unscored(?:=(\d{1,3}(?:\.\d+)?)%)?$/.exec(given) ?? []
  if (found === undefined) throw new UsageError('--fail-on takes unscored, or unscored=5%.')
  return Number(percent ?? 0) / 100
}

function hasTable({ run: { inputs, to, errorsTo } }: Job): boolean {
  return [to, errorsTo ?? to, ...inputs.map(({ format }) => format)].some((format) => !isTextFormat(format))
}

type ScoreSetting = Pick<ScoreRun, 'catalog' | 'deployment' | 'today' | 'words'>

async function runJob(job: Job, values: ScoreValues, setting: ScoreSetting): Promise<RunReport> {
  using progress = new ProgressBar()
  const isText = job.run.inputs.some(({ format }) => isTextFormat(format))
  const run: ScoreRun = {
    ...setting,
    ...job.run,
    columnOptions: await columnOptionsOf(values, setting.catalog, hasTable(job)),
    parts: partsOf(values),
    source: values.source === true ? sourceOf(setting.deployment) : undefined,
    threads: threadsFor(values.threads),
    isResumed: values.resume === true,
    onProgress: values.quiet === true ? () => undefined : progress.show.bind(progress),
  }
  // Only what reads this kind of file is loaded: a small file takes little longer than the start of the process.
  const scoreRun = isText
    ? (await import('@patient-risk/data/bulk')).scoreLines
    : (await import('@patient-risk/data/bulk/tables')).scoreTables
  const written = [run.output, run.errors].filter((path) => path !== undefined)
  return await job.withState(() => withOutputLock(written, () => scoreRun(run)))
}

/** Only notices have texts, and only where they are not columns of a table. */
function wordsFor({ language, notices }: ScoreValues, catalog: Catalog): LanguageWords | undefined {
  if (language === undefined) return undefined
  if (notices !== true) throw new UsageError('--language goes with --notices: nothing else is worded.')
  return languageOrRefusal(catalog, language)
}

function threadsFor(given: string | undefined): number {
  if (given === undefined) return availableParallelism()
  if (/^[1-9]\d{0,2}$/.test(given)) return Number(given)
  throw new UsageError('--threads takes a number from 1 to 999.')
}

/** Whether an input cannot be read, for a reason of its own: the next one may be right. */
function isOfInput(error: unknown): boolean {
  if (error instanceof BadFile || appErrorOf(error) !== undefined) return true
  return error instanceof Error && !(error instanceof WriteError) && 'code' in error && 'path' in error
}

/** The message for a failure that the user can act on; undefined for a bug. */
function messageOf(error: unknown, inputs: readonly string[]): string | undefined {
  const where = inputs.length === 1 ? `${inputs[0] ?? ''}: ` : ''
  if (error instanceof BadFile) return `${error.message.startsWith(where) ? '' : where}${error.message}.`
  if (error instanceof DataError || error instanceof EngineMissing) return error.message
  const refusal = appErrorOf(error)
  if (refusal !== undefined) return `${where}${refusal.detail}`
  if (error instanceof WriteError) return `${error.message}.`
  const { code, path } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  return code === undefined
    ? undefined
    : `${path === undefined ? where : `${path}: `}cannot be read (${code}).`
}

/** Prints the notes and the summary of all runs. Returns the exit code: `mostUnscored` is a share of the records. */
function reportRuns(
  reports: readonly RunReport[],
  mostUnscored: number | undefined,
  isQuiet: boolean,
  start: number,
): number {
  const [first, ...others] = reports
  if (first === undefined) return 0
  const { summary } = first
  for (const other of others) summary.merge(other.summary)
  const { records, scored } = summary.tally
  const notes = reports.flatMap((report) => report.notes)
  for (const note of notes.slice(0, MOST_NOTES)) printNote(note)
  if (notes.length > MOST_NOTES) printNote(`${notes.length - MOST_NOTES} more notes.`)
  if (!isQuiet) {
    const unknown = new Set(reports.flatMap((report) => report.unknown))
    if (unknown.size > 0) printNote(`Ignored columns (not fields): ${[...unknown].join(', ')}.`)
    const seconds = (performance.now() - start) / 1000
    const forms = formLines(reports.flatMap((report) => report.forms ?? []))
    printNote(
      `${forms}${summary.text()}${seconds.toFixed(1)} s, ${count(Math.round(records / seconds))} records a second.`,
    )
  }
  if (records > 0 && scored === 0) {
    printNote(`No record was scored. ${whyNothing(summary)}`)
    return UNSCORED
  }
  if (mostUnscored === undefined || records - scored <= mostUnscored * records) return 0
  printNote(`${count(records - scored)} of ${count(records)} records were not scored.`)
  return UNSCORED
}

const MOST_FORMS = 5

/** How the files were read: the first thing to look at where something is wrong. */
function formLines(forms: readonly string[]): string {
  const shown = forms.slice(0, MOST_FORMS)
  const rest = forms.length - shown.length
  return [...shown, ...(rest > 0 ? [`${count(rest)} more files.`] : [])].map((line) => `${line}\n`).join('')
}

function whyNothing({ tally }: Summary): string {
  const isEvery = (field: string): boolean => tally.problems.get(field)?.get('ValueError') === tally.records
  if (isEvery('record'))
    return 'No record is an object. If the file has another format than its name shows, name it with --from.'
  if (isEvery('idx'))
    return 'Every idx is refused: an idx is an integer that no other record has. For identifiers of any other kind use --id COLUMN.'
  const counts = [...tally.problems].map(([field, kinds]) => ({
    field,
    kinds: [...kinds.keys()].join(', '),
    many: [...kinds.values()].reduce((sum, each) => sum + each, 0),
  }))
  const [most] = counts.sort(
    (a, b) => b.many - a.many || Number(b.field === 'idx') - Number(a.field === 'idx'),
  )
  if (most === undefined) return ''
  const { field, kinds } = most
  const hint =
    kinds === 'ValueMissing' ? ` If it has another name in the file, say --map ${field}=COLUMN.` : ''
  return `The commonest problem is in the field ${field} (${kinds}).${hint}`
}
