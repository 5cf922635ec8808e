/** The points of each term of a model, in the order of its definition, so that the sum is the engine's to the last bit. */
import { codesIn } from '../definition/domain.ts'
import type { ModelDefinition } from '../definition/model.ts'
import { powerAt } from '../definition/curve.ts'
import type {
  PointsBandDefinition,
  PowerDefinition,
  SplineDefinition,
  TermDefinition,
  TreesDefinition,
} from '../definition/term.ts'
import { type Sql, and, cases, join, sql, when } from './expression.ts'
import type { Query } from './query.ts'
import type { Input } from './slot.ts'
import { MOST_SPLITS, splitCount, treePoints } from './trees.ts'

/** A model that one SELECT cannot compute exactly. The message is for the user. */
export class NotInSql extends Error {
  override readonly name = 'NotInSql'
}

type Inputs = ReadonlyMap<string, Input>

/** Longer tables of logarithms make the query too large. */
const LONGEST_TABLE = 100_000

export function scoreOf(query: Query, model: ModelDefinition, inputs: Inputs): Sql {
  const points = model.terms.map((term, place) => {
    const own = term.kind === 'trees' ? treesOf(query, term, place, inputs) : pointsOf(query, term, inputs)
    return sql`(${own})`
  })
  return join([query.double(0), ...points], ' + ')
}

function pointsOf(query: Query, term: Exclude<TermDefinition, TreesDefinition>, inputs: Inputs): Sql {
  const { double } = query
  const valueOf = (field: string): Sql => (inputs.get(field) as Input).value
  const perUnit = (field: string, per = 1): Sql =>
    per === 1 ? valueOf(field) : sql`(${valueOf(field)} / ${double(per)})`
  switch (term.kind) {
    case 'linear':
      return sql`${double(term.coefficient)} * ${perUnit(term.field, term.per)}`
    case 'square': {
      const value = perUnit(term.field, term.per)
      return sql`${double(term.coefficient)} * (${value} * ${value})`
    }
    case 'logarithm':
      return withLogarithm(
        query,
        term.field,
        valueOf(term.field),
        (value) => term.coefficient * Math.log(term.plus + value),
        (ln) => sql`${double(term.coefficient)} * ${ln(sql`${double(term.plus)} + ${valueOf(term.field)}`)}`,
      )
    case 'power':
      return power(query, term, valueOf(term.field))
    case 'category': {
      const codes = [...codesIn(query.field(term.field).domain)]
      const points = codes.map(([code, number]) => [number, double(term.points[code] ?? Number.NaN)] as const)
      return cases(points, undefined, valueOf(term.field))
    }
    case 'banded':
      return banded(query, term.bands, valueOf(term.field))
    case 'flag':
      return sql`CASE ${valueOf(term.field)} WHEN 1 THEN ${double(term.points)} WHEN 0 THEN ${double(0)} END`
    case 'count': {
      const counted = Object.entries(term.below).map(([field, limit]) => {
        const value = valueOf(field)
        return when(sql`${value} < ${double(limit)}`, 1, when(sql`${value} IS NOT NULL`, 0))
      })
      return banded(query, term.bands, sql`(${join(counted, ' + ', '0')})`)
    }
    case 'spline':
      return spline(query, term, valueOf(term.field))
    case 'product': {
      const factors = term.factors.map((factor) => sql`(${pointsOf(query, factor, inputs)})`)
      return sql`${double(term.coefficient)} * ${join(factors, ' * ')}`
    }
    case 'absent':
      return when((inputs.get(term.field) as Input).isAssumed, double(term.points), double(0))
  }
}

function treesOf(query: Query, term: TreesDefinition, place: number, inputs: Inputs): Sql {
  const splits = splitCount(term)
  if (splits <= MOST_SPLITS || query.dialect.trees !== undefined)
    return treePoints(query, term, place, inputs)
  throw new NotInSql(
    `The ${term.trees.length} trees of the model have ${splits} splits, and a query has room for ${MOST_SPLITS}. Score the rows with patient-risk score instead.`,
  )
}

