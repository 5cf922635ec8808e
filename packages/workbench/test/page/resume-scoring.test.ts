// Own process: the page has one list, and one service that answers it.
/** Scoring that goes on asks for every row that has no answer to what its cells are now, and for no other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY_LIST, list, type ScoredBy } from '../../src/list/list-state.ts'
import { ListResults } from '../../src/list/score/list-results.ts'
import { resumeScoring } from '../../src/list/score/score-list.ts'
import { connectTo } from '../../src/service.ts'
import type { Explained } from '../../src/shapes/answers.ts'
import type { Sheet } from '../../src/list/read/sheet.ts'

const MODEL = {
  id: 'm',
  version: '1',
  inputs: [],
  deployment: { digest: 'sha-256=:a:', limits: { records: 2 } },
}
const SCORED_BY = {
  model: MODEL,
  deployment: { name: 'ward', basePath: '/ward', output: 'number' },
  catalogue: { fields: [] },
  at: 1,
} as unknown as ScoredBy
const ROWS = 6
const SHEET: Sheet = {
  name: 'list.csv',
  kind: 'csv',
  delimiter: ',',
  headerLine: 1,
  columns: ['age'],
  rows: Array.from({ length: ROWS }, () => ['84']),
  lines: Array.from({ length: ROWS }, (_each, row) => row + 2),
  rejected: new Map(),
  nonRecords: new Map(),
  repeated: new Map(),
  corrected: new Map(),
}

const answer = (idx: number): Explained => ({
  idx,
  risk: 0.5,
  error_message: null,
  explanation: null,
  scales: [],
  notices: [],
  range: null,
})

test('rows without an answer, corrected rows that wait and those that were given up are asked for, in parts', async () => {
  const asked: number[][] = []
  const headers = { 'risk-deployment-digest': MODEL.deployment.digest }
  connectTo({
    fetch: (_path, request) => {
      const records = JSON.parse(request?.body as string) as readonly { readonly idx: number }[]
      asked.push(records.map(({ idx }) => idx))
      return Promise.resolve(
        Response.json(
          records.map(({ idx }) => answer(idx)),
          { headers },
        ),
      )
    },
  })
  const results = new ListResults(ROWS)
  // The first and the last are answered; one waits after a correction, one was given up, two were never asked for.
  for (const row of [0, 1, 2, 5]) results.put(row, answer(row + 1), 1)
  for (const row of [1, 2]) results.clear(row)
  results.giveUp(2)
  list.set({ ...EMPTY_LIST, sheet: SHEET, results, scoredBy: SCORED_BY, stage: 'results', isCancelled: true })
  await resumeScoring()
  assert.deepEqual(list.get().failure, undefined)
  assert.deepEqual(asked, [
    [2, 3],
    [4, 5],
  ])
  for (let row = 0; row < ROWS; row++)
    assert.deepEqual([results.riskOf(row), results.isUnscored(row)], [0.5, false], `row ${row}`)
  assert.equal(results.done, ROWS)
})
