/** The bins of risk of a month: who was counted at scoring, with bounds of their events. */
import { type BoundedBin, type DeathAs, boundedBins } from '@patient-risk/statistics'
import type { CellColumn, CountedCell, OutcomeStore, ScoredCount, ServedState } from './outcome-store.ts'

/** Answers of Yes and No have two bins, and the mean risk behind each. */
export async function binsOfMonth(
  store: OutcomeStore,
  deployment: string,
  states: readonly Pick<ServedState, 'digest' | 'output'>[],
  month: string,
  death: DeathAs,
  group?: string,
): Promise<readonly BoundedBin[]> {
  const scored: ScoredCount[] = []
  const sent: CountedCell[] = []
  for (const { digest, output } of states) {
    const columns: readonly CellColumn[] = output === 'number' ? ['bin'] : ['bin', 'flagged']
    const months = [month, month] as const
    const own = await store.readScoredRisks(deployment, digest, months, ['bin'], group)
    scored.push(...own.map(output === 'number' ? (cell) => cell : codeCell))
    sent.push(...(await store.readOutcomes(deployment, digest, months, columns, group)))
  }
  return boundedBins(scored, sent, death)
}

/** Counted at scoring, a No has the bin −1 and a Yes −2; outcomes have a column for it. */
function codeCell({ bin = -1, ...cell }: ScoredCount): ScoredCount & { readonly flagged: number } {
  return { ...cell, bin: -1, flagged: -1 - bin }
}

/** Bins of many months as one for each risk of three decimals. */
export function joined(bins: Iterable<BoundedBin>): readonly BoundedBin[] {
  const found = new Map<number, { risks: number; scored: number; least: number; most: number }>()
  for (const { risk, scored, least, most } of bins) {
    const place = Math.round(risk * 1_000)
    const known = found.get(place) ?? { risks: 0, scored: 0, least: 0, most: 0 }
    found.set(place, known)
    known.risks += risk * scored
    known.scored += scored
    known.least += least
    known.most += most
  }
  return [...found.values()].map(({ risks, ...sums }) => ({ ...sums, risk: risks / sums.scored }))
}
