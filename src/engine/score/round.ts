/** Rounding is part of the contract: four decimals, never 0 and never 1. */

export const RISK_UNITS = 10_000

/** The ten-thousandths of a probability as they are answered, or NaN for what is none. */
export function riskUnits(probability: number): number {
  if (!(probability >= 0 && probability <= 1)) return Number.NaN
  return Math.min(RISK_UNITS - 1, Math.max(1, Math.round(probability * RISK_UNITS)))
}

/** The answer's number for a probability, or NaN for what is none. */
export function roundRisk(probability: number): number {
  return riskUnits(probability) / RISK_UNITS
}
