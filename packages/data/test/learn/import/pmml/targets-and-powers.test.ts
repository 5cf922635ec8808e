/** Targets with limits, and powers and logarithms of derived fields: the terms answer as the standard says, value by value. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPmml } from '../../../../src/learn/import/pmml/read-pmml.ts'
import { answerOf, type FeatureRecord } from './answer.ts'
import { evaluatePmml } from './reference.ts'

const FIELDS = ['x', 'z']
const SCHEMA = `<MiningSchema>${FIELDS.map((name) => `<MiningField name="${name}"/>`).join('')}</MiningSchema>`

function pmml(model: string, derived = ''): string {
  const fields = FIELDS.map((name) => `<DataField name="${name}" optype="continuous" dataType="double"/>`)
  return `<PMML version="4.4"><DataDictionary>${fields.join('')}</DataDictionary><TransformationDictionary>${derived}</TransformationDictionary>${model}</PMML>`
}

const below = (field: string, value: number): string =>
  `<SimplePredicate field="${field}" operator="lessThan" value="${value}"/>`
const isMissing = (field: string): string => `<SimplePredicate field="${field}" operator="isMissing"/>`

/** Two characteristics; an absent value has points of its own. */
const card = (target: string): string => {
  const characteristic = (field: string, points: readonly number[]): string =>
    `<Characteristic><Attribute partialScore="${points[0]}">${isMissing(field)}</Attribute><Attribute partialScore="${points[1]}">${below(field, 2)}</Attribute><Attribute partialScore="${points[2]}"><True/></Attribute></Characteristic>`
  const both = characteristic('x', [5.5, -3.25, 8]) + characteristic('z', [0.5, 1, -7.5])
  return pmml(
    `<Scorecard functionName="regression" initialScore="1.25">${SCHEMA}<Targets><Target ${target}/></Targets><Characteristics>${both}</Characteristics></Scorecard>`,
  )
}
/** The last prediction where a value is absent. */
const tree = (target: string): string => {
  const inner = `<Node score="-4.5">${below('z', 2)}</Node><Node score="2.5"><True/></Node>`
  return pmml(
    `<TreeModel functionName="regression" missingValueStrategy="lastPrediction">${SCHEMA}<Targets><Target ${target}/></Targets><Node score="1.5"><True/><Node score="-2">${below('x', 2)}${inner}</Node><Node score="9"><SimplePredicate field="x" operator="greaterOrEqual" value="2"/></Node></Node></TreeModel>`,
  )
}

const TARGETS = [
  'min="0"',
  'max="3"',
  'min="-4.5" max="9"',
  'min="-1000" max="1000"',
  'min="-1" max="2" rescaleFactor="-2.5" rescaleConstant="0.25"',
  'castInteger="round"',
  'castInteger="ceiling" rescaleFactor="0.3"',
  'castInteger="floor" min="-1.5" max="2.5"',
  'rescaleFactor="3" rescaleConstant="1"',
]
const RECORDS: readonly FeatureRecord[] = [undefined, -1, 1.999, 2, 7].flatMap((x) =>
  [undefined, 0, 2, 3].map((z) => ({ x, z })),
)

function compare(text: string, records: readonly FeatureRecord[], mayBeAbsent: boolean): void {
  const model = readPmml(text, { mayBeAbsent: () => mayBeAbsent })
  for (const record of records) {
    const expected = evaluatePmml(text, record, '') ?? Number.NaN
    const actual = answerOf(model, record) ?? Number.NaN
    const isSame = Math.abs(actual - expected) <= 1e-12 * Math.max(1, Math.abs(expected))
    assert.ok(isSame || Object.is(actual, expected), `${JSON.stringify(record)}: ${expected}, not ${actual}`)
  }
}

for (const [kind, document] of [
  ['a scorecard', card],
  ['a tree', tree],
] as const)
  for (const target of TARGETS)
    test(`${kind} with the target ${target} answers as the standard says, also without its inputs`, () => {
      compare(document(target), RECORDS, true)
      const given = RECORDS.filter(({ x, z }) => x !== undefined && z !== undefined)
      compare(document(target), given, false)
    })

const ref = (field: string): string => `<FieldRef field="${field}"/>`
const constant = (value: number): string => `<Constant dataType="double">${value}</Constant>`
const apply = (name: string, ...args: readonly string[]): string =>
  `<Apply function="${name}">${args.join('')}</Apply>`
const product = apply('*', apply('*', ref('x'), ref('z')), constant(3))
const sum = apply('+', apply('+', ref('x'), apply('*', ref('z'), constant(2))), constant(-1))
const FORMULAS: Readonly<Record<string, string>> = {
  'the square of a sum of two fields': apply('pow', sum, constant(2)),
  'the third power of a sum of two fields': apply('pow', sum, constant(3)),
  'the square of a product': apply('pow', product, constant(2)),
  'a quotient by a product': apply('/', ref('x'), product),
  'the root of a product': apply('pow', product, constant(0.5)),
  'the root of a third power': apply('pow', apply('pow', ref('x'), constant(3)), constant(0.5)),
  'the logarithm of a constant and a field': apply('ln', apply('+', constant(1), ref('x'))),
  'a quotient by a constant and a field': apply('/', constant(1), apply('+', constant(1), ref('x'))),
  'the logarithm of a field and two constants': apply(
    'ln',
    apply('+', apply('+', ref('x'), constant(1)), constant(2)),
  ),
  'the logarithm of a product': apply('ln', product),
  'the logarithm of a square': apply('ln', apply('pow', ref('x'), constant(2))),
  'the logarithm of a root': apply('ln', apply('pow', ref('z'), constant(0.5))),
}
const POSITIVE: readonly FeatureRecord[] = [0.1, 1, 2.5, 40].flatMap((x) =>
  [0.3, 1, 17].map((z) => ({ x, z })),
)
for (const [name, formula] of Object.entries(FORMULAS))
  test(`${name} of a derived field answers as the standard says`, () => {
    const derived = `<DerivedField name="d" optype="continuous" dataType="double">${formula}</DerivedField>`
    const predictor = '<NumericPredictor name="d" coefficient="0.5"/>'
    compare(
      pmml(
        `<RegressionModel functionName="regression">${SCHEMA}<RegressionTable intercept="0.1">${predictor}</RegressionTable></RegressionModel>`,
        derived,
      ),
      POSITIVE,
      false,
    )
  })
