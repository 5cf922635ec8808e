/** `sql --doubts`: one statement that names columns which probably mean something else, by the rules that counts can decide. */
import type { Catalog, Deployment } from '@patient-risk/catalog'
import { foreignCodesOf, watchedFields } from '@patient-risk/monitor'
import { makePlan } from 'patient-risk-engine'
import type { Domain } from 'patient-risk-engine/definition'
import { type Column, type Columns, type Dialect, sql } from 'patient-risk-engine/sql'

/** Numbers that systems write where a value is missing. */
const MISSING_CODES = [0, 9, 99, 999, 9.9, 99.9]
/** So many values at such a number, and so many times as many as at its two neighbours, are a pile. */
const PILE = 10
const PILE_FACTOR = 5
/** Fewer rows show nothing about a column as a whole. */
const FEWEST_ROWS = 200
const FEWEST_VALUES = 50
/** At most half of the values lie beyond the middle between two units while the unit is right. */
const BEYOND = 0.75

interface Finding {
  readonly field: string
  readonly doubt: string
  /** What is counted of all rows, and when the counts `found` and `of` are a doubt. */
  readonly found: string
  readonly of: string
  readonly isDoubt: (found: string, of: string) => string
}

interface Source {
  readonly catalog: Catalog
  readonly deployment: Deployment
  readonly dialect: Dialect
  readonly table: string
  readonly columns: Columns
}

export function doubtsStatement({ catalog, deployment, dialect, table, columns }: Source): string {
  const { definition: model } = deployment.model
  const { conversions, codes = {} } = deployment.scorerOptions
  const plan = makePlan(catalog.definitions, model, conversions)
  const units = new Map(
    watchedFields({ plan, model, units: catalog.units }).map((each) => [each.field, each] as const),
  )
  const findings = Object.keys(model.inputs).flatMap((field): Finding[] => {
    const column = columns.get(field)
    const domain = catalog.domains.get(field)
    if (column === undefined || domain === undefined) return []
    const name = dialect.identifier(column.name)
    const isMapped = Object.hasOwn(codes, field)
    const number = isNumber(column, domain) ? valueOf(dialect, column) : undefined
    const beyond = units.get(field)
    return [
      ...(isMapped ? [] : codesOf(dialect, field, name)),
      absent(field, name),
      constant(field, name),
      ...(number === undefined ? [] : MISSING_CODES.map((code) => pile(dialect, field, number, code))),
      ...(number === undefined || beyond === undefined
        ? []
        : beyond.others.map(([unit, ratio]) =>
            otherUnit(dialect, field, number, `unit (${unit}, or another quantity)`, beyond.median, ratio),
          )),
    ]
  })
  const counts = findings.flatMap(({ found, of }, at) => [`${found} AS found_${at}`, `${of} AS of_${at}`])
  const lines = findings.map(({ field, doubt, isDoubt }, at) => {
    const [found, of] = [`found_${at}`, `of_${at}`] as const
    const texts = `${dialect.string(field)} AS field, ${dialect.string(doubt)} AS doubt`
    return `SELECT ${texts}, ${found} AS found, ${of} AS of_rows FROM counted WHERE ${isDoubt(found, of)}`
  })
  return `WITH counted AS (SELECT\n ${counts.join(',\n ')}\n FROM ${table})\n${lines.join('\nUNION ALL\n')}\n`
}

/** Dates and texts that hold numbers are left out: what they mean depends on how they are read. */
function isNumber({ type }: Column, { kind }: Domain): boolean {
  return (
    ['integer', 'number', 'decimal'].includes(type) && kind !== 'code' && kind !== 'yesNo' && kind !== 'date'
  )
}

function valueOf(dialect: Dialect, { name, type }: Column): string {
  const value = sql`CAST(${dialect.identifier(name)} AS ${dialect.doubleType})`
  return (type === 'number' ? dialect.withoutNaN(value) : value).text
}

const countIf = (condition: string): string => `sum(CASE WHEN ${condition} THEN 1 ELSE 0 END)`

function codesOf(dialect: Dialect, field: string, name: string): readonly Finding[] {
  const foreign = foreignCodesOf(field)
  if (foreign.length === 0) return []
  const listed = foreign.map((code) => dialect.string(code)).join(', ')
  const found = countIf(`CAST(${name} AS ${dialect.textType}) IN (${listed})`)
  return [{ field, doubt: 'codes', found, of: `count(${name})`, isDoubt: (count) => `${count} > 0` }]
}

function absent(field: string, name: string): Finding {
  const isDoubt = (found: string, of: string): string => `${of} >= ${FEWEST_ROWS} AND ${found} = ${of}`
  return { field, doubt: 'missing', found: countIf(`${name} IS NULL`), of: 'count(*)', isDoubt }
}

function constant(field: string, name: string): Finding {
  const isDoubt = (found: string, of: string): string => `${of} >= ${FEWEST_ROWS} AND ${found} = 1`
  return { field, doubt: 'constant', found: `count(DISTINCT ${name})`, of: `count(${name})`, isDoubt }
}

/** The neighbours are a step away: 1, or a tenth where the number has one. */
function pile(dialect: Dialect, field: string, value: string, code: number): Finding {
  const step = Number.isInteger(code) ? 1 : 0.1
  const at = (number: number): string => `${value} = ${dialect.double(Number(number.toFixed(1)))}`
  // Below 0 there is nothing that could be compared.
  const neighbours = code === 0 ? [at(1)] : [at(code - step), at(code + step)]
  return {
    field,
    doubt: `missing-code (${code})`,
    found: countIf(at(code)),
    of: countIf(neighbours.join(' OR ')),
    isDoubt: (found, of) => `${found} >= ${PILE} AND ${found} > ${PILE_FACTOR} * ${of}`,
  }
}

function otherUnit(
  dialect: Dialect,
  field: string,
  value: string,
  doubt: string,
  median: number,
  ratio: number,
): Finding {
  const cut = dialect.double(median * Math.sqrt(ratio))
  const side = ratio < 1 ? `${value} < ${cut}` : `${value} > ${cut}`
  return {
    field,
    doubt,
    found: countIf(`${value} > ${dialect.double(0)} AND ${side}`),
    of: countIf(`${value} > ${dialect.double(0)}`),
    isDoubt: (found, of) => `${of} >= ${FEWEST_VALUES} AND ${found} > ${BEYOND} * ${of}`,
  }
}
