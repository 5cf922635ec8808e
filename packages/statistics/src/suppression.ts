/**
 * Which parts of a whole are shown: none that is small, and none from which a small one follows by subtraction. What is not shown of a
 * whole must itself be large enough, and must not be a single part.
 */
export interface Counts {
  readonly events: number
  readonly others: number
}

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

/** Counts by group and month. */
type Cells = ReadonlyMap<string, ReadonlyMap<string, Counts>>

/**
 * Groups that are not shown, where months are shown too. If the totals determine the number of a group in a month, and it is a small one,
 * no group is shown. A number is determined where nothing but itself connects its group and its month in the graph of numbers and totals.
 */
export function hiddenGroups(cells: Cells, hiddenMonths: ReadonlySet<string>): ReadonlySet<string> {
  const hidden = hiddenParts(new Map([...cells].map(([group, own]) => [group, sumOf([...own.values()])])))
  const links = new Map<string, Set<string>>()
  const link = (one: string, other: string): void => {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const)
      links.set(from, (links.get(from) ?? new Set()).add(to))
  }
  const ofGroup = (group: string) => `group ${group}`
  const ofMonth = (month: string) => `month ${month}`
  for (const group of hidden) link(ofGroup(group), 'groups')
  for (const month of hiddenMonths) link(ofMonth(month), 'months')
  for (const [group, own] of cells) for (const month of own.keys()) link(ofGroup(group), ofMonth(month))
  const bridges = bridgesOf(links)
  const isTold = [...cells].some(([group, own]) =>
    [...own].some(
      ([month, cell]) => !isEnough(cell) && bridges.get(ofGroup(group))?.has(ofMonth(month)) === true,
    ),
  )
  return isTold ? new Set(cells.keys()) : hidden
}

/**
 * The links without which their two ends are not connected any more, by either end (Tarjan 1974). Each link is followed once: to look for
 * another way for each of 5,400 cells took four seconds.
 */
function bridgesOf(
  links: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const visited = new Map<string, number>()
  const bridges = new Map<string, Set<string>>()
  const note = (from: string, to: string): void => {
    bridges.set(from, (bridges.get(from) ?? new Set()).add(to))
  }
  /** Returns the earliest node that this one, or one after it, is linked to. */
  const visit = (node: string, from?: string): number => {
    const own = visited.size
    visited.set(node, own)
    let earliest = own
    for (const next of links.get(node) ?? []) {
      if (next === from) continue
      const known = visited.get(next)
      const reached = known ?? visit(next, node)
      if (known === undefined && reached > own) {
        note(node, next)
        note(next, node)
      }
      earliest = Math.min(earliest, reached)
    }
    return earliest
  }
  for (const node of links.keys()) if (!visited.has(node)) visit(node)
  return bridges
}

/**
 * The groups whose months are not shown, besides those that are not shown themselves. A group is shown in all its months or in none. Among
 * the hidden ones are always two or more that have outcomes in every month, and enough of them together in each: so what is shown of the
 * others determines no small number.
 */
export function hiddenByMonth(cells: Cells, without: ReadonlySet<string>): ReadonlySet<string> {
  const months = [...new Set([...cells.values()].flatMap((each) => [...each.keys()]))]
  const groups = [...cells].map(([group, own]) => {
    const list = [...own.values()]
    return { group, own, isLarge: list.every(isEnough), size: sizeOf(sumOf(list)) }
  })
  const hidden = new Set([...without, ...groups.flatMap(({ group, isLarge }) => (isLarge ? [] : [group]))])
  const isInAll = (own: ReadonlyMap<string, Counts>): boolean => own.size === months.length
  const isSafe = (): boolean => {
    const cover = groups.filter(({ group, own }) => isInAll(own) && hidden.has(group))
    const isCovered = (month: string): boolean =>
      isEnough(sumOf(cover.flatMap(({ own }) => own.get(month) ?? [])))
    return hidden.size === 0 || (cover.length > 1 && months.every(isCovered))
  }
  groups.sort((one, other) => Number(isInAll(other.own)) - Number(isInAll(one.own)) || one.size - other.size)
  for (const { group } of groups) {
    if (isSafe()) break
    hidden.add(group)
  }
  return hidden
}
