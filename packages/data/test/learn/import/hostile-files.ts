/** Small model files that ask for a great deal of work, and files just within the bounds: what · the file · why it is refused. */
const listOf = (count: number, part: (at: number) => string, by = ''): string =>
  Array.from({ length: count }, (_, at) => part(at)).join(by)

/** Derived fields take a line each, from line 3 on. */
function pmml(derived: string, model: string): string {
  return `<PMML version="4.4"><DataDictionary>${listOf(60, (at) => `<DataField name="x${at}" optype="continuous" dataType="double"/>`)}</DataDictionary>
<TransformationDictionary>
${derived}</TransformationDictionary>
${model}</PMML>`
}
const SCHEMA = `<MiningSchema>${listOf(60, (at) => `<MiningField name="x${at}"/>`)}</MiningSchema>`
const regressionOn = (field: string): string =>
  `<RegressionModel functionName="regression">${SCHEMA}<RegressionTable intercept="0">
<NumericPredictor name="${field}" coefficient="1"/></RegressionTable></RegressionModel>`
const derivedField = (name: string, expression: string): string =>
  `<DerivedField name="${name}" optype="continuous" dataType="double">${expression}</DerivedField>\n`
export const ref = (field: string): string => `<FieldRef field="${field}"/>`
export const apply = (name: string, ...args: readonly string[]): string =>
  `<Apply function="${name}">${args.join('')}</Apply>`

/** Each derived field is made of the one before it, and the first one of `start`. */
export const chained = (count: number, step: (before: string) => string, start = step(ref('x0'))): string =>
  pmml(
    listOf(count, (at) => derivedField(`d${at}`, at === 0 ? start : step(ref(`d${at - 1}`)))),
    regressionOn(`d${count - 1}`),
  )
const derivedAs = (expression: string): string => pmml(derivedField('d', expression), regressionOn('d'))
const ifBelow = (at: number): string =>
  apply('if', apply('lessThan', ref(`x${at}`), '<Constant>1</Constant>'), ref(`x${at}`), ref('x59'))
export const discretized = (bins: number): string =>
  derivedAs(
    `<Discretize field="x0">${listOf(bins, (at) => `<DiscretizeBin binValue="${at % 7}"><Interval closure="closedOpen" leftMargin="${at}" rightMargin="${at + 1}"/></DiscretizeBin>`)}</Discretize>`,
  )
const sumCompared = (constants: number): string =>
  derivedAs(
    apply(
      'threshold',
      apply('sum', ref('x0'), '<Constant>1</Constant>'.repeat(constants)),
      '<Constant>5</Constant>',
    ),
  )

/** Each split leads to the next one and to a leaf. */
function lightgbmDeep(splits: number): string {
  const keys = {
    num_leaves: splits + 1,
    num_cat: 0,
    split_feature: listOf(splits, () => '0', ' '),
    threshold: listOf(splits, (at) => String(at), ' '),
    decision_type: listOf(splits, () => '2', ' '),
    left_child: listOf(splits, (at) => String(-at - 1), ' '),
    right_child: listOf(splits, (at) => String(at === splits - 1 ? -splits - 1 : at + 1), ' '),
    leaf_value: listOf(splits + 1, (at) => String(at), ' '),
  }
  return lightgbm(keys)
}

function lightgbm(keys: Readonly<Record<string, string | number>>): string {
  const head =
    'tree\nversion=v4\nobjective=binary sigmoid:1\nfeature_names=a\nfeature_infos=[0:9]\n\nTree=0\n'
  const lines = Object.entries(keys).map(([key, value]) => `${key}=${value}`)
  return `${head}${lines.join('\n')}\n\nend of trees\n`
}

/** A balanced tree, each split of which names the same list of codes. */
function lightgbmCodes(splits: number, words: number): string {
  const child = (at: number): string => String(at < splits ? at : -(at - splits) - 1)
  return lightgbm({
    num_leaves: splits + 1,
    num_cat: 1,
    split_feature: listOf(splits, () => '0', ' '),
    threshold: listOf(splits, () => '0', ' '),
    decision_type: listOf(splits, () => '1', ' '),
    left_child: listOf(splits, (at) => child(2 * at + 1), ' '),
    right_child: listOf(splits, (at) => child(2 * at + 2), ' '),
    leaf_value: listOf(splits + 1, (at) => String(at), ' '),
    cat_boundaries: `0 ${words}`,
    cat_threshold: listOf(words, () => '1', ' '),
  })
}

