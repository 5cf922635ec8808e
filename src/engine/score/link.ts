/** From the sum of the points to a probability. A score without a probability gives NaN, never a guess. */
import type { LinkDefinition } from '../../definition/link.ts'

export type Link = (score: number) => number

export function compileLink(definition: LinkDefinition): Link {
  switch (definition.kind) {
    case 'logistic': {
      const { intercept } = definition
      return (score) => 1 / (1 + Math.exp(-(intercept + score)))
    }
    case 'scoreTable': {
      const { from, risks } = definition
      return (score) => risks[score - from] ?? Number.NaN
    }
    case 'strata': {
      const { strata } = definition
      return (score) => strata.find(({ from, to }) => score >= from && score <= to)?.risk ?? Number.NaN
    }
    case 'survival': {
      // 1 − baseline^(e^(rate × score)). exp and log agree between versions of the runtime; a power does not.
      const { rate } = definition
      const logBaseline = Math.log(definition.baseline)
      return (score) => 1 - Math.exp(logBaseline * Math.exp(rate * score))
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
