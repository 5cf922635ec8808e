/** Terms that are a function of one value: straight, squared, logarithmic, or a restricted cubic spline. */
import type { TermDefinition } from './term.ts'

export type CurveDefinition = Extract<TermDefinition, { kind: 'linear' | 'square' | 'logarithm' | 'spline' }>

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
    case 'spline': {
      const { knots, coefficients } = term
      return (values) => splineAt(knots, coefficients, values[slot] as number)
    }
  }
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
