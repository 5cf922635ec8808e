/** Terms that are a function of one value: straight, squared, logarithmic, a power, or a restricted cubic spline. */
import {
  add,
  compare,
  divide,
  log,
  multiply,
  number,
  sqrt,
  subtract,
  value,
  when,
} from '../expression/build.ts'
import { type NumberOf, compileNumber } from '../expression/evaluate.ts'
import type { NumberNode } from '../expression/node.ts'

interface LinearDefinition {
  readonly kind: 'linear'
  readonly label?: string
  readonly field: string
  readonly per?: number
  readonly coefficient: number
}

interface SquareDefinition {
  readonly kind: 'square'
  readonly label?: string
  readonly field: string
  readonly per?: number
  readonly coefficient: number
}

interface LogarithmDefinition {
  readonly kind: 'logarithm'
  readonly label?: string
  readonly field: string
  /** Added to the value before its logarithm is taken. */
  readonly plus: number
  readonly coefficient: number
}

/** A restricted cubic spline: a cubic between the knots, a straight line before the first and after the last. */
interface SplineDefinition {
  readonly kind: 'spline'
  readonly label?: string
  readonly field: string
  /** Where the pieces meet, in ascending order. */
  readonly knots: readonly number[]
  /** One less than knots: of the reading itself, then of each cubic part. */
  readonly coefficients: readonly number[]
}

/** A part of a fractional polynomial: ((field + plus) / per) to the power of the exponent, times its logarithm if stated. */
export interface PowerDefinition {
  readonly kind: 'power'
  readonly label?: string
  readonly field: string
  /** Added to the value; 0 if left out. */
  readonly plus?: number
  readonly per?: number
  /** From −3 to 3 in steps of a half. 0 is the natural logarithm, as usual for fractional polynomials. */
  readonly exponent: number
  /** Whether the power is multiplied by the natural logarithm. */
  readonly timesLogarithm?: boolean
  /** Subtracted before the coefficient is applied; 0 if left out. */
  readonly centre?: number
  readonly coefficient: number
}

export type CurveDefinition =
  | LinearDefinition
  | SquareDefinition
  | LogarithmDefinition
  | SplineDefinition
  | PowerDefinition

export type CurveKind = CurveDefinition['kind']

/** Whether each kind of curve is straight. The others need not give whole points, nor their highest at an end. */
const IS_STRAIGHT: Readonly<Record<CurveKind, boolean>> = {
  linear: true,
  square: false,
  logarithm: false,
  spline: false,
  power: false,
}

export const CURVE_KINDS = Object.keys(IS_STRAIGHT) as readonly CurveKind[]

/** Whether a term is a curve that is not straight. */
export function isBent({ kind }: { readonly kind: string }): boolean {
  return Object.hasOwn(IS_STRAIGHT, kind) && !IS_STRAIGHT[kind as CurveKind]
}

/** The points of a curve for the value in a slot. */
export function compileCurve(term: CurveDefinition, slot: number): (values: Float64Array) => number {
  const points = compileNumber(curveOf(term, value(slot)))
  return (values) => points(values, NO_STATES, Number.NaN)
}

const NO_STATES = new Uint8Array(0)

/** The points of a curve as an expression. */
export function curveOf(term: CurveDefinition, of: NumberNode): NumberNode {
  switch (term.kind) {
    case 'linear':
      return multiply(number(term.coefficient), divide(of, number(term.per ?? 1)))
    case 'square': {
      const scaled = divide(of, number(term.per ?? 1))
      // A product, not a power: Math.pow differs in the last place between versions of the runtime.
      return multiply(number(term.coefficient), multiply(scaled, scaled))
    }
    case 'logarithm':
      return multiply(number(term.coefficient), log(add(number(term.plus), of)))
    case 'power':
      return powerOf(term, of)
    case 'spline':
      return splineOf(term.knots, term.coefficients, of)
  }
}

/** By products, quotients and roots, which every engine rounds alike; Math.pow differs between versions of the runtime. */
function powerOf(term: PowerDefinition, of: NumberNode): NumberNode {
  const { plus = 0, per = 1, exponent, timesLogarithm = false, centre = 0, coefficient } = term
  const scaled = divide(plus === 0 ? of : add(of, number(plus)), number(per))
  const size = Math.abs(exponent)
  const root = size % 1 === 0 ? [] : [sqrt(scaled)]
  const product = multiply(...root, ...Array<NumberNode>(Math.floor(size)).fill(scaled))
  const signed = exponent < 0 ? divide(number(1), product) : product
  const power = exponent === 0 ? log(scaled) : signed
  const whole = timesLogarithm ? multiply(power, log(scaled)) : power
  return multiply(number(coefficient), subtract(whole, number(centre)))
}

function splineOf(knots: readonly number[], coefficients: readonly number[], of: NumberNode): NumberNode {
  const parts = coefficients.map((coefficient, part) =>
    multiply(number(coefficient), splinePartOf(knots, part, of)),
  )
  return add(...parts)
}

/**
 * What one coefficient is multiplied by: the value itself, then the cubic parts. Each starts at a knot, in units of the
 * squared distance between the outer knots.
 */
function splinePartOf(knots: readonly number[], part: number, of: NumberNode): NumberNode {
  if (part === 0) return of
  const own = knots[part - 1] as number
  const last = knots[knots.length - 1] as number
  const beforeLast = knots[knots.length - 2] as number
  const width = last - (knots[0] as number)
  const gap = number(last - beforeLast)
  const before = divide(multiply(cubeAbove(of, beforeLast), number(last - own)), gap)
  const after = divide(multiply(cubeAbove(of, last), number(beforeLast - own)), gap)
  const cubes = add(subtract(cubeAbove(of, own), before), after)
  return divide(cubes, number(width * width))
}

function cubeAbove(of: NumberNode, knot: number): NumberNode {
  const distance = subtract(of, number(knot))
  return when(compare(distance, '>', number(0)), multiply(distance, distance, distance), number(0))
}

/** A power at a value. */
export function powerAt(term: PowerDefinition, at: number): number {
  return compileCurve(term, 0)(Float64Array.of(at))
}

/** A restricted cubic spline at a value. */
export function splineAt(knots: readonly number[], coefficients: readonly number[], at: number): number {
  return compileCurve({ kind: 'spline', field: '', knots, coefficients }, 0)(Float64Array.of(at))
}

const parts = new WeakMap<readonly number[], NumberOf[]>()
const reading = new Float64Array(1)

/** What one coefficient of a spline is multiplied by at a value. */
export function splinePart(knots: readonly number[], part: number, at: number): number {
  const known = parts.get(knots) ?? []
  parts.set(knots, known)
  const compute = (known[part] ??= compileNumber(splinePartOf(knots, part, value(0))))
  reading[0] = at
  return compute(reading, NO_STATES, Number.NaN)
}
