/** Rounding is part of the contract: four decimals, never 0 and never 1. */

const UNITS = 10_000

/** The answer's number for a probability, or NaN for what is none. */
export function roundRisk(probability: number): number {
  if (!(probability >= 0 && probability <= 1)) return Number.NaN
  const units = Math.round(probability * UNITS)
  return Math.min(UNITS - 1, Math.max(1, units)) / UNITS
}
