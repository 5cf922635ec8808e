/** The readers of model files on documents made here: missing types, and what is refused, with its place. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SplitDefinition, type TreesDefinition, edgeOf, isSplit } from 'patient-risk-engine/definition'
import { readLightgbm } from '../../../src/learn/import/lightgbm.ts'
import { NotSupported, type ReadOptions, type SourceModel } from '../../../src/learn/import/source.ts'
import { readXgboost } from '../../../src/learn/import/xgboost.ts'

/** The points of a source model, walked as its splits say. NaN and undefined are absent. */
function pointsOf({ terms }: SourceModel, given: Readonly<Record<string, number>>): number {
  const { trees, rounding } = terms[0] as TreesDefinition
  const sideOf = (split: SplitDefinition, value: number): 'then' | 'else' => {
    if (Number.isNaN(value)) return split.absent ?? 'else'
    if (split.oneOf !== undefined) return split.oneOf.includes(value) ? 'then' : 'else'
    return value < edgeOf(split, rounding) ? 'then' : 'else'
  }
  return trees.reduce((sum, tree) => {
    let node = tree[0]
    while (node !== undefined && isSplit(node))
      node = tree[node[sideOf(node, given[node.field] ?? Number.NaN)]]
    return sum + (node ?? Number.NaN)
  }, 0)
}

function lightgbmText(
  tree: Readonly<Record<string, string | number>>,
  head: Readonly<Record<string, string>> = {},
): string {
  const keys = (values: object): string =>
    Object.entries(values)
      .map(([key, value]) => `${key}=${value}\n`)
      .join('')
  const first = {
    version: 'v4',
    num_class: '1',
    num_tree_per_iteration: '1',
    objective: 'binary sigmoid:1',
    feature_names: 'a b',
    feature_infos: '[-9:9] [-9:9]',
    ...head,
  }
  return `tree\n${keys(first)}\nTree=0\n${keys(tree)}\nend of trees\n`
}

const ZERO = Math.fround(1e-35)
const NONE = 0
const ZERO_TYPE = 4
const NAN_TYPE = 8
/** The decision as LightGBM makes it, from its documentation of missing types. */
function goesLeft(value: number, threshold: number, type: number, isDefaultLeft: boolean): boolean {
  const number = Number.isNaN(value) && type !== NAN_TYPE ? 0 : value
  const isMissing =
    (type === ZERO_TYPE && Math.abs(number) <= ZERO) || (type === NAN_TYPE && Number.isNaN(number))
  return isMissing ? isDefaultLeft : number <= threshold
}

const THRESHOLDS = [-2, -ZERO, -1e-40, 0, 1e-40, ZERO, 1e-34, 2]
const VALUES = [Number.NaN, -3, -2, -1, -1e-34, -ZERO, -1e-36, -0, 0, 1e-36, ZERO, 1e-34, 1, 2, 3]
for (const type of [NONE, ZERO_TYPE, NAN_TYPE]) {
  for (const isDefaultLeft of [true, false]) {
    test(`missing type ${type}, default ${isDefaultLeft ? 'left' : 'right'}: every value takes the side that LightGBM takes`, () => {
      for (const threshold of THRESHOLDS) {
        const tree = {
          num_leaves: 2,
          split_feature: 0,
          threshold,
          decision_type: type + (isDefaultLeft ? 2 : 0),
          left_child: -1,
          right_child: -2,
          leaf_value: '1 2',
        }
        const model = readLightgbm(lightgbmText(tree), {})
        for (const value of VALUES) {
          const expected = goesLeft(value, threshold, type, isDefaultLeft) ? 1 : 2
          assert.equal(pointsOf(model, { a: value }), expected, `${value} against ${threshold}`)
        }
      }
    })
  }
}

test('a set of codes of LightGBM goes left, bit by bit; all others and absence go right', () => {
  const members = [0, 31, 32, 40, 95]
  const words = [0, 1, 2].map((at) =>
    members.filter((code) => code >> 5 === at).reduce((word, code) => (word | (1 << (code & 31))) >>> 0, 0),
  )
  const tree = {
    num_leaves: 2,
    num_cat: 1,
    split_feature: 0,
    threshold: 0,
    decision_type: 1,
    left_child: -1,
    right_child: -2,
    leaf_value: '1 2',
    cat_boundaries: '0 3',
    cat_threshold: words.join(' '),
  }
  const model = readLightgbm(lightgbmText(tree, { feature_infos: '0:31:40 [-9:9]' }), {})
  for (let code = 0; code < 100; code++)
    assert.equal(pointsOf(model, { a: code }), members.includes(code) ? 1 : 2)
  assert.equal(pointsOf(model, {}), 2)
})

