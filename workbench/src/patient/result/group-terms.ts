/** The terms of an explanation as a reader sees them: one contribution for each field, compared with a typical patient. */
import type { ExplainedTerm, Explanation } from '../../shapes/answers.ts'

export interface Contribution {
  readonly label: string
  readonly points: number
  readonly values: ExplainedTerm['values']
}

/** Age and its square are two terms and one contribution. The largest comes first. */
export function contributionsOf(
  { terms }: Explanation,
  typical: Explanation | undefined,
): readonly Contribution[] {
  const usual = groupByFields(typical?.terms ?? [])
  return [...groupByFields(terms)]
    .map(([fields, each]) => ({ ...each, points: each.points - (usual.get(fields)?.points ?? 0) }))
    .sort((a, b) => Math.abs(b.points) - Math.abs(a.points))
}

function groupByFields(terms: readonly ExplainedTerm[]): ReadonlyMap<string, Contribution> {
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
  return groups
}
