/** The kinds of outcome that are counted, and what each of them is for a model. */

/** Outcomes that are counted together. */
export interface BinCell {
  /** One of `OUTCOME`. */
  readonly outcome: number
  readonly number: number
  /** The sum of their risks in ten-thousandths. */
  readonly units: number
  readonly bin?: number
  readonly flagged?: number
}

export const OUTCOME = { none: 0, event: 1, diedFirst: 2, unknown: 3 } as const

/** What a death before the event counts as. */
export type DeathAs = 'none' | 'event' | 'unknown'

/** The outcomes that are an event or none; what is not known is left out. */
export function knownOutcomes<Cell extends BinCell>(
  cells: Iterable<Cell>,
  death: DeathAs = 'unknown',
): readonly Cell[] {
  const known: Cell[] = []
  for (const cell of cells) {
    if (cell.outcome === OUTCOME.none || cell.outcome === OUTCOME.event) known.push(cell)
    else if (cell.outcome === OUTCOME.diedFirst && death !== 'unknown')
      known.push({ ...cell, outcome: OUTCOME[death] })
  }
  return known
}

/** How many outcomes of a kind. */
export function numberOf(cells: Iterable<BinCell>, kind: keyof typeof OUTCOME): number {
  let sum = 0
  for (const { outcome, number } of cells) if (outcome === OUTCOME[kind]) sum += number
  return sum
}
