/** Scores a list in chunks. While the service does not answer, the page waits; an answered chunk is never sent twice. */
import { ApiFailure, ask, callOf, isAborted } from '../../api.ts'
import { noteAlarm } from '../../calibration-alarm.ts'
import {
  chooseDeployment,
  deploymentData,
  onLock,
  onSessionEnd,
  refuseIfUnknown,
  reloadDeployment,
  session,
} from '../../session.ts'
import type { Explained } from '../../shapes/answers.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import type { Model } from '../../shapes/model.ts'
import { ListResults } from './list-results.ts'
import { EMPTY_LIST, list, type ScoredBy } from '../list-state.ts'
import { missingInputs } from '../match/match-columns.ts'
import { noteDoubts } from './list-doubts.ts'
import { NO_FILTER } from '../table/filter-rows.ts'
import { BY_RISK } from '../table/order-rows.ts'
import { rowProblem, withOwnReasons } from './row-problem.ts'
import { rowText, sentColumns, type SentColumn } from './row-text.ts'
import type { Sheet } from '../read/sheet.ts'

export const CHUNK_ROWS = 1_000
const WAIT_S = 2

let running: AbortController | undefined

export async function scoreList(model: Model, catalogue: FieldCatalogue): Promise<void> {
  const { sheet } = list.get()
  const deployment = session.get()?.deployment
  if (sheet === undefined || deployment === undefined) return
  const results = new ListResults(sheet.rows.length)
  for (const row of sheet.rejected.keys()) results.put(row, rowProblem(sheet, row))
  list.patch({
    stage: 'scoring',
    results,
    isCancelled: false,
    isHeld: false,
    failure: undefined,
    scoredBy: { deployment, model, catalogue, at: Date.now() },
    doubts: [],
    filter: NO_FILTER,
    order: BY_RISK,
    openRow: undefined,
    progress: { done: results.done, total: results.size, startedAt: Date.now(), waitS: undefined },
  })
  await run(results)
}

/**
 * Loads the deployment of the list after it has changed, and scores the rows that have no answer, or all of them. Where
 * their risks could not stand beside those of the other rows, the list is scored again as a whole.
 */
export async function scoreUnderNewTerms(rows: 'remaining' | 'all'): Promise<void> {
  const { scoredBy } = list.get()
  if (scoredBy === undefined) return
  await chooseDeployment(scoredBy.deployment.name)
  await reloadDeployment()
  const { deployment } = session.get() ?? {}
  const known = deploymentData.get()
  if (known.kind !== 'ready' || deployment?.name !== scoredBy.deployment.name) return
  const { model, catalogue } = known
  const now = { ...scoredBy, deployment, model, catalogue }
  if (rows === 'all' || measureOf(now) !== measureOf(scoredBy)) return scoreAgain(model, catalogue)
  list.patch({ scoredBy: now })
  return resumeScoring()
}

/** What two risks must have in common to stand in one list: model, kind of answer, threshold and units. */
function measureOf({ model, deployment }: ScoredBy): string {
  const units = model.inputs.map(({ name, unit }) => [name, unit])
  return JSON.stringify([
    model.id,
    deployment.output,
    model.deployment.threshold,
    model.threshold?.risk,
    units,
  ])
}

/** Scores the whole list. Where it lacks a column that the model needs, its columns are matched first. */
export async function scoreAgain(model: Model, catalogue: FieldCatalogue): Promise<void> {
  if (missingInputs(model, list.get().matches).length > 0) list.patch({ stage: 'matching' })
  else await scoreList(model, catalogue)
}

/** Continues with the rows that were not answered, with the deployment that the list belongs to. */
export async function resumeScoring(): Promise<void> {
  const { results } = list.get()
  const progress = { done: results.done, total: results.size, startedAt: Date.now(), waitS: undefined }
  list.patch({ stage: 'scoring', isCancelled: false, failure: undefined, progress })
  await run(results)
}

