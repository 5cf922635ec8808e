/** The rows that are shown, in their order. */
import type { Part } from '../history/history-shape.ts'
import type { RowState } from '../history/marks.ts'
import type { ListResults } from '../score/list-results.ts'
import { noticesOf, passes, type Filter } from './filter-rows.ts'
import { rankTexts } from './rank-texts.ts'

/** The texts of a list, for sorting and searching. */
export interface ListTexts {
  readonly cell: (row: number, part: Part) => string
  readonly state: (row: number) => RowState
  readonly searched: (row: number) => string
  readonly isDuplicate: (row: number) => boolean
}

/** What a row is sorted by that is no text: `change` is what one missing value could change. */
export type Figure = 'risk' | 'row' | 'problems' | 'notices' | 'change'
const FIGURES: ReadonlySet<string | number> = new Set<Figure>([
  'risk',
  'row',
  'problems',
  'notices',
  'change',
])

export interface Order {
  readonly by: Figure | Part
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
    if (filter.check === 'duplicates' && !texts.isDuplicate(row)) continue
    if (filter.state !== 'all' && texts.state(row) !== filter.state) continue
    if (search === '' || texts.searched(row).toLowerCase().includes(search)) rows.push(row)
  }
  const { by, isDescending } = order
  return isFigure(by)
    ? Uint32Array.from(rows).sort(comparing(results, by, isDescending))
    : byText(rows, by, isDescending, texts.cell)
}

function isFigure(by: Order['by']): by is Figure {
  return FIGURES.has(by)
}

/**
 * How much the value that is still missing can change: first the rows whose side of the threshold it decides, then those whose
 * side is certain, by the width of their range; last those of which everything is known.
 */
function changeOf(results: ListResults, row: number): number {
  const range = results.rangeOf(row)
  if (range === undefined) return -1
  return range.high - range.low + (range.decided === undefined ? 1 : 0)
}

/** Rows without a risk come last, whichever way the others are sorted. Equal rows keep the order of the file. */
function comparing(
  results: ListResults,
  by: Figure,
  isDescending: boolean,
): (a: number, b: number) => number {
  const sign = isDescending ? -1 : 1
  if (by === 'row') return (a, b) => sign * (a - b)
  if (by !== 'risk') {
    const figures = new Map<number, number>()
    const figureOf = (row: number): number => {
      const known = figures.get(row)
      if (known !== undefined) return known
      const figure = sortedFigure(results, row, by)
      figures.set(row, figure)
      return figure
    }
    return (a, b) => sign * (figureOf(a) - figureOf(b)) || a - b
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

/** Notices decide between rows with as many problems, and the other way round. */
function sortedFigure(results: ListResults, row: number, by: 'problems' | 'notices' | 'change'): number {
  if (by === 'change') return changeOf(results, row)
  const problems = results.problemsOf(row).length
  const notices = noticesOf(results, row).length
  return by === 'problems' ? problems + notices / 1_000 : notices + problems / 1_000
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
