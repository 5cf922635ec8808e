/** The bars of a histogram of risks. */
import type { ListResults } from '../score/list-results.ts'

const MOST_BINS = 12
const STEPS = [0.005, 0.01, 0.02, 0.025, 0.05, 0.1]

/** Equal steps from 0 that cover every risk. The threshold is one of the edges, so that no bar lies on both sides of it. */
export function binEdges(results: ListResults, threshold: number | undefined): readonly number[] {
  let most = 0
  for (const risk of results.risks) if (risk > most) most = risk
  const top = Math.min(1, Math.max(most, (threshold ?? 0) * 1.01, 0.005))
  const step = threshold === undefined || threshold === 0 ? roundStep(top) : thresholdStep(threshold, top)
  const edges = [0]
  for (let bin = 1; (edges.at(-1) ?? 1) < top - 1e-9; bin++) edges.push(Math.min(1, round(bin * step)))
  return edges
}

function roundStep(top: number): number {
  return STEPS.find((step) => top / step <= MOST_BINS) ?? 0.1
}

/** The smallest part of the threshold that gives few enough bars; a round one where there is one. */
function thresholdStep(threshold: number, top: number): number {
  const steps = Array.from({ length: 9 }, (_each, index) => threshold / (10 - index)).filter(
    (step) => Math.ceil(top / step - 1e-9) <= MOST_BINS,
  )
  const isRound = (step: number): boolean => Math.abs(step * 200 - Math.round(step * 200)) < 1e-6
  return steps.find(isRound) ?? steps[0] ?? threshold
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6
}

/** How many rows have a risk in each bin; a bin holds its lower edge. */
export function countBins(results: ListResults, edges: readonly number[]): readonly number[] {
  const bins = edges.length - 1
  const counts = new Array<number>(bins).fill(0)
  for (let row = 0; row < results.size; row++) {
    const risk = results.riskOf(row)
    if (risk === undefined) continue
    let bin = 0
    while (bin < bins - 1 && risk >= (edges[bin + 1] ?? 1) - 1e-9) bin++
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  return counts
}
