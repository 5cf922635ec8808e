/** What a Target makes of the result of a model of numbers: limits, then the scale, then a whole number. */
import { type Cases, type Known, endsOf, expand, mapEnds } from './cases.ts'
import type { ModelTarget } from './scope.ts'
import { type Amount, type Value, byCase, isAmount, isCode, plus, times } from './values.ts'
import type { Element } from './xml.ts'

const CASTS = { round: Math.round, ceiling: Math.ceil, floor: Math.floor }
const CAST_NAMES = ['round', 'ceiling', 'floor'] as const
/** A tree with more leaves is not read by people. */
const MOST_LEAVES = 10_000

export function targeted({ amount, link }: ModelTarget, target: Element, known: Known): ModelTarget {
  const min = target.number('min', -Infinity)
  const max = target.number('max', Infinity)
  const factor = target.number('rescaleFactor', 1)
  const constant = target.number('rescaleConstant', 0)
  const isCast = target.get('castInteger') !== undefined
  if (min > max) target.refuse('has a min above its max')
  if (link.kind !== 'identity') {
    if (factor !== 1 || constant !== 0 || isCast) target.refuse('rescales or rounds a probability')
    if (min > 0 || max < 1) target.refuse('limits a probability that a formula gives')
    return { amount, link }
  }
  const scaled = (value: number | Amount): number | Amount =>
    plus(times(value, factor, target), constant, target)
  const isLimited = !isWithin(amount, min, max)
  if (!isLimited && !isCast) return { amount: scaled(amount), link }
  const cast = isCast ? CASTS[target.oneOf('castInteger', CAST_NAMES)] : (value: number) => value
  const made = (value: number): number => cast(Math.min(max, Math.max(min, value)) * factor + constant)
  const what = isCast ? 'castInteger' : 'min and max'
  return { amount: byCase(mapEnds(oneTree(amount, known, target, what), made), true), link }
}

/** Whether a sum can lie beyond limits. That of a formula can. */
function isWithin(amount: number | Amount, min: number, max: number): boolean {
  if (min === -Infinity && max === Infinity) return true
  if (!isAmount(amount)) return amount >= min && amount <= max
  let low = 0
  let high = 0
  for (const { coefficient, factors } of amount.sum) {
    const [only, ...others] = factors
    const ends = only === undefined ? [1] : 'cases' in only ? endsOf(only.cases).map(numberOf) : [Number.NaN]
    const products = others.length > 0 ? [Number.NaN] : ends.map((end) => end * coefficient)
    low += products.reduce((least, product) => Math.min(least, product), Infinity)
    high += products.reduce((most, product) => Math.max(most, product), -Infinity)
  }
  // A formula is not a number here, and lies within nothing.
  return low >= min && high <= max
}

/** What is missing has no result, which is not a number either. */
function numberOf(value: Value): number {
  if (isAmount(value) || isCode(value) || value === undefined) return Number.NaN
  return Number(value)
}

/** The whole sum as one tree, each leaf of which is a number. Trees that are added up are asked one after the other. */
function oneTree(amount: number | Amount, known: Known, target: Element, what: string): Cases<number> {
  let tree: Cases<number> = { end: 0 }
  let leaves = 1
  for (const { coefficient, factors } of isAmount(amount) ? amount.sum : []) {
    const [only, ...others] = factors
    if (others.length > 0 || (only !== undefined && !('cases' in only)))
      return target.refuse(`${what} of a formula cannot be expressed; a result of trees and points can`)
    const part: Cases<Value> = only === undefined ? { end: 1 } : only.cases
    const ends = endsOf(part)
    if (ends.some((end) => isAmount(end) || isCode(end)))
      return target.refuse(`${what} of a formula cannot be expressed; a result of trees and points can`)
    leaves *= ends.length
    if (leaves > MOST_LEAVES)
      return target.refuse(`${what} of a sum with more than ${MOST_LEAVES} results cannot be expressed`)
    tree = expand(tree, known, (sum, then) =>
      expand(part, then, (end) => ({ end: sum + coefficient * numberOf(end) })),
    )
  }
  return isAmount(amount) ? tree : { end: amount }
}
