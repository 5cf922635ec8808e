/** `sql --doubts`: one statement that names columns which probably mean something else, at the level of the watch of feeds. */
import type { Catalog, Deployment } from '@patient-risk/catalog'
import { LEVEL, planFeed } from '@patient-risk/monitor'
import { makePlan } from 'patient-risk-engine'
import type { Columns, Dialect } from 'patient-risk-engine/sql'
import { type Asked, type SqlQuestion, countIf, isTrue, questionsOf } from './sql-questions.ts'

/** Scores of several pairs with one field may be correlated by so much. */
const CORRELATED = 0.3

interface Source {
  readonly catalog: Catalog
  readonly deployment: Deployment
  readonly dialect: Dialect
  readonly table: string
  readonly columns: Columns
}

/** Odds of two statements, and how many times as high they are at least in right tables. */
interface SqlPair {
  readonly fields: readonly [string, string]
  readonly cells: readonly string[]
  readonly least: number
}

export function doubtsStatement({ catalog, deployment, dialect, table, columns }: Source): string {
  const { definition: model } = deployment.model
  const { conversions, codes = {} } = deployment.scorerOptions
  const plan = planFeed({
    plan: makePlan(catalog.definitions, model, conversions),
    units: catalog.units,
    model,
  })
  const mapped = new Set(Object.keys(codes))
  const asked: Asked = { dialect, table, columns, plan, domains: catalog.domains, mapped }
  const questions = questionsOf(asked)
  const pairs = pairsOf(asked)
  const fieldsOfPairs = [...new Set(pairs.flatMap(({ fields }) => fields))]
  const weights = questions.reduce((sum, { weight }) => sum + weight, pairs.length + fieldsOfPairs.length)
  const needed = (weight: number): string =>
    dialect.double(Number(Math.log(weights / (weight * LEVEL)).toFixed(6)))
  const counts = [
    ...questions.flatMap(({ found, of, when }, at) => [
      `${found} AS found_${at}`,
      `${of} AS of_${at}`,
      ...(when === undefined ? [] : [`CASE WHEN ${when} THEN 1 ELSE 0 END AS when_${at}`]),
    ]),
    ...pairs.flatMap(({ cells }, at) => cells.map((cell, place) => `${cell} AS pair_${at}_${place}`)),
  ]
  const line = (field: string, doubt: string, found: string, of: string, condition: string): string => {
    const texts = `${dialect.string(field)} AS field, ${dialect.string(doubt)} AS doubt`
    return `SELECT ${texts}, ${found} AS found, ${of} AS of_rows FROM counted WHERE ${condition}`
  }
  const lines = [
    ...questions.map((question, at) => {
      const { field, doubt, weight, when } = question
      const condition = isMore(dialect, question, at, needed(weight))
      const also = when === undefined ? '' : ` AND when_${at} = 1`
      return line(field, doubt, `found_${at}`, `of_${at}`, `${condition}${also}`)
    }),
    ...pairs.flatMap(({ fields, least }, at) => {
      const { log, variance } = oddsOf(dialect, at)
      const short = `(${dialect.double(Number(Math.log(least).toFixed(6)))} - ${log})`
      const condition = `${short} > 0 AND ${short} * ${short} / (2 * ${variance}) >= ${needed(1)}`
      return fields.map((field) => line(field, 'misaligned', `pair_${at}_3`, rowsOf(at), condition))
    }),
    ...fieldsOfPairs.flatMap((field) => {
      const own = pairs.flatMap(({ fields }, at) => (fields.includes(field) ? [at] : []))
      if (own.length < 2) return []
      const sum = own
        .map((at) => oddsOf(dialect, at))
        .map(({ log, variance }) => `(0 - ${log} / sqrt(${variance}))`)
        .join(' + ')
      const spread = Math.sqrt(own.length + CORRELATED * own.length * (own.length - 1))
      const score = `((${sum}) / ${dialect.double(Number(spread.toFixed(6)))})`
      const condition = `${score} > 0 AND ${score} * ${score} / 2 >= ${needed(1)}`
      return [line(field, 'misaligned', `pair_${own[0]}_3`, rowsOf(own[0] ?? 0), condition)]
    }),
  ]
  return `WITH counted AS (SELECT\n ${counts.join(',\n ')}\n FROM ${table})\n${lines.join('\nUNION ALL\n')}\n`
}

/** Chernoff's bound, as the service has it. A share of 0 is exceeded by the first row. */
function isMore(dialect: Dialect, { most }: SqlQuestion, at: number, needed: string): string {
  const found = `CAST(found_${at} AS ${dialect.doubleType})`
  const of = `CAST(of_${at} AS ${dialect.doubleType})`
  if (most <= 0) return `${found} > 0`
  const share = dialect.double(most)
  const rest = dialect.double(Number((1 - most).toFixed(6)))
  const others = `CASE WHEN ${of} > ${found} THEN (${of} - ${found}) * ln((${of} - ${found}) / (${rest} * ${of})) ELSE 0 END`
  return `CASE WHEN ${found} > ${share} * ${of} THEN ${found} * ln(${found} / (${share} * ${of})) + ${others} ELSE 0 END >= ${needed}`
}

function pairsOf(asked: Asked): readonly SqlPair[] {
  return asked.plan.pairs.flatMap((pair): SqlPair[] => {
    const one = isTrue(asked, pair.one)
    const other = isTrue(asked, pair.other)
    const [first, second] = [pair.one, pair.other].map(({ place }) => asked.plan.fields[place]?.name ?? '')
    if (one === undefined || other === undefined || pair.leastOdds === undefined) return []
    const cells = [
      countIf(`NOT ${one} AND NOT ${other}`),
      countIf(`NOT ${one} AND ${other}`),
      countIf(`${one} AND NOT ${other}`),
      countIf(`${one} AND ${other}`),
    ]
    return [{ fields: [first ?? '', second ?? ''], cells, least: pair.leastOdds }]
  })
}

/** The logarithm of the odds ratio with its variance; half a row in each cell keeps both finite. */
function oddsOf(dialect: Dialect, at: number): { readonly log: string; readonly variance: string } {
  const half = dialect.double(0.5)
  const [neither = '', onlyOther = '', onlyOne = '', both = ''] = [0, 1, 2, 3].map(
    (cell) => `(CAST(pair_${at}_${cell} AS ${dialect.doubleType}) + ${half})`,
  )
  const log = `ln(${neither} * ${both} / (${onlyOther} * ${onlyOne}))`
  return { log, variance: `(1 / ${neither} + 1 / ${onlyOther} + 1 / ${onlyOne} + 1 / ${both})` }
}

function rowsOf(at: number): string {
  return [0, 1, 2, 3].map((cell) => `pair_${at}_${cell}`).join(' + ')
}
