/**
 * The global score of the Clinical Dementia Rating from its boxes: memory leads, and the five others decide where they lie
 * together on one side of it (Morris 1993). Every combination has an answer, which is why a recorded one is never overwritten.
 */
export const LEVELS: readonly number[] = [0, 0.5, 1, 2, 3]
/** Half of the boxes beside memory, rounded up: they are a majority. */
const MOST = 3

export function cdrGlobal(memory: number, others: readonly number[]): number {
  const count = (holds: (box: number) => boolean): number => others.filter(holds).length
  if (memory === 0) return count((box) => box >= 0.5) >= 2 ? 0.5 : 0
  if (memory === 0.5) return count((box) => box >= 1) >= MOST ? 1 : 0.5
  if (count((box) => box === 0) >= MOST) return 0.5
  const above = count((box) => box > memory)
  const below = count((box) => box < memory)
  if (Math.max(above, below) < MOST) return memory
  // Three on one side and two on the other leave the score at memory.
  if (above + below === others.length && Math.max(above, below) === MOST) return memory
  const side =
    above > below
      ? LEVELS.filter((level) => level > memory)
      : LEVELS.filter((level) => level < memory).reverse()
  // Of levels that occur equally often the one nearest to memory counts, and it comes first.
  const [decisive = memory] = [...side].sort((a, b) => count((box) => box === b) - count((box) => box === a))
  return Math.max(decisive, 0.5)
}
