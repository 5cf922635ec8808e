/** Terms that are a function of one value: straight, squared, logarithmic, a power, or a restricted cubic spline. */
import type { PowerDefinition, TermDefinition } from './term.ts'

type CurveKind = 'linear' | 'square' | 'logarithm' | 'power' | 'spline'
export type CurveDefinition = Extract<TermDefinition, { kind: CurveKind }>

/** The points of a curve for the value in a slot. */
export function compileCurve(term: CurveDefinition, slot: number): (values: Float64Array) => number {
  switch (term.kind) {
    case 'linear': {
      const { coefficient, per = 1 } = term
      return (values) => coefficient * ((values[slot] as number) / per)
    }
    case 'square': {
      const { coefficient, per = 1 } = term
      return (values) => {
        // A product, not a power: Math.pow differs in the last place between versions of the runtime.
        const value = (values[slot] as number) / per
        return coefficient * (value * value)
      }
    }
    case 'logarithm': {
      const { coefficient, plus } = term
      return (values) => coefficient * Math.log(plus + (values[slot] as number))
    }
    case 'power': {
      return (values) => powerAt(term, values[slot] as number)
    }
    case 'spline': {
      const { knots, coefficients } = term
      return (values) => splineAt(knots, coefficients, values[slot] as number)
    }
  }
}

/** By products, quotients and roots, which every engine rounds alike; Math.pow differs between versions of the runtime. */
export function powerAt(term: PowerDefinition, value: number): number {
  const { plus = 0, per = 1, exponent, timesLogarithm = false, centre = 0, coefficient } = term
  const scaled = (value + plus) / per
  const size = Math.abs(exponent)
  let power = size % 1 === 0 ? 1 : Math.sqrt(scaled)
  for (let times = 1; times <= size; times++) power *= scaled
  if (exponent < 0) power = 1 / power
  if (exponent === 0) power = Math.log(scaled)
  if (timesLogarithm) power *= Math.log(scaled)
  return coefficient * (power - centre)
}

export function splineAt(knots: readonly number[], coefficients: readonly number[], value: number): number {
  let sum = 0
  for (let part = 0; part < coefficients.length; part++) {
    sum += (coefficients[part] as number) * splinePart(knots, part, value)
  }
  return sum
}

/**
 * What one coefficient is multiplied by: the value itself, then the cubic parts. Each starts at a knot, in units of the
 * squared distance between the outer knots.
 */
export function splinePart(knots: readonly number[], part: number, value: number): number {
  if (part === 0) return value
  const own = knots[part - 1] as number
  const last = knots[knots.length - 1] as number
  const beforeLast = knots[knots.length - 2] as number
  const width = last - (knots[0] as number)
  const gap = last - beforeLast
  const cubes =
    cubeAbove(value - own) -
    (cubeAbove(value - beforeLast) * (last - own)) / gap +
    (cubeAbove(value - last) * (beforeLast - own)) / gap
  return cubes / (width * width)
}

function cubeAbove(distance: number): number {
  return distance > 0 ? distance * distance * distance : 0
}
