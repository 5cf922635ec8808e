/** Figures of parts whose counts have not changed since they were computed. The sums of each kind of outcome tell. */
import type { Performance } from '@patient-risk/statistics'
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
    const sums = sumsText(totals)
    const known = this.parts.get(name)
    if (known?.sums === sums) return known.figures
    const figures = await compute()
    if (this.parts.size >= MOST_PARTS) this.parts.clear()
    this.parts.set(name, { sums, figures })
    return figures
  }
}

/** By kind: two corrections may leave the sum over all kinds as it was. */
function sumsText(totals: readonly CountedCell[]): string {
  const kinds = new Map<number, { number: number; units: number }>()
  for (const { outcome, number, units } of totals) {
    const known = kinds.get(outcome) ?? { number: 0, units: 0 }
    kinds.set(outcome, { number: known.number + number, units: known.units + units })
  }
  return JSON.stringify([...kinds].sort(([one], [other]) => one - other))
}
