/**
 * Readings in whole numbers. 64.8 kg at 180 cm is a body mass index of exactly 20, but not in binary: edges are compared as
 * thousandths, and a quotient by multiplying its divisor with the edge. Every number here is whole and below 2^53.
 */
import { UNITS } from './domain.ts'
import type { RatioDefinition } from './scale.ts'

/** A reading in thousandths, as dividend and divisor. */
export interface Fraction {
  readonly dividend: number
  readonly divisor: number
}

export function inThousandths(value: number): number {
  return Math.round(value * UNITS)
}

/** What a part of a ratio is multiplied with. Its parts are whole thousandths: grams, and hundredths of a millimetre. */
export const BMI_SCALE = 1e10
export const PERCENT_SCALE = 1e5

/** The ratio of two values. */
export function ratioOf({ kind }: RatioDefinition, first: number, second: number): Fraction {
  const [one, other] = [inThousandths(first), inThousandths(second)]
  if (kind === 'bodyMassIndex') return { dividend: one * BMI_SCALE, divisor: other * other }
  return { dividend: Math.max(0, one - other) * PERCENT_SCALE, divisor: one }
}

/** Whether a band holds a reading. */
export function holdsFraction(
  { from, above, to, below }: Partial<Record<'from' | 'above' | 'to' | 'below', number>>,
  { dividend, divisor }: Fraction,
): boolean {
  const edge = (end: number): number => inThousandths(end) * divisor
  return (
    (from === undefined || dividend >= edge(from)) &&
    (above === undefined || dividend > edge(above)) &&
    (to === undefined || dividend <= edge(to)) &&
    (below === undefined || dividend < edge(below))
  )
}
