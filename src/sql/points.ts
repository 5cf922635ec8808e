/** The points of each term of a model, in the order of its definition, so that the sum is the engine's to the last bit. */
import type { Domain } from '../definition/domain.ts'
import type { ModelDefinition } from '../definition/model.ts'
import type {
  LogarithmDefinition,
  PointsBandDefinition,
  SplineDefinition,
  TermDefinition,
} from '../definition/term.ts'
import type { Dialect } from './dialect.ts'
import { type Sql, type Stages, cases, join, sql } from './stages.ts'

/** A model that one SELECT cannot say exactly. The message is for the person who asked. */
export class NotInSql extends Error {
  override readonly name = 'NotInSql'
}

/** The value that enters the score, or NULL if the field is absent. */
export interface Input {
  readonly value: Sql
  readonly isAssumed: Sql
  readonly domain: Domain
}

type Inputs = ReadonlyMap<string, Input>

/** Longer tables of logarithms make a query that nobody can handle. */
const LONGEST_TABLE = 100_000

export function scoreOf(stages: Stages, dialect: Dialect, model: ModelDefinition, inputs: Inputs): Sql {
  const points = model.terms.map((term) => sql`(${pointsOf(stages, dialect, term, inputs)})`)
  return join([dialect.double(0), ...points], ' + ')
}

function pointsOf(stages: Stages, dialect: Dialect, term: TermDefinition, inputs: Inputs): Sql {
  const { double } = dialect
  const valueOf = (field: string): Sql => inputOf(inputs, field).value
  switch (term.kind) {
    case 'linear':
      return sql`${double(term.coefficient)} * ${perUnit(dialect, valueOf(term.field), term.per)}`
    case 'square': {
      const reading = perUnit(dialect, valueOf(term.field), term.per)
      return sql`${double(term.coefficient)} * (${reading} * ${reading})`
    }
    case 'logarithm':
      return logarithm(stages, dialect, term, inputOf(inputs, term.field))
    case 'category': {
      const { domain, value } = inputOf(inputs, term.field)
      const codes = domain.kind === 'code' ? [...domain.codes] : []
      const points = codes.map(([code, number]) => [number, double(term.points[code] ?? Number.NaN)] as const)
      return cases(points, undefined, value)
    }
    case 'banded':
      return banded(dialect, term.bands, valueOf(term.field))
    case 'flag':
      return sql`CASE ${valueOf(term.field)} WHEN 1 THEN ${double(term.points)} WHEN 0 THEN ${double(0)} END`
    case 'count': {
      const counted = Object.entries(term.below).map(
        ([field, limit]) =>
          sql`CASE WHEN ${valueOf(field)} < ${double(limit)} THEN 1 WHEN ${valueOf(field)} IS NOT NULL THEN 0 END`,
      )
      return banded(dialect, term.bands, sql`(${join(counted, ' + ', '0')})`)
    }
    case 'spline':
      return spline(dialect, term, valueOf(term.field))
    case 'product': {
      const factors = term.factors.map((factor) => sql`(${pointsOf(stages, dialect, factor, inputs)})`)
      return sql`${double(term.coefficient)} * ${join(factors, ' * ')}`
    }
    case 'absent':
      return cases([[inputOf(inputs, term.field).isAssumed, double(term.points)]], double(0))
  }
}

function inputOf(inputs: Inputs, field: string): Input {
  const input = inputs.get(field)
  if (input === undefined) throw new Error(`the checked model names the unknown field ${field}`)
  return input
}

function perUnit(dialect: Dialect, value: Sql, per = 1): Sql {
  return per === 1 ? value : sql`(${value} / ${dialect.double(per)})`
}

function banded({ double }: Dialect, bands: readonly PointsBandDefinition[], value: Sql): Sql {
  const branches = bands.map((band) => {
    const { above, from, below, to } = band
    const low = above === undefined ? (['>=', from] as const) : (['>', above] as const)
    const high = below === undefined ? (['<=', to] as const) : (['<', below] as const)
    const ends = [low, high].flatMap(([than, end]) =>
      end === undefined ? [] : sql`${value} ${than} ${double(end)}`,
    )
    return [join(ends, ' AND ', `${value.text} IS NOT NULL`), double(band.points)] as const
  })
  return cases(branches)
}

/** Engines differ in the last place of a logarithm, so those of whole numbers are computed here and looked up there. */
function logarithm(
  stages: Stages,
  dialect: Dialect,
  { field, plus, coefficient }: LogarithmDefinition,
  { value, domain }: Input,
): Sql {
  const points = (reading: number): number => coefficient * Math.log(plus + reading)
  if (domain.kind === 'list')
    return cases(
      domain.values.map((each) => [each, dialect.double(points(each))]),
      undefined,
      value,
    )
  if (domain.kind !== 'integer' || domain.to - domain.from >= LONGEST_TABLE) {
    if (dialect.logarithm !== undefined)
      return sql`${dialect.double(coefficient)} * ${dialect.logarithm(sql`${dialect.double(plus)} + ${value}`)}`
    throw new NotInSql(
      `The model takes the logarithm of ${field}, which is no short range of whole numbers. Database engines differ in the last digit of a logarithm, so its risks cannot be printed as exact SQL.`,
    )
  }
  const table = Array.from({ length: domain.to - domain.from + 1 }, (_, place) => points(domain.from + place))
  return dialect.elementAt(
    stages.list(dialect.doubles(table)),
    sql`CAST(${value} AS INTEGER) + ${1 - domain.from}`,
  )
}

/** The same sums and products in the same order as in the engine. */
function spline(dialect: Dialect, { knots, coefficients }: SplineDefinition, value: Sql): Sql {
  const { double } = dialect
  const cube = (knot: number): Sql => {
    const distance = sql`(${value} - ${double(knot)})`
    return sql`CASE WHEN ${distance} > 0 THEN ${distance} * ${distance} * ${distance} ELSE ${double(0)} END`
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
