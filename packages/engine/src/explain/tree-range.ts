/**
 * The lowest and highest points of trees when some inputs are open. Each tree is walked into every branch that is possible for it
 * alone, so the bounds of several trees may lie wider than any record reaches; never narrower.
 */
import { rangeOf, type Domain } from '../definition/domain.ts'
import type { TreeTable } from '../score/trees.ts'
import type { WorkMeter } from '../work-meter.ts'

type Ends = readonly [number, number]

/** `mayBeAbsent`: the slots whose absence the trees tell apart. Absence is one of the possibilities of an open one. */
export function treeBounds(
  table: TreeTable,
  values: Float64Array,
  open: ReadonlyMap<number, Domain>,
  mayBeAbsent: ReadonlySet<number>,
  meter: WorkMeter,
): Ends {
  const { features, branches, compared, edges } = table
  const low = new Float64Array(features.length)
  table.fill(values, low)
  const high = low.slice()
  const isOpen = features.map(({ slot }) => open.has(slot))
  const absent = features.map(({ slot }, place) => isOpen[place] === true && mayBeAbsent.has(slot))
  features.forEach((feature, place) => {
    const domain = open.get(feature.slot)
    if (domain !== undefined) [low[place], high[place]] = endsOf(feature, domain, absent[place] === true)
  })
  let least = Infinity
  let most = -Infinity
  /** Visits every leaf that can be reached. */
  const walk = (node: number): void => {
    const first = branches[node] as number
    const edge = edges[node] as number
    meter.count(1)
    if (first === 0) {
      least = Math.min(least, edge)
      most = Math.max(most, edge)
      return
    }
    const place = compared[node] as number
    const from = low[place] as number
    const to = high[place] as number
    if (isOpen[place] !== true) {
      walk(from < edge ? first : first + 1)
      return
    }
    if (from < edge) {
      high[place] = Math.min(to, edge)
      walk(first)
      high[place] = to
    }
    if (to >= edge || absent[place] === true) {
      low[place] = Math.max(from, edge)
      walk(first + 1)
      low[place] = from
    }
  }
  let lowest = 0
  let highest = 0
  for (const root of table.roots) {
    least = Infinity
    most = -Infinity
    walk(root)
    lowest += least
    highest += most
  }
  return [lowest / table.parts, highest / table.parts]
}

function endsOf(
  { sign, members, whenAbsent }: TreeTable['features'][number],
  domain: Domain,
  isAbsent: boolean,
): Ends {
  if (sign !== 0) {
    const { from, to } = rangeOf(domain) ?? { from: -Infinity, to: Infinity }
    return sign === 1 ? [from, to] : [-to, -from]
  }
  const numbers =
    domain.kind === 'code' ? [...domain.codes.values()] : domain.kind === 'list' ? domain.values : undefined
  if (numbers === undefined) return [0, 1]
  const found = numbers.map((number) => (members[number] === 1 ? 0 : 1))
  if (isAbsent) found.push(whenAbsent)
  return [Math.min(...found), Math.max(...found)]
}
