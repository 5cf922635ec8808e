/**
 * The values of an input that can give a group of terms its lowest or highest points. The points of a group change in a straight
 * line with what one input brings into each term, so only values at the outside of that set are needed.
 */

/** One value for each different vector; for a risk that follows the score, only those at the outside where that is simple. */
export function reduceCandidates(
  candidates: readonly number[],
  vectorAt: (value: number) => readonly number[],
  onlyEnds: boolean,
): readonly number[] {
  const byVector = new Map<string, Candidate>()
  for (const value of candidates) {
    const vector = vectorAt(value)
    const key = vector.join(' ')
    if (!byVector.has(key)) byVector.set(key, { value, vector })
  }
  const distinct = [...byVector.values()]
  const dimensions = distinct[0]?.vector.length ?? 0
  if (!onlyEnds || dimensions > 2) return distinct.map(({ value }) => value)
  const ordered = distinct.sort((a, b) => at(a, 0) - at(b, 0) || at(a, 1) - at(b, 1))
  if (dimensions === 1) return [...new Set([ordered[0], ordered.at(-1)])].flatMap((each) => each?.value ?? [])
  return [...new Set([...hullSide(ordered), ...hullSide(ordered.toReversed())])].map(({ value }) => value)
}

interface Candidate {
  readonly value: number
  readonly vector: readonly number[]
}

function at({ vector }: Candidate, dimension: number): number {
  return vector[dimension] ?? 0
}

/** One side of the convex hull of points in order. */
function hullSide(ordered: readonly Candidate[]): readonly Candidate[] {
  const side: Candidate[] = []
  for (const next of ordered) {
    while (
      side.length > 1 &&
      !turnsLeft(side[side.length - 2] as Candidate, side[side.length - 1] as Candidate, next)
    )
      side.pop()
    side.push(next)
  }
  return side
}

function turnsLeft(a: Candidate, b: Candidate, c: Candidate): boolean {
  return (at(b, 0) - at(a, 0)) * (at(c, 1) - at(a, 1)) > (at(b, 1) - at(a, 1)) * (at(c, 0) - at(a, 0))
}
