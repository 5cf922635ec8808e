/** Names that are similar to a mistyped one. */

const MOST_EDITS = 2
const MOST_NAMES = 3

/** The nearest first; none where every name is far. */
export function nearNames(typed: string, known: readonly string[]): readonly string[] {
  const wanted = typed.toLowerCase()
  return known
    .map((name) => ({ name, edits: editsBetween(wanted, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= MOST_EDITS && edits < name.length)
    .sort((a, b) => a.edits - b.edits)
    .slice(0, MOST_NAMES)
    .map(({ name }) => name)
}

/** The number of letters to add, remove or change. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_each, place) => place)
  for (let at = 1; at <= from.length; at++) {
    const next = [at]
    for (let place = 1; place <= to.length; place++) {
      const kept = (row[place - 1] as number) + (from[at - 1] === to[place - 1] ? 0 : 1)
      next.push(Math.min(kept, (row[place] as number) + 1, (next[place - 1] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}