function xgboost(features: number, splits = 1, learner: object = {}, model: object = {}): string {
  const nodes = 2 * splits + 1
  const numbers = Array.from({ length: nodes }, (_, at) => at)
  // Even nodes but the last are splits, and each odd one is the leaf to the left of the split before it.
  const isSplit = (at: number): boolean => at % 2 === 0 && at < nodes - 1
  const tree = {
    left_children: numbers.map((at) => (isSplit(at) ? at + 1 : -1)),
    right_children: numbers.map((at) => (isSplit(at) ? at + 2 : -1)),
    split_indices: numbers.map(() => 0),
    split_conditions: numbers,
    default_left: numbers.map(() => 0),
  }
  return JSON.stringify({
    learner: {
      learner_model_param: { base_score: '5E-1', num_feature: String(features) },
      objective: { name: 'binary:logistic' },
      gradient_booster: { name: 'gbtree', model: { trees: [tree], ...model } },
      ...learner,
    },
    version: [3, 2, 0],
  })
}

const codes = (offsets: readonly number[]): object => ({
  cats: { enc: [{ offsets, values: Array.from({ length: 3 }, () => 65) }] },
})

/** Undefined: is read. Rows of one limit stand below or at it, and above. */
export const FILES: readonly (readonly [what: string, text: string, reason?: RegExp])[] = [
  [
    '40 derived fields, each twice the one before',
    chained(40, (before) => apply('+', before, before)),
    /, Apply in line \d+: asks for more than 20,000,000 steps of work/,
  ],
  ['8 derived fields, each twice the one before', chained(8, (before) => apply('+', before, before))],
  [
    '40 derived fields, each the square of the one before',
    chained(40, (before) => apply('*', before, before)),
    /, Apply in line \d+: asks for more than 20,000,000 steps of work/,
  ],
  [
    '60,000 derived fields, one after the other',
    chained(60_000, (before) => apply('+', before, '<Constant>1</Constant>')),
    /, Apply in line \d+: is the innermost of more than 500 expressions, counted through derived fields/,
  ],
  [
    '250 derived fields, one after the other',
    chained(250, (before) => apply('+', before, '<Constant>1</Constant>')),
  ],
  [
    '251 derived fields, one after the other',
    chained(251, (before) => apply('+', before, '<Constant>1</Constant>')),
    /, (Apply|FieldRef) in line \d+: is the innermost of more than 500 expressions/,
  ],
  [
    '40 derived fields that share their values, each twice the one before and all of them constant',
    chained(40, (before) => apply('+', before, before)).replaceAll(ref('x0'), '<Constant>1</Constant>'),
  ],
  [
    'a sum of 40 choices, each between two fields',
    derivedAs(apply('sum', ...Array.from({ length: 40 }, (_, at) => ifBelow(at)))),
    /in line \d+: asks for more than 20,000,000 steps of work/,
  ],
  ['a field with 1,000 edges of bands', discretized(999)],
  [
    'a field with 1,001 edges of bands',
    discretized(1_000),
    /, NumericPredictor in line \d+: asks more than 1,000 questions one after the other/,
  ],
  ['a sum of 400 constants that is compared', sumCompared(400)],
  [
    'a sum of 6,000 constants that is compared',
    sumCompared(6_000),
    /, Apply in line 3: compares what does not rise or fall with one field alone, or is computed in too many steps/,
  ],
  [
    'more than a million elements',
    `<PMML version="4.4">${'<a/>'.repeat(1_000_001)}</PMML>`,
    /, line 1: has more than 1,000,000 elements/,
  ],
  ['5,000 features', xgboost(5_000)],
  [
    '5,001 features',
    xgboost(5_001),
    /, learner\.learner_model_param\.num_feature: are 5001 features; at most 5,000 are read/,
  ],
  [
    '9,999,999 features',
    xgboost(9_999_999),
    /, learner\.learner_model_param\.num_feature: are 9999999 features; at most 5,000 are read/,
  ],
  ['a tree of XGBoost that is 500 splits deep', xgboost(1, 500)],
  ['a tree of XGBoost that is 501 splits deep', xgboost(1, 501), /trees\[0\]: is more than 500 splits deep/],
  [
    'a tree of XGBoost that is 100,000 splits deep',
    xgboost(1, 100_000),
    /, learner\.gradient_booster\.model\.trees\[0\]: is more than 500 splits deep/,
  ],
  ['codes of XGBoost in their order', xgboost(1, 1, {}, codes([0, 1, 3]))],
  [
    'codes of XGBoost that are parts of each other',
    xgboost(1, 1, {}, codes([0, 3, 0, 3])),
    /cats\.enc\[0\]\.offsets: do not rise/,
  ],
  ['a tree of LightGBM that is 500 splits deep', lightgbmDeep(500)],
  ['a tree of LightGBM that is 501 splits deep', lightgbmDeep(501), /, Tree=0: is more than 500 splits deep/],
  [
    'a tree of LightGBM that is 100,000 splits deep',
    lightgbmDeep(100_000),
    /, Tree=0: is more than 500 splits deep/,
  ],
  [
    '100,000 splits of LightGBM that name one list of 100,000 codes',
    lightgbmCodes(100_000, 3_125),
    /, Tree=0, cat_threshold, split \d+: asks for more than 20,000,000 steps of work/,
  ],
]
