/** Death within ten years from the Charlson index, worked out from the published formula alone (1987, 1994). */

/** A point for each decade from 50, four at most. */
export function charlson10yScore(age: number, index: number): number {
  return index + Math.min(4, Math.max(0, Math.floor(age / 10) - 4))
}

export function charlson10yRisk(score: number): number {
  return 1 - 0.983 ** (Math.E ** (0.9 * score))
}
