/** Scores a list in chunks. A service that pauses is waited for; a chunk is never sent twice once it was answered. */
import { ApiFailure, ask, callOf, isAborted } from '../api.ts'
import { refuseIfUnknown, session } from '../session.ts'
import type { Result } from '../shapes/answers.ts'
import type { FieldCatalogue } from '../shapes/fields.ts'
import type { Model } from '../shapes/model.ts'
import { ListResults } from './list-results.ts'
import { list } from './list-state.ts'
import { BY_RISK, NO_FILTER } from './order-rows.ts'
import { rowText, sentColumns } from './row-text.ts'

const CHUNK_ROWS = 1_000
const WAIT_S = 2

let running: AbortController | undefined

export async function scoreList(model: Model, catalogue: FieldCatalogue): Promise<void> {
  const { sheet } = list.get()
  if (sheet === undefined) return
  const results = new ListResults(sheet.rows.length)
  list.patch({
    stage: 'scoring',
    results,
    isCancelled: false,
    failure: undefined,
    deployment: model.deployment.name,
    filter: NO_FILTER,
    order: BY_RISK,
    openRow: undefined,
    progress: { done: 0, total: results.size, startedAt: Date.now(), waitS: undefined },
  })
  await run(model, catalogue, results)
}

/** Goes on with the rows that were not answered. */
export async function resumeScoring(model: Model, catalogue: FieldCatalogue): Promise<void> {
  const { results } = list.get()
  const progress = { done: results.done, total: results.size, startedAt: Date.now(), waitS: undefined }
  list.patch({ stage: 'scoring', isCancelled: false, failure: undefined, progress })
  await run(model, catalogue, results)
}

async function run(model: Model, catalogue: FieldCatalogue, results: ListResults): Promise<void> {
  const { sheet, matches } = list.get()
  if (sheet === undefined) return
  const controller = new AbortController()
  running = controller
  const columns = sentColumns(matches, catalogue.fields)
  const size = Math.min(CHUNK_ROWS, model.deployment.limits.records)
  const waiting = [...results.answered.keys()].filter((row) => results.answered[row] === 0)
  try {
    for (let at = 0; at < waiting.length; at += size) {
      const rows = waiting.slice(at, at + size)
      const text = `[${rows.map((row) => rowText(sheet, row, columns)).join(',')}]`
      const answers = await askPatiently(text, controller.signal)
      if (answers === undefined) return
      answers.forEach((answer, index) => results.put(rows[index] ?? -1, answer))
      noteProgress(results.done)
    }
    list.patch({ stage: 'results', progress: undefined, version: list.get().version + 1 })
  } catch (error) {
    if (!isAborted(error) && !(error instanceof ApiFailure)) throw error
    stopHere(error instanceof ApiFailure ? error : undefined)
  }
}

export function cancelScoring(): void {
  running?.abort()
}

/** The answers, after as many waits as it takes; undefined when the key is no longer accepted. */
async function askPatiently(text: string, signal: AbortSignal): Promise<readonly Result[] | undefined> {
  for (;;) {
    const current = session.get()
    if (current?.deployment === undefined) {
      stopHere()
      return
    }
    try {
      const path = callOf(current.deployment.basePath, '')
      return await ask<readonly Result[]>(current.key, path, { method: 'POST', text, signal })
    } catch (error) {
      if (refuseIfUnknown(error)) {
        stopHere()
        return
      }
      if (!(error instanceof ApiFailure) || !error.isPassing) throw error
      await wait(error.retryAfterS ?? WAIT_S, signal)
    }
  }
}

/** What was answered so far is kept and can be gone on with after signing in again. */
function stopHere(failure?: ApiFailure): undefined {
  const version = list.get().version + 1
  list.patch({ stage: 'results', isCancelled: true, failure, progress: undefined, version })
  return undefined
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

/** Scores one row again, after a cell of it was put right. */
export async function scoreRow(catalogue: FieldCatalogue, row: number): Promise<void> {
  const { sheet, matches, results } = list.get()
  const current = session.get()
  if (sheet === undefined || current?.deployment === undefined) return
  const text = `[${rowText(sheet, row, sentColumns(matches, catalogue.fields))}]`
  const call = { method: 'POST', text } as const
  try {
    const [answer] = await ask<readonly Result[]>(current.key, callOf(current.deployment.basePath, ''), call)
    if (answer === undefined) return
    results.put(row, answer)
    results.edited.add(row)
    list.patch({ version: list.get().version + 1, failure: undefined })
  } catch (error) {
    if (refuseIfUnknown(error)) return
    if (!(error instanceof ApiFailure)) throw error
    list.patch({ failure: error })
  }
}
