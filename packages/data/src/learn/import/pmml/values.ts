/** What an expression can give for a record: a constant, a number that follows from features by a formula, or a code. */
import type { SimpleTermDefinition } from 'patient-risk-engine/definition'
import type { Cases } from './cases.ts'
import type { Element } from './xml.ts'

/** (feature + plus) to the power of the exponent, where 0 is the logarithm; or a number that depends on the case. */
export type Factor =
  | { readonly field: string; readonly plus: number; readonly exponent: number }
  | { readonly cases: Cases<Value>; readonly isTree: boolean }
  | { readonly term: SimpleTermDefinition }
export interface Product {
  readonly coefficient: number
  readonly factors: readonly Factor[]
}

/** A sum of products. `read` computes it as the original does, for comparisons, while it rises or falls with one feature. */
export interface Amount {
  readonly sum: readonly Product[]
  readonly read?: Read | undefined
}
interface Read {
  readonly field: string
  readonly at: (value: number) => number
  readonly rises: boolean
  /** Whether it is the feature itself, in 64 bits or rounded to 32. */
  readonly width?: 64 | 32
  /** How many computations `at` is made of, one inside the other. */
  readonly steps: number
}
const MOST_READ_STEPS = 500

/** The code of a feature. `codes` are all that it can have, where the file lists them. */
interface CodeOf {
  readonly code: string
  readonly type: string
  readonly codes: readonly string[] | undefined
}

/** Undefined: missing. */
export type Value = undefined | string | number | boolean | Amount | CodeOf
export interface Typed {
  readonly value: Value
  readonly type: string
}

export const isNumeric = (type: string): boolean => ['integer', 'float', 'double'].includes(type)

/** A code as one text: 2 and 2.0 are the same whole number. No record has the code NaN. */
export function codeText(text: string, type: string, of: Element): string {
  return isNumeric(type) && text !== 'NaN' ? String(of.numberIn(text)) : text
}

export function featureNumber(field: string, type: string): Amount {
  const read: Read =
    type === 'float'
      ? { field, at: Math.fround, rises: true, width: 32, steps: 1 }
      : { field, at: (value) => value, rises: true, width: 64, steps: 1 }
  return { sum: [{ coefficient: 1, factors: [{ field, plus: 0, exponent: 1 }] }], read }
}

export function isCode(value: Value): value is CodeOf {
  return typeof value === 'object' && 'code' in value
}

export function isAmount(value: Value): value is Amount {
  return typeof value === 'object' && 'sum' in value
}

export function plus(one: number | Amount, other: number | Amount, of: Element): number | Amount {
  if (typeof one === 'number' && typeof other === 'number') return one + other
  of.take(sizeOf(one) + sizeOf(other))
  const read = changed(one, other, (left, right) => left + right)
  return { sum: [...productsOf(one), ...productsOf(other)], read }
}

/** The sum of many, in one go. */
export function total(parts: readonly (number | Amount)[]): number | Amount {
  const numbers = parts.filter((part) => typeof part === 'number')
  const constant = numbers.reduce((sum, number) => sum + number, 0)
  const amounts = parts.filter((part) => typeof part !== 'number')
  if (amounts.length === 0) return constant
  return { sum: [...productsOf(constant), ...amounts.flatMap(productsOf)] }
}

/** The products of an amount with their factors, counted. */
function sizeOf(value: number | Amount): number {
  if (typeof value === 'number') return 1
  return value.sum.reduce((size, { factors }) => size + 1 + factors.length, 0)
}

export function times(one: number | Amount, other: number | Amount, of: Element): number | Amount {
  if (typeof one === 'number' && typeof other === 'number') return one * other
  of.take(sizeOf(one) * sizeOf(other))
  const sum = productsOf(one).flatMap((left) =>
    productsOf(other).map((right) => ({
      coefficient: left.coefficient * right.coefficient,
      factors: [...left.factors, ...right.factors],
    })),
  )
  return { sum, read: changed(one, other, (left, right) => left * right) }
}

export function divided(one: number | Amount, by: number, of: Element): number | Amount {
  if (typeof one === 'number') return one / by
  return { ...(times(one, 1 / by, of) as Amount), read: changed(one, by, (left, right) => left / right) }
}

export function rounded(value: number | Amount): number | Amount {
  if (typeof value === 'number') return Math.fround(value)
  const { read } = value
  if (read === undefined) return value
  const { at, width } = read
  const single = { ...read, at: (x: number) => Math.fround(at(x)), steps: read.steps + 1 }
  return { ...value, read: width === undefined ? single : { ...single, width: 32 } }
}

const MOST_EXPONENT = 60

/** `1 + x` is `x + 1`: what has no factors is one number, after the rest. */
function constantsLast(amount: Amount): Amount {
  const others = amount.sum.filter(({ factors }) => factors.length > 0)
  if (others.length === 0 || others.length === amount.sum.length) return amount
  const constants = amount.sum.filter(({ factors }) => factors.length === 0)
  const coefficient = constants.reduce((sum, each) => sum + each.coefficient, 0)
  return { ...amount, sum: [...others, { coefficient, factors: [] }] }
}

