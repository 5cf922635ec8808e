/** What counted most in the answer of a row. A list has thousands of rows and few effects, so a row holds their places only. */
import type { Explanation } from '../../shapes/answers.ts'

/** What can raise or lower a risk, as the model calls it. */
export interface Effect {
  readonly label: string
  readonly fields: readonly string[]
}

const MOST_REASONS = 3
/** What adds less than this part of the largest effect is no reason that a reader looks for. */
const LEAST_SHARE = 0.15

/**
 * The effects of an answer by size, as places in `effects` from 1: negative where they lower the risk. Effects that are new to
 * the list are added to it.
 */
export function reasonsOf(explanation: Explanation | null, effects: Effect[]): readonly number[] {
  if (explanation === null) return []
  const { contributions, terms } = explanation
  const all =
    contributions ??
    terms.map(({ label, points, values }) => ({ label, points, fields: values.map(({ field }) => field) }))
  const bySize = all
    .filter(({ points }) => points !== 0)
    .sort((a, b) => Math.abs(b.points) - Math.abs(a.points))
  const largest = Math.abs(bySize[0]?.points ?? 0)
  return bySize
    .filter(({ points }) => Math.abs(points) >= largest * LEAST_SHARE)
    .slice(0, MOST_REASONS)
    .map(({ label, fields, points }) => Math.sign(points) * placeOf(effects, { label, fields }))
}

function placeOf(effects: Effect[], effect: Effect): number {
  const name = nameOf(effect)
  const known = effects.findIndex((each) => nameOf(each) === name)
  return known >= 0 ? known + 1 : effects.push(effect)
}

function nameOf({ label, fields }: Effect): string {
  return [label, ...fields].join('\n')
}
