/** Reads LightGBM's text of versions 2 to 4. A value goes left if it is at most the threshold, both in 64 bits. */
import type { SplitDefinition, TreeDefinition } from '../../definition/term.ts'
import type { TreeNode } from '../../definition/trees.ts'
import {
  type ModelReader,
  type ReadOptions,
  type SourceFeature,
  namedCodes,
  refuse,
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
/** Trees in which zero is missing repeat branches. */
const MOST_NODES = 1_000_000

export const readLightgbm: ModelReader = (text, options) => {
  const { head, blocks, last } = partsOf(text)
  const version = head.get('version') ?? ''
  if (!['v2', 'v3', 'v4'].includes(version)) refuse('version', `is ${version}; v2, v3 and v4 are supported`)
  for (const key of ['num_class', 'num_tree_per_iteration'])
    if (Number(head.get(key) ?? 1) > 1) refuse(key, `is ${head.get(key) ?? ''}; a model has one risk`)
  const objective = head.get('objective') ?? 'none'
  const [, sigmoid = '1'] = /^binary.* sigmoid:(\S+)/.exec(objective) ?? []
  if (!/^(binary|cross_entropy)( |$)/.test(objective))
    refuse('objective', `${objective} is not supported; binary and cross_entropy are`)
  const features = featuresIn(head, blocks, last, options)
  const used = usedTrees(blocks, options)
  const trees = used.map((tree, at) => treeIn(tree, features, Number(sigmoid), `Tree=${at}`))
  const combine = head.has('average_output') ? 'mean' : 'sum'
  return {
    tool: `LightGBM, text of ${version}`,
    features,
    terms: [{ kind: 'trees', combine, trees }],
    link: { kind: 'logistic', intercept: 0 },
  }
}

/** The keys before the trees, those of each tree, and the line of pandas' codes. */
function partsOf(text: string): { head: Keys; blocks: readonly Keys[]; last: string } {
  const head = new Map<string, string>()
  const blocks: Map<string, string>[] = []
  let isOver = false
  let last = ''
  for (const line of text.split(/\r?\n/)) {
    const [key = '', value = ''] = line.split(/=(.*)/s)
    if (line === 'end of trees') isOver = true
    else if (line.startsWith('pandas_categorical:')) last = line.slice(line.indexOf(':') + 1)
    else if (isOver) continue
    else if (key === 'Tree') blocks.push(new Map())
    else (blocks[blocks.length - 1] ?? head).set(key, value)
  }
  if (!isOver) refuse('the file', 'has no line `end of trees`; it is cut off, or not LightGBM’s text')
  return { head, blocks, last }
}

function listIn(keys: Keys, key: string): readonly string[] {
  return keys.get(key)?.match(/\S+/g) ?? []
}

/** Pandas' codes are listed for the categorical columns alone, in their order. */
function featuresIn(
  head: Keys,
  blocks: readonly Keys[],
  last: string,
  { codes = {} }: ReadOptions,
): readonly SourceFeature[] {
  const infos = listIn(head, 'feature_infos')
  const names = listIn(head, 'feature_names')
  const asked = new Set(
    blocks.flatMap((tree) => {
      const types = listIn(tree, 'decision_type').map(Number)
      return listIn(tree, 'split_feature').filter((_feature, at) => ((types[at] ?? 0) & CATEGORICAL) > 0)
    }),
  )
  const isCode = names.map((_name, at) => asked.has(String(at)) || /^-?\d/.test(infos[at] ?? ''))
  const pandas = jsonIn(last) ?? []
  // A column with one value is listed by pandas and not told apart by LightGBM: then the specification must give the order.
  const isClear = pandas.length === isCode.filter(Boolean).length
  let place = 0
  return names.map((name, at) => {
    if (isCode[at] !== true) return { name, kind: 'number' }
    const listed = isClear ? pandas[place++]?.map(String) : undefined
    const own = codes[name] ?? listed
    return { name, kind: 'code', ...(own && { codes: own }) }
  })
}

function jsonIn(line: string): readonly (readonly unknown[])[] | null {
  try {
    return line === '' ? null : (JSON.parse(line) as ReturnType<typeof jsonIn>)
  } catch {
    return refuse('pandas_categorical', 'is not well-formed JSON; the file may be cut off')
  }
}

function treeIn(
  tree: Keys,
  features: readonly SourceFeature[],
  sigmoid: number,
  where: string,
): TreeDefinition {
  const lists = new Map<string, readonly number[]>()
  const numbers = (key: string): readonly number[] => {
    const list =
      lists.get(key) ?? listIn(tree, key).map((word) => (word === 'inf' ? Number.MAX_VALUE : Number(word)))
    lists.set(key, list)
    return list
  }
  const at = (key: string, place: number): number => {
    const { [place]: number = Number.NaN } = numbers(key)
    return Number.isFinite(number) ? number : refuse(`${where}, ${key}, entry ${place}`, 'is not a number')
  }
  if (tree.get('is_linear') === '1') refuse(`${where}, is_linear`, 'leaves with formulas are not supported')
  const splits = numbers('split_feature').length
  const nodes: TreeNode[] = []
  const ask = (question: Question, yes: Build, no: Build, absent: Side): number => {
    const place = nodes.push(0) - 1
    if (place > MOST_NODES) refuse(where, 'has too many splits on features whose zeros are missing values')
    nodes[place] = { ...question, then: yes(), else: no(), absent }
    return place
  }
  /** Appends a node, a split by its number or a leaf by minus its number minus 1, and returns its place. */
  const build = (node: number, depth = 0): number => {
    if (node < 0) return nodes.push(at('leaf_value', -node - 1) * sigmoid) - 1
    if (depth > splits) refuse(`${where}, left_child`, 'leads back to a split above')
    const index = at('split_feature', node)
    const feature = features[index] ?? refuse(`${where}, split_feature, entry ${node}`, 'is not a feature')
    const { name: field } = feature
    const type = at('decision_type', node)
    const threshold = at('threshold', node)
    const left: Build = () => build(at('left_child', node), depth + 1)
    const right: Build = () => build(at('right_child', node), depth + 1)
    if ((type & CATEGORICAL) > 0) {
      const [from, to] = [at('cat_boundaries', threshold), at('cat_boundaries', threshold + 1)]
      const members = membersOf(numbers('cat_threshold').slice(from, to))
      return ask(
        { field, oneOf: namedCodes(feature, members, `${where}, cat_threshold, split ${node}`) },
        left,
        right,
        'else',
      )
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

/** The places of the bits that are set, 32 to a word. */
function membersOf(words: readonly number[]): readonly number[] {
  const places = Array.from({ length: words.length * 32 }, (_, place) => place)
  return places.filter((place) => (((words[place >> 5] ?? 0) >>> (place & 31)) & 1) === 1)
}
