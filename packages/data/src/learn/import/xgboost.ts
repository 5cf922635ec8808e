/** Reads XGBoost's JSON of versions 1 to 3: gbtree and dart. A value goes left if it is below the threshold, both in 32 bits. */
import Type from 'typebox'
import {
  type Fault,
  FaultList,
  type ModelDefinition,
  type TreeDefinition,
} from 'patient-risk-engine/definition'
import { maybe } from '@patient-risk/catalog/schemas'
import { parseJson } from 'patient-risk-engine/read'
import { fitsSchema } from '@patient-risk/catalog'
import { refuseDeep, refuseFeatures } from './reading-budget.ts'
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

const number = Type.Number()
/** A number that may stand for NaN. */
const orNull = Type.Union([number, Type.Null()])
const child = Type.Integer({ minimum: -1 })
const whole = Type.Integer({ minimum: 0 })
const bit = Type.Union([Type.Integer({ minimum: 0, maximum: 1 }), Type.Boolean()])
/** Parameters are texts. */
const count = Type.String({ pattern: '^[0-9]{1,7}$' })
const list = Type.Array

/** The arrays of a tree, by node. At a leaf `split_conditions` has its value. */
const NODES = {
  left_children: list(child),
  right_children: list(child),
  split_indices: list(whole),
  split_conditions: list(orNull),
  default_left: list(bit),
}
const XgbTree = Type.Object({
  ...NODES,
  split_type: maybe(list(whole)),
  categories: maybe(list(whole)),
  categories_nodes: maybe(list(whole)),
  categories_segments: maybe(list(whole)),
  categories_sizes: maybe(list(whole)),
  tree_param: maybe(Type.Object({ num_nodes: maybe(count), size_leaf_vector: maybe(count) })),
})
const XgbModel = Type.Object({
  trees: list(XgbTree),
  weight_drop: maybe(list(number)),
  iteration_indptr: maybe(list(whole)),
  gbtree_model_param: maybe(Type.Object({ num_trees: maybe(count), num_parallel_tree: maybe(count) })),
  cats: maybe(Type.Object({ enc: list(Type.Object({ offsets: maybe(list(whole)), values: list(number) })) })),
})
const Learner = Type.Object({
  gradient_booster: Type.Object({
    name: Type.String(),
    model: maybe(XgbModel),
    gbtree: maybe(Type.Object({ model: XgbModel })),
    weight_drop: maybe(list(number)),
  }),
  learner_model_param: Type.Object({
    base_score: Type.String(),
    num_feature: maybe(count),
    num_class: maybe(count),
    num_target: maybe(count),
  }),
  objective: Type.Object({ name: Type.String() }),
  feature_names: maybe(list(Type.String())),
  feature_types: maybe(list(Type.String())),
  attributes: maybe(Type.Object({ best_iteration: maybe(Type.String()) })),
})
const XgbFile = Type.Object({ learner: Learner, version: maybe(list(whole)) })
type Tree = Type.Static<typeof XgbTree>
type Model = Type.Static<typeof XgbModel>

const COX = 'survival:cox'
/** Its answer is the log odds, and its base score too. */
const RAW = 'binary:logitraw'
const LOGISTIC = ['binary:logistic', 'reg:logistic', RAW]
const CATEGORICAL = 1

export const readXgboost: ModelReader = (text, options) => {
  const { learner, version = [] } = fileIn(text)
  const { gradient_booster: booster, learner_model_param: param, objective, attributes } = learner
  const { model = booster.gbtree?.model ?? refuse('learner.gradient_booster', 'has no model') } = booster
  for (const key of ['num_class', 'num_target'] as const)
    if (Number(param[key] ?? 0) > 1)
      refuse(`learner.learner_model_param.${key}`, `is ${param[key] ?? ''}; a model has one risk`)
  const weights = booster.weight_drop ?? model.weight_drop ?? []
  const features = featuresIn(learner, model, options)
  const { num_trees: saved = model.trees.length } = model.gbtree_model_param ?? {}
  if (Number(saved) !== model.trees.length)
    refuse('learner.gradient_booster.model.trees', `are ${model.trees.length}, and ${saved} were saved`)
  if (booster.name === 'dart' && weights.length < model.trees.length)
    refuse('learner.gradient_booster.weight_drop', 'has no weight for some of the trees')
  const trees = usedTrees(model.trees, options).map((tree, at) => {
    // From 3.3 on, a list of weights that is shorter than that of the trees leaves the others as they are.
    return treeIn(tree, features, weights[at] ?? 1, `learner.gradient_booster.model.trees[${at}]`)
  })
  return {
    tool: `XGBoost ${version.join('.')}`.trimEnd(),
    features,
    terms: [{ kind: 'trees', combine: 'sum', rounding: 'both', trees }],
    link: linkOf(objective.name, param.base_score, version, options),
    ifRowsDiffer: earlyStopping(attributes?.best_iteration, model, trees.length),
  }
}

