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

/** So many questions are asked of one part of the counts: a database takes long to plan many questions of one wide row. */
const PART = 20

export function doubtsStatement({ catalog, deployment, dialect, table, columns }: Source): string {
  const { definition: model } = deployment.model
  const { conversions, codes = {} } = deployment.scorerOptions
  const compiled = makePlan(catalog.definitions, model, conversions)
  const plan = planFeed({ plan: compiled, units: catalog.units, model })
  // Limits of a field that is received in another unit are stated in its own.
  const taken = new Map(
    compiled.fields.map(({ name, domain, ownDomain, conversion }) => [
      name,
      conversion === undefined ? domain : ownDomain,
    ]),
  )
  const mapped = new Set(Object.keys(codes))
  const asked: Asked = { dialect, table, columns, plan, domains: catalog.domains, taken, mapped }
  const questions = questionsOf(asked)
  const pairs = pairsOf(asked)
  const fieldsOfPairs = [...new Set(pairs.flatMap(({ fields }) => fields))]
  const weights = questions.reduce((sum, { weight }) => sum + weight, pairs.length + fieldsOfPairs.length)
  const needed = (weight: number): string =>
    dialect.double(Number(Math.log(weights / (weight * LEVEL)).toFixed(6)))
  const counted = questions.map(({ found, of, when }, at) => [
    [`found_${at}`, found],
    [`of_${at}`, of],
    ...(when === undefined ? [] : [[`when_${at}`, `CASE WHEN ${when} THEN 1 ELSE 0 END`]]),
  ])
  const ofPairs = pairs.flatMap(({ cells }, at) =>
    cells.map((cell, place) => `${cell} AS pair_${at}_${place}`),
  )
  const parts = Array.from({ length: Math.ceil(questions.length / PART) }, (_each, part) => {
    const names = counted.slice(PART * part, PART * (part + 1)).flat()
    return `part_${part} AS (SELECT ${names.map(([name]) => name).join(', ')} FROM counted)`
  })
  const odds = pairs.flatMap((_pair, at) => {
    const { log, variance } = oddsOf(dialect, at)
    return [
      `${log} AS log_${at}`,
      `${variance} AS variance_${at}`,
      `pair_${at}_3`,
      `${rowsOf(at)} AS rows_${at}`,
    ]
  })
  const line = (
    field: string,
    doubt: string,
    counts: readonly [string, string],
    where: string,
    pair = 0,
  ): string => {
    const texts = `${dialect.string(field)} AS field, ${pair} AS pair, ${dialect.string(doubt)} AS doubt`
    return `SELECT ${texts}, ${counts[0]} AS found, ${counts[1]} AS of_rows FROM ${where}`
  }
  const namesOfPairs = [...new Set(questions.flatMap(({ pair }) => pair ?? []))]
  const lines = [
    ...questions.map((question, at) => {
      const { field, doubt, weight, when, pair } = question
      const also = when === undefined ? '' : ` AND when_${at} = 1`
      const condition = `${isMore(dialect, question, at, needed(weight))}${also}`
      return line(
        field,
        doubt,
        [`found_${at}`, `of_${at}`],
        `part_${Math.floor(at / PART)} WHERE ${condition}`,
        pair === undefined ? 0 : 1 + namesOfPairs.indexOf(pair),
      )
    }),
    ...pairs.flatMap(({ fields, least }, at) => {
      const short = `(${dialect.double(Number(Math.log(least).toFixed(6)))} - log_${at})`
      const condition = `${short} > 0 AND ${short} * ${short} / (2 * variance_${at}) >= ${needed(1)}`
      const pair = 1 + namesOfPairs.length + at
      return fields.map((field) =>
        line(field, 'misaligned', [`pair_${at}_3`, `rows_${at}`], `odds WHERE ${condition}`, pair),
      )
    }),
    ...fieldsOfPairs.flatMap((field) => {
      const own = pairs.flatMap(({ fields }, at) => (fields.includes(field) ? [at] : []))
      if (own.length < 2) return []
      const sum = own.map((at) => `(0 - log_${at} / sqrt(variance_${at}))`).join(' + ')
      const spread = Math.sqrt(own.length + CORRELATED * own.length * (own.length - 1))
      const score = `((${sum}) / ${dialect.double(Number(spread.toFixed(6)))})`
      const condition = `${score} > 0 AND ${score} * ${score} / 2 >= ${needed(1)}`
      const counts = [`pair_${own[0] ?? 0}_3`, `rows_${own[0] ?? 0}`] as const
      return [line(field, 'misaligned', counts, `odds WHERE ${condition}`)]
    }),
  ]
  const counts = [...counted.flat().map(([name = '', count = '']) => `${count} AS ${name}`), ...ofPairs]
  const steps = [
    `counted AS (SELECT\n ${counts.join(',\n ')}\n FROM ${table})`,
    ...parts,
    ...(odds.length === 0 ? [] : [`odds AS (SELECT ${odds.join(',\n ')}\n FROM counted)`]),
    `doubts AS (${lines.join('\nUNION ALL\n')})`,
    ...ONE_CAUSE,
  ]
  return `WITH ${steps.join(',\n')}\nSELECT field, doubt, found, of_rows FROM ranked WHERE pair = 0 OR broken = most\n`
}

/**
 * As the service names fields: two that do not go together are named unless one of them is in doubt alone, and then the one that breaks
 * more pairs, or both. A doubt about one field alone has the pair 0.
 */
const ONE_CAUSE = [
  'alone AS (SELECT doubts.*, max(CASE WHEN pair = 0 THEN 1 ELSE 0 END) OVER (PARTITION BY field) AS is_alone FROM doubts)',
  'explained AS (SELECT alone.*, max(is_alone) OVER (PARTITION BY pair) AS is_explained FROM alone)',
  'counted_pairs AS (SELECT explained.*, count(*) OVER (PARTITION BY field) AS broken FROM explained WHERE pair = 0 OR is_explained = 0)',
  'ranked AS (SELECT counted_pairs.*, max(broken) OVER (PARTITION BY pair) AS most FROM counted_pairs)',
]

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
