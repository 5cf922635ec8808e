/** The answer to a record as an expression of its score: the risk of four decimals, or 1 for Yes and 0 for No. */
import type { ModelDefinition } from '../definition/model.ts'
import { scoreRange } from '../definition/score-range.ts'
import type { Curve, NumberNode } from '../expression/node.ts'
import type { Plan } from '../plan/plan.ts'
import { compileLink, roundRisk } from './link.ts'

const LONGEST_TABLE = 10_000

/** `threshold` is where No becomes Yes; undefined where the answer is a number. */
export function answerNode(
  model: Pick<ModelDefinition, 'inputs' | 'terms' | 'link'>,
  plan: Plan,
  threshold: number | undefined,
  score: NumberNode,
): NumberNode {
  const link = compileLink(model.link)
  const at = (number: number): number => {
    const risk = roundRisk(link(number))
    return threshold === undefined || Number.isNaN(risk) ? risk : Number(risk >= threshold)
  }
  const over = reachOf(model, plan)
  return { kind: 'steps', of: score, curve: { at, over, key: JSON.stringify([model.link, threshold, over]) } }
}

/** The scores for which there is an answer. */
function reachOf(model: Pick<ModelDefinition, 'inputs' | 'terms' | 'link'>, plan: Plan): Curve['over'] {
  const { kind } = model.link.kind === 'recalibrated' ? model.link.of : model.link
  const domains = new Map(plan.fields.map(({ name, domain }) => [name, domain]))
  const { from, to, isWhole } = scoreRange(model, domains)
  const isTable = kind === 'scoreTable' || kind === 'strata'
  if (isTable || (isWhole && to - from <= LONGEST_TABLE && model.terms.every(countsInOnes)))
    return { from, to }
  return kind === 'identity' ? 'unit' : 'everywhere'
}

/** Whether whole readings give exactly whole points, which a quotient may miss. */
function countsInOnes(term: ModelDefinition['terms'][number]): boolean {
  if (term.kind === 'product') return term.factors.every(countsInOnes)
  return term.kind !== 'linear' || (term.per ?? 1) === 1
}
