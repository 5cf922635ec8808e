/** Asks why a row has its risk. */
import { ApiFailure, ask, callOf } from '../../api.ts'
import { refuseIfUnknown, session } from '../../session.ts'
import type { Explained } from '../../shapes/answers.ts'
import { list, type ScoredBy } from '../list-state.ts'
import { rowText, sentColumns } from '../score/row-text.ts'

/** Undefined where the session has ended meanwhile. */
export async function explainRow(
  row: number,
  { deployment, model, catalogue }: ScoredBy,
): Promise<Explained | ApiFailure | undefined> {
  const { sheet, results } = list.get()
  const current = session.get()
  if (sheet === undefined || current === undefined) return undefined
  const text = `[${rowText(sheet, row, sentColumns(list.get(), catalogue.fields))}]`
  // An explanation under other terms would not be that of the risk in the list.
  const digest = results.digestOf(row) ?? model.deployment.digest
  const call = { method: 'POST', text, digest } as const
  try {
    const path = callOf(deployment.basePath, '/explain')
    const [answer] = await ask<readonly Explained[]>(current.key, path, call)
    return answer
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    return refuseIfUnknown(error) ? undefined : error
  }
}
