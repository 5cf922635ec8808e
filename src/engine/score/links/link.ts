/** From the added-up points to a probability. A score without a probability gives NaN, never a guess. */
export type Link = (score: number) => number
