/**
 * Readings in whole numbers. 64.8 kg at 180 cm is a body mass index of exactly 20, but not in binary: edges are compared as
 * thousandths, and a quotient by multiplying its divisor with the edge. Every number here is whole and below 2^53.
 */
import { type Ends, and, compare, max, multiply, number, subtract } from '../expression/build.ts'
import type { Comparison, ConditionNode, NumberNode } from '../expression/node.ts'
import { UNITS, inUnits } from './domain.ts'
import type { RatioDefinition } from './scale.ts'

/** A reading in thousandths, as dividend and divisor. */
export interface Fraction {
  readonly dividend: NumberNode
  readonly divisor: NumberNode
}

export function inThousandths(value: number): number {
  return Math.round(value * UNITS)
}

/** What a part of a ratio is multiplied with. Its parts are whole thousandths: grams, and hundredths of a millimetre. */
export const BMI_SCALE = 1e10
const PERCENT_SCALE = 1e5

/** The ratio of two values. */
export function ratioOf({ kind }: RatioDefinition, first: NumberNode, second: NumberNode): Fraction {
  const one = inUnits(first)
  const other = inUnits(second)
  if (kind === 'bodyMassIndex')
    return { dividend: multiply(one, number(BMI_SCALE)), divisor: multiply(other, other) }
  const lost = max(number(0), subtract(one, other))
  return { dividend: multiply(lost, number(PERCENT_SCALE)), divisor: one }
}

/** Whether a band holds a reading. */
export function holdsFraction({ from, above, to, below }: Ends, reading: Fraction): ConditionNode {
  const stated: readonly (readonly [Comparison, number | undefined])[] = [
    ['>=', from],
    ['>', above],
    ['<=', to],
    ['<', below],
  ]
  const ends = stated.flatMap(([operator, end]) => {
    if (end === undefined) return []
    const edge = multiply(number(inThousandths(end)), reading.divisor)
    return [compare(reading.dividend, operator, edge)]
  })
  return and(...ends)
}
