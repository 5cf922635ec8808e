/** The terms of an explanation as a reader sees them: those of one and the same field are one. */
import type { ExplainedTerm } from '../shapes/answers.ts'

export interface Contribution {
  readonly label: string
  readonly points: number
  readonly values: ExplainedTerm['values']
}

/** Age and its square are two terms and one reason. The largest reason comes first. */
export function groupTerms(terms: readonly ExplainedTerm[]): readonly Contribution[] {
  const groups = new Map<string, Contribution>()
  for (const term of terms) {
    const fields = term.values.map(({ field }) => field).join(' ')
    const known = groups.get(fields)
    groups.set(fields, {
      label: known?.label ?? term.label,
      points: (known?.points ?? 0) + term.points,
      values: term.values,
    })
  }
  return [...groups.values()].sort((a, b) => Math.abs(b.points) - Math.abs(a.points))
}
