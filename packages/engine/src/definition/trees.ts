/** Decision trees: what their splits ask, as one comparison of 64-bit numbers whatever the file says about rounding. */
import { nextUp } from '../expression/double.ts'
import { type Domain, listDomain, numberIn } from './domain.ts'
import type { SplitDefinition, TreeDefinition, TreesDefinition } from './term.ts'

export type TreeNode = TreeDefinition[number]
type Rounding = TreesDefinition['rounding']

export function isSplit(node: TreeNode): node is SplitDefinition {
  return typeof node !== 'number'
}

export function fieldsOfTrees({ trees }: TreesDefinition): readonly string[] {
  const fields = new Set<string>()
  for (const tree of trees) for (const node of tree) if (isSplit(node)) fields.add(node.field)
  return [...fields]
}

export function treesLabel({ trees }: TreesDefinition): string {
  return trees.length === 1 ? 'decision tree' : `${trees.length} trees`
}

/** The lowest and the highest points that trees can add up to, in the order in which the engine adds them. */
export function treeExtremes({ trees, combine }: TreesDefinition): readonly [number, number] {
  let from = 0
  let to = 0
  for (const tree of trees) {
    let lowest = Infinity
    let highest = -Infinity
    for (const node of tree) {
      if (isSplit(node)) continue
      lowest = Math.min(lowest, node)
      highest = Math.max(highest, node)
    }
    from += lowest
    to += highest
  }
  const parts = combine === 'mean' ? trees.length : 1
  return [from / parts, to / parts]
}

/** The edge of a split by numbers: a value, as it was received, goes to `then` exactly if it is below this number. */
export function edgeOf({ below, upTo }: SplitDefinition, rounding: Rounding = 'none'): number {
  const written = below ?? upTo ?? Number.NaN
  const compared = rounding === 'both' ? Math.fround(written) : written
  const edge = below === undefined ? nextUp(compared) : compared
  return rounding === 'none' ? edge : firstThatRoundsTo(edge)
}

/** The smallest number that is not below the edge once it is rounded to 32 bits. Half way, the even neighbour is taken. */
function firstThatRoundsTo(edge: number): number {
  const near = Math.fround(edge)
  const above = near < edge ? neighbour32(near, 1) : near
  const middle = (above + neighbour32(above, -1)) / 2
  return Math.fround(middle) === above ? middle : nextUp(middle)
}

const singles = new Float32Array(1)
const singleBits = new Int32Array(singles.buffer)

/** The next larger or smaller number of 32 bits. */
function neighbour32(value: number, step: 1 | -1): number {
  if (value === 0) return step * 2 ** -149
  singles[0] = value
  singleBits[0] = (singleBits[0] as number) + (value > 0 ? step : -step)
  return singles[0]
}

/** The values that a split by values sends to `then`, as the numbers of their slot. */
export function membersOf({ oneOf = [] }: SplitDefinition, domain: Domain): readonly number[] {
  // What a split leaves of yes and no is a list of numbers.
  const isYesNo = (value: unknown): value is boolean => typeof value === 'boolean' && domain.kind === 'list'
  return oneOf.flatMap((value) => (isYesNo(value) ? Number(value) : (numberIn(domain, String(value)) ?? [])))
}

/** What is left of a domain on either side of a split; undefined where nothing is. */
export function splitDomain(
  split: SplitDefinition,
  domain: Domain,
  rounding: Rounding,
): { readonly then: Domain | undefined; readonly else: Domain | undefined } {
  if (split.oneOf !== undefined) {
    const members = new Set(membersOf(split, domain))
    return sides(domain, (number) => members.has(number))
  }
  const edge = edgeOf(split, rounding)
  if (domain.kind !== 'integer' && domain.kind !== 'decimal') return sides(domain, (number) => number < edge)
  const { from, to } = domain
  return {
    then: from < edge ? { ...domain, to: Math.min(to, -nextUp(-edge)) } : undefined,
    else: to >= edge ? { ...domain, from: Math.max(from, edge) } : undefined,
  }
}

function sides(
  domain: Domain,
  holds: (number: number) => boolean,
): { readonly then: Domain | undefined; readonly else: Domain | undefined } {
  const part = (wanted: boolean): Domain | undefined => {
    const isPart = (number: number): boolean => holds(number) === wanted
    if (domain.kind === 'code') {
      const codes = new Map([...domain.codes].filter(([, number]) => isPart(number)))
      return codes.size === 0 ? undefined : { kind: 'code', codes }
    }
    // Of a range of numbers, a few values leave the rest as it is.
    if (domain.kind !== 'yesNo' && domain.kind !== 'list') return domain
    const values = (domain.kind === 'yesNo' ? [0, 1] : domain.values).filter(isPart)
    return values.length === 0 ? undefined : listDomain(values)
  }
  return { then: part(true), else: part(false) }
}
