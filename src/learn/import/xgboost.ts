/** Reads XGBoost's JSON of versions 1 to 3: gbtree and dart. A value goes left if it is below the threshold, both in 32 bits. */
import type { ModelDefinition } from '../../definition/model.ts'
import type { TreeDefinition } from '../../definition/term.ts'
import { type ModelReader, NotSupported, type ReadOptions, type SourceFeature } from './source.ts'

/** The arrays of a tree, by node. At a leaf `split_conditions` has its value. */
interface XgbTree {
  readonly left_children: readonly number[]
  readonly right_children: readonly number[]
  readonly split_indices: readonly number[]
  readonly split_conditions: readonly number[]
  readonly default_left: readonly (number | boolean)[]
  readonly split_type?: readonly number[]
  readonly categories?: readonly number[]
  readonly categories_nodes?: readonly number[]
  readonly categories_segments?: readonly number[]
  readonly categories_sizes?: readonly number[]
  readonly tree_param?: { readonly size_leaf_vector?: string }
}
interface Codes {
  readonly offsets?: readonly number[]
  readonly values?: readonly number[]
}
interface XgbModel {
  readonly trees?: readonly XgbTree[]
  readonly weight_drop?: readonly number[]
  readonly iteration_indptr?: readonly number[]
  readonly gbtree_model_param?: { readonly num_parallel_tree?: string }
  readonly cats?: { readonly enc?: readonly Codes[] }
}
interface Booster {
  readonly name?: string
  readonly model?: XgbModel
  readonly gbtree?: { readonly model?: XgbModel }
  readonly weight_drop?: readonly number[]
}
interface XgbFile {
  readonly version?: readonly number[]
  readonly learner?: {
    readonly gradient_booster?: Booster
    readonly learner_model_param?: Readonly<Record<string, string>>
    readonly objective?: { readonly name?: string }
    readonly feature_names?: readonly string[]
    readonly feature_types?: readonly string[]
    readonly attributes?: Readonly<Record<string, string>>
  }
}

/** Its answer is the log odds, and its base score too. */
const RAW = 'binary:logitraw'
const LOGISTIC = ['binary:logistic', 'reg:logistic', RAW]
const CATEGORICAL = 1

export const readXgboost: ModelReader = (text, options) => {
  const file = parsed(text)
  const { learner } = file
  const { gradient_booster: booster = {}, learner_model_param: param = {}, attributes = {} } = learner ?? {}
  const model = booster.gbtree?.model ?? booster.model
  const refuse = (where: string, why: string): never => {
    throw new NotSupported(where, why)
  }
  if (learner === undefined) return refuse('learner', 'is missing; this is not a model that XGBoost saved')
  if (!['gbtree', 'dart'].includes(booster.name ?? ''))
    refuse('learner.gradient_booster.name', `${booster.name ?? 'none'} is not supported; gbtree and dart are`)
  for (const name of ['num_class', 'num_target'])
    if (Number(param[name] ?? 0) > 1)
      refuse(`learner.learner_model_param.${name}`, `is ${param[name] ?? ''}; a model has one risk`)
  const { trees: all = [] } = model ?? {}
  if (all.length === 0) refuse('learner.gradient_booster.model.trees', 'has no trees')
  const { trees: count = all.length } = options
  if (count > all.length) refuse('import.trees', `is ${count}, and the file has ${all.length} trees`)
  const weights = booster.weight_drop ?? model?.weight_drop ?? []
  const features = featuresIn(file, model ?? {}, options)
  const trees = all.slice(0, count).map((tree, at) => {
    // A list of weights that is shorter than that of the trees leaves the others as they are.
    const weight = weights[at] ?? 1
    return treeIn(tree, features, weight, `learner.gradient_booster.model.trees[${at}]`)
  })
  return {
    tool: ['XGBoost', file.version?.join('.')].filter((part) => part !== undefined).join(' '),
    features,
    terms: [{ kind: 'trees', combine: 'sum', rounding: 'both', trees }],
    link: linkOf(learner.objective?.name ?? '', param['base_score'] ?? '', options),
    ifRowsDiffer: earlyStopping(attributes['best_iteration'], model ?? {}, count),
  }
}

function parsed(text: string): XgbFile {
  try {
    return JSON.parse(text) as XgbFile
  } catch {
    // Before 2.0, splits by categories have the threshold NaN, which is not JSON.
    const given = text.replace(/(?<=[[,:]\s*)NaN(?=\s*[\],}])/g, 'null')
    if (given === text) throw new NotSupported('the file', 'is not well-formed JSON')
    return parsed(given)
  }
}

