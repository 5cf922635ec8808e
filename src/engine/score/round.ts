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
