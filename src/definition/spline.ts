/** Restricted cubic splines: what a reading adds, and where the curve turns. */
import type { SplineDefinition } from './term.ts'

/** The value of a spline with these knots and coefficients at a reading. */
export function splineAt(knots: readonly number[], coefficients: readonly number[], reading: number): number {
  let sum = (coefficients[0] ?? 0) * reading
  for (let part = 1; part < coefficients.length; part++) {
    sum += (coefficients[part] as number) * splinePart(knots, part, reading)
  }
  return sum
}

/** What one coefficient is multiplied by: the reading itself, then the cubic parts. */
export function splinePart(knots: readonly number[], part: number, reading: number): number {
  return part === 0 ? reading : cubicPart(knots, part - 1, reading)
}

/** The cubic part that starts at a knot, in units of the squared distance between the outer knots. */
function cubicPart(knots: readonly number[], index: number, reading: number): number {
  const own = knots[index] as number
  const last = knots[knots.length - 1] as number
  const beforeLast = knots[knots.length - 2] as number
  const width = last - (knots[0] as number)
  const gap = last - beforeLast
  const cubes =
    cubeAbove(reading - own) -
    (cubeAbove(reading - beforeLast) * (last - own)) / gap +
    (cubeAbove(reading - last) * (beforeLast - own)) / gap
  return cubes / (width * width)
}

// A product, not a power: Math.pow differs in the last place between versions of the runtime.
function cubeAbove(distance: number): number {
  return distance > 0 ? distance * distance * distance : 0
}

/** Values that include the lowest and the highest of a spline between two ends. */
export function splinePeaks(term: SplineDefinition, ends: readonly number[]): readonly number[] {
  const [from = 0, to = from] = ends
  const at = (reading: number): number => splineAt(term.knots, term.coefficients, reading)
  const corners = [from, ...term.knots.filter((knot) => knot > from && knot < to), to]
  const turns = corners.slice(1).flatMap((end, index) => turningPoints(at, corners[index] as number, end))
  return [...corners, ...turns].map(at)
}

/** Where a cubic, known by four of its values, has no slope between two ends. */
function turningPoints(at: (reading: number) => number, from: number, to: number): readonly number[] {
  const third = (to - from) / 3
  const [y0, y1, y2, y3] = [from, from + third, from + 2 * third, to].map(at) as [
    number,
    number,
    number,
    number,
  ]
  // Newton's differences over steps of one third give the cubic, and so the parabola of its slope.
  const first = y1 - y0
  const second = (y2 - 2 * y1 + y0) / 2
  const cubic = (y3 - 3 * y2 + 3 * y1 - y0) / 6
  const a = 3 * cubic
  const b = 2 * second - 6 * cubic
  const c = first - second + 2 * cubic
  const root = Math.sqrt(b * b - 4 * a * c)
  const steps = a === 0 ? [-c / b] : [(-b + root) / (2 * a), (-b - root) / (2 * a)]
  return steps.filter((step) => step > 0 && step < 3).map((step) => from + step * third)
}
