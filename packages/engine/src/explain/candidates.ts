/**
 * Values of an input among which the points that it gives are lowest and highest: all of them where they can be counted. Of a
 * decimal number, the ends of its range, both sides of every edge, and the turning points of its curves.
 */
import { type Domain, UNITS, steppedValues } from '../definition/domain.ts'
import { nextDown, nextUp } from '../expression/double.ts'
import type { Shape } from '../expression/shape.ts'

/** More values than this are searched instead of counted. */
const MOST_VALUES = 10_000
/** Between two edges a curve is looked at in so many places before its turning points are narrowed down. */
const PLACES = 32
const NARROWINGS = 60

/** `shape` is that of all terms that read the input; `pointsAt` is the sum of the points that the input gives alone. */
export function candidatesOf(
  domain: Domain,
  shape: Shape,
  pointsAt: (value: number) => number,
): readonly number[] {
  if (domain.kind === 'list') return domain.values
  if (domain.kind === 'code') return [...domain.codes.values()]
  if (domain.kind === 'yesNo') return [0, 1]
  if (domain.kind === 'date') return []
  const { from, to, step = domain.kind === 'integer' ? 1 : undefined } = domain
  if (step !== undefined && (to - from) / step <= MOST_VALUES) return steppedValues(domain, step)
  const edges = shape.edges.filter((edge) => edge > from && edge < to)
  const ends = [...new Set([from, ...edges, to])].sort((a, b) => a - b)
  const found = ends.flatMap((end) => [nextDown(end), end, nextUp(end)])
  if (shape.isBent)
    ends.forEach((end, at) => found.push(...turningPoints(end, ends[at + 1] ?? end, pointsAt)))
  const whole = step === undefined ? found : found.flatMap((each) => besides(each, step))
  return [...new Set(whole)].filter((value) => value >= from && value <= to)
}

/** The multiples of a step around a number. Its neighbours belong to them: the products are not exact. */
function besides(value: number, step: number): readonly number[] {
  const width = Math.round(step * UNITS)
  const nearest = Math.round((value * UNITS) / width)
  return [nearest - 1, nearest, nearest + 1].map((each) => (each * width) / UNITS)
}

/** Places between two edges, with the lowest and highest points between neighbours that enclose one. */
function turningPoints(from: number, to: number, pointsAt: (value: number) => number): readonly number[] {
  if (from === to) return []
  const places = Array.from({ length: PLACES + 1 }, (_, at) => from + ((to - from) * at) / PLACES)
  return places.flatMap((place, at) => {
    const left = places[at - 1]
    const right = places[at + 1]
    if (left === undefined || right === undefined) return [place]
    const here = pointsAt(place)
    const isPeak = here >= pointsAt(left) && here >= pointsAt(right)
    const isValley = here <= pointsAt(left) && here <= pointsAt(right)
    return isPeak || isValley ? [place, narrowedDown(left, right, pointsAt, isPeak ? 1 : -1)] : [place]
  })
}

/** The place of the only peak, or valley where the sign is −1, between two places. */
function narrowedDown(from: number, to: number, pointsAt: (value: number) => number, sign: number): number {
  let left = from
  let right = to
  for (let i = 0; i < NARROWINGS; i++) {
    const third = (right - left) / 3
    if (sign * pointsAt(left + third) < sign * pointsAt(right - third)) left += third
    else right -= third
  }
  return (left + right) / 2
}
