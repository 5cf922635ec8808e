/** Random trees over given fields, in which every leaf can be reached, and a plain reading of a tree to compare with. */
import {
  type Domain,
  rangeOf,
  writtenValue,
  type SplitDefinition,
  type TreeDefinition,
  type TreeNode,
  type TreesDefinition,
  isSplit,
  splitDomain,
} from 'patient-risk-engine/definition'
import type { Random } from './random.ts'

export interface TreeShape {
  readonly count: number
  readonly depth: number
  readonly rounding?: 'none' | 'value' | 'both'
  readonly combine?: 'sum' | 'mean'
  /** Fields whose absence the trees tell apart. */
  readonly absent?: ReadonlySet<string>
  /** Leaves lie between these. */
  readonly points?: readonly [number, number]
}

type Fields = ReadonlyMap<string, Domain>

export function randomTrees(random: Random, fields: Fields, shape: TreeShape): TreesDefinition {
  const { combine = 'sum', rounding = 'none' } = shape
  const trees = Array.from({ length: shape.count }, () => randomTree(random, fields, shape))
  return { kind: 'trees', combine, rounding, trees }
}

function randomTree(random: Random, fields: Fields, shape: TreeShape): TreeDefinition {
  const nodes: TreeNode[] = []
  const [from, to] = shape.points ?? [-0.5, 0.5]
  const grow = (open: Fields, depth: number): number => {
    const place = nodes.push(from + random.next() * (to - from)) - 1
    if (depth === 0) return place
    const split = randomSplit(random, open, shape)
    const parts = split && splitDomain(split, open.get(split.field) as Domain, shape.rounding)
    if (parts?.then === undefined || parts.else === undefined) return place
    const { field } = split as SplitDefinition
    const then = grow(new Map([...open, [field, parts.then]]), depth - 1)
    const other = grow(new Map([...open, [field, parts.else]]), depth - 1)
    nodes[place] = { ...(split as SplitDefinition), then, else: other }
    return place
  }
  grow(fields, shape.depth)
  return nodes
}

function randomSplit(random: Random, open: Fields, shape: TreeShape): SplitDefinition | undefined {
  const [field, domain] = random.pick([...open])
  const ends = { then: 0, else: 0 }
  const absent = shape.absent?.has(field) ? { absent: random.pick(['then', 'else'] as const) } : {}
  const about = { field, ...ends, ...absent }
  const range = rangeOf(domain)
  if (range === undefined) {
    const numbers = domain.kind === 'code' ? [...domain.codes.values()] : [0, 1]
    const members = numbers.filter(() => random.chance(0.5))
    if (members.length === 0) return undefined
    return { ...about, oneOf: members.map((number) => writtenValue(domain, number)) }
  }
  const tenth = Math.round((range.from + random.next() * (range.to - range.from)) * 10) / 10
  const whole = domain.kind === 'list' ? domain.values.filter(Number.isInteger) : []
  if (whole.length > 0 && random.chance(0.3)) return { ...about, oneOf: [random.pick(whole)] }
  return random.chance(0.5) ? { ...about, below: tenth } : { ...about, upTo: tenth }
}

type Values = Readonly<Record<string, number | string | boolean>>

/** The points of trees for a record, read as the file is written, with rounding in each comparison. */
export function plainPoints({ trees, combine, rounding = 'none' }: TreesDefinition, record: Values): number {
  const value = rounding === 'none' ? (number: number): number => number : Math.fround
  const edge = rounding === 'both' ? Math.fround : (number: number): number => number
  const holds = ({ field, below, upTo, oneOf, absent }: SplitDefinition): boolean => {
    const given = record[field]
    if (given === undefined) return absent === 'then'
    if (oneOf !== undefined) return oneOf.includes(given)
    return below === undefined
      ? value(given as number) <= edge(upTo as number)
      : value(given as number) < edge(below)
  }
  let sum = 0
  for (const tree of trees) {
    let node = tree[0] as TreeDefinition[number]
    while (isSplit(node)) node = tree[holds(node) ? node.then : node.else] as TreeDefinition[number]
    sum += node
  }
  return combine === 'mean' ? sum / trees.length : sum
}
