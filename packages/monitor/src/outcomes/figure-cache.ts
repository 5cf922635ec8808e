/** Figures of parts whose counts have not changed since they were computed. Counts only grow, so their sums tell. */
import { type Performance, countsOf } from '@patient-risk/statistics'
import type { CountedCell } from './outcome-store.ts'

/** Months and groups of several states; each holds some hundred numbers. */
const MOST_PARTS = 2_000

export class FigureCache {
  private readonly parts = new Map<string, { readonly sums: string; readonly figures: Performance }>()

  /** The figures of the part with this name and these sums, computed where they are not known. */
  async get(
    name: string,
    totals: readonly CountedCell[],
    compute: () => Promise<Performance>,
  ): Promise<Performance> {
    const { events, others } = countsOf(totals)
    const units = totals.reduce((sum, cell) => sum + cell.units, 0)
    const sums = [events, others, units].join(' ')
    const known = this.parts.get(name)
    if (known?.sums === sums) return known.figures
    const figures = await compute()
    if (this.parts.size >= MOST_PARTS) this.parts.clear()
    this.parts.set(name, { sums, figures })
    return figures
  }
}
