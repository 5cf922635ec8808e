/** From the score to the answer: a number of four decimals, or Yes and No. */
import type { ModelDefinition } from '../definition/model.ts'
import { scoreRange } from '../definition/score-range.ts'
import { RISK_UNITS, compileLink, roundRisk } from '../score/link.ts'
import type { Output } from '../scorer.ts'
import { type Sql, and, cases, sql, when } from './expression.ts'
import type { Query } from './query.ts'

/**
 * A link as the scores at which its answer changes. Engines differ in the last place of `exp`, so the answer for a score is
 * not computed there: it is found by comparing the score with these numbers.
 */
interface Steps {
  /** The answer below the first change. */
  readonly first: number
  /** Where the answer changes: the smallest score with the new answer, ascending. */
  readonly at: readonly number[]
  readonly answers: readonly number[]
}

/** With at most this many steps, a plain chain of comparisons is easier to read and as fast. */
const FEW = 24
const LONGEST_TABLE = 10_000
const CELLS = 16_384
/** Finding the steps takes a tenth of a second, as long as scoring a hundred thousand rows, so they are kept for further tables. */
const curves = new Map<string, Steps>()

/** The answer for a score: NULL where the link gives none. */
export function riskOf(query: Query, model: ModelDefinition, output: Output, score: Sql): Sql {
  const { dialect, double } = query
  const link = compileLink(model.link)
  // Yes is 1 and No is 0, so that both kinds of answer are numbers up to here.
  const answer = (at: number): number => {
    const risk = roundRisk(link(at))
    return output.kind === 'number' || Number.isNaN(risk) ? risk : Number(risk >= output.threshold)
  }
  const print = (value: number): string => {
    if (Number.isNaN(value)) return 'NULL'
    return output.kind === 'number' ? double(value) : dialect.string(value === 1 ? 'Yes' : 'No')
  }
  const chain = ({ first, at, answers }: Steps): Sql => {
    const printed = [first, ...answers].map(print)
    const branches = at.map((each, place) => [sql`${score} < ${double(each)}`, printed[place] ?? ''] as const)
    return cases(branches, printed.at(-1))
  }
  const domains = new Map(query.plan.fields.map(({ name, domain }) => [name, domain]))
  const { from, to, isWhole } = scoreRange(model, domains)
  const { kind } = model.link.kind === 'recalibrated' ? model.link.of : model.link
  const isTable = kind === 'scoreTable' || kind === 'strata'
  if (isTable || (isWhole && to - from <= LONGEST_TABLE && model.terms.every(countsInOnes))) {
    const isInTable = and(sql`${score} BETWEEN ${double(from)} AND ${double(to)}`, dialect.isWhole(score))
    return when(isInTable, chain(stepsOfTable(answer, from, to)))
  }
  const curve = JSON.stringify([model.link, output])
  const isProbability = kind === 'identity'
  const steps = curves.get(curve) ?? (isProbability ? stepsOfCurve(answer, 0, 1) : stepsOfCurve(answer))
  curves.set(curve, steps)
  const inside = isProbability
    ? sql`${score} BETWEEN ${double(0)} AND ${double(1)}`
    : sql`${score} IS NOT NULL`
  if (steps.at.length <= FEW) return when(inside, chain(steps))
  const place = placeOf(query, steps.at, score)
  const units = steps.first * RISK_UNITS
  const countsUp = steps.answers.every((each, index) => each === (units + index + 1) / RISK_UNITS)
  const found = countsUp
    ? sql`(${place} + ${units}) / ${double(RISK_UNITS)}`
    : dialect.elementAt(query.list([steps.first, ...steps.answers]), sql`${place} + 1`)
  return isProbability ? when(inside, found) : found
}

/** Whether whole readings give exactly whole points, which a quotient may miss. */
function countsInOnes(term: ModelDefinition['terms'][number]): boolean {
  if (term.kind === 'product') return term.factors.every(countsInOnes)
  return term.kind !== 'linear' || (term.per ?? 1) === 1
}

/**
 * How many steps lie at or below the score; NULL without a score. Where the engine has no binary search, the score's cell in an
 * even grid says how many lie before that cell, and comparisons find the place among the few steps inside of it. A cell follows
 * from a difference, a product and a whole part, which all engines round alike.
 */
function placeOf(query: Query, at: readonly number[], score: Sql): Sql {
  const { define, dialect, double } = query
  if (dialect.countNotAbove !== undefined) return define('k', dialect.countNotAbove(score, dialect.list(at)))
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
  const inside = sql`least(greatest(floor((${score} - ${double(low)}) * ${double(scale)}), ${double(0)}), ${double(CELLS)})`
  const cell = define('k', when(sql`${score} IS NOT NULL`, sql`CAST(${inside} AS INTEGER)`))
  const cells = query.list(before.slice(0, CELLS + 1), 'integer')
  let place = define('k', dialect.elementAt(cells, sql`${cell} + 1`))
  const list = define('steps', query.list(at))
  for (let width = 2 ** Math.floor(Math.log2(widest)); width >= 1; width /= 2) {
    const isReached = sql`${score} >= ${dialect.elementAt(list, sql`${place} + ${width}`)}`
    place = define('k', sql`${place} + ${when(isReached, width, 0)}`)
  }
  return place
}

/** Every link is constant beyond it. */
const FAR = 1e300

/**
 * The steps of an answer that never falls when the score grows, or never grows. Sums, products and quotients are monotone in
 * floating point because they are rounded correctly; that `exp` and `log` are so too is tested around every step.
 */
export function stepsOfCurve(answer: (score: number) => number, from = -FAR, to = FAR): Steps {
  const at: number[] = []
  const search = (low: number, lowAnswer: number, high: number, highAnswer: number): void => {
    if (Object.is(lowAnswer, highAnswer)) return
    const middle = (low + high) / 2
    const middleAnswer = answer(middle)
    if (middle <= low || middle >= high) at.push(high)
    else {
      search(low, lowAnswer, middle, middleAnswer)
      search(middle, middleAnswer, high, highAnswer)
    }
  }
  search(from, answer(from), to, answer(to))
  return { first: answer(from), at, answers: at.map(answer) }
}

function stepsOfTable(answer: (score: number) => number, from: number, to: number): Steps {
  const scores = Array.from({ length: to - from }, (_, place) => from + 1 + place)
  const at = scores.filter((score) => !Object.is(answer(score), answer(score - 1)))
  return { first: answer(from), at, answers: at.map(answer) }
}