function fileIn(text: string): Type.Static<typeof XgbFile> {
  const file = parsed(text) as {
    readonly learner?: { readonly gradient_booster?: { readonly name?: unknown } }
  } | null
  const learner = file?.learner ?? refuse('learner', 'is missing; this is not a model that XGBoost saved')
  const name = learner.gradient_booster?.name
  if (typeof name === 'string' && !['gbtree', 'dart'].includes(name))
    refuse('learner.gradient_booster.name', `${name} is not supported; gbtree and dart are`)
  const faults = new FaultList('')
  if (fitsSchema(XgbFile as object, file, faults)) return file as Type.Static<typeof XgbFile>
  const { path, message } = faults.faults[0] as Fault
  return refuse(
    path
      .slice(1)
      .replace(/\/(\d+)/g, '[$1]')
      .replaceAll('/', '.'),
    message,
  )
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    // Before 2.0, splits by categories have the threshold NaN, which is not JSON.
    const given = text.replace(/(?<=[[,:]\s*)NaN(?=\s*[\],}])/g, 'null')
    return given === text ? refuse('the file', 'is not well-formed JSON') : parsed(given)
  }
}

/** Files without names, as R writes them, have positions only. */
function featuresIn(
  {
    feature_names: names = [],
    feature_types: types = [],
    learner_model_param: param,
  }: Type.Static<typeof Learner>,
  { cats }: Model,
  options: ReadOptions,
): readonly SourceFeature[] {
  const codes = stated(options, 'codes')
  const count = Number(param.num_feature ?? names.length)
  refuseFeatures(count, 'learner.learner_model_param.num_feature')
  for (const [key, given] of Object.entries({
    feature_names: names,
    feature_types: types,
    'gradient_booster.model.cats.enc': cats?.enc ?? [],
  }))
    if (given.length > 0 && given.length !== count)
      refuse(`learner.${key}`, `has ${given.length} entries, and there are ${count} features`)
  return Array.from({ length: count }, (_, at) => {
    const name = names[at] ?? `f${at}`
    const own = codes?.get(name) ?? namesIn(cats?.enc[at], `learner.gradient_booster.model.cats.enc[${at}]`)
    if (own !== undefined) return { name, kind: 'code', codes: own }
    if (types[at] === 'c') return { name, kind: 'code' }
    return { name, kind: types[at] === undefined ? 'unknown' : 'number' }
  })
}

type Codes = NonNullable<Model['cats']>['enc'][number]

/** From 3.1 the file has the codes of a category: texts as bytes that `offsets` part, or whole numbers. */
function namesIn({ offsets, values }: Codes = { values: [] }, where: string): readonly string[] | undefined {
  if (values.length === 0) return undefined
  if (offsets === undefined) return values.map(String)
  if (offsets.some((offset, at) => offset < (offsets[at - 1] ?? 0))) refuse(`${where}.offsets`, 'do not rise')
  if (offsets.at(-1) !== values.length) refuse(`${where}.offsets`, 'does not end with the last of the values')
  const bytes = Buffer.from(Int8Array.from(values).buffer)
  return offsets.slice(1).map((end, at) => bytes.toString('utf8', offsets[at], end))
}

