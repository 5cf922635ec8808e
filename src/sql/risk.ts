/** From the score to the answer: a number of four decimals, or Yes and No. */
import type { Domain } from '../definition/domain.ts'
import type { LinkDefinition } from '../definition/link.ts'
import type { ModelDefinition } from '../definition/model.ts'
import { scoreRange } from '../definition/score-range.ts'
import { compileLink } from '../engine/score/links/compile.ts'
import { roundRisk } from '../engine/score/round.ts'
import type { Output } from '../engine/scorer.ts'
import type { Dialect } from './dialect.ts'
import { type Sql, type Stages, join, sql } from './stages.ts'
import { type Steps, stepsOfCurve, stepsOfTable } from './steps.ts'

/** So many steps are still read more easily, and compared as quickly, one after the other. */
const FEW = 24
const LONGEST_TABLE = 10_000

/** The answer for a score: NULL where the link gives none. */
export function riskOf(
  stages: Stages,
  dialect: Dialect,
  model: ModelDefinition,
  domains: ReadonlyMap<string, Domain>,
  output: Output,
  score: Sql,
): Sql {
  const link = compileLink(model.link)
  // Yes is 1 and No is 0, so that both kinds of answer are numbers up to here.
  const answer = (at: number): number => {
    const risk = roundRisk(link(at))
    return output.kind === 'number' || Number.isNaN(risk) ? risk : Number(risk >= output.threshold)
  }
  const print = (value: number): string => {
    if (Number.isNaN(value)) return 'NULL'
    return output.kind === 'number' ? dialect.double(value) : dialect.string(value === 1 ? 'Yes' : 'No')
  }
  const range = scoreRange(model, domains)
  const isTable = isTableLink(model.link)
  if (
    isTable ||
    (range.isWhole && range.to - range.from <= LONGEST_TABLE && model.terms.every(countsInOnes))
  ) {
    const chosen = chain(stepsOfTable(answer, range.from, range.to), dialect, print, score)
    const { from, to } = range
    return sql`CASE WHEN ${score} BETWEEN ${dialect.double(from)} AND ${dialect.double(to)} AND ${dialect.isWhole(score)} THEN ${chosen} END`
  }
  const steps = stepsOfCurve(answer)
  if (steps.at.length <= FEW)
    return sql`CASE WHEN ${score} IS NOT NULL THEN ${chain(steps, dialect, print, score)} END`
  const place = placeOf(stages, dialect, steps.at, score)
  return dialect.elementAt(dialect.doubles([steps.first, ...steps.answers]), sql`${place} + 1`)
}

function isTableLink(link: LinkDefinition): boolean {
  const { kind } = link.kind === 'recalibrated' ? link.of : link
  return kind === 'scoreTable' || kind === 'strata'
}

/** Whether whole readings give exactly whole points, which a quotient may miss. */
function countsInOnes(term: ModelDefinition['terms'][number]): boolean {
  return term.kind !== 'linear' || (term.per ?? 1) === 1
}

function chain(
  { first, at, answers }: Steps,
  { double }: Dialect,
  print: (value: number) => string,
  score: Sql,
): Sql {
  const branches = at.map(
    (each, place) => sql`WHEN ${score} < ${double(each)} THEN ${print(answers[place - 1] ?? first)}`,
  )
  if (branches.length === 0) return sql`${print(first)}`
  return sql`CASE ${join(branches, ' ', '')} ELSE ${print(answers.at(-1) ?? first)} END`
}

/** How many steps lie at or below the score: a binary search, a comparison in each step of the query. NULL without a score. */
function placeOf(stages: Stages, dialect: Dialect, at: readonly number[], score: Sql): Sql {
  const list = dialect.doubles(at)
  if (dialect.countNotAbove !== undefined) return stages.define('k', dialect.countNotAbove(score, list))
  const column = stages.define('steps', sql`${list}`)
  let place: Sql = sql`CASE WHEN ${score} IS NOT NULL THEN 0 END`
  for (let width = 2 ** Math.floor(Math.log2(at.length)); width >= 1; width /= 2) {
    const next = sql`${place} + ${width}`
    place = stages.define(
      'k',
      sql`${place} + CASE WHEN ${score} >= ${dialect.elementAt(column.text, next)} THEN ${width} ELSE 0 END`,
    )
  }
  return place
}
