/**
 * The cells of a request with outcomes, packed and sorted before they reach the thread of the store: it writes cells, and neither sums nor
 * sorts. Numbers in one array cross from thread to thread by a copy of bytes; ten thousand objects would take each thread 20 ms.
 */
import type { OutcomeCell } from '@patient-risk/monitor'

/** What many cells have in common. */
export interface CellPlace {
  readonly digest: string
  readonly month: string
  readonly group: string
}

export interface PackedCells {
  /** In the order of their keys in the store, so that two requests that lock the same cells never wait for each other. */
  readonly places: readonly CellPlace[]
  /** Six numbers a cell: the index of its place, bin, flagged, outcome, number, units. */
  readonly numbers: Float64Array
}

/** What one transaction adds: the cells, and their sums over groups and over bins. */
export interface PackedOutcomes {
  readonly counts: PackedCells
  /** Over all groups. */
  readonly bins: PackedCells
  /** Over all bins, by group. */
  readonly totals: PackedCells
}

export const NUMBERS_OF_A_CELL = 6

export function packOutcomes(cells: readonly OutcomeCell[]): PackedOutcomes {
  const bins = addUp(cells.map((cell) => ({ ...cell, group: '' })))
  const totals = addUp(cells.map((cell) => ({ ...cell, bin: 0, flagged: 0 })))
  return { counts: packCells(cells), bins: packCells(bins), totals: packCells(totals) }
}

/** One cell for all that have the same keys. */
function addUp(cells: readonly OutcomeCell[]): readonly OutcomeCell[] {
  const sums = new Map<string, OutcomeCell>()
  for (const cell of cells) {
    const { digest, month, group, bin, flagged, outcome } = cell
    const key = [digest, month, group, bin, flagged, outcome].join('\n')
    const known = sums.get(key)
    const number = cell.number + (known?.number ?? 0)
    const units = cell.units + (known?.units ?? 0)
    sums.set(key, { ...cell, number, units })
  }
  return [...sums.values()]
}

export function packCells(cells: readonly OutcomeCell[]): PackedCells {
  const byPlace = new Map<string, { readonly place: CellPlace; readonly cells: OutcomeCell[] }>()
  for (const cell of cells) {
    const { digest, month, group } = cell
    const key = `${digest}\n${group}\n${month}`
    const known = byPlace.get(key)
    if (known === undefined) byPlace.set(key, { place: { digest, month, group }, cells: [cell] })
    else known.cells.push(cell)
  }
  const sorted = [...byPlace].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each)
  // Not of 32 bits: the risks of a large body add up to more.
  const numbers = new Float64Array(cells.length * NUMBERS_OF_A_CELL)
  let at = 0
  for (const [index, { cells: own }] of sorted.entries()) {
    own.sort((a, b) => a.bin - b.bin || a.flagged - b.flagged || a.outcome - b.outcome)
    for (const { bin, flagged, outcome, number, units } of own) {
      numbers.set([index, bin, flagged, outcome, number, units], at)
      at += NUMBERS_OF_A_CELL
    }
  }
  return { places: sorted.map(({ place }) => place), numbers }
}

/** How many cells of the store are changed, without the sums. */
export function cellCount({ counts }: PackedOutcomes): number {
  return counts.numbers.length / NUMBERS_OF_A_CELL
}

/** The cells one after the other, in the order in which they are written. */
export function* unpackCells({ places, numbers }: PackedCells): Generator<OutcomeCell> {
  for (let at = 0; at < numbers.length; at += NUMBERS_OF_A_CELL) {
    const { digest, month, group } = places[numbers[at] as number] as CellPlace
    yield {
      digest,
      month,
      group,
      bin: numbers[at + 1] as number,
      flagged: numbers[at + 2] as number,
      outcome: numbers[at + 3] as number,
      number: numbers[at + 4] as number,
      units: numbers[at + 5] as number,
    }
  }
}