function treeIn(
  tree: Tree,
  features: readonly SourceFeature[],
  weight: number,
  where: string,
): TreeDefinition {
  const {
    left_children: lefts,
    right_children: rights,
    split_conditions: conditions,
    tree_param: param = {},
  } = tree
  if (Number(param.size_leaf_vector ?? 0) > 1)
    refuse(`${where}.tree_param.size_leaf_vector`, 'leaves with several values are not supported')
  const { num_nodes: size = lefts.length } = param
  for (const key of Object.keys(NODES) as (keyof typeof NODES)[])
    if (tree[key].length === 0 || tree[key].length !== Number(size))
      refuse(`${where}.${key}`, 'is not a list with an entry for each node')
  refuseShared(
    [...lefts, ...rights].filter((child) => child >= 0),
    `${where}.left_children and right_children`,
  )
  const splitsBelow = (node: number): readonly number[] =>
    [lefts[node] ?? -1, rights[node] ?? -1].filter((child) => (lefts[child] ?? -1) >= 0)
  refuseDeep(splitsBelow, where)
  const sets = setsIn(tree, where)
  return lefts.map((left, node) => {
    const below = conditions[node] ?? Number.NaN
    const right = rights[node] ?? -1
    const set = sets.get(node)
    if ((left < 0 || set === undefined) && Number.isNaN(below))
      refuse(`${where}.split_conditions[${node}]`, 'is not a number')
    if (left < 0 && right < 0)
      return weight === 1 ? below : Math.fround(Math.fround(below) * Math.fround(weight))
    for (const child of [left, right])
      if (!(child in lefts)) refuse(`${where}, node ${node}`, `there is no node ${child}`)
    const index = tree.split_indices[node] ?? -1
    const feature =
      features[index] ?? refuse(`${where}.split_indices[${node}]`, `there is no feature ${index}`)
    const { name: field } = feature
    const isLeft = Boolean(tree.default_left[node])
    if ((tree.split_type?.[node] === CATEGORICAL) !== (set !== undefined))
      refuse(`${where}.split_type[${node}]`, 'does not agree with categories_nodes')
    if (set === undefined) return { field, below, then: left, else: right, absent: isLeft ? 'then' : 'else' }
    const oneOf = namedCodes(feature, set, `${where}.categories, node ${node}`)
    // The codes that are listed go right, all others left.
    return { field, oneOf, then: right, else: left, absent: isLeft ? 'else' : 'then' }
  })
}

/** The codes that splits list, by node; each list follows the one before. */
function setsIn(tree: Tree, where: string): ReadonlyMap<number, readonly number[]> {
  const { categories = [], categories_nodes: nodes = [], categories_sizes: sizes = [] } = tree
  let end = 0
  const sets = nodes.map((node, at) => {
    const start = end === tree.categories_segments?.[at] ? end : Number.NaN
    end = start + (sizes[at] ?? Number.NaN)
    return [node, categories.slice(start, end)] as const
  })
  if (end !== categories.length)
    refuse(`${where}.categories`, 'are not as many as categories_sizes and categories_segments say')
  if (new Set(nodes).size < nodes.length) refuse(`${where}.categories_nodes`, 'names a node twice')
  return new Map(sets)
}

/**
 * The base score is on the scale of the answer: a probability, log odds, or a hazard ratio. XGBoost computes with 32 bits. From 3.2
 * on it takes 0 and 1 too, and limits what is near to them.
 */
function linkOf(
  objective: string,
  written: string,
  [major = 0, minor = 0]: readonly number[],
  options: ReadOptions,
): ModelDefinition['link'] {
  const where = 'learner.learner_model_param.base_score'
  const [, only = written] = /^\[(.*)\]$/.exec(written) ?? []
  const { fround } = Math
  const base = only.trim() === '' ? Number.NaN : fround(Number(only))
  if (!Number.isFinite(base)) refuse(where, `is ${written}; one number is expected`)
  if (objective === RAW) return { kind: 'logistic', intercept: base }
  if (LOGISTIC.includes(objective)) {
    const isLimited = major > 3 || (major === 3 && minor >= 2)
    const p = isLimited ? Math.min(fround(1 - fround(1e-6)), Math.max(fround(1e-6), base)) : base
    const intercept = -fround(Math.log(fround(fround(1 / p) - 1)))
    if (base < 0 || base > 1 || !Number.isFinite(intercept))
      refuse(where, `is ${written}; a probability is expected`)
    return { kind: 'logistic', intercept }
  }
  const why =
    objective === COX
      ? `${COX} gives hazard ratios without a baseline; say in import.baseline which share has no event at the horizon where the ratio is 1`
      : `${objective} is not supported; ${LOGISTIC.join(', ')} and ${COX} are`
  const baseline = objective === COX ? stated(options, 'baseline') : undefined
  if (baseline === undefined) return refuse('learner.objective.name', why)
  const shifted = Math.exp(Math.log(baseline) * base)
  if (!(shifted > 0 && shifted < 1)) refuse(where, `is ${written}; a hazard ratio is expected`)
  return { kind: 'survival', baseline: shifted, rate: 1 }
}

function earlyStopping(best: string | undefined, model: Model, count: number): readonly string[] {
  const { iteration_indptr: ends = [], gbtree_model_param: param = {} } = model
  const rounds = Number(best) + 1
  const used = ends[rounds] ?? rounds * Number(param.num_parallel_tree ?? 1)
  if (best === undefined || used === count) return []
  const classes = `predict and predict_proba of XGBoost's scikit-learn classes use ${used} trees`
  return [
    `Training stopped early: ${classes}, and ${count} were used here. Say "trees": ${used} in \`import\`.`,
  ]
}
