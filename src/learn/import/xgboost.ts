/** Reads XGBoost's JSON of versions 1 to 3: gbtree and dart. A value goes left if it is below the threshold, both in 32 bits. */
import type { ModelDefinition } from '../../definition/model.ts'
import type { TreeDefinition } from '../../definition/term.ts'
import {
  type ModelReader,
  type ReadOptions,
  type SourceFeature,
  namedCodes,
  refuse,
  usedTrees,
} from './source.ts'

type Numbers = readonly number[]
type Texts = Readonly<Record<string, string>>

/** The arrays of a tree, by node. At a leaf `split_conditions` has its value. */
const LISTS = [
  'left_children',
  'right_children',
  'split_indices',
  'split_conditions',
  'default_left',
] as const
type Categories =
  'categories' | 'categories_nodes' | 'categories_segments' | 'categories_sizes' | 'split_type'
interface XgbTree extends Readonly<Partial<Record<(typeof LISTS)[number] | Categories, Numbers>>> {
  readonly tree_param?: Texts
}
interface XgbModel {
  readonly trees?: readonly XgbTree[]
  readonly weight_drop?: Numbers
  readonly iteration_indptr?: Numbers
  readonly gbtree_model_param?: Texts
  readonly cats?: { readonly enc?: readonly Partial<Record<'offsets' | 'values', Numbers>>[] }
}
interface Learner {
  readonly gradient_booster?: {
    readonly name?: string
    readonly model?: XgbModel
    readonly gbtree?: { readonly model?: XgbModel }
    readonly weight_drop?: Numbers
  }
  readonly learner_model_param?: Texts
  readonly objective?: Texts
  readonly feature_names?: readonly string[]
  readonly feature_types?: readonly string[]
  readonly attributes?: Texts
}

const COX = 'survival:cox'
/** Its answer is the log odds, and its base score too. */
const RAW = 'binary:logitraw'
const LOGISTIC = ['binary:logistic', 'reg:logistic', RAW]
const CATEGORICAL = 1

export const readXgboost: ModelReader = (text, options) => {
  const { learner, version } = parsed(text)
  if (!learner) return refuse('learner', 'is missing; this is not a model that XGBoost saved')
  const { gradient_booster: booster = {}, learner_model_param: param = {}, objective, attributes } = learner
  const { name = 'none', model = booster.gbtree?.model ?? {} } = booster
  if (!['gbtree', 'dart'].includes(name))
    refuse('learner.gradient_booster.name', `${name} is not supported; gbtree and dart are`)
  for (const key of ['num_class', 'num_target'])
    if (Number(param[key] ?? 0) > 1)
      refuse(`learner.learner_model_param.${key}`, `is ${param[key] ?? ''}; a model has one risk`)
  const weights = booster.weight_drop ?? model.weight_drop ?? []
  const features = featuresIn(learner, model, options)
  const trees = usedTrees(model.trees ?? [], options).map((tree, at) => {
    // A list of weights that is shorter than that of the trees leaves the others as they are.
    return treeIn(tree, features, weights[at] ?? 1, `learner.gradient_booster.model.trees[${at}]`)
  })
  return {
    tool: `XGBoost ${version?.join('.') ?? ''}`.trimEnd(),
    features,
    terms: [{ kind: 'trees', combine: 'sum', rounding: 'both', trees }],
    link: linkOf(objective?.['name'] ?? 'none', param['base_score'] ?? '', options),
    ifRowsDiffer: earlyStopping(attributes?.['best_iteration'], model, trees.length),
  }
}

function parsed(text: string): { readonly version?: Numbers; readonly learner?: Learner } {
  try {
    return JSON.parse(text) as ReturnType<typeof parsed>
  } catch {
    // Before 2.0, splits by categories have the threshold NaN, which is not JSON.
    const given = text.replace(/(?<=[[,:]\s*)NaN(?=\s*[\],}])/g, 'null')
    return given === text ? refuse('the file', 'is not well-formed JSON') : parsed(given)
  }
}

/** Files without names, as R writes them, have positions only. */
function featuresIn(
  learner: Learner,
  { cats }: XgbModel,
  { codes = {} }: ReadOptions,
): readonly SourceFeature[] {
  const { feature_names: names = [], feature_types: types = [], learner_model_param: param = {} } = learner
  const count = Math.max(names.length, Number(param['num_feature'] ?? 0))
  return Array.from({ length: count }, (_, at) => {
    const name = names[at] ?? `f${at}`
    const own = codes[name] ?? namesIn(cats?.enc?.[at])
    if (types[at] === 'c' || own !== undefined) return { name, kind: 'code', ...(own && { codes: own }) }
    return { name, kind: types[at] === undefined ? 'unknown' : 'number' }
  })
}