/** A power with a constant exponent; the exponent 0 stands for the logarithm, as it does in factors. */
export function power(given: Amount, exponent: number, of: Element): number | Amount {
  const base = constantsLast(given)
  const isWhole = Number.isInteger(exponent) && exponent !== 0
  const [first, shift] = base.sum
  const [factor] = first?.factors ?? []
  const isLine =
    first?.factors.length === 1 && factor !== undefined && 'field' in factor && factor.exponent === 1
  const plain = isLine && (shift === undefined || (base.sum.length === 2 && shift.factors.length === 0))
  if (!plain && first !== undefined && shift === undefined) return powerOfProduct(first, exponent, of)
  if (!plain && isWhole && exponent > 0 && exponent <= MOST_EXPONENT) {
    let product: number | Amount = base
    for (let done = 1; done < exponent; done++) product = times(product, base, of)
    return product
  }
  if (!plain || (!isWhole && first.coefficient <= 0) || first.coefficient === 0)
    of.refuse('terms cannot express this power, root, quotient or logarithm')
  const { coefficient } = first
  if (!Number.isInteger(exponent * 2) || exponent < -3 || exponent > MOST_EXPONENT)
    of.refuse(`terms have no exponent ${exponent}`)
  const moved = { ...factor, plus: factor.plus + (shift?.coefficient ?? 0) / coefficient }
  if (exponent === 0)
    return plus(Math.log(coefficient), { sum: [{ coefficient: 1, factors: [{ ...moved, exponent }] }] }, of)
  return { sum: [{ coefficient: coefficient ** exponent, factors: raisedFactors(moved, exponent) }] }
}

type FieldFactor = Extract<Factor, { field: string }>

/** Terms have exponents up to 3; a larger one is a product. */
function raisedFactors(factor: FieldFactor, exponent: number): readonly Factor[] {
  const factors: Factor[] = []
  for (let left = exponent; left !== 0; left -= Math.min(3, left))
    factors.push({ ...factor, exponent: Math.min(3, left) })
  return factors
}

/** The power or the logarithm of a product of powers: a product of powers, or a sum of logarithms. */
function powerOfProduct({ coefficient, factors }: Product, exponent: number, of: Element): Amount {
  const why = 'terms cannot express this power, root, quotient or logarithm'
  const powers = factors.filter((factor) => 'field' in factor)
  const isOfLogarithm = powers.some((factor) => factor.exponent === 0)
  const isWhole = Number.isInteger(exponent) && exponent !== 0
  if (powers.length === 0 || powers.length < factors.length || isOfLogarithm) return of.refuse(why)
  if (coefficient === 0 || (!isWhole && coefficient < 0)) return of.refuse(why)
  if (exponent === 0) {
    const logarithms = powers.map((factor) => ({
      coefficient: factor.exponent,
      factors: [{ ...factor, exponent: 0 }],
    }))
    return { sum: [{ coefficient: Math.log(coefficient), factors: [] }, ...logarithms] }
  }
  const all = powers.flatMap((factor) => {
    const made = factor.exponent * exponent
    if (!Number.isInteger(made * 2) || made < -3 || made > MOST_EXPONENT)
      return of.refuse(`terms have no exponent ${made}`)
    // The root of a square has a value below 0 where x has none, and the square of a root has none there.
    const isWholeOfParts = Number.isInteger(made) && !(isWhole && Number.isInteger(factor.exponent))
    return isWholeOfParts ? of.refuse(why) : raisedFactors(factor, made)
  })
  return { sum: [{ coefficient: coefficient ** exponent, factors: all }] }
}

function productsOf(value: number | Amount): readonly Product[] {
  return typeof value === 'number' ? [{ coefficient: value, factors: [] }] : value.sum
}

function changed(
  one: number | Amount,
  other: number | Amount,
  compute: (one: number, other: number) => number,
): Read | undefined {
  if (typeof one === 'number') {
    if (typeof other === 'number' || other.read === undefined) return undefined
    const { field, at, rises, steps } = other.read
    if (steps >= MOST_READ_STEPS) return undefined
    // A factor of 0 gives a constant, which neither rises nor falls.
    const low = compute(one, -1)
    const high = compute(one, 1)
    if (low === high) return undefined
    return { field, at: (x) => compute(one, at(x)), rises: low < high === rises, steps: steps + 1 }
  }
  return typeof other === 'number' ? changed(other, one, (right, left) => compute(left, right)) : undefined
}

export function byCase(cases: Cases<Value>, isTree = false): Amount {
  return { sum: [{ coefficient: 1, factors: [{ cases, isTree }] }] }
}

export function raised(base: number | Amount, exponent: number | Amount, of: Element): number | Amount {
  if (isAmount(exponent)) return of.refuse('has an exponent that depends on the record')
  if (!isAmount(base)) return base ** exponent
  if (exponent === 0) return 1
  if (exponent === 1) return base
  return power(base, exponent, of)
}
