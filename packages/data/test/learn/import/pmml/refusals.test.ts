/** What cannot be expressed is refused with its element and line, never approximated. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPmml } from '../../../../src/learn/import/pmml/read-pmml.ts'
import { NotSupported, type ReadOptions } from '../../../../src/learn/import/source.ts'

const FIELDS = `<DataField name="x" optype="continuous" dataType="double"/>
<DataField name="z" optype="continuous" dataType="double"/>
<DataField name="c" optype="categorical" dataType="string"><Value value="A"/><Value value="B"/></DataField>
<DataField name="y" optype="categorical" dataType="string"><Value value="yes"/><Value value="no"/></DataField>`
const SCHEMA =
  '<MiningSchema><MiningField name="x"/><MiningField name="z"/><MiningField name="c"/></MiningSchema>'

/** Fields take lines 2 to 7, derived fields line 8; what is given begins in line 9. */
function pmml(model: string, derived = '', fields = FIELDS): string {
  return `<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4">
<DataDictionary>
${fields}
</DataDictionary>
<TransformationDictionary>${derived}</TransformationDictionary>
${model}
</PMML>`
}

const node = (inner: string, attributes = ''): string =>
  `<TreeModel functionName="regression" ${attributes}>${SCHEMA}\n<Node score="0"><True/>\n${inner}</Node></TreeModel>`
const table = (inner: string, attributes = ''): string =>
  `<RegressionModel functionName="regression" ${attributes}>${SCHEMA}\n<RegressionTable intercept="0">\n${inner}</RegressionTable></RegressionModel>`
const derived = (expression: string): string =>
  pmml(
    table('<NumericPredictor name="t" coefficient="1"/>'),
    `<DerivedField name="t" optype="continuous" dataType="double">${expression}</DerivedField>`,
  )
const general = (attributes: string, inner = ''): string =>
  pmml(
    `<GeneralRegressionModel functionName="classification" ${attributes}>${SCHEMA}\n<ParameterList><Parameter name="p"/></ParameterList>\n${inner}<PPMatrix/><ParamMatrix><PCell targetCategory="yes" parameterName="p" beta="1"/></ParamMatrix></GeneralRegressionModel>`,
  )
const cox = (inner: string, attributes = ''): string =>
  pmml(
    `<GeneralRegressionModel functionName="regression" modelType="CoxRegression" ${attributes}>${SCHEMA}\n<ParameterList><Parameter name="p"/></ParameterList><PPMatrix><PPCell value="1" predictorName="x" parameterName="p"/></PPMatrix><ParamMatrix><PCell parameterName="p" beta="1"/></ParamMatrix>\n${inner}</GeneralRegressionModel>`,
  )
const ensemble = (method: string, segment = '<True/>', inner = node('')): string =>
  pmml(
    `<MiningModel functionName="regression">${SCHEMA}\n<Segmentation multipleModelMethod="${method}">\n<Segment>${segment}${inner}</Segment></Segmentation></MiningModel>`,
  )
const field = (extra: string, mining: string): string =>
  pmml(
    `<RegressionModel functionName="regression"><MiningSchema>\n${mining}</MiningSchema><RegressionTable intercept="0"><NumericPredictor name="x" coefficient="1"/></RegressionTable></RegressionModel>`,
    '',
    `<DataField name="x" optype="continuous" dataType="double">${extra}</DataField>\n\n\n`,
  )