test('an order for one feature leaves the codes that the file lists for the others', () => {
  const head = { feature_infos: '0:1 0:1' }
  const text = `${lightgbmText({ num_leaves: 1, leaf_value: 1 }, head)}pandas_categorical:[["F", "M"], ["x", "y"]]`
  const { features } = readLightgbm(text, { codes: new Map([['a', ['M', 'F']]]) })
  assert.deepEqual(
    features.map(({ codes }) => codes),
    [
      ['M', 'F'],
      ['x', 'y'],
    ],
  )
})

const LEAF = { num_leaves: 1, leaf_value: '0.5' }
const SPLIT = {
  num_leaves: 2,
  split_feature: '0',
  threshold: '1',
  decision_type: '2',
  left_child: '-1',
  right_child: '-2',
  leaf_value: '1 2',
}
/** As LightGBM 2.1 ends a file; its real ones are among the fixtures. */
const OF_2_1 = lightgbmText(SPLIT, { version: 'v2', tree_sizes: '9 9' })
  .replace('end of trees', 'Tree=1\nnum_leaves=1\nleaf_value=0.5\n')
  .concat('\n\nfeature importances:\na=1\n')
const LIGHTGBM: Readonly<Record<string, readonly [text: string, reason: RegExp, options?: ReadOptions]>> = {
  'another version': [lightgbmText(LEAF, { version: 'v9' }), /^version: is v9/],
  'several classes': [lightgbmText(LEAF, { num_class: '3' }), /^num_class: is 3/],
  'another objective': [
    lightgbmText(LEAF, { objective: 'cross_entropy_lambda' }),
    /^objective: cross_entropy_lambda/,
  ],
  'no objective': [lightgbmText(LEAF).replace(/objective=.*\n/, ''), /^objective: none/],
  'a file that is cut off': [
    lightgbmText(LEAF).replace('end of trees', ''),
    /^the file: has no line `end of trees`/,
  ],
  'a file of 2.1 that is cut off in its trees': [
    OF_2_1.slice(0, OF_2_1.indexOf('feature importances')),
    /^the file: has no line `end of trees` \(LightGBM 2\.1: `feature importances:`\)/,
  ],
  'a file of 2.1 that is cut off in its trees, and has the importances again': [
    OF_2_1.replace(/Tree=1[^]*?\n\n/, ''),
    /^tree_sizes: is about 2 trees, and the file has 1/,
  ],
  'a later file without the line `end of trees`': [
    OF_2_1.replace('version=v2', 'version=v3'),
    /^the file: has no line `end of trees`/,
  ],
  'formulas in leaves': [lightgbmText({ ...LEAF, is_linear: 1 }), /^Tree=0, is_linear/],
  'a leaf that is not a number': [
    lightgbmText({ ...SPLIT, leaf_value: '1 nan' }),
    /^Tree=0, leaf_value, entry 1/,
  ],
  'a leaf that is not there': [
    lightgbmText({ ...SPLIT, right_child: '-9' }),
    /^Tree=0, right_child, entry 0: is not a whole number from -2 to 0/,
  ],
  'a cycle': [
    lightgbmText({ ...SPLIT, left_child: '0' }),
    /^Tree=0, left_child and right_child: lead to a node twice, or back/,
  ],
  'a feature that is not there': [
    lightgbmText({ ...SPLIT, split_feature: '7' }),
    /^Tree=0, split_feature, entry 0/,
  ],
  'a code beyond the order': [
    lightgbmText({
      ...SPLIT,
      threshold: 0,
      decision_type: 1,
      num_cat: 1,
      cat_boundaries: '0 1',
      cat_threshold: '16',
    }),
    /^Tree=0, cat_threshold, split 0: names a code of a beyond/,
    { codes: new Map([['a', ['x', 'y']]]) },
  ],
  ...Object.fromEntries(
    (
      [
        ['5', '0 1 2'],
        ['0.5', '0 1 2'],
        ['2', '0 1 2'],
        ['-1', '0 1 2'],
        ['0', ''],
      ] as const
    ).map(([threshold, cat_boundaries]) => [
      `codes ${threshold} of the boundaries ${cat_boundaries}`,
      [
        lightgbmText({
          ...SPLIT,
          threshold,
          decision_type: 1,
          num_cat: 2,
          cat_boundaries,
          cat_threshold: cat_boundaries === '' ? '' : '2 4',
        }),
        /^Tree=0, threshold, entry 0: names no entry of cat_boundaries/,
      ] as const,
    ]),
  ),
  'a last line that is cut off': [
    `${lightgbmText(LEAF)}pandas_categorical:[["F", "M`,
    /^pandas_categorical: is not well-formed JSON/,
  ],
  'more trees than there are': [lightgbmText(LEAF), /^import.trees: is 2/, { trees: 2 }],
}