/** From 3.1 the file has the codes of a category: texts as bytes that `offsets` part, or whole numbers. */
function namesIn({ offsets, values = [] }: { offsets?: Numbers; values?: Numbers } = {}) {
  if (values.length === 0) return undefined
  if (offsets === undefined) return values.map(String)
  const bytes = Buffer.from(Int8Array.from(values).buffer)
  return offsets.slice(1).map((end, at) => bytes.toString('utf8', offsets[at], end))
}

function treeIn(
  tree: XgbTree,
  features: readonly SourceFeature[],
  weight: number,
  where: string,
): TreeDefinition {
  if (Number(tree.tree_param?.['size_leaf_vector'] ?? 0) > 1)
    refuse(`${where}.tree_param.size_leaf_vector`, 'leaves with several values are not supported')
  const lists = LISTS.map((key) => tree[key] ?? [])
  const [lefts = [], rights = [], indices = [], conditions = [], defaults = []] = lists
  for (const [at, { length }] of lists.entries())
    if (length === 0 || length !== lefts.length)
      refuse(`${where}.${LISTS[at] ?? ''}`, 'is not a list with an entry for each node')
  const { categories = [], categories_segments: starts = [], categories_sizes: sizes = [] } = tree
  return lefts.map((left, node) => {
    const { [node]: below = Number.NaN } = conditions
    const isSet = left >= 0 && tree.split_type?.[node] === CATEGORICAL
    if (!isSet && !Number.isFinite(below)) refuse(`${where}.split_conditions[${node}]`, 'is not a number')
    if (left < 0) return weight === 1 ? below : Math.fround(Math.fround(below) * Math.fround(weight))
    const { [node]: right = -1 } = rights
    for (const child of [left, right])
      if (!(child in lefts)) refuse(`${where}, node ${node}`, `there is no node ${child}`)
    const { [node]: index = -1 } = indices
    const feature =
      features[index] ?? refuse(`${where}.split_indices[${node}]`, `there is no feature ${index}`)
    const { name: field } = feature
    const isLeft = Boolean(defaults[node])
    if (!isSet) return { field, below, then: left, else: right, absent: isLeft ? 'then' : 'else' }
    const place = tree.categories_nodes?.indexOf(node) ?? -1
    const listed = categories.slice(starts[place]).slice(0, sizes[place] ?? 0)
    const oneOf = namedCodes(feature, listed, `${where}.categories, node ${node}`)
    // The codes that are listed go right, all others left.
    return { field, oneOf, then: right, else: left, absent: isLeft ? 'else' : 'then' }
  })
}

/** The base score is on the scale of the answer: a probability, log odds, or a hazard ratio. XGBoost computes with 32 bits. */
function linkOf(objective: string, written: string, { baseline }: ReadOptions): ModelDefinition['link'] {
  const [first = '', ...others] = written.replace(/^\[|\]$/g, '').split(',')
  const base = first === '' ? Number.NaN : Number(first)
  if (others.length > 0 || !Number.isFinite(base))
    refuse('learner.learner_model_param.base_score', `is ${written}; one number is expected`)
  if (objective === RAW) return { kind: 'logistic', intercept: base }
  if (LOGISTIC.includes(objective)) {
    const { fround } = Math
    const p = Math.min(fround(1 - fround(1e-6)), Math.max(fround(1e-6), fround(base)))
    return { kind: 'logistic', intercept: -fround(Math.log(fround(fround(1 / p) - 1))) }
  }
  const why =
    objective === COX
      ? `${COX} gives hazard ratios without a baseline; say in import.baseline which share has no event at the horizon where the ratio is 1`
      : `${objective} is not supported; ${LOGISTIC.join(', ')} and ${COX} are`
  if (objective !== COX || baseline === undefined) return refuse('learner.objective.name', why)
  return { kind: 'survival', baseline: Math.exp(Math.log(baseline) * base), rate: 1 }
}

function earlyStopping(best: string | undefined, model: XgbModel, count: number): readonly string[] {
  const { iteration_indptr: ends = [], gbtree_model_param: param = {} } = model
  const rounds = Number(best) + 1
  const used = ends[rounds] ?? rounds * Number(param['num_parallel_tree'] ?? 1)
  if (best === undefined || used === count) return []
  const classes = `predict and predict_proba of XGBoost's scikit-learn classes use ${used} trees`
  return [
    `Training stopped early: ${classes}, and ${count} were used here. Say "trees": ${used} in \`import\`.`,
  ]
}
