/** Checks that trees are trees, that their splits fit the inputs, and that every leaf can be reached. */
import { type Domain, type Domains, holds, rangeOf } from '../domain.ts'
import type { FaultList } from '../fault.ts'
import type { ModelDefinition } from '../model.ts'
import type { SplitDefinition, TreeDefinition, TreesDefinition } from '../term.ts'
import { isSplit, membersOf, splitDomain } from '../trees.ts'

const MOST_TREES = 2_000
/** Deeper trees are not read by people, and databases refuse expressions that are nested so often. */
const MOST_DEPTH = 200
/** A split by values is looked up in a table of this many places. */
const LARGEST_MEMBER = 65_535
/** After so many faults the rest of the trees is not checked: they mostly repeat one mistake. */
const MOST_FAULTS = 100

const SIDES = ['then', 'else'] as const

/** What an input may be at a place of a tree. */
interface Open {
  readonly domain: Domain | undefined
  readonly isAbsent: boolean
}

export function checkTreeCount({ terms }: ModelDefinition, faults: FaultList): void {
  const count = terms.reduce((sum, term) => sum + (term.kind === 'trees' ? term.trees.length : 0), 0)
  if (count > MOST_TREES)
    faults.add('/terms', 'trees', `has ${count} trees; a model has at most ${MOST_TREES}`)
}

export function checkTrees(
  term: TreesDefinition,
  model: ModelDefinition,
  inputs: Domains,
  faults: FaultList,
): void {
  const before = faults.faults.length
  for (const [at, tree] of term.trees.entries()) {
    const here = faults.at(`/trees/${at}`)
    const own = faults.faults.length
    checkStructure(tree, here)
    tree.forEach((node, place) => {
      if (isSplit(node)) checkSplit(node, model, inputs, here.at(`/${place}`))
    })
    // Faults in a split would only add faults that follow from them.
    if (faults.faults.length === own) checkReached(term, tree, model, inputs, here)
    if (faults.faults.length - before >= MOST_FAULTS) return
  }
}

/** Branches lead forwards, so there is no cycle, and to every node but the first exactly once. */
function checkStructure(tree: TreeDefinition, faults: FaultList): void {
  const depths = new Array<number>(tree.length).fill(0)
  const reached = new Set([0])
  tree.forEach((node, place) => {
    if (!isSplit(node)) return
    for (const side of SIDES) {
      const to = node[side]
      const add = (rule: string, message: string): void => faults.add(`/${place}/${side}`, rule, message)
      if (to >= tree.length) add('tree-node', `there is no node ${to}; the last one is ${tree.length - 1}`)
      else if (to <= place) add('tree-cycle', `leads back to node ${to}; a branch leads to a later node`)
      else if (reached.has(to)) add('tree-node', `node ${to} is the branch of another split already`)
      else depths[to] = (depths[place] as number) + 1
      reached.add(to)
    }
  })
  tree.forEach((_node, place) => {
    if (!reached.has(place)) faults.add(`/${place}`, 'tree-unreachable', 'no split leads to this node')
  })
  const deepest = depths.reduce((most, depth) => Math.max(most, depth), 0)
  if (deepest > MOST_DEPTH)
    faults.add('', 'tree-depth', `is ${deepest} splits deep; a tree has at most ${MOST_DEPTH}`)
}

function checkSplit(
  split: SplitDefinition,
  model: ModelDefinition,
  inputs: Domains,
  faults: FaultList,
): void {
  const { field, below, upTo, oneOf, absent } = split
  const given = [below, upTo, oneOf].filter((each) => each !== undefined).length
  if (given !== 1) faults.add('', 'tree-split', 'has one of `below`, `upTo` and `oneOf`')
  const domain = inputs.get(field)
  if (domain === undefined) {
    if (!Object.hasOwn(model.inputs, field))
      faults.add('/field', 'unknown-input', `${field} is not among the model's inputs`)
    return
  }
  const mayBeAbsent = model.inputs[field]?.whenAbsent === null
  if (mayBeAbsent && absent === undefined)
    faults.add('', 'absence', `${field} may be absent, so the split says where it goes then: \`absent\``)
  if (!mayBeAbsent && absent !== undefined)
    faults.add('/absent', 'absence', `${field} is never absent here, unless its \`whenAbsent\` is null`)
  if (oneOf === undefined) {
    if (rangeOf(domain) === undefined)
      faults.add('', 'term-type', '`below` and `upTo` need a field of numbers; a code takes `oneOf`')
    return
  }
  oneOf.forEach((value, place) => {
    const add = (message: string): void => faults.add(`/oneOf/${place}`, 'tree-value', message)
    const [member = -1] = membersOf({ ...split, oneOf: [value] }, domain)
    if (!holds(domain, value)) add(`${field} cannot be ${JSON.stringify(value)}`)
    else if (oneOf.indexOf(value) !== place) add('is listed twice')
    else if (!Number.isInteger(member) || member < 0 || member > LARGEST_MEMBER)
      add(`a number is whole and from 0 to ${LARGEST_MEMBER}; others are split by \`below\` or \`upTo\``)
  })
}

/** Walks every path with what the splits before it leave of each input. */
function checkReached(
  { rounding }: TreesDefinition,
  tree: TreeDefinition,
  model: ModelDefinition,
  inputs: Domains,
  faults: FaultList,
): void {
  const open = new Map<string, Open>()
  const openAt = (field: string): Open =>
    open.get(field) ?? { domain: inputs.get(field), isAbsent: model.inputs[field]?.whenAbsent === null }
  const walk = (place: number): void => {
    const node = tree[place]
    if (node === undefined || !isSplit(node)) return
    const before = openAt(node.field)
    const parts = before.domain && splitDomain(node, before.domain, rounding)
    for (const side of SIDES) {
      const isAbsent = before.isAbsent && node.absent === side
      const domain = parts?.[side]
      if (domain === undefined && !isAbsent) {
        const why = `no ${node.field} that the inputs and the splits above permit goes to \`${side}\``
        faults.add(`/${place}/${side}`, 'tree-unreachable', why)
        continue
      }
      open.set(node.field, { domain, isAbsent })
      walk(node[side])
    }
    open.set(node.field, before)
  }
  walk(0)
}
