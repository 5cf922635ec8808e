/** The process of one table job: its pieces are decrypted into a folder that goes with the process, and the results are encrypted again. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Deployment, makeDeployments, packDeployments, unpackScorers } from '@patient-risk/catalog'
import { type ScoreRun, WriteError, writeForm } from '@patient-risk/data/bulk'
import { BadFile, EngineMissing, type WrittenFormat } from '@patient-risk/data/tables'
import type { Observed } from '@patient-risk/monitor'
import { AppError, appErrorOf, describeBug, makeTempFolder } from '@patient-risk/runtime'
import {
  type JobFile,
  JobFolder,
  type TableResult,
  type TableTask,
  isOfDisk,
  pieceName,
} from '@patient-risk/server'
import { Tally, codesWith } from 'patient-risk-engine'
import { loadConfigured } from '../cli/catalog/load-catalog.ts'
import { columnOptionsOf } from '../cli/score/score-options.ts'
import type { ChildMessage } from './table-runner.ts'

const PIECE_BYTES = 1024 * 1024
const PRIVATE_FILE = 0o600
const THREADS = 2
const TYPES: Readonly<Record<string, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
}

const say = (message: ChildMessage): Promise<void> =>
  new Promise((resolve) => void process.send?.(message, () => resolve()))

process.umask(0o077)
// The service has ended, however it did: nothing decrypted may stay behind.
process.on('disconnect', () => process.exit(0))
process.once('message', (task: TableTask) => {
  work(task)
    .then((result) => say({ kind: 'done', result }))
    .catch((error: unknown) => say(refusalOf(error)))
    .finally(() => process.exit(0))
})

function refusalOf(error: unknown): ChildMessage {
  if (error instanceof BadFile)
    return { kind: 'refused', code: 'BODY_MALFORMED', detail: `The table cannot be read: ${error.message}.` }
  if (error instanceof EngineMissing) return { kind: 'refused', code: 'MEDIA_TYPE', detail: error.message }
  // A disk that is full passes: the job is tried again later.
  if (error instanceof WriteError || isOfDisk(error))
    return { kind: 'refused', code: 'OVERLOADED', detail: 'There is no room on a disk of the service.' }
  const refusal = appErrorOf(error)
  if (refusal !== undefined) return { kind: 'refused', code: refusal.code, detail: refusal.detail }
  const { kind, place } = describeBug(error)
  return { kind: 'bug', error: `${kind} ${place}` }
}

async function work(task: TableTask): Promise<TableResult> {
  const { catalog, deployment } = deploymentOf(task)
  const folder = new JobFolder(task.folder)
  const temporary = makeTempFolder()
  try {
    const output = join(temporary.path, `results.${task.to}`)
    const errors = join(temporary.path, 'errors.ndjson')
    if (task.work === 'convert') {
      const rows = join(temporary.path, 'rows')
      await decrypt(folder, task, rows)
      const shape = {
        columnOptions: { keep: [] },
        parts: [],
        source: undefined,
        threads: THREADS,
        deployment,
      }
      const form = { path: output, to: task.to, compression: undefined, isErrors: false }
      await writeForm(shape, rows, temporary, form)
      const count = await linesIn(rows)
      return {
        tally: new Tally(),
        ...(await encryptAll(folder, task, [{ path: output, to: task.to, count }])),
      }
    }
    const input = join(temporary.path, `body.${task.from}`)
    await decrypt(folder, task, input)
    const { WrittenOtherwise, scoreTables } = await import('@patient-risk/data/bulk/tables')
    const observed: Observed[] = []
    const run: ScoreRun = {
      catalog,
      deployment,
      today: task.today,
      inputs: [{ path: input, format: task.from }],
      output,
      to: task.to,
      compression: undefined,
      errors,
      errorsTo: 'ndjson',
      columnOptions: await columnOptionsOf({}, catalog, true),
      parts: [],
      countsRisks: task.countsRisks,
      // Its memory serves for the next rows.
      onWatched: (taken) => observed.push(structuredClone(taken)),
      threads: THREADS,
      isResumed: false,
      onProgress: () => undefined,
      async onCounted(rows) {
        if (rows > task.mostRecords)
          throw new AppError(
            'TOO_MANY_RECORDS',
            `The table holds ${rows} records; a job may have ${task.mostRecords}.`,
          )
        const permitted = once(process, 'message')
        await say({ kind: 'counted', rows })
        await permitted
      },
    }
    const { summary, riskCounts = [] } = await scoreTables(run).catch((error: unknown) => {
      throw error instanceof WrittenOtherwise ? new BadFile(error.form) : error
    })
    await rm(input, { force: true })
    const { tally } = summary
    const files = [
      { path: output, to: task.to, count: tally.records },
      { path: errors, to: 'ndjson' as const, count: await linesIn(errors), isErrors: true },
    ]
    return { tally, riskCounts, observed, ...(await encryptAll(folder, task, files)) }
  } finally {
    temporary.remove()
  }
}

function deploymentOf({ deployment: name, digest, codes }: TableTask): {
  readonly catalog: ScoreRun['catalog']
  readonly deployment: Deployment
} {
  const { config, loaded } = loadConfigured()
  const { catalog } = loaded
  if (config === undefined || catalog === undefined) throw changed()
  const { deployments } = makeDeployments(catalog, config.deployments, config.timeZone)
  const deployment = deployments.find((each) => each.name === name)
  // The file of the configuration may have changed since the service was started.
  if (deployment?.digest !== digest) throw changed()
  if (codes === null) return { catalog, deployment }
  const scorer = unpackScorers(packDeployments(catalog, [deployment]))(name, codes)
  const own = codesWith(deployment.scorerOptions.codes ?? {}, codes.codes)
  const scorerOptions = { ...deployment.scorerOptions, codes: own }
  return { catalog, deployment: { ...deployment, scorer, scorerOptions } }
}

function changed(): AppError {
  return new AppError(
    'DEPLOYMENT_CHANGED',
    'The configuration has changed since the service was started. Submit the table again after its restart.',
  )
}

async function decrypt(folder: JobFolder, { id, key, pieces }: TableTask, path: string): Promise<void> {
  await using file = await open(path, 'w', PRIVATE_FILE)
  // `write` alone may write a part without an error, where the disk is nearly full: rows would be missing.
  for (const piece of pieces) await file.appendFile(await folder.read(id, piece, key))
}

interface Written {
  readonly path: string
  readonly to: WrittenFormat
  readonly count: number
  readonly isErrors?: boolean
}

async function encryptAll(
  folder: JobFolder,
  task: TableTask,
  files: readonly Written[],
): Promise<Pick<TableResult, 'output' | 'errors' | 'bytesOnDisk'>> {
  let bytesOnDisk = 0
  const made: JobFile[] = []
  for (const { path, to, count, isErrors = false } of files) {
    const kind = isErrors ? 'errors' : 'results'
    const hash = createHash('sha256')
    const pieces: string[] = []
    let bytes = 0
    await using file = await open(path, 'r')
    const buffer = Buffer.alloc(PIECE_BYTES)
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES)
      if (bytesRead === 0) break
      const piece = buffer.subarray(0, bytesRead)
      const name = pieceName(`${task.prefix}-${kind}`, pieces.length)
      bytesOnDisk += await folder.write(task.id, name, task.key, piece)
      hash.update(piece)
      bytes += bytesRead
      pieces.push(name)
    }
    const type = TYPES[to] ?? ''
    made.push({ name: `${kind}.${to}`, type, count, bytes, digest: hash.digest('base64'), pieces })
  }
  const [output, errors] = made as [JobFile, JobFile?]
  return { output, ...(errors === undefined ? {} : { errors }), bytesOnDisk }
}

/** Of a file with a record a line. */
async function linesIn(path: string): Promise<number> {
  await using file = await open(path, 'r')
  let lines = 0
  const buffer = Buffer.alloc(PIECE_BYTES)
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES)
    if (bytesRead === 0) return lines
    for (let at = buffer.indexOf(0x0a); at >= 0 && at < bytesRead; at = buffer.indexOf(0x0a, at + 1)) lines++
  }
}