/** Files without names, as R writes them, have positions only. */
function featuresIn(
  { learner = {} }: XgbFile,
  { cats }: XgbModel,
  { codes = {} }: ReadOptions,
): readonly SourceFeature[] {
  const { feature_names: names = [], feature_types: types = [], learner_model_param: param = {} } = learner
  const count = Math.max(names.length, Number(param['num_feature'] ?? 0))
  return Array.from({ length: count }, (_, at) => {
    const name = names[at] ?? `f${at}`
    const own = codes[name] ?? namesIn(cats?.enc?.[at])
    const kind =
      types[at] === 'c' || own !== undefined ? 'code' : types[at] === undefined ? 'unknown' : 'number'
    return { name, kind, ...(own && { codes: own }) }
  })
}

/** From 3.1 the file has the codes of a category: texts as bytes that `offsets` part, or whole numbers. */
function namesIn({ offsets, values = [] }: Codes = {}): readonly string[] | undefined {
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
  if (Number(tree.tree_param?.size_leaf_vector ?? 0) > 1)
    throw new NotSupported(
      `${where}.tree_param.size_leaf_vector`,
      'leaves with several values are not supported',
    )
  const { categories = [], categories_nodes: nodes = [], categories_segments: starts = [] } = tree
  return tree.left_children.map((left, node) => {
    const condition = tree.split_conditions[node] ?? Number.NaN
    const isSet = left >= 0 && tree.split_type?.[node] === CATEGORICAL
    if (!isSet && !Number.isFinite(condition))
      throw new NotSupported(`${where}.split_conditions[${node}]`, 'is not a number')
    if (left < 0) return weight === 1 ? condition : Math.fround(Math.fround(condition) * Math.fround(weight))
    const right = tree.right_children[node] ?? -1
    const index = tree.split_indices[node] ?? -1
    const feature = features[index]
    if (feature === undefined)
      throw new NotSupported(`${where}.split_indices[${node}]`, `there is no feature ${index}`)
    const isLeft = Boolean(tree.default_left[node])
    const { name: field, codes } = feature
    if (!isSet) return { field, below: condition, then: left, else: right, absent: isLeft ? 'then' : 'else' }
    const place = nodes.indexOf(node)
    const start = starts[place] ?? 0
    const listed = categories.slice(start, start + (tree.categories_sizes?.[place] ?? 0))
    const named = listed.map((code) => (codes === undefined ? code : codes[code]))
    if (listed.length === 0 || named.includes(undefined))
      throw new NotSupported(
        `${where}.categories`,
        `node ${node} names a code of ${field} beyond its list of codes`,
      )
    // The codes that are listed go right, all others left.
    return {
      field,
      oneOf: named as (string | number)[],
      then: right,
      else: left,
      absent: isLeft ? 'else' : 'then',
    }
  })
}

/** The base score is on the scale of the answer: a probability, log odds, or a hazard ratio. XGBoost computes with 32 bits. */
function linkOf(objective: string, written: string, { baseline }: ReadOptions): ModelDefinition['link'] {
  const where = 'learner.learner_model_param.base_score'
  const texts = written.replace(/^\[|\]$/g, '').split(',')
  const base = Number(texts[0] === '' ? Number.NaN : texts[0])
  if (texts.length > 1) throw new NotSupported(where, 'has several numbers; a model has one risk')
  if (!Number.isFinite(base)) throw new NotSupported(where, 'is not a number')
  if (objective === RAW) return { kind: 'logistic', intercept: base }
  if (LOGISTIC.includes(objective)) {
    const { fround } = Math
    const p = Math.min(fround(1 - fround(1e-6)), Math.max(fround(1e-6), fround(base)))
    return { kind: 'logistic', intercept: -fround(Math.log(fround(fround(1 / p) - 1))) }
  }
  if (objective !== 'survival:cox')
    throw new NotSupported(
      'learner.objective.name',
      `${objective} is not supported; ${LOGISTIC.join(', ')} and survival:cox are`,
    )
  if (baseline === undefined)
    throw new NotSupported(
      'learner.objective.name',
      'survival:cox gives hazard ratios without a baseline; say in import.baseline which share has no event at the horizon where the ratio is 1',
    )
  return { kind: 'survival', baseline: Math.exp(Math.log(baseline) * base), rate: 1 }
}

function earlyStopping(best: string | undefined, model: XgbModel, count: number): readonly string[] {
  const { iteration_indptr: ends = [], gbtree_model_param: param } = model
  const used = ends[Number(best) + 1] ?? (Number(best) + 1) * Number(param?.num_parallel_tree ?? 1)
  if (best === undefined || used === count) return []
  return [
    `Training stopped early at iteration ${best}: predict and predict_proba of XGBoost's scikit-learn classes use ${used} trees, and ${count} were used here. Say "trees": ${used} in \`import\`.`,
  ]
}
