/** Which rows are shown, and in which order. */
import { kindOf, type ProblemKind } from '../../i18n/problem-words.ts'
import type { Part } from '../history/history-shape.ts'
import type { RowState } from '../history/marks.ts'
import type { ListResults } from '../score/list-results.ts'
import { rankTexts } from './rank-texts.ts'

export interface Filter {
  readonly band: 'all' | 'high' | 'low' | 'none'
  readonly problems: 'all' | 'with' | 'without'
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
  problems: 'all',
  field: '',
  kind: '',
  range: undefined,
  state: 'all',
  search: '',
}

/** The texts of a list, for sorting and searching. */
export interface ListTexts {
  readonly cell: (row: number, part: Part) => string
  readonly state: (row: number) => RowState
  readonly searched: (row: number) => string
}

export interface Order {
  readonly by: 'risk' | 'row' | 'problems' | Part
  readonly isDescending: boolean
}

export const BY_RISK: Order = { by: 'risk', isDescending: true }

export function orderRows(
  results: ListResults,
  filter: Filter,
  order: Order,
  threshold: number | undefined,
  texts: ListTexts,
): Uint32Array {
  const rows: number[] = []
  const search = filter.search.trim().toLowerCase()
  for (let row = 0; row < results.size; row++) {
    if (results.answered[row] === 0 || !passes(results, row, filter, threshold)) continue
    if (filter.state !== 'all' && texts.state(row) !== filter.state) continue
    if (search === '' || texts.searched(row).toLowerCase().includes(search)) rows.push(row)
  }
  const { by, isDescending } = order
  return by === 'risk' || by === 'row' || by === 'problems'
    ? Uint32Array.from(rows).sort(comparing(results, by, isDescending))
    : byText(rows, by, isDescending, texts.cell)
}

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
  if (filter.problems === 'with' && problems.length === 0) return false
  if (filter.problems === 'without' && problems.length > 0) return false
  if (filter.field === '' && filter.kind === '') return true
  return problems.some(
    (item) =>
      (filter.field === '' || item.Field === filter.field) &&
      (filter.kind === '' || kindOf(item) === filter.kind),
  )
}

/** Rows without a risk come last, whichever way the others are sorted. Equal rows keep the order of the file. */
function comparing(
  results: ListResults,
  by: Exclude<Order['by'], Part>,
  isDescending: boolean,
): (a: number, b: number) => number {
  const sign = isDescending ? -1 : 1
  if (by === 'row') return (a, b) => sign * (a - b)
  if (by === 'problems') {
    return (a, b) => sign * (results.problemsOf(a).length - results.problemsOf(b).length) || a - b
  }
  return (a, b) => {
    const left = results.riskOf(a)
    const right = results.riskOf(b)
    if (left === undefined || right === undefined) {
      return Number(left === undefined) - Number(right === undefined) || a - b
    }
    return sign * (left - right) || a - b
  }
}

function byText(
  rows: readonly number[],
  part: Part,
  isDescending: boolean,
  textOf: ListTexts['cell'],
): Uint32Array {
  const sign = isDescending ? -1 : 1
  const ranks = rankTexts(rows.map((row) => textOf(row, part)))
  const rankOf = (place: number): number => ranks[place] ?? 0
  const places = Uint32Array.from(rows.keys()).sort((a, b) => sign * (rankOf(a) - rankOf(b)) || a - b)
  return places.map((place) => rows[place] ?? 0)
}
