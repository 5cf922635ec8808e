/** Scores corrected rows again. A failed try is repeated; rows that get no answer wait for a button. */
import { ApiFailure, within } from '../../api.ts'
import { refuseIfUnknown, session } from '../../session.ts'
import { list, type ScoredBy } from '../list-state.ts'
import { sentColumns } from './row-text.ts'
import { askedRows, askRows, CHUNK_ROWS, putAll, type RowAnswers } from './score-list.ts'

const TRIES = 3
const TIMEOUT_MS = 10_000
const WAIT_S = 1
const LONGEST_WAIT_S = 10

/** Until the answer comes the rows have no risk. */
export async function scoreRows(rows: readonly number[]): Promise<void> {
  const { sheet, results, scoredBy } = list.get()
  if (sheet === undefined || scoredBy === undefined) return
  const columns = sentColumns(list.get(), scoredBy.catalogue.fields)
  const refresh = (failure?: ApiFailure): void => {
    if (list.get().results === results) list.patch({ version: list.get().version + 1, failure })
  }
  for (const row of rows) results.clear(row)
  refresh()
  const size = Math.min(CHUNK_ROWS, scoredBy.model.deployment.limits.records)
  const chunks = Array.from({ length: Math.ceil(rows.length / size) }, (_chunk, index) =>
    askedRows({ sheet, results, columns, scoredBy }, rows.slice(index * size, (index + 1) * size)),
  )
  try {
    for (const asked of chunks) {
      putAll(asked, await askRepeatedly(scoredBy, asked.text, () => list.get().results === results))
      results.againAt = Date.now()
      refresh()
    }
  } catch (error) {
    const left = chunks
      .flatMap((asked) => asked.rows)
      .filter(([row, revision]) => results.pending.has(row) && results.revisionOf(row) === revision)
    for (const [row] of left) results.giveUp(row)
    if (!(error instanceof ApiFailure)) throw error
    const isRefused = refuseIfUnknown(error)
    // Rows that were all asked about again since then have another answer, or another failure.
    if (left.length > 0) refresh(isRefused ? undefined : error)
  }
}

/** Gives up after some tries, when the failure is not one that passes, and when nobody wants the answer any more. */
async function askRepeatedly(scoredBy: ScoredBy, text: string, isWanted: () => boolean): Promise<RowAnswers> {
  for (let tries = 1; ; tries++) {
    try {
      return await within(TIMEOUT_MS, new AbortController().signal, (signal) =>
        askRows(scoredBy, text, signal),
      )
    } catch (error) {
      const mayPass =
        error instanceof ApiFailure && (error.status === 0 || error.status >= 500 || error.isPassing)
      if (!mayPass || tries === TRIES) throw error
      const waitS = Math.min(error.retryAfterS ?? WAIT_S * tries, LONGEST_WAIT_S)
      await new Promise((resolve) => setTimeout(resolve, waitS * 1_000))
      if (!isWanted() || session.get() === undefined) throw error
    }
  }
}