test('a file of LightGBM 2.1 ends with the importances of its features, which are no keys of a tree', () => {
  assert.equal(pointsOf(readLightgbm(OF_2_1, {}), { a: 3 }), 2.5)
})

/** Measured with 2.0.12, 2.1.2, 2.2.0 to 2.2.3 and 2.3.1: up to 2.2.2 a forest averages risks, and later log odds. */
const FORESTS = [
  ['v2', '0.1 0.9', 'feature importances:', 'identity', 0.9],
  ['v2', '0 1', 'end of trees', 'identity', 1],
  ['v2', '-0.1 0.9', 'end of trees', 'logistic', 0.9 * 3],
  ['v2', '0.1 1.1', 'end of trees', 'logistic', 1.1 * 3],
  ['v3', '0.1 0.9', 'end of trees', 'logistic', 0.9 * 3],
] as const
for (const [version, leaves, end, kind, points] of FORESTS)
  test(`a forest of ${version} with the leaves ${leaves} before “${end}” has the link ${kind}`, () => {
    const head = { version, average_output: '', objective: 'binary sigmoid:3' }
    const text = lightgbmText({ ...SPLIT, leaf_value: leaves }, head).replace('end of trees', end)
    const model = readLightgbm(text, {})
    assert.equal(model.link.kind, kind)
    assert.equal(pointsOf(model, { a: 3 }), points)
  })

const TREE = {
  left_children: [1, -1, -1],
  right_children: [2, -1, -1],
  split_indices: [0, 0, 0],
  split_conditions: [1.5, 1, 2],
  default_left: [1, 0, 0],
  split_type: [0, 0, 0],
}

/** One split on the first of two features, with changes. */
function xgboostText(
  changes: {
    readonly tree?: object
    readonly learner?: object
    readonly param?: object
    readonly booster?: object
    readonly version?: readonly number[]
  } = {},
): string {
  const tree = { ...TREE, ...changes.tree }
  return JSON.stringify({
    learner: {
      feature_names: ['a', 'b'],
      feature_types: ['float', 'float'],
      learner_model_param: {
        base_score: '5E-1',
        num_class: '0',
        num_feature: '2',
        num_target: '1',
        ...changes.param,
      },
      objective: { name: 'binary:logistic' },
      gradient_booster: { name: 'gbtree', model: { trees: [tree] }, ...changes.booster },
      ...changes.learner,
    },
    version: changes.version ?? [3, 2, 0],
  })
}

