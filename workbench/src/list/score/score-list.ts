/** Scores a list in chunks. While the service does not answer, the page waits; an answered chunk is never sent twice. */
import { ApiFailure, ask, callOf, isAborted } from '../../api.ts'
import {
  chooseDeployment,
  deploymentData,
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
import { BY_RISK, NO_FILTER } from '../table/order-rows.ts'
import { rowProblem, withOwnReasons } from './row-problem.ts'
import { rowText, sentColumns, type SentColumn } from './row-text.ts'
import type { Sheet } from '../read/sheet.ts'

const CHUNK_ROWS = 1_000
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
    failure: undefined,
    scoredBy: { deployment, model, catalogue, at: Date.now() },
    filter: NO_FILTER,
    order: BY_RISK,
    openRow: undefined,
    progress: { done: results.done, total: results.size, startedAt: Date.now(), waitS: undefined },
  })
  await run(results)
}

/**
 * Loads the deployment of the list after it has changed, and scores the rows that have no answer, or all of them. A list of
 * numbers cannot go on with Yes and No: it is scored again as a whole.
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
  const isOther = deployment.output !== scoredBy.deployment.output
  if (rows === 'all' || isOther) return scoreList(model, catalogue)
  list.patch({ scoredBy: { ...scoredBy, deployment, model, catalogue } })
  return resumeScoring()
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
    (row) => results.answered[row] === 0 || results.pending.has(row),
  )
  try {
    for (let at = 0; at < waiting.length; at += size) {
      const rows = waiting.slice(at, at + size)
      const text = `[${rows.map((row) => rowText(sheet, row, columns)).join(',')}]`
      const answers = await askWithRetries(scoredBy, text, controller.signal)
      putAll({ sheet, results, columns, digest: model.deployment.digest }, rows, answers)
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

function putAll(
  list: {
    readonly sheet: Sheet
    readonly results: ListResults
    readonly columns: readonly SentColumn[]
    readonly digest: string
  },
  rows: readonly number[],
  answers: readonly Explained[],
): void {
  const { sheet, results, columns, digest } = list
  const at = Date.now()
  rows.forEach((row, index) => {
    const answer = answers[index]
    if (answer === undefined) return
    results.putAnswer(row, withOwnReasons(answer, sheet.rows[row] ?? [], columns), at, digest)
  })
}

export function cancelScoring(): void {
  running?.abort()
}

/** The answers, after as many waits as it takes. */
async function askWithRetries(
  scoredBy: ScoredBy,
  text: string,
  signal: AbortSignal,
): Promise<readonly Explained[]> {
  for (;;) {
    try {
      return await askRows(scoredBy, text, signal)
    } catch (error) {
      if (!(error instanceof ApiFailure) || !error.isPassing) throw error
      await wait(error.retryAfterS ?? WAIT_S, signal)
    }
  }
}

/** Answers of the deployment that the list belongs to, in the state in which the page loaded it. */
function askRows(
  { deployment, model }: ScoredBy,
  text: string,
  signal?: AbortSignal,
): Promise<readonly Explained[]> {
  return ask(session.get()?.key ?? '', callOf(deployment.basePath, '/explain'), {
    method: 'POST',
    text,
    digest: model.deployment.digest,
    ...(signal === undefined ? {} : { signal }),
  })
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

/** Scores rows again after cells of them were corrected. Until the answer comes they have no risk. */
export async function scoreRows(rows: readonly number[]): Promise<void> {
  const { sheet, results, scoredBy } = list.get()
  if (sheet === undefined || scoredBy === undefined) return
  const columns = sentColumns(list.get(), scoredBy.catalogue.fields)
  const refresh = (failure?: ApiFailure): void => {
    if (list.get().results === results) list.patch({ version: list.get().version + 1, failure })
  }
  for (const row of rows) results.clear(row)
  refresh()
  try {
    for (let at = 0; at < rows.length; at += CHUNK_ROWS) {
      const some = rows.slice(at, at + CHUNK_ROWS)
      const text = `[${some.map((row) => rowText(sheet, row, columns)).join(',')}]`
      const answers = await askRows(scoredBy, text)
      putAll({ sheet, results, columns, digest: scoredBy.model.deployment.digest }, some, answers)
      results.againAt = Date.now()
      refresh()
    }
  } catch (error) {
    if (refuseIfUnknown(error)) return
    if (!(error instanceof ApiFailure)) throw error
    refresh(error)
  }
}

onSessionEnd(() => {
  cancelScoring()
  list.set(EMPTY_LIST)
})
