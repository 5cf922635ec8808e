/** The bins of risk of a month: who was counted at scoring, with bounds of their events, for each digest apart. */
import {
  type BoundedBin,
  type CountedPart,
  type DeathAs,
  type ScoredCell,
  boundedBins,
} from '@patient-risk/statistics'
import type { CellColumn, OutcomeStore, ScoredCount, ServedState } from './outcome-store.ts'

/** The group of patients of whom none was named. */
const UNNAMED = ''

/**
 * Answers of Yes and No have two bins, and the mean risk behind each. Outcomes of a group may be of patients whose group was not named when
 * they were scored.
 */
export async function binsOfMonth(
  store: OutcomeStore,
  deployment: string,
  states: readonly Pick<ServedState, 'digest' | 'output'>[],
  month: string,
  death: DeathAs,
  group?: string,
): Promise<readonly BoundedBin[]> {
  const parts: CountedPart[] = []
  for (const { digest, output } of states) {
    const isNumber = output === 'number'
    const columns: readonly CellColumn[] = isNumber ? ['bin'] : ['bin', 'flagged']
    const months = [month, month] as const
    const scoredIn = async (of: string | undefined): Promise<readonly ScoredCell[]> => {
      const cells = await store.readScoredRisks(deployment, digest, months, ['bin'], of)
      return isNumber ? cells : cells.map(codeCell)
    }
    const scored = await scoredIn(group)
    const strangers = group === undefined || scored.length === 0 ? [] : await scoredIn(UNNAMED)
    const sent =
      scored.length === 0 ? [] : await store.readOutcomes(deployment, digest, months, columns, group)
    parts.push({ scored, sent, strangers })
  }
  return boundedBins(parts, death)
}

/** Counted at scoring, a No has the bin −1 and a Yes −2; outcomes have a column for it. */
function codeCell({ bin = -1, ...cell }: ScoredCount): ScoredCount & { readonly flagged: number } {
  return { ...cell, bin: -1, flagged: -1 - bin }
}

const THOUSAND = 1_000
/** A mean that should be the edge of a bin may lie just below it. */
const ROUNDING = 1e-9

/** Bins of many months as one for each thousandth of risk. */
export function joined(bins: Iterable<BoundedBin>): readonly BoundedBin[] {
  const found = new Map<number, { risks: number; scored: number; least: number; most: number }>()
  for (const { risk, scored, least, most } of bins) {
    const place = Math.floor(risk * THOUSAND + ROUNDING)
    const known = found.get(place) ?? { risks: 0, scored: 0, least: 0, most: 0 }
    found.set(place, known)
    known.risks += risk * scored
    known.scored += scored
    known.least += least
    known.most += most
  }
  return [...found.values()].map(({ risks, ...sums }) => ({ ...sums, risk: risks / sums.scored }))
}
