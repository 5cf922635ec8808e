/** Rounding is part of the contract: four decimals, never 0 and never 1. */

export const RISK_UNITS = 10_000

/** The answer's number for a probability, or NaN for what is none. */
export function roundRisk(probability: number): number {
  if (!(probability >= 0 && probability <= 1)) return Number.NaN
  const units = Math.round(probability * RISK_UNITS)
  return Math.min(RISK_UNITS - 1, Math.max(1, units)) / RISK_UNITS
}