async function run(results: ListResults): Promise<void> {
  const { sheet, scoredBy } = list.get()
  if (sheet === undefined || scoredBy === undefined) return
  const controller = new AbortController()
  running = controller
  const { model, catalogue } = scoredBy
  const columns = sentColumns(list.get(), catalogue.fields)
  const size = Math.min(CHUNK_ROWS, model.deployment.limits.records)
  const waiting = [...results.answered.keys()].filter(
    (row) => results.answered[row] === 0 || results.isUnscored(row),
  )
  try {
    for (let at = 0; at < waiting.length; at += size) {
      const asked = askedRows({ sheet, results, columns, scoredBy }, waiting.slice(at, at + size))
      putAll(asked, await askWithRetries(scoredBy, asked.text, controller.signal))
      noteProgress(results.done)
    }
    list.patch({ stage: 'results', progress: undefined, version: list.get().version + 1 })
  } catch (error) {
    // The end of a session has cleared the list already.
    if (refuseIfUnknown(error) || list.get().results !== results) return
    if (!isAborted(error) && !(error instanceof ApiFailure)) throw error
    const failure = error instanceof ApiFailure ? error : undefined
    const version = list.get().version + 1
    list.patch({ stage: 'results', isCancelled: true, failure, progress: undefined, version })
  }
}

/** Rows with the revision in which they were sent, and what they were sent as. */
export interface AskedRows {
  readonly sheet: Sheet
  readonly results: ListResults
  readonly columns: readonly SentColumn[]
  readonly scoredBy: ScoredBy
  readonly rows: readonly (readonly [row: number, revision: number])[]
  readonly text: string
}

export function askedRows(parts: Omit<AskedRows, 'rows' | 'text'>, rows: readonly number[]): AskedRows {
  const { sheet, results, columns } = parts
  const text = `[${rows.map((row) => rowText(sheet, row, columns)).join(',')}]`
  return { ...parts, rows: rows.map((row) => [row, results.begin(row)] as const), text }
}

/** Answers of rows that were asked about again meanwhile are dropped. */
export function putAll(
  { sheet, results, columns, scoredBy, rows }: AskedRows,
  { answers, alarm }: RowAnswers,
): void {
  const at = Date.now()
  rows.forEach(([row, revision], index) => {
    const answer = answers[index]
    if (answer === undefined || results.revisionOf(row) !== revision) return
    const result = withOwnReasons(answer, sheet.rows[row] ?? [], columns)
    results.putAnswer(row, result, at, scoredBy.model, alarm)
  })
}

export function cancelScoring(): void {
  running?.abort()
}

/** The answers, after as many waits as it takes. */
async function askWithRetries(scoredBy: ScoredBy, text: string, signal: AbortSignal): Promise<RowAnswers> {
  for (;;) {
    try {
      return await askRows(scoredBy, text, signal)
    } catch (error) {
      if (!(error instanceof ApiFailure) || !error.isPassing) throw error
      await wait(error.retryAfterS ?? WAIT_S, signal)
    }
  }
}

/** Answers, and the month of the alarm of calibration that came with them. */
export interface RowAnswers {
  readonly answers: readonly Explained[]
  readonly alarm: string
}

/** Answers of the deployment that the list belongs to, in the state in which the page loaded it. */
export async function askRows(
  { deployment, model }: ScoredBy,
  text: string,
  signal?: AbortSignal,
): Promise<RowAnswers> {
  let alarm = ''
  const answers = await ask<readonly Explained[]>(
    session.get()?.key ?? '',
    callOf(deployment.basePath, '/explain'),
    {
      method: 'POST',
      text,
      digest: model.deployment.digest,
      onHeaders: (headers) => {
        alarm = noteAlarm(deployment.name, headers)
        noteDoubts(headers)
      },
      ...(signal === undefined ? {} : { signal }),
    },
  )
  return { answers, alarm }
}

async function wait(seconds: number, signal: AbortSignal): Promise<void> {
  for (let left = seconds; left > 0; left--) {
    const { progress } = list.get()
    if (progress !== undefined) list.patch({ progress: { ...progress, waitS: left } })
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    signal.throwIfAborted()
  }
}

function noteProgress(done: number): void {
  const { progress } = list.get()
  if (progress !== undefined) list.patch({ progress: { ...progress, done, waitS: undefined } })
}

onLock(cancelScoring)
onSessionEnd(() => {
  cancelScoring()
  list.set(EMPTY_LIST)
})
