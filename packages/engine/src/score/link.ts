/** From the sum of the points to a probability, and to the risk that is answered. */
import type { LinkDefinition } from '../definition/model.ts'

export type Link = (score: number) => number

/** A score without a probability gives NaN, never a guess. */
export function compileLink(definition: LinkDefinition): Link {
  switch (definition.kind) {
    case 'logistic':
      return (score) => 1 / (1 + Math.exp(-(definition.intercept + score)))
    case 'identity':
      return (score) => score
    case 'scoreTable':
      return (score) => definition.risks[score - definition.from] ?? Number.NaN
    case 'strata':
      return (score) =>
        definition.strata.find(({ from, to }) => score >= from && score <= to)?.risk ?? Number.NaN
    case 'survival': {
      // 1 − baseline^(e^(rate × score)). exp and log agree between versions of the runtime; a power does not.
      const logBaseline = Math.log(definition.baseline)
      return (score) => 1 - Math.exp(logBaseline * Math.exp(definition.rate * score))
    }
    case 'recalibrated': {
      // The log odds of the original link, scaled and shifted to local outcomes.
      const { intercept, slope } = definition
      const original = compileLink(definition.of)
      return (score) => {
        const risk = original(score)
        return 1 / (1 + Math.exp(-(intercept + slope * Math.log(risk / (1 - risk)))))
      }
    }
  }
}

/** Whether the risk only rises, or only falls, with the score, so that its ends lie at those of the score. */
export function risesOrFalls(link: LinkDefinition): boolean {
  if (link.kind === 'recalibrated') return risesOrFalls(link.of)
  if (link.kind === 'logistic' || link.kind === 'survival' || link.kind === 'identity') return true
  const risks = link.kind === 'scoreTable' ? link.risks : link.strata.map(({ risk }) => risk)
  const rises = risks.every((risk, at) => at === 0 || risk >= (risks[at - 1] as number))
  return rises || risks.every((risk, at) => at === 0 || risk <= (risks[at - 1] as number))
}

/** Rounding is part of the contract: four decimals, never 0 and never 1. */
export const RISK_UNITS = 10_000

/** A probability in ten-thousandths as it is answered, or NaN if it is not a probability. */
export function riskUnits(probability: number): number {
  if (!(probability >= 0 && probability <= 1)) return Number.NaN
  return Math.min(RISK_UNITS - 1, Math.max(1, Math.round(probability * RISK_UNITS)))
}

/** A probability as it is answered, or NaN if it is not a probability. */
export function roundRisk(probability: number): number {
  return riskUnits(probability) / RISK_UNITS
}
