/** Which rows of a list are shown. */
import { kindOf, type ProblemKind } from '../../i18n/problem-kind.ts'
import type { Notice } from '../../shapes/answers.ts'
import type { RowState } from '../history/marks.ts'
import type { ListResults } from '../score/list-results.ts'

/** What is to be checked in a row. */
export type Check = 'problems' | 'clean' | 'missing' | 'notices' | 'doubts' | 'duplicates'

export interface Filter {
  readonly band: 'all' | 'high' | 'low' | 'none'
  readonly check: Check | ''
  /** A notice with this code; empty for any. */
  readonly notice: Notice['code'] | ''
  /** A problem at this field, of this kind; empty for any. */
  readonly field: string
  readonly kind: ProblemKind | ''
  /** A part of the histogram: from this risk up to, not including, that one. */
  readonly range: readonly [number, number] | undefined
  readonly state: 'all' | RowState
  /** Text that the identifier, or a shown column, must contain. */
  readonly search: string
}

export const NO_FILTER: Filter = {
  band: 'all',
  check: '',
  notice: '',
  field: '',
  kind: '',
  range: undefined,
  state: 'all',
  search: '',
}

/** Notices that say that a value may not be the patient's. */
const DOUBTS: ReadonlySet<Notice['code']> = new Set([
  'unit-doubt',
  'feed-doubt',
  'contradiction',
  'incomplete-scale',
  'old-assessment',
])

/** Whether a row passes all of a filter but its state, its search and duplicates, which are no matter of its answer. */
export function passes(
  results: ListResults,
  row: number,
  filter: Filter,
  threshold: number | undefined,
): boolean {
  const risk = results.riskOf(row)
  if (filter.band === 'none' && risk !== undefined) return false
  if (filter.band === 'high' && (risk === undefined || risk < (threshold ?? 1))) return false
  if (filter.band === 'low' && (risk === undefined || risk >= (threshold ?? 1))) return false
  const { range } = filter
  if (range !== undefined && (risk === undefined || risk < range[0] || risk >= range[1])) return false
  const problems = results.problemsOf(row)
  if (!passesCheck(results, row, filter.check)) return false
  if (filter.notice !== '' && !noticesOf(results, row).some(({ code }) => code === filter.notice))
    return false
  if (filter.field === '' && filter.kind === '') return true
  return problems.some(
    (item) =>
      (filter.field === '' || item.Field === filter.field) &&
      (filter.kind === '' || kindOf(item) === filter.kind),
  )
}

/** Whether a row has what is to be checked; duplicates are a matter of the whole list. */
export function passesCheck(results: ListResults, row: number, check: Check | ''): boolean {
  switch (check) {
    case 'problems':
      return results.problemsOf(row).length > 0
    case 'clean':
      return results.problemsOf(row).length === 0
    case 'missing':
      return isIncomplete(results, row)
    case 'notices':
      return noticesOf(results, row).length > 0
    case 'doubts':
      return noticesOf(results, row).some(({ code }) => DOUBTS.has(code))
    case 'duplicates':
    case '':
      return true
  }
}

/** Whether a value is missing that the model asks for, also where it takes another one in its place. */
function isIncomplete(results: ListResults, row: number): boolean {
  return (
    results.problemsOf(row).some((item) => kindOf(item) === 'missing') ||
    noticesOf(results, row).some(({ code }) => code === 'assumed')
  )
}

export function noticesOf(results: ListResults, row: number): readonly Notice[] {
  return results.notices[row] ?? []
}