function banded(query: Query, bands: readonly PointsBandDefinition[], value: Sql): Sql {
  const branches = bands.map(({ above, from, below, to, points }) => {
    const ends = query.compare(value, { '>': above, '>=': from, '<': below, '<=': to })
    return [ends.length === 0 ? sql`${value} IS NOT NULL` : and(...ends), query.double(points)] as const
  })
  return cases(branches)
}

type Logarithm = (value: Sql) => Sql

/**
 * Engines differ in the last place of a logarithm, so points with one are computed here for whole numbers and looked up there.
 * `print` is for engines that have the logarithm.
 */
function withLogarithm(
  query: Query,
  field: string,
  value: Sql,
  points: (value: number) => number,
  print: (logarithm: Logarithm) => Sql,
): Sql {
  const { dialect, double } = query
  const { domain } = query.field(field)
  if (domain.kind === 'list') {
    const branches = domain.values.map((each) => [each, double(points(each))] as const)
    return cases(branches, undefined, value)
  }
  if (domain.kind === 'integer' && domain.to - domain.from < LONGEST_TABLE) {
    const { from, to } = domain
    const table = Array.from({ length: to - from + 1 }, (_, place) => points(from + place))
    const place = sql`CAST(${value} AS INTEGER) + ${1 - from}`
    return dialect.elementAt(query.list(table), place)
  }
  if (dialect.logarithm !== undefined) return print(dialect.logarithm)
  throw new NotInSql(
    `The model takes the logarithm of ${field}, which is not a short range of whole numbers. Database engines differ in the last digit of a logarithm, so its risks cannot be printed as exact SQL.`,
  )
}

/** Products, quotients and roots in the order of the engine. */
function power(query: Query, term: PowerDefinition, value: Sql): Sql {
  const { double } = query
  const { plus = 0, per = 1, exponent, timesLogarithm = false, centre = 0, coefficient } = term
  const scaled = sql`((${value} + ${double(plus)}) / ${double(per)})`
  const size = Math.abs(exponent)
  const root = size % 1 === 0 ? [] : [sql`sqrt(${scaled})`]
  const product = join([...root, ...Array<Sql>(Math.floor(size)).fill(scaled)], ' * ')
  const plain = exponent < 0 ? sql`(${double(1)} / (${product}))` : product
  const points = (of: Sql): Sql => sql`${double(coefficient)} * ((${of}) - ${double(centre)})`
  if (exponent !== 0 && !timesLogarithm) return points(plain)
  return withLogarithm(
    query,
    term.field,
    value,
    (number) => powerAt(term, number),
    (ln) => {
      const base = exponent === 0 ? ln(scaled) : plain
      return points(timesLogarithm ? sql`${base} * ${ln(scaled)}` : base)
    },
  )
}

/** Sums and products in the order of the engine. */
function spline({ double }: Query, { knots, coefficients }: SplineDefinition, value: Sql): Sql {
  const cube = (knot: number): Sql => {
    const distance = sql`(${value} - ${double(knot)})`
    return when(sql`${distance} > 0`, sql`${distance} * ${distance} * ${distance}`, double(0))
  }
  const [first, beforeLast, last] = [knots[0], knots.at(-2), knots.at(-1)] as [number, number, number]
  const width = last - first
  const gap = last - beforeLast
  const parts = coefficients.slice(1).map((coefficient, place) => {
    const own = knots[place] as number
    const bent = sql`${cube(own)} - (${cube(beforeLast)} * ${double(last - own)}) / ${double(gap)} + (${cube(last)} * ${double(beforeLast - own)}) / ${double(gap)}`
    return sql`${double(coefficient)} * ((${bent}) / ${double(width * width)})`
  })
  return join([sql`${double(coefficients[0] ?? 0)} * ${value}`, ...parts], ' + ')
}
