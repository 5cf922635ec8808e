/** Reads LightGBM's text of versions 2.0.12 to 4. A value goes left if it is at most the threshold, both in 64 bits. */
import type { SplitDefinition, TreeDefinition, TreeNode } from 'patient-risk-engine/definition'
import { parseJson } from 'patient-risk-engine/read'
import { ReadingBudget, refuseDeep } from './reading-budget.ts'
import {
  type ModelReader,
  type ReadOptions,
  stated,
  type SourceFeature,
  namedCodes,
  refuse,
  refuseShared,
  usedTrees,
} from './source.ts'

type Keys = ReadonlyMap<string, string>
type Side = 'then' | 'else'
type Build = () => number
type Question = Omit<SplitDefinition, Side>

/** The bits of `decision_type`, and the missing types after a shift. */
const CATEGORICAL = 1
const DEFAULT_LEFT = 2
const MISSING = { none: 0, zero: 1, nan: 2 } as const
/** What counts as zero where zero stands for a missing value. */
const ZERO = Math.fround(1e-35)
const END_LINE = 'end of trees'
/** Trees in which zero is missing repeat branches. */
const MOST_NODES = 1_000_000

export const readLightgbm: ModelReader = (text, options) => {
  const { head, blocks, last, hasEndLine } = partsOf(text)
  const version = head.get('version') ?? ''
  if (!['v2', 'v3', 'v4'].includes(version)) refuse('version', `is ${version}; v2, v3 and v4 are supported`)
  for (const key of ['num_class', 'num_tree_per_iteration'])
    if (Number(head.get(key) ?? 1) !== 1) refuse(key, `is ${head.get(key) ?? ''}; a model has one risk`)
  const objective = head.get('objective') ?? 'none'
  // LightGBM 2.1 calls it xentropy.
  if (!/^(binary|cross_entropy|xentropy)( |$)/.test(objective))
    refuse('objective', `${objective} is not supported; binary and cross_entropy are`)
  const [, written = ''] = /^binary.* sigmoid:(\S+)/.exec(objective) ?? []
  const sigmoid = objective.startsWith('binary') ? Number(written) : 1
  if (!(sigmoid > 0 && sigmoid < Infinity)) refuse('objective', `${objective} has no sigmoid above 0`)
  const features = featuresIn(head, blocks, last, options)
  const isForest = head.has('average_output')
  const isOfRisks = isForest && version === 'v2' && (!hasEndLine || blocks.every(hasRisksOnly))
  const scale = isOfRisks ? 1 : sigmoid
  const budget = new ReadingBudget()
  const trees = usedTrees(blocks, options).map((tree, at) =>
    treeIn(tree, features, scale, budget, `Tree=${at}`),
  )
  return {
    tool: `LightGBM, text of ${version}`,
    features,
    terms: [{ kind: 'trees', combine: isForest ? 'mean' : 'sum', trees }],
    link: isOfRisks ? { kind: 'identity' } : { kind: 'logistic', intercept: 0 },
  }
}

/**
 * The leaves of a forest are risks before LightGBM 2.2.3, and log odds since. Files of 2.2 do not say which of its versions wrote them:
 * log odds are hardly all between 0 and 1, and where they are, the rows differ.
 */
function hasRisksOnly(tree: Keys): boolean {
  return listIn(tree, 'leaf_value').every((word) => Number(word) >= 0 && Number(word) <= 1)
}

interface Parts {
  readonly head: Keys
  readonly blocks: readonly Keys[]
  /** The line of pandas' codes. */
  readonly last: string
  /** Before LightGBM 2.2 there is no line `end of trees`. */
  readonly hasEndLine: boolean
}

