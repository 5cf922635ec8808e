/** What a method of recalibration makes of a model's terms and link. */
import type { ModelDefinition } from '../../definition/model.ts'
import type { TermDefinition } from '../../definition/term.ts'
import type { Candidates } from './candidates.ts'
import type { Method } from './closed-test.ts'

/** The terms and the link of the model that a method gives. */
export function changedParts(
  model: ModelDefinition,
  method: Method,
  candidates: Candidates,
): Pick<ModelDefinition, 'terms' | 'link'> {
  const { terms, link } = model
  switch (method) {
    case 'none':
      return { terms, link }
    case 'intercept':
      return { terms, link: shifted(link, candidates.intercept.coefficients[0] as number, 1) }
    case 'slope': {
      const [intercept = 0, slope = 1] = candidates.slope.coefficients
      return { terms, link: shifted(link, intercept, slope) }
    }
    case 'refit': {
      const [intercept = 0, ...weights] = candidates.refit.coefficients
      return {
        terms: terms.map((term, index) => {
          const place = candidates.moving.indexOf(index)
          return place < 0 ? term : weighted(term, weights[place] as number)
        }),
        link: { kind: 'logistic', intercept },
      }
    }
  }
}

/** A link that was recalibrated before is recalibrated anew from its original, not wrapped twice. */
function shifted(link: ModelDefinition['link'], intercept: number, slope: number): ModelDefinition['link'] {
  if (link.kind !== 'recalibrated') return { kind: 'recalibrated', of: link, intercept, slope }
  return { ...link, intercept: intercept + slope * link.intercept, slope: slope * link.slope }
}

/** A term whose points all count so many times as much. Within the term their proportions stay. */
function weighted(term: TermDefinition, by: number): TermDefinition {
  switch (term.kind) {
    case 'linear':
    case 'square':
    case 'logarithm':
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
