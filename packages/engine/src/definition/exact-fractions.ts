/**
 * Figures in whole numbers. 64.8 kg at 180 cm is a body mass index of exactly 20, but not in binary, and 4 m in 4.98 s is 0.803 m/s,
 * not the 0.8 that two decimals show. So edges are compared as thousandths, and a quotient by multiplying its divisor with the edge,
 * before anything is rounded. Every number here is whole and below 2^53, which `check` makes sure of.
 */
import { type Ends, add, and, compare, max, min, multiply, number, subtract } from '../expression/build.ts'
import type { Comparison, ConditionNode, NumberNode } from '../expression/node.ts'
import { UNITS, inUnits } from './domain.ts'
import type { DerivedDefinition, RatioDefinition } from './scale.ts'

/** A figure in thousandths, as dividend and divisor. */
export interface Fraction {
  readonly dividend: NumberNode
  readonly divisor: NumberNode
}

/** The ways in which a figure is a quotient, so that it has to be rounded when it is written. */
const QUOTIENTS = ['mean', 'quotient', 'inverse', 'gnri', 'bodyMassIndex', 'percentLost'] as const
export type QuotientDefinition = Extract<DerivedDefinition, { kind: (typeof QUOTIENTS)[number] }>

export function isQuotient(definition: DerivedDefinition | undefined): definition is QuotientDefinition {
  return QUOTIENTS.some((kind) => kind === definition?.kind)
}

export function inThousandths(value: number): number {
  return Math.round(value * UNITS)
}

/** What a part of a ratio is multiplied with. Its parts are whole thousandths: grams, and hundredths of a millimetre. */
export const BMI_SCALE = 1e10
const PERCENT_SCALE = 1e5
/** Divisors of the ideal weight are counted in tenths: thousandths would make the products too large. */
export const DIVISOR_UNITS = 10

/** A figure before it is rounded. `divisor` is that of the ideal weight, in tenths; other kinds have none. */
export function fractionOf(
  definition: QuotientDefinition,
  values: readonly NumberNode[],
  divisor: NumberNode,
): Fraction {
  const [first = number(0), second = number(0), third = number(0)] = values
  switch (definition.kind) {
    case 'mean':
      return { dividend: add(...values.map(inUnits)), divisor: number(values.length) }
    case 'quotient':
      return {
        dividend: multiply(inUnits(first), number(UNITS)),
        divisor: number(inThousandths(definition.by)),
      }
    case 'inverse':
      return {
        dividend: number(inThousandths(definition.numerator) * UNITS),
        divisor: inUnits(first),
      }
    case 'gnri': {
      const ideal = idealWeight(inUnits(third), divisor)
      const share = min(multiply(inUnits(second), divisor), ideal)
      return {
        dividend: add(
          multiply(number(inThousandths(definition.albumin)), inUnits(first), ideal),
          multiply(number(inThousandths(definition.weight) * UNITS), share),
        ),
        divisor: multiply(number(UNITS), ideal),
      }
    }
    case 'bodyMassIndex':
    case 'percentLost':
      return ratioOf(definition, first, second)
  }
}

/** The ideal weight by Lorentz, height − 100 − (height − 150) ÷ divisor, in thousandths and times the tenths of the divisor. */
function idealWeight(height: NumberNode, divisor: NumberNode): NumberNode {
  const whole = multiply(subtract(height, number(100 * UNITS)), divisor)
  return subtract(whole, multiply(subtract(height, number(150 * UNITS)), number(DIVISOR_UNITS)))
}

/** The ratio of two values. */
function ratioOf({ kind }: RatioDefinition, first: NumberNode, second: NumberNode): Fraction {
  const one = inUnits(first)
  const other = inUnits(second)
  if (kind === 'bodyMassIndex')
    return { dividend: multiply(one, number(BMI_SCALE)), divisor: multiply(other, other) }
  const lost = max(number(0), subtract(one, other))
  return { dividend: multiply(lost, number(PERCENT_SCALE)), divisor: one }
}

/** Whether a band holds a figure. */
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