/** The keys before the trees, those of each tree, and what follows them. */
function partsOf(text: string): Parts {
  const head = new Map<string, string>()
  const blocks: Map<string, string>[] = []
  let hasEndLine = false
  let isOver = false
  let last = ''
  // Without an end line, the importances follow the last tree, so that a file that is cut off in its trees has neither.
  const isEnd = (line: string): boolean =>
    line === END_LINE || (line === 'feature importances:' && head.get('version') === 'v2')
  for (const line of text.split(/\r?\n/)) {
    const [key = '', value = ''] = line.split(/=(.*)/s)
    hasEndLine ||= line === END_LINE
    if (isEnd(line)) isOver = true
    else if (line.startsWith('pandas_categorical:')) last = line.slice(line.indexOf(':') + 1)
    else if (isOver) continue
    else if (key === 'Tree' && blocks.push(new Map()) !== Number(value) + 1)
      refuse(line, `stands where Tree=${blocks.length - 1} is expected`)
    else (blocks[blocks.length - 1] ?? head).set(key, value)
  }
  if (!isOver)
    refuse(
      'the file',
      'has no line `end of trees` (LightGBM 2.1: `feature importances:`); it is cut off, or not LightGBM’s text',
    )
  const { length: count } = listIn(head, 'tree_sizes')
  if (count !== 0 && count !== blocks.length)
    refuse('tree_sizes', `is about ${count} trees, and the file has ${blocks.length}`)
  return { head, blocks, last, hasEndLine }
}

function listIn(keys: Keys, key: string): readonly string[] {
  return keys.get(key)?.match(/\S+/g) ?? []
}

/** Pandas' codes are listed for the categorical columns alone, in their order. */
function featuresIn(
  head: Keys,
  blocks: readonly Keys[],
  codesOfPandas: string,
  options: ReadOptions,
): readonly SourceFeature[] {
  const codes = stated(options, 'codes')
  const infos = listIn(head, 'feature_infos')
  const names = listIn(head, 'feature_names')
  const last = Number(head.get('max_feature_idx') ?? names.length - 1)
  if (last !== names.length - 1)
    refuse('feature_names', `has ${names.length} names, and max_feature_idx is ${last}`)
  const asked = new Set(
    blocks.flatMap((tree) => {
      const types = listIn(tree, 'decision_type').map(Number)
      return listIn(tree, 'split_feature').filter((_feature, at) => ((types[at] ?? 0) & CATEGORICAL) > 0)
    }),
  )
  const isCode = names.map((_name, at) => asked.has(String(at)) || /^-?\d/.test(infos[at] ?? ''))
  const pandas = jsonIn(codesOfPandas) ?? []
  // A column with one value is listed by pandas and not told apart by LightGBM: then the specification must give the order.
  const isClear = pandas.length === isCode.filter(Boolean).length
  let place = 0
  return names.map((name, at) => {
    if (isCode[at] !== true) return { name, kind: 'number' }
    const listed = isClear ? pandas[place]?.map(String) : undefined
    place++
    const own = codes?.get(name) ?? listed
    return own === undefined ? { name, kind: 'code' } : { name, kind: 'code', codes: own }
  })
}

function jsonIn(line: string): readonly (readonly unknown[])[] | null {
  try {
    const lists = line === '' ? null : parseJson(line)
    if (lists === null || (Array.isArray(lists) && lists.every(Array.isArray))) return lists
  } catch {
    return refuse('pandas_categorical', 'is not well-formed JSON; the file may be cut off')
  }
  return refuse('pandas_categorical', 'is not a list of lists of codes')
}

