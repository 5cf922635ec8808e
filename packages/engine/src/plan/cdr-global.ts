/**
 * The global score of the Clinical Dementia Rating from its boxes: memory leads, and the five others decide where they lie
 * together on one side of it (Morris 1993). Every combination has an answer, which is why a recorded one is never overwritten.
 */
import { add, lookup, multiply, number } from '../expression/build.ts'
import type { NumberNode } from '../expression/node.ts'

const LEVELS: readonly number[] = [0, 0.5, 1, 2, 3]
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

/** The answers for every memory and every number of boxes at each level, by how many other boxes there are. */
const tables = new Map<number, readonly number[]>()

/** The score as a look-up: a place for memory, and in it one for how many of the others lie at each level. */
export function cdrGlobalNode(memory: NumberNode, others: readonly NumberNode[]): NumberNode {
  const most = others.length + 1
  const places = most ** (LEVELS.length - 1)
  const table = tables.get(others.length) ?? tabulate(others.length)
  tables.set(others.length, table)
  const rank = byLevel(memory, (at) => at * places)
  const weights = others.map((box) => byLevel(box, (at) => (at === 0 ? 0 : most ** (at - 1))))
  return lookup(add(rank, ...weights), 0, table)
}

function tabulate(count: number): readonly number[] {
  const most = count + 1
  const places = most ** (LEVELS.length - 1)
  return LEVELS.flatMap((level) =>
    Array.from({ length: places }, (_, place) => {
      const boxes = LEVELS.slice(1).flatMap((each, at) =>
        Array<number>(Math.floor(place / most ** at) % most).fill(each),
      )
      const rest = Array<number>(Math.max(0, count - boxes.length)).fill(0)
      return cdrGlobal(level, [...boxes, ...rest].slice(0, count))
    }),
  )
}

/** Levels are halves, so twice a level is a place in a table. */
function byLevel(of: NumberNode, numberAt: (at: number) => number): NumberNode {
  const table = Array.from({ length: 2 * (LEVELS.at(-1) ?? 0) + 1 }, (_, twice) => {
    const at = LEVELS.indexOf(twice / 2)
    return at < 0 ? Number.NaN : numberAt(at)
  })
  return lookup(multiply(of, number(2)), 0, table)
}
