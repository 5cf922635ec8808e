/** The quality of a list's data: how many rows have which problem at which field, and which notices. */
import { kindOf, type ProblemKind } from '../../i18n/problem-kind.ts'
import type { Notice } from '../../shapes/answers.ts'
import type { ListResults } from '../score/list-results.ts'
import type { Duplicates } from '../table/duplicates.ts'
import { noticesOf, passesCheck, type Check } from '../table/filter-rows.ts'

export interface QualityEntry {
  readonly field: string
  readonly kind: ProblemKind
  readonly rows: number
}

export interface NoticeEntry {
  readonly code: Notice['code']
  readonly rows: number
}

export interface Quality {
  readonly rows: number
  readonly scored: number
  readonly high: number
  /** How many rows there are to be checked for what. */
  readonly checks: Readonly<Record<Check, number>>
  /** Most frequent first, as those of the notices. */
  readonly entries: readonly QualityEntry[]
  readonly notices: readonly NoticeEntry[]
}

const COUNTED = ['problems', 'clean', 'missing', 'notices', 'doubts'] as const

export function summarise(
  results: ListResults,
  threshold: number | undefined,
  duplicates: Pick<Duplicates, 'rows'>,
): Quality {
  const problems = new Map<string, { field: string; kind: ProblemKind; rows: number }>()
  const notices = new Map<Notice['code'], number>()
  const checks = { problems: 0, clean: 0, missing: 0, notices: 0, doubts: 0, duplicates: duplicates.rows }
  let rows = 0
  let scored = 0
  let high = 0
  for (let row = 0; row < results.size; row++) {
    if (results.answered[row] === 0) continue
    rows++
    const risk = results.riskOf(row)
    if (risk !== undefined) scored++
    if (risk !== undefined && threshold !== undefined && risk >= threshold) high++
    for (const check of COUNTED) if (passesCheck(results, row, check)) checks[check]++
    for (const code of new Set(noticesOf(results, row).map((notice) => notice.code))) {
      notices.set(code, (notices.get(code) ?? 0) + 1)
    }
    for (const item of results.problemsOf(row)) {
      const kind = kindOf(item)
      const name = `${item.Field} ${kind}`
      const entry = problems.get(name) ?? { field: item.Field, kind, rows: 0 }
      entry.rows++
      problems.set(name, entry)
    }
  }
  return {
    rows,
    scored,
    high,
    checks,
    entries: [...problems.values()].sort((a, b) => b.rows - a.rows || a.field.localeCompare(b.field)),
    notices: Array.from(notices, ([code, each]) => ({ code, rows: each })).sort((a, b) => b.rows - a.rows),
  }
}