const CODED = {
  split_type: [1, 0, 0],
  categories: [0, 2],
  categories_nodes: [0],
  categories_segments: [0],
  categories_sizes: [2],
}
const XGBOOST: typeof LIGHTGBM = {
  'no JSON': ['{"learner":', /^the file: is not well-formed JSON/],
  'another document': ['{"a":1}', /^learner: is missing/],
  'a linear booster': [
    xgboostText({ booster: { name: 'gblinear' } }),
    /^learner.gradient_booster.name: gblinear/,
  ],
  'several targets': [
    xgboostText({ param: { num_target: '2' } }),
    /^learner.learner_model_param.num_target: is 2/,
  ],
  'several base scores': [
    xgboostText({ param: { base_score: '[5E-1,5E-1]' } }),
    /base_score: is \[5E-1,5E-1\]; one number/,
  ],
  'a base score that is no number': [
    xgboostText({ param: { base_score: '' } }),
    /base_score: is ; one number/,
  ],
  'leaves with several values': [
    xgboostText({ tree: { tree_param: { size_leaf_vector: '2' } } }),
    /trees\[0\].tree_param.size_leaf_vector/,
  ],
  'a leaf that is not a number': [
    xgboostText({ tree: { split_conditions: [1, 2, null] } }),
    /trees\[0\].split_conditions\[2\]: is not a number/,
  ],
  'a feature that is not there': [
    xgboostText({ tree: { split_indices: [7, 0, 0] } }),
    /trees\[0\].split_indices\[0\]: there is no feature 7/,
  ],
  'a learner that is null': ['{"learner":null}', /^learner: is missing/],
  'a list that is not there': [
    xgboostText({ tree: { right_children: undefined } }),
    /trees\[0\]: must have required properties right_children/,
  ],
  'a list that is too short': [
    xgboostText({ tree: { default_left: [1] } }),
    /trees\[0\].default_left: is not a list with an entry for each node/,
  ],
  'a node that is not there': [
    xgboostText({ tree: { right_children: [3, -1, -1] } }),
    /trees\[0\], node 0: there is no node 3/,
  ],
  'a tree that is null': [
    xgboostText({ booster: { model: { trees: [null] } } }),
    /^learner.gradient_booster.model.trees\[0\]: must be object/,
  ],
  'a base score that is no text': [
    xgboostText({ param: { base_score: 0.5 } }),
    /^learner.learner_model_param.base_score: must be string/,
  ],
  'a node that two splits lead to': [
    xgboostText({ tree: { right_children: [1, -1, -1] } }),
    /trees\[0\].left_children and right_children: lead to a node twice/,
  ],
  'a leaf with a branch': [
    xgboostText({ tree: { left_children: [-1, -1, -1] } }),
    /trees\[0\], node 0: there is no node -1/,
  ],
  'fewer trees than were saved': [
    xgboostText({
      booster: { model: { trees: [TREE], gbtree_model_param: { num_trees: '2' } } },
    }),
    /^learner.gradient_booster.model.trees: are 1, and 2 were saved/,
  ],
  'fewer weights than trees of dart': [
    xgboostText({
      booster: { name: 'dart', gbtree: { model: { trees: [TREE] } }, model: undefined, weight_drop: [] },
    }),
    /^learner.gradient_booster.weight_drop: has no weight for some of the trees/,
  ],
  'fewer names than features': [
    xgboostText({ learner: { feature_names: ['a'], feature_types: ['float'] } }),
    /^learner.feature_names: has 1 entries, and there are 2 features/,
  ],
  'codes that are not as many as counted': [
    xgboostText({ tree: { ...CODED, categories: [0] } }),
    /trees\[0\].categories: are not as many/,
  ],
  'two lists of codes for one node': [
    xgboostText({
      tree: {
        ...CODED,
        categories_nodes: [0, 0],
        categories_segments: [0, 1],
        categories_sizes: [1, 1],
      },
    }),
    /trees\[0\].categories_nodes: names a node twice/,
  ],
  'a split by codes that is not marked as one': [
    xgboostText({ tree: { ...CODED, split_type: [0, 0, 0] } }),
    /trees\[0\].split_type\[0\]: does not agree with categories_nodes/,
  ],
  'no trees': [xgboostText({ booster: { model: { trees: [] } } }), /^the file: has no trees/],
  'a custom objective': [
    xgboostText({ learner: { objective: { name: 'mine' } } }),
    /^learner.objective.name: mine is not supported/,
  ],
  'a code beyond the order': [
    xgboostText({ tree: CODED }),
    /trees\[0\].categories, node 0: names a code of a beyond/,
    { codes: new Map([['a', ['x', 'y']]]) },
  ],
  'more trees than there are': [xgboostText(), /^import.trees: is 2/, { trees: 2 }],
}

for (const [tool, read, files] of [
  ['LightGBM', readLightgbm, LIGHTGBM],
  ['XGBoost', readXgboost, XGBOOST],
] as const) {
  for (const [name, [text, reason, options = {}]] of Object.entries(files)) {
    test(`${tool}, ${name}: is refused with its place`, () => {
      assert.throws(
        () => read(text, options),
        (error) => {
          assert.ok(error instanceof NotSupported)
          assert.match(error.message, reason)
          return true
        },
      )
    })
  }
}