const REFUSALS: readonly (readonly [what: string, text: string, message: string, options?: ReadOptions])[] = [
  ['no XML', 'x', 'line 1: is not well-formed XML'],
  ['an element that is not closed', '<PMML version="4.4">', 'line 1: is not well-formed XML'],
  ['a document type', '<!DOCTYPE x [<!ENTITY a "b">]><PMML/>', 'line 1: has a document type'],
  ['an entity', '<PMML version="&a;"/>', 'line 1: is not well-formed XML'],
  ['deep nesting', '<a>'.repeat(600), 'line 1: is nested more than 500 deep'],
  ['a large file', ' '.repeat(20_000_001), 'the file: is larger than 20 MB'],
  ['another root', '<html/>', 'html in line 1: is not PMML'],
  ['an old version', '<PMML version="3.2"/>', 'PMML in line 1: only the versions 4.2, 4.3 and 4.4'],
  ['no model', '<PMML version="4.4"/>', 'PMML in line 1: has no model'],
  ['another model', pmml('<NeuralNetwork/>'), 'NeuralNetwork in line 9: this kind of model is not read'],
  [
    'a model that is not scorable',
    pmml(node('', 'isScorable="false"')),
    'TreeModel in line 9: is not meant for scoring',
  ],
  [
    'weightedConfidence',
    pmml(node('', 'missingValueStrategy="weightedConfidence"')),
    'TreeModel in line 9: missingValueStrategy',
  ],
  [
    'aggregateNodes',
    pmml(node('', 'missingValueStrategy="aggregateNodes"')),
    'TreeModel in line 9: missingValueStrategy',
  ],
  [
    'an unknown field',
    pmml(node('<Node score="1">\n<SimplePredicate field="q" operator="equal" value="1"/></Node>')),
    'SimplePredicate in line 12: names q',
  ],
  [
    'a predicate without an operator',
    pmml(node('<Node score="1">\n<CompoundPredicate><True/></CompoundPredicate></Node>')),
    'CompoundPredicate in line 12: has no booleanOperator',
  ],
  [
    'a predicate of nothing',
    pmml(node('<Node score="1">\n<CompoundPredicate booleanOperator="and"/></Node>')),
    'CompoundPredicate in line 12: has no predicates',
  ],
  [
    'another function of the model',
    pmml(node('').replace('"regression"', '"clustering"')),
    'TreeModel in line 9: functionName "clustering" cannot be expressed',
  ],
  [
    'a difference of one argument',
    derived('<Apply function="-"><FieldRef field="x"/></Apply>'),
    'Apply in line 8: has 1 arguments',
  ],
  [
    'a logarithm of two arguments',
    derived('<Apply function="ln"><FieldRef field="x"/><FieldRef field="z"/></Apply>'),
    'Apply in line 8: has 2 arguments',
  ],
  [
    'points of a line that are not in order',
    derived(
      '<NormContinuous field="x"><LinearNorm orig="2" norm="0"/><LinearNorm orig="1" norm="1"/></NormContinuous>',
    ),
    'NormContinuous in line 8: needs two LinearNorm or more, by rising orig',
  ],
  [
    'a table of values that asks for no field',
    derived('<MapValues outputColumn="o"><InlineTable><row><o>1</o></row></InlineTable></MapValues>'),
    'MapValues in line 8: has no FieldColumnPair',
  ],
  [
    'a product of nothing',
    pmml(table('<PredictorTerm coefficient="1"/>')),
    'PredictorTerm in line 11: has no FieldRef',
  ],
  [
    'a type that is not known',
    field('', '<MiningField name="x"/>').replace('"double"', '"decimal"'),
    'DataField in line 3: dataType "decimal" cannot be expressed',
  ],
  [
    'an interval without values',
    field('<Interval closure="closedOpen" leftMargin="3" rightMargin="3"/>', '<MiningField name="x"/>'),
    'Interval in line 3: has no value',
  ],
  [
    'a closure that is not known',
    field('<Interval closure="closed" leftMargin="3"/>', '<MiningField name="x"/>'),
    'Interval in line 3: closure "closed" cannot be expressed',
  ],
  [
    'a parameter that is not listed',
    cox('').replace('PCell parameterName="p"', 'PCell parameterName="q"'),
    'PCell in line 10: names a parameter that is not in ParameterList',
  ],
  [
    'a code that is no number',
    pmml(
      node('<Node score="1">\n<SimplePredicate field="c" operator="equal" value="A"/></Node>'),
      '',
      FIELDS.replace(
        'name="c" optype="categorical" dataType="string"><Value value="A"/><Value value="B"/>',
        'name="c" optype="categorical" dataType="integer"><Value value="1"/><Value value="2"/>',
      ),
    ),
    'SimplePredicate in line 12: "A" is not a number',
  ],
  [
    'an unknown operator',
    pmml(node('<Node score="1"><SimplePredicate field="x" operator="near" value="1"/></Node>')),
    'SimplePredicate in line 11: near cannot be expressed',
  ],
  [
    'the order of codes',
    pmml(node('<Node score="1"><SimplePredicate field="c" operator="lessThan" value="1"/></Node>')),
    'SimplePredicate in line 11: asks for the order of codes of c',
  ],
  [
    'a score that is no number',
    pmml(node('<Node score="high"><True/></Node>')),
    'Node in line 11: "high" is not a number',
  ],
  [
    'a model in a leaf',
    pmml(node('<Node score="1"><True/><Regression/></Node>')),
    'Node in line 11: has a model of its own',
  ],
  [
    'a default child that is not there',
    pmml(
      node(
        '<Node score="1"><SimplePredicate field="x" operator="lessThan" value="1"/></Node>',
        'missingValueStrategy="defaultChild"',
      ),
    ),
    'Node in line 10: has no defaultChild',
  ],
  [
    'a class that is not named',
    pmml(node('').replace('"regression"', '"classification"')),
    'TreeModel in line 9: name the event in import.event; the classes are 0',
  ],
  [
    'another normalization',
    pmml(table('', 'normalizationMethod="cloglog"')),
    'RegressionModel in line 9: normalizationMethod "cloglog" cannot be expressed',
  ],
  [
    'an exponent',
    pmml(table('<NumericPredictor name="x" exponent="1.3" coefficient="1"/>')),
    'NumericPredictor in line 11: terms have no exponent 1.3',
  ],
  [
    'a code as a number',
    pmml(table('<NumericPredictor name="c" coefficient="1"/>')),
    'NumericPredictor in line 11: needs c as a number',
  ],
  [
    'an expression',
    derived('\n<TextIndex textField="c"/>'),
    'TextIndex in line 9: this expression cannot be expressed',
  ],
  [
    'a function',
    derived('<Apply function="floor"><FieldRef field="x"/></Apply>'),
    'Apply in line 8: floor cannot be expressed',
  ],
  [
    'a large exponent',
    pmml(table('<NumericPredictor name="x" exponent="61" coefficient="1"/>')),
    'NumericPredictor in line 11: terms have no exponent 61',
  ],
  [
    'an exponential',
    derived('<Apply function="exp"><FieldRef field="x"/></Apply>'),
    'Apply in line 8: terms have no exponential',
  ],
  [
    'two fields that are compared',
    derived('<Apply function="lessThan"><FieldRef field="x"/><FieldRef field="z"/></Apply>'),
    'Apply in line 8: compares what does not rise or fall',
  ],
  [
    'a quotient of a sum',
    derived(
      '<Apply function="/"><FieldRef field="x"/><Apply function="+"><FieldRef field="x"/><FieldRef field="z"/></Apply></Apply>',
    ),
    'Apply in line 8: terms cannot express this power',
  ],
  [
    'a field that is derived from itself',
    derived('<FieldRef field="t"/>'),
    'DerivedField in line 8: is derived from itself',
  ],
  [
    'a date',
    derived('<FieldRef field="x"/>').replace(
      'name="t" optype="continuous" dataType="double"',
      'name="t" optype="continuous" dataType="date"',
    ),
    'DerivedField in line 8: the type date',
  ],
  [
    'an offset',
    general('modelType="generalizedLinear" linkFunction="logit" offsetValue="1"'),
    'GeneralRegressionModel in line 9: offsetValue',
  ],
  [
    'trials',
    general('modelType="generalizedLinear" linkFunction="logit" trialsValue="2"'),
    'GeneralRegressionModel in line 9: trialsValue',
  ],
  [
    'ordinalMultinomial',
    general('modelType="ordinalMultinomial"'),
    'GeneralRegressionModel in line 9: modelType "ordinalMultinomial"',
  ],
  [
    'another link',
    general('modelType="generalizedLinear" linkFunction="probit"'),
    'GeneralRegressionModel in line 9: linkFunction "probit"',
  ],
  [
    'contrasts',
    general(
      'modelType="multinomialLogistic"',
      '<FactorList><Predictor name="c"><Matrix/></Predictor></FactorList>',
    ),
    'Predictor in line 11: has contrasts',
  ],
  ['a Cox model without a baseline', cox(''), 'GeneralRegressionModel in line 9: has no baseline'],
  [
    'a Cox model without a horizon',
    cox('<BaseCumHazardTables/>'),
    'GeneralRegressionModel in line 9: state the horizon in import.horizon',
  ],
  [
    'a horizon before the first event',
    cox('<BaseCumHazardTables maxTime="9"><BaselineCell time="5" cumHazard="1"/></BaseCumHazardTables>'),
    'BaseCumHazardTables in line 11: has no hazard at the horizon 4',
    { horizon: 4 },
  ],
  [
    'a horizon after the last event',
    cox('<BaseCumHazardTables maxTime="9"><BaselineCell time="5" cumHazard="1"/></BaseCumHazardTables>'),
    'BaseCumHazardTables in line 11: ends before the horizon 10',
    { horizon: 10 },
  ],
  ['a vote', ensemble('majorityVote'), 'Segmentation in line 10: multipleModelMethod "majorityVote"'],
  [
    'segments that are chosen',
    ensemble('sum', '<SimplePredicate field="x" operator="lessThan" value="1"/>'),
    'SimplePredicate in line 11: chooses between models',
  ],
  [
    'averaged formulas',
    ensemble('average', '<True/>', table('', 'normalizationMethod="logit"')),
    'Segment in line 11: adds up probabilities',
  ],
  [
    'limits of a formula',
    pmml(
      table('<NumericPredictor name="x" coefficient="1"/>').replace(
        '\n<RegressionTable',
        '<Targets><Target min="0"/></Targets>\n<RegressionTable',
      ),
    ),
    'Target in line 9: min and max of a formula cannot be expressed; a result of trees and points can',
  ],
  [
    'a formula as a whole number',
    pmml(
      table('<NumericPredictor name="x" coefficient="1"/>').replace(
        '\n<RegressionTable',
        '<Targets><Target castInteger="round"/></Targets>\n<RegressionTable',
      ),
    ),
    'Target in line 9: castInteger of a formula cannot be expressed',
  ],
  [
    'a probability with limits',
    pmml(
      table('', 'normalizationMethod="logit"').replace(
        '\n<RegressionTable',
        '<Targets><Target max="0.9"/></Targets>\n<RegressionTable',
      ),
    ),
    'Target in line 9: limits a probability that a formula gives',
  ],
  [
    'a min above the max',
    pmml(node('').replace('\n<Node', '<Targets><Target min="2" max="1"/></Targets>\n<Node')),
    'Target in line 9: has a min above its max',
  ],
  [
    'another cast',
    pmml(node('').replace('\n<Node', '<Targets><Target castInteger="up"/></Targets>\n<Node')),
    'Target in line 9: castInteger "up" cannot be expressed',
  ],
  [
    'the root of a square',
    derived(
      '<Apply function="sqrt"><Apply function="pow"><FieldRef field="x"/><Constant>2</Constant></Apply></Apply>',
    ),
    'Apply in line 8: terms cannot express this power',
  ],
  [
    'the square of a root',
    derived(
      '<Apply function="pow"><Apply function="sqrt"><FieldRef field="x"/></Apply><Constant>2</Constant></Apply>',
    ),
    'Apply in line 8: terms cannot express this power',
  ],
  [
    'the logarithm of a sum of two fields',
    derived(
      '<Apply function="ln"><Apply function="+"><FieldRef field="x"/><FieldRef field="z"/></Apply></Apply>',
    ),
    'Apply in line 8: terms cannot express this power',
  ],
  [
    'two ranges',
    field(
      '<Interval closure="closedOpen" rightMargin="1"/><Interval closure="openClosed" leftMargin="2"/>',
      '<MiningField name="x"/>',
    ),
    'DataField in line 3: has values without a result among others',
  ],
  [
    'missing that has no result',
    field('', '<MiningField name="x" missingValueTreatment="returnInvalid"/>'),
    'MiningField in line 10: has no result where the field is missing',
  ],
  [
    'outliers of invalid values',
    field(
      '<Interval closure="openClosed" leftMargin="2"/>',
      '<MiningField name="x" invalidValueTreatment="asIs" outliers="asExtremeValues" lowValue="0" highValue="1"/>',
    ),
    'MiningField in line 10: treats outliers',
  ],
]

for (const [what, text, message, options = {}] of REFUSALS)
  test(`refuses ${what}`, () => {
    assert.throws(
      () => readPmml(text, options),
      (error) => error instanceof NotSupported && error.message.includes(message),
      `expected: ${message}`,
    )
  })

const withoutValue = pmml(table('<NumericPredictor name="x" coefficient="1"/>'))
for (const text of ['NA', 'N/A', 'NaN', ''])
  test(`a number that is missing where the file says “${text}” is a number like others: no record says so`, () => {
    const stated = `name="x" optype="continuous" dataType="double"><Value value="${text}" property="missing"/></DataField>`
    const changed = withoutValue.replace('name="x" optype="continuous" dataType="double"/>', stated)
    assert.notEqual(changed, withoutValue)
    assert.deepEqual(readPmml(changed, {}), readPmml(withoutValue, {}))
  })
