/** Chooses the method, and works out the changed model and its risks. */
import type { ModelDefinition } from '../../definition/model.ts'
import type { TermDefinition } from '../../definition/term.ts'
import { compileModel } from '../../engine/score/model.ts'
import { DataError } from '../data/data-error.ts'
import type { Predictions, Times } from '../figures/predictions.ts'
import { type LogisticFit, NotEstimable } from '../fit/logistic.ts'
import { type GatherInput, type Reader, type Scored, readerFor, scoreRows } from '../gather.ts'
import { type Candidates, type ClosedTest, type Method, candidatesFor } from './candidates.ts'

/** What a recalibration needs of its data: each row's risk and outcome, and the points of its terms. */
export interface SeenRows extends Scored, Pick<Reader, 'plan' | 'compiled'> {
  /** Row by row, a number for each term. */
  readonly points: Float64Array
}

export async function seeRows(input: GatherInput, model: ModelDefinition): Promise<SeenRows> {
  const points: number[] = []
  const scored = await scoreRows(input, model, ({ slots }, { compiled }) => {
    for (const term of compiled.terms) points.push(term.points(slots.values, slots.states))
  })
  return { ...scored, ...readerFor(input, model), points: Float64Array.from(points) }
}

export interface Choice {
  readonly method: Method
  readonly test: ClosedTest
  /** The estimates of the chosen method, where something was estimated. */
  readonly fit: LogisticFit | undefined
  readonly moving: Candidates['moving']
  readonly parts: Pick<ModelDefinition, 'terms' | 'link'>
  readonly after: Predictions
}

/** Each call repeats the whole procedure, the closed test included, for a sample of patients. */
export function chooserFor(
  model: ModelDefinition,
  wanted: Method | 'auto',
  rows: SeenRows,
): (times?: Times) => Choice {
  const { predictions, points } = rows
  const terms = rows.compiled.terms.length
  const { moving, fitOf, test: closedTest } = candidatesFor(model, predictions, points, terms)
  return (times) => {
    const test = closedTest(times)
    const method = wanted === 'auto' ? test.chosen : wanted
    const fit = method === 'none' ? undefined : fitOf(method, times)
    const weights = new Float64Array(terms).fill(1)
    if (method === 'refit') moving.forEach((term, k) => (weights[term] = fit?.coefficients[k + 1] ?? 1))
    const parts = changedParts(model, method, fit?.coefficients, weights, times !== undefined)
    // The new risks of the rows, from the points that their terms gave.
    const compiled = compileModel({ ...model, ...parts }, rows.plan)
    const risks = predictions.risks.map((_risk, row) => {
      let score = 0
      for (let term = 0; term < terms; term++)
        score += (weights[term] as number) * (points[row * terms + term] as number)
      return compiled.probability(score)
    })
    return { method, test, fit, moving, parts, after: { ...predictions, risks } }
  }
}

/** The terms and the link of the model that a method gives. */
function changedParts(
  { terms, link }: ModelDefinition,
  method: Method,
  coefficients: Float64Array | undefined,
  weights: Float64Array,
  isSample: boolean,
): Pick<ModelDefinition, 'terms' | 'link'> {
  if (coefficients === undefined) return { terms, link }
  const [intercept = 0, second = 1] = coefficients
  if (method === 'refit') {
    const weighted = terms.map((term, index) => weightedTerm(term, weights[index] as number))
    return { terms: weighted, link: { kind: 'logistic', intercept } }
  }
  const slope = method === 'intercept' ? 1 : second
  if (!(slope > 0)) {
    if (isSample) throw new NotEstimable()
    throw new DataError([
      'the slope is not above 0: on these data higher risks do not go with more events, so recalibration cannot help; check the outcome and the inputs',
    ])
  }
  if (link.kind !== 'recalibrated')
    return { terms, link: { kind: 'recalibrated', of: link, intercept, slope } }
  // A link that was recalibrated before is recalibrated from its original, not wrapped twice.
  const shifted = { intercept: intercept + slope * link.intercept, slope: slope * link.slope }
  return { terms, link: { ...link, ...shifted } }
}

/** A term whose points all count so many times as much. Within the term their proportions stay. */
function weightedTerm(term: TermDefinition, by: number): TermDefinition {
  if (by === 1) return term
  switch (term.kind) {
    case 'linear':
    case 'square':
    case 'logarithm':
    case 'product':
      return { ...term, coefficient: term.coefficient * by }
    case 'flag':
    case 'absent':
      return { ...term, points: term.points * by }
    case 'category': {
      const points = Object.entries(term.points).map(([code, own]) => [code, own * by] as const)
      return { ...term, points: Object.fromEntries(points) }
    }
    case 'banded':
    case 'count':
      return { ...term, bands: term.bands.map((band) => ({ ...band, points: band.points * by })) }
    case 'spline':
      return { ...term, coefficients: term.coefficients.map((own) => own * by) }
  }
}
