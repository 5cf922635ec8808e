/**
 * Which parts of a whole are shown: none that is small, and none from which a small one follows by subtraction. What is not shown of a
 * whole must itself be large enough, and must not be a single part.
 */
export type Counts = Readonly<Record<'events' | 'others', number>>

const FEWEST_OUTCOMES = 20
const FEWEST_OF_A_KIND = 5

export function isEnough({ events, others }: Counts): boolean {
  return events + others >= FEWEST_OUTCOMES && Math.min(events, others) >= FEWEST_OF_A_KIND
}

const sizeOf = ({ events, others }: Counts): number => events + others
const sumOf = (parts: readonly Counts[]): Counts => ({
  events: parts.reduce((sum, { events }) => sum + events, 0),
  others: parts.reduce((sum, { others }) => sum + others, 0),
})

/** The parts of a whole that are not shown. */
export function hiddenParts(parts: ReadonlyMap<string, Counts>): ReadonlySet<string> {
  const bySize = [...parts]
    .filter(([, part]) => sizeOf(part) > 0)
    .sort(([, a], [, b]) => sizeOf(a) - sizeOf(b))
  const hidden = new Set(bySize.flatMap(([name, part]) => (isEnough(part) ? [] : [name])))
  const isSafe = (): boolean =>
    hidden.size === 0 ||
    (hidden.size > 1 && isEnough(sumOf([...hidden].map((name) => parts.get(name) as Counts))))
  for (const [name] of bySize) {
    if (isSafe()) break
    hidden.add(name)
  }
  return hidden
}

/**
 * The groups whose months are not shown, besides those that are not shown themselves. A group is shown in all its months or in none:
 * then at least two unknown numbers stand in every sum over months and over groups, and none of them can be computed.
 */
export function hiddenByMonth(
  cells: ReadonlyMap<string, ReadonlyMap<string, Counts>>,
  hiddenGroups: ReadonlySet<string>,
): ReadonlySet<string> {
  const sizes = [...cells].map(([group, months]) => [group, sizeOf(sumOf([...months.values()]))] as const)
  const bySize = sizes.sort(([, a], [, b]) => a - b).map(([group]) => group)
  const hidden = new Set([
    ...hiddenGroups,
    ...bySize.filter((group) => ![...(cells.get(group)?.values() ?? [])].every(isEnough)),
  ])
  const months = new Set([...cells.values()].flatMap((each) => [...each.keys()]))
  const isSafe = (): boolean =>
    hidden.size === 0 ||
    (hidden.size > 1 &&
      [...months].every((month) => {
        const left = [...hidden].flatMap((group) => cells.get(group)?.get(month) ?? [])
        return left.length === 0 || isEnough(sumOf(left))
      }))
  for (const group of bySize) {
    if (isSafe()) break
    hidden.add(group)
  }
  return hidden
}
