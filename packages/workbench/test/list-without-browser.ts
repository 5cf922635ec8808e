/** A list as the page reads, matches and scores it, without a browser: what it shows of fields that are in doubt. */
import { HTTP_SERVICE } from '../src/http-service.ts'
import { list } from '../src/list/list-state.ts'
import { PLAIN_READING } from '../src/list/match/convert-cell.ts'
import { missingInputs } from '../src/list/match/match-columns.ts'
import { doubtfulValues } from '../src/list/match/suggest-reading.ts'
import { openSource } from '../src/list/read/open-source.ts'
import { scoreList } from '../src/list/score/score-list.ts'
import { connectTo } from '../src/service.ts'
import { deploymentData, loadDeploymentData, session } from '../src/session.ts'
import { ask } from '../src/api.ts'
import type { KeySummary } from '../src/shapes/answers.ts'

export interface OnPage {
  /** The fields that the note above the list names, each with the rows of the list. */
  readonly named: ReadonlyMap<string, number>
  /** The fields for which the page asks before anything is scored. */
  readonly stopped: readonly string[]
  /** The fields of the problems of the first row that has any. */
  readonly firstProblems: readonly string[] | undefined
}

export async function scoreOnPage(origin: string, key: string, name: string, text: string): Promise<OnPage> {
  connectTo({ ...HTTP_SERVICE, fetch: (path, request) => fetch(origin + path, request) })
  const summary = await ask<KeySummary>(key, '/deployments')
  const deployment = summary.deployments.find((each) => each.name === name)
  session.set({ key, summary, deployment, isKept: false })
  await loadDeploymentData()
  const loaded = deploymentData.get()
  if (loaded.kind !== 'ready') throw new Error(`the deployment ${name} cannot be loaded`)
  const { model, catalogue } = loaded
  const bytes = new TextEncoder().encode(text)
  const fault = await openSource({ name: 'list.csv', bytes }, catalogue)
  if (fault !== undefined) throw fault
  const { sheet, matches, readings } = list.get()
  if (sheet === undefined) throw new Error('the list was not read')
  const doubtful = matches.filter((match, column) => {
    const field = catalogue.fields.find((each) => each.name === match)
    return doubtfulValues(sheet, column, field, readings[column] ?? PLAIN_READING).length > 0
  })
  const stopped = [...doubtful, ...missingInputs(model, matches).map((field) => field.name)]
  // The page's button is not offered then.
  if (stopped.length > 0) return { named: new Map(), stopped, firstProblems: undefined }
  await scoreList(model, catalogue)
  const { doubts, results, failure } = list.get()
  if (failure !== undefined) throw failure
  const rows = sheet.rows.length
  const first = Array.from({ length: rows }, (_each, row) => results.problemsOf(row)).find(
    (problems) => problems.length > 0,
  )
  return {
    named: new Map(doubts.map(({ field }) => [field, rows])),
    stopped,
    firstProblems: first?.map(({ Field }) => Field),
  }
}
