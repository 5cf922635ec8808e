/** What a risk means in a word: on which side of the threshold it is, or may be as long as a value is missing. */
import type { Words } from '../../i18n/words.ts'
import { isYesNo, listThreshold, type ListState } from '../list-state.ts'

/** Empty where the model states no threshold, below it, and where the answer is Yes or No already. */
export function riskWord({ t }: Words, state: Pick<ListState, 'results' | 'scoredBy'>, row: number): string {
  const { results, scoredBy } = state
  if (scoredBy === undefined || isYesNo(scoredBy)) return ''
  const risk = results.riskOf(row)
  const threshold = listThreshold(scoredBy)
  if (risk === undefined || threshold === undefined || risk < threshold) return ''
  return t(risk > threshold ? 'work.above' : 'work.atThreshold')
}

/** For a row without a risk: between which risks it lies, and what that decides. Undefined where nothing is known. */
export function rangeWords(
  words: Words,
  { results, scoredBy }: Pick<ListState, 'results' | 'scoredBy'>,
  row: number,
): { readonly ends: string; readonly word: string } | undefined {
  const range = results.rangeOf(row)
  if (range === undefined || scoredBy === undefined) return undefined
  const { low, high, decided } = range
  const threshold = scoredBy.model.deployment.threshold ?? scoredBy.model.threshold?.risk
  const from = words.risk(low, threshold)
  const to = words.risk(high, threshold)
  const ends = from === to ? from : words.t('work.ends', { from, to })
  if (threshold === undefined) return { ends, word: '' }
  if (decided === undefined) return { ends, word: words.t('work.open') }
  return { ends, word: words.t(decided === 'Yes' ? 'work.staysAbove' : 'work.staysBelow') }
}
