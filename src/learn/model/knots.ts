/** Puts the knots of a curve at quantiles of the data, where a specification gives only their number. */
import { DataError } from '../data/data-error.ts'
import type { ModelSpecificationType } from './model-specification.ts'
import type { FittedTerm } from './unit-terms.ts'

/** Quantiles in common use for so many knots. */
const SHARES: Readonly<Record<number, readonly number[]>> = {
  3: [0.1, 0.5, 0.9],
  4: [0.05, 0.35, 0.65, 0.95],
  5: [0.05, 0.275, 0.5, 0.725, 0.95],
  6: [0.05, 0.23, 0.41, 0.59, 0.77, 0.95],
  7: [0.025, 0.1833, 0.3417, 0.5, 0.6583, 0.8167, 0.975],
}

/** The fields whose values must be known before the knots can be set. */
export function fieldsWithOpenKnots(specification: ModelSpecificationType): readonly string[] {
  return specification.terms.flatMap((term) =>
    term.kind === 'spline' && !Array.isArray(term.knots) ? [term.field] : [],
  )
}

export function setKnots(
  terms: readonly FittedTerm[],
  quantile: (field: string, share: number) => number,
): readonly FittedTerm[] {
  return terms.map((term) => {
    if (term.kind !== 'spline' || Array.isArray(term.knots)) return term
    const shares = SHARES[term.knots] ?? []
    const knots = [...new Set(shares.map((share) => quantile(term.field, share)))]
    if (knots.length < 3) {
      throw new DataError([
        `${term.field} takes too few values for a curve with ${String(term.knots)} knots; use fewer, or another term`,
      ])
    }
    return { ...term, knots }
  })
}