test('codes that XGBoost lists go right, all others left, and absence where the tree says', () => {
  for (const isLeft of [0, 1]) {
    const model = readXgboost(xgboostText({ tree: { ...CODED, default_left: [isLeft, 0, 0] } }), {})
    for (const code of [0, 1, 2, 3])
      assert.equal(pointsOf(model, { a: code }), code === 0 || code === 2 ? 2 : 1)
    assert.equal(pointsOf(model, {}), isLeft === 1 ? 1 : 2)
  }
})

test('weights of dart that are fewer than the trees leave the others as they are', () => {
  const model = readXgboost(
    xgboostText({ booster: { model: { trees: [TREE, TREE], weight_drop: [0.5] } } }),
    {},
  )
  assert.equal(pointsOf(model, { a: 0 }), 1.5)
})

/**
 * The log odds that XGBoost itself starts with, as its versions 1.5.2, 1.7.6, 2.0.3, 2.1.4, 3.0.5, 3.1.1 and 3.2.0 gave them for a file
 * with this base score. Null: it does not load the file. Up to 3.1 a score next to 0 or 1 is taken as it is.
 */
const BASE_SCORES = [
  ['5E-1', 0, 0],
  ['1E-3', -6.906755, -6.906755],
  ['9.99999E-1', 13.74516, 13.74516],
  ['1E-6', -13.81551, -13.81551],
  ['1E-7', -16.1181, -13.81551],
  ['9.999999E-1', 15.942385, 13.74516],
  ['1E-38', -87.498225, -13.81551],
  ['0E0', null, -13.81551],
  ['1E0', null, 13.74516],
  ['-1E0', null, null],
  ['2E0', null, null],
] as const
for (const version of [
  [1, 5, 2],
  [1, 7, 6],
  [2, 0, 3],
  [2, 1, 4],
  [3, 0, 5],
  [3, 1, 1],
  [3, 2, 0],
  [4, 0, 0],
])
  test(`the base score of XGBoost ${version.join('.')} gives the log odds that it starts with`, () => {
    const isNew = (version[0] ?? 0) > 3 || version.join('.').startsWith('3.2')
    for (const [written, before, since] of BASE_SCORES) {
      const odds = isNew ? since : before
      const read = (): SourceModel =>
        readXgboost(xgboostText({ version, param: { base_score: `[${written}]` } }), {})
      if (odds === null) {
        assert.throws(read, /base_score: is .*; a probability is expected/, written)
        continue
      }
      const { link } = read()
      assert.ok(link.kind === 'logistic' && Math.abs(link.intercept - odds) < 2e-5, written)
    }
  })

test('the base score of log odds is taken as it is, and that of a Cox model is a ratio above 0', () => {
  const read = (name: string, base_score: string): SourceModel =>
    readXgboost(xgboostText({ learner: { objective: { name } }, param: { base_score } }), { baseline: 0.9 })
  assert.deepEqual(read('binary:logitraw', '-1E0').link, { kind: 'logistic', intercept: -1 })
  for (const [written, ratio] of [
    ['5E-1', 0.5],
    ['3E0', 3],
  ] as const) {
    const { link } = read('survival:cox', written)
    assert.ok(link.kind === 'survival' && Math.abs(link.baseline - 0.9 ** ratio) < 1e-12)
  }
  for (const written of ['0E0', '-1E0'])
    assert.throws(() => read('survival:cox', written), /base_score: is .*; a hazard ratio is expected/)
})

test('a code of several bytes is read from the bytes of the file', () => {
  const bytes = [...Buffer.from('männlich')].map((byte) => (byte > 127 ? byte - 256 : byte))
  const cats = {
    enc: [
      { offsets: [0, 1, 1 + bytes.length], values: [70, ...bytes] },
      { offsets: [], values: [] },
    ],
  }
  const trees = [
    (
      JSON.parse(xgboostText({ tree: { ...CODED, categories: [1], categories_sizes: [1] } })) as {
        learner: { gradient_booster: { model: { trees: object[] } } }
      }
    ).learner.gradient_booster.model.trees[0],
  ]
  const text = xgboostText({
    learner: { feature_types: ['c', 'float'] },
    booster: { model: { trees, cats } },
  })
  // The learner of the second text has the objective and the parameters of the first.
  const { features } = readXgboost(text, {})
  assert.deepEqual(features[0]?.codes, ['F', 'männlich'])
})
