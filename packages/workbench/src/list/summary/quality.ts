/** The quality of a list's data: how many rows have which problem, at which field. */
import { kindOf, type ProblemKind } from '../../i18n/problem-words.ts'
import type { ListResults } from '../score/list-results.ts'

export interface QualityEntry {
  readonly field: string
  readonly kind: ProblemKind
  readonly rows: number
}

export interface Quality {
  readonly rows: number
  readonly scored: number
  readonly withProblems: number
  readonly high: number
  readonly entries: readonly QualityEntry[]
}

export function summarise(results: ListResults, threshold: number | undefined): Quality {
  const counts = new Map<string, { field: string; kind: ProblemKind; rows: number }>()
  let rows = 0
  let scored = 0
  let withProblems = 0
  let high = 0
  for (let row = 0; row < results.size; row++) {
    if (results.answered[row] === 0) continue
    rows++
    const risk = results.riskOf(row)
    if (risk !== undefined) scored++
    if (risk !== undefined && threshold !== undefined && risk >= threshold) high++
    const problems = results.problems[row]
    if (problems === null || problems === undefined) continue
    withProblems++
    for (const item of problems) {
      const kind = kindOf(item)
      const name = `${item.Field} ${kind}`
      const entry = counts.get(name) ?? { field: item.Field, kind, rows: 0 }
      entry.rows++
      counts.set(name, entry)
    }
  }
  const entries = [...counts.values()].sort((a, b) => b.rows - a.rows || a.field.localeCompare(b.field))
  return { rows, scored, withProblems, high, entries }
}