function treeIn(
  tree: Keys,
  features: readonly SourceFeature[],
  sigmoid: number,
  budget: ReadingBudget,
  where: string,
): TreeDefinition {
  if (tree.get('is_linear') === '1') refuse(`${where}, is_linear`, 'leaves with formulas are not supported')
  const splits = Number(tree.get('num_leaves')) - 1
  /** The numbers of a line; whole ones where there is a range. */
  const numbers = (key: string, count?: number, range?: readonly [number, number]): readonly number[] => {
    const words = listIn(tree, key)
    if (count !== undefined && words.length !== count)
      refuse(`${where}, ${key}`, `has ${words.length} entries; num_leaves asks for ${count}`)
    return words.map((word, place) => {
      const number = word === 'inf' && key === 'threshold' ? Number.MAX_VALUE : Number(word)
      const [from, to] = range ?? [-Infinity, Infinity]
      if (Number.isFinite(number) && number >= from && number <= to && (!range || Number.isInteger(number)))
        return number
      const what = range ? `whole number from ${from} to ${to}` : 'number'
      return refuse(`${where}, ${key}, entry ${place}`, `is not a ${what}`)
    })
  }
  const leaves = numbers('leaf_value', splits + 1)
  const indices = numbers('split_feature', splits, [0, features.length - 1])
  const types = numbers('decision_type', splits, [0, 11])
  const thresholds = numbers('threshold', splits)
  const lefts = numbers('left_child', splits, [-splits - 1, splits - 1])
  const rights = numbers('right_child', splits, [-splits - 1, splits - 1])
  const bounds = numbers('cat_boundaries', undefined, [0, Number.MAX_SAFE_INTEGER])
  const words = numbers('cat_threshold', bounds.at(-1), [0, 2 ** 32 - 1])
  refuseShared([...lefts, ...rights], `${where}, left_child and right_child`)
  const splitsBelow = (split: number): readonly number[] =>
    [lefts[split] ?? -1, rights[split] ?? -1].filter((child) => child >= 0)
  refuseDeep(splitsBelow, where)
  const nodes: TreeNode[] = []
  const ask = (question: Question, yes: Build, no: Build, absent: Side): number => {
    const place = nodes.push(0) - 1
    if (place > MOST_NODES) refuse(where, 'has too many splits on features whose zeros are missing values')
    nodes[place] = { ...question, then: yes(), else: no(), absent }
    return place
  }
  /** Appends a node, a split by its number or a leaf by minus its number minus 1, and returns its place. */
  const build = (node = 0): number => {
    if (node < 0) return nodes.push((leaves[-node - 1] as number) * sigmoid) - 1
    const feature = features[indices[node] as number] as SourceFeature
    const { name: field } = feature
    const type = types[node] as number
    const threshold = thresholds[node] as number
    const left: Build = () => build(lefts[node])
    const right: Build = () => build(rights[node])
    if ((type & CATEGORICAL) > 0) {
      const from = bounds[threshold]
      const to = bounds[threshold + 1]
      if (from === undefined || to === undefined)
        return refuse(`${where}, threshold, entry ${node}`, 'names no entry of cat_boundaries')
      const place = `${where}, cat_threshold, split ${node}`
      // Many splits may name one long list.
      budget.take(Math.max(0, to - from) * BITS, place)
      const oneOf = namedCodes(feature, membersOf(words.slice(from, to)), place)
      return ask({ field, oneOf }, left, right, 'else')
    }
    const isLeft = (type & DEFAULT_LEFT) > 0
    const compare = (absent: Side = isLeft ? 'then' : 'else'): number =>
      ask({ field, upTo: threshold }, left, right, absent)
    if (type >> 2 === MISSING.none) return compare(threshold >= 0 ? 'then' : 'else')
    if (type >> 2 === MISSING.nan) return compare()
    // Zero is missing: it takes the default side, whatever the comparison says.
    const toZero = (yes: Build, no: Build): number => ask({ field, upTo: ZERO }, yes, no, 'then')
    const belowZero = (yes: Build, no: Build): number => ask({ field, below: -ZERO }, yes, no, 'else')
    if (threshold > ZERO) return isLeft ? compare() : belowZero(left, () => toZero(right, compare))
    if (threshold < -ZERO) return isLeft ? belowZero(compare, () => toZero(left, right)) : compare()
    return isLeft ? toZero(left, right) : belowZero(left, right)
  }
  build(splits === 0 ? -1 : 0)
  return nodes
}

const BITS = 32

/** The places of the bits that are set, 32 to a word. */
function membersOf(words: readonly number[]): readonly number[] {
  const places = Array.from({ length: words.length * BITS }, (_, place) => place)
  return places.filter((place) => (((words[place >> 5] ?? 0) >>> (place & 31)) & 1) === 1)
}
