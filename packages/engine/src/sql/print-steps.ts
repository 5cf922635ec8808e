/** A function of the runtime as comparisons with the numbers at which its answer changes. */
import type { Curve } from '../expression/node.ts'
import { type Steps, stepsOf } from '../expression/tabulate.ts'
import { type Sql, and, cases, sql, when } from './fragment.ts'
import type { Query } from './query.ts'

/** With at most this many steps, a plain chain of comparisons is easier to read and as fast. */
const FEW = 24
/** Twice as many make a statement 35 kB longer and are not faster. */
const CELLS = 8_192
/** Answers of four decimals, which are mostly one after the other. */
const UNITS = 10_000

/** The value of the curve at a number: NULL where it has none. */
export function printSteps(query: Query, curve: Curve, of: Sql): Sql {
  const { dialect, double } = query
  const { over } = curve
  const steps = stepsOf(curve)
  if (typeof over === 'object') {
    const isInTable = and(sql`${of} BETWEEN ${double(over.from)} AND ${double(over.to)}`, dialect.isWhole(of))
    return when(isInTable, chainOf(query, steps, of))
  }
  const isInside = over === 'unit' ? sql`${of} BETWEEN ${double(0)} AND ${double(1)}` : sql`${of} IS NOT NULL`
  if (steps.at.length <= FEW) return when(isInside, chainOf(query, steps, of))
  const place = placeOf(query, steps.at, of)
  const units = steps.first * UNITS
  const countsUp = steps.answers.every((each, index) => each === (units + index + 1) / UNITS)
  const found = countsUp
    ? sql`(${place} + ${units}) / ${double(UNITS)}`
    : dialect.elementAt(query.list([steps.first, ...steps.answers]), sql`${place} + 1`)
  return over === 'unit' ? when(isInside, found) : found
}

function chainOf({ double }: Query, { first, at, answers }: Steps, of: Sql): Sql {
  const printed = [first, ...answers].map((answer) => (Number.isNaN(answer) ? 'NULL' : double(answer)))
  const branches = at.map((each, place) => [sql`${of} < ${double(each)}`, printed[place] ?? ''] as const)
  return cases(branches, printed.at(-1))
}

/**
 * How many steps lie at or below the number; NULL without one. Where the engine has no binary search, the number's cell in an
 * even grid says how many lie before that cell, and comparisons find the place among the few steps inside of it. A cell follows
 * from a difference, a product and a whole part, which all engines round alike.
 */
function placeOf(query: Query, at: readonly number[], of: Sql): Sql {
  const { define, dialect, double } = query
  if (dialect.countNotAbove !== undefined) return define('k', dialect.countNotAbove(of, dialect.list(at)))
  const low = at[0] as number
  const scale = CELLS / ((at.at(-1) as number) - low)
  const before = new Array<number>(CELLS + 2).fill(0)
  for (const each of at) {
    const next = Math.min(CELLS, Math.floor((each - low) * scale)) + 1
    before[next] = (before[next] as number) + 1
  }
  const widest = Math.max(...before)
  for (let cell = 1; cell < before.length; cell++)
    before[cell] = (before[cell] as number) + (before[cell - 1] as number)
  const inside = sql`least(greatest(floor((${of} - ${double(low)}) * ${double(scale)}), ${double(0)}), ${double(CELLS)})`
  const cell = define('k', when(sql`${of} IS NOT NULL`, sql`CAST(${inside} AS ${dialect.integerType})`))
  const cells = query.list(before.slice(0, CELLS + 1), 'integer')
  let place = define('k', dialect.elementAt(cells, sql`${cell} + 1`))
  const list = query.sharedList(at)
  for (let width = 2 ** Math.floor(Math.log2(widest)); width >= 1; width /= 2) {
    const isReached = sql`${of} >= ${dialect.elementAt(list, sql`${place} + ${width}`)}`
    place = define('k', sql`${place} + ${when(isReached, width, 0)}`)
  }
  return place
}
