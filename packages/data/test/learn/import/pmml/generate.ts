/** Random PMML documents of every kind that the reader takes, and records for them next to every number that they mention. */
import type { Random } from '../../../../../../test/support/random.ts'
import type { FeatureRecord } from './answer.ts'

export const EVENT = 'yes'

type Attributes = Readonly<Record<string, string | number | undefined>>

function xml(name: string, attributes: Attributes = {}, ...children: readonly string[]): string {
  const pairs = Object.entries(attributes).filter(([, value]) => value !== undefined)
  const text = pairs.map(([key, value]) => ` ${key}="${value}"`).join('')
  return children.length === 0 ? `<${name}${text}/>` : `<${name}${text}>${children.join('\n')}</${name}>`
}

interface FieldKind {
  readonly name: string
  readonly optype: 'continuous' | 'categorical' | 'ordinal'
  readonly type: string
  readonly values: readonly string[]
}
const FIELDS: readonly FieldKind[] = [
  { name: 'x', optype: 'continuous', type: 'double', values: ['-1.5', '0', '2.35', '3.7', '10'] },
  { name: 'f', optype: 'continuous', type: 'float', values: ['0.1', '0.3', '1.7', '2.35', '9.9'] },
  { name: 'n', optype: 'continuous', type: 'integer', values: ['0', '1', '2', '5', '8'] },
  { name: 'c', optype: 'categorical', type: 'string', values: ['A', 'B', 'C C'] },
  { name: 'd', optype: 'categorical', type: 'integer', values: ['1', '2', '3'] },
  { name: 'b', optype: 'categorical', type: 'boolean', values: ['true', 'false'] },
]

export class Documents {
  private readonly random: Random
  private readonly derived: FieldKind[] = []

  constructor(random: Random) {
    this.random = random
  }

  document(): string {
    const transformations = Array.from({ length: this.random.below(4) }, () => this.derivedField())
    return [
      '<?xml version="1.0"?>',
      xml(
        'PMML',
        { version: this.random.pick(['4.2', '4.3', '4.4']), xmlns: 'http://www.dmg.org/PMML-4_4' },
        xml('Header', {}, xml('Application', { name: 'random', version: 1 })),
        xml('DataDictionary', {}, ...FIELDS.map((field) => this.dataField(field)), this.target()),
        ...(transformations.length > 0 ? [xml('TransformationDictionary', {}, ...transformations)] : []),
        this.topModel(),
      ),
    ].join('\n')
  }

  private target(): string {
    return xml(
      'DataField',
      { name: 'y', optype: 'categorical', dataType: 'string' },
      ...['yes', 'no'].map((value) => xml('Value', { value })),
    )
  }

  private dataField({ name, optype, type, values }: FieldKind): string {
    const { random } = this
    const parts: string[] = []
    if (optype !== 'continuous' && type !== 'boolean' && random.chance(0.7))
      parts.push(...values.map((value) => xml('Value', { value })))
    if (optype === 'continuous' && random.chance(0.3))
      parts.push(xml('Interval', { closure: this.closure(), leftMargin: -2, rightMargin: 9.5 }))
    if (optype === 'continuous' && random.chance(0.15))
      parts.push(xml('Value', { value: 2, property: 'missing' }))
    return xml('DataField', { name, optype, dataType: type }, ...parts)
  }

  private closure(): string {
    return this.random.pick(['openOpen', 'openClosed', 'closedOpen', 'closedClosed'])
  }

  private number(): number {
    return Math.round((this.random.next() * 4 - 2) * 100) / 100
  }

  private field(...types: readonly FieldKind['optype'][]): FieldKind {
    const known = [...FIELDS, ...this.derived].filter(
      (each) => types.length === 0 || types.includes(each.optype),
    )
    return this.random.pick(known)
  }

  private valueFor({ values }: FieldKind): string {
    return this.random.pick(values)
  }

  private derivedField(): string {
    const { random } = this
    const name = `derived${this.derived.length}`
    const [expression, optype, type, values] = this.expression()
    this.derived.push({ name, optype, type, values })
    return xml('DerivedField', { name, optype, dataType: type }, expression).replace(
      'dataType="double"',
      random.chance(0.2) ? 'dataType="float"' : 'dataType="double"',
    )
  }

  private expression(): readonly [string, FieldKind['optype'], string, readonly string[]] {
    const { random } = this
    const number = this.field('continuous')
    const code = this.field('categorical')
    const mapMissingTo = random.chance(0.3) ? this.number() : undefined
    const points = ['-1', '0', '0.5', '1', '2.35']
    switch (random.below(7)) {
      case 0: {
        const norms = [-1, 0.5, 2.35, 6].map((orig) => xml('LinearNorm', { orig, norm: this.number() }))
        const outliers =
          mapMissingTo === undefined ? random.pick(['asIs', 'asExtremeValues', 'asMissingValues']) : 'asIs'
        return [
          xml('NormContinuous', { field: number.name, mapMissingTo, outliers }, ...norms),
          'continuous',
          'double',
          points,
        ]
      }
      case 1:
        return [
          xml('NormDiscrete', { field: code.name, value: this.valueFor(code), mapMissingTo }),
          'continuous',
          'double',
          points,
        ]
      case 2: {
        const bins = [
          [undefined, 0.3],
          [0.3, 2.35],
          [3, undefined],
        ].map(([leftMargin, rightMargin], place) =>
          xml(
            'DiscretizeBin',
            { binValue: 'pqr'[place] },
            xml('Interval', { closure: this.closure(), leftMargin, rightMargin }),
          ),
        )
        const defaultValue = random.chance(0.5) ? 's' : undefined
        const missing = random.chance(0.3) ? 'q' : undefined
        const of = { field: number.name, defaultValue, mapMissingTo: missing }
        return [xml('Discretize', of, ...bins), 'categorical', 'string', ['p', 'q', 'r', 's']]
      }
      case 3: {
        const rows = code.values
          .slice(0, 2)
          .map((value) => `<row><in>${value}</in><out>${this.number()}</out></row>`)
        const of = {
          outputColumn: 'out',
          mapMissingTo,
          defaultValue: random.chance(0.5) ? this.number() : undefined,
        }
        const pair = xml('FieldColumnPair', { field: code.name, column: 'in' })
        return [xml('MapValues', of, pair, xml('InlineTable', {}, ...rows)), 'continuous', 'double', points]
      }
      case 4:
        return [this.truth(), 'categorical', 'boolean', ['true', 'false']]
      default:
        return [this.amount(2), 'continuous', 'double', points]
    }
  }

  private amount(depth: number): string {
    const { random } = this
    const constant = (): string => `<Constant dataType="double">${this.number()}</Constant>`
    const field = (): string => xml('FieldRef', { field: this.field('continuous').name })
    if (depth === 0) return random.chance(0.3) ? constant() : field()
    const part = (): string => this.amount(depth - 1)
    const settings = {
      mapMissingTo: random.chance(0.15) ? this.number() : undefined,
      defaultValue: random.chance(0.1) ? this.number() : undefined,
    }
    switch (random.below(9)) {
      case 0:
        return xml('Apply', { function: random.pick(['min', 'max']), ...settings }, field(), constant())
      case 1:
        return xml('Apply', { function: 'threshold', ...settings }, field(), constant())
      case 2:
        return xml('Apply', { function: 'if', ...settings }, this.truth(), part(), part())
      case 3:
        return xml('Apply', { function: 'abs', ...settings }, field())
      case 4:
        return xml(
          'Apply',
          { function: '/', ...settings },
          part(),
          '<Constant dataType="double">0.7</Constant>',
        )
      case 5:
        return xml(
          'Apply',
          { function: 'pow', ...settings },
          field(),
          `<Constant dataType="integer">${random.pick([2, 3])}</Constant>`,
        )
      default:
        return xml('Apply', { function: random.pick(['+', '-', '*', 'sum']), ...settings }, part(), part())
    }
  }

  private truth(): string {
    const { random } = this
    const number = this.field('continuous')
    const code = this.field('categorical')
    const constant = `<Constant dataType="double">${this.valueFor(number)}</Constant>`
    switch (random.below(5)) {
      case 0:
        return xml(
          'Apply',
          { function: random.pick(['isMissing', 'isNotMissing']) },
          xml('FieldRef', { field: this.field().name }),
        )
      case 1: {
        const text = `<Constant dataType="${code.type}">${this.valueFor(code)}</Constant>`
        return xml(
          'Apply',
          { function: random.pick(['equal', 'notEqual', 'isIn']) },
          xml('FieldRef', { field: code.name }),
          text,
        )
      }
      case 2:
        return xml('Apply', { function: random.pick(['and', 'or']) }, this.truth(), this.truth())
      case 3:
        return xml('Apply', { function: 'not' }, this.truth())
      default: {
        const operator = random.pick(['lessThan', 'lessOrEqual', 'greaterThan', 'greaterOrEqual'])
        return xml('Apply', { function: operator }, xml('FieldRef', { field: number.name }), constant)
      }
    }
  }

  private schema(isTop: boolean): string {
    const { random } = this
    const fields = FIELDS.map(({ name, optype, values }) => {
      if (!isTop) return xml('MiningField', { name })
      const isNumber = optype === 'continuous'
      const invalid = random.chance(0.4) ? random.pick(['asIs', 'asMissing']) : undefined
      const outliers =
        isNumber && random.chance(0.2) ? random.pick(['asMissingValues', 'asExtremeValues']) : undefined
      return xml('MiningField', {
        name,
        invalidValueTreatment: invalid,
        missingValueReplacement: random.chance(0.15) ? values[1] : undefined,
        ...(outliers && { outliers, lowValue: 0, highValue: 5 }),
      })
    })
    return xml(
      'MiningSchema',
      {},
      ...fields,
      ...(isTop ? [xml('MiningField', { name: 'y', usageType: 'target' })] : []),
    )
  }

  private topModel(): string {
    const { random } = this
    switch (random.below(8)) {
      case 0:
        return this.regression(true)
      case 1:
        return this.general()
      case 2:
        return this.scorecard()
      case 3:
        return this.tree('classification', true)
      case 4:
        return this.ensemble('classification', random.pick(['average', 'weightedAverage']))
      case 5:
        return this.ensemble('regression', random.pick(['sum', 'average', 'weightedAverage']))
      case 6:
        return this.chain()
      default:
        return this.tree('regression', true)
    }
  }

  private predicate(depth = 2): string {
    const { random } = this
    if (depth > 0 && random.chance(0.25)) {
      const parts = Array.from({ length: 2 }, () => this.predicate(depth - 1))
      return xml(
        'CompoundPredicate',
        { booleanOperator: random.pick(['and', 'or', 'xor', 'surrogate']) },
        ...parts,
      )
    }
    const field = this.field()
    if (random.chance(0.08))
      return xml('SimplePredicate', {
        field: field.name,
        operator: random.pick(['isMissing', 'isNotMissing']),
      })
    if (random.chance(0.2)) {
      const values = field.values.slice(0, 1 + random.below(3)).map((value) => `&quot;${value}&quot;`)
      const array = xml('Array', { type: 'string', n: values.length }, values.join(' '))
      return xml(
        'SimpleSetPredicate',
        { field: field.name, booleanOperator: random.pick(['isIn', 'isNotIn']) },
        array,
      )
    }
    const operators =
      field.optype === 'continuous'
        ? ['lessThan', 'lessOrEqual', 'greaterThan', 'greaterOrEqual', 'equal']
        : ['equal', 'notEqual']
    return xml('SimplePredicate', {
      field: field.name,
      operator: random.pick(operators),
      value: this.valueFor(field),
    })
  }

  private tree(functionName: 'regression' | 'classification', isTop: boolean): string {
    const { random } = this
    let count = 0
    const strategy = random.pick(['none', 'lastPrediction', 'nullPrediction', 'defaultChild', undefined])
    const byCount = random.chance(0.5)
    const node = (test: string, depth: number): string => {
      const id = count++
      const children = depth === 0 ? [] : Array.from({ length: 1 + random.below(3) }, () => count)
      const inner: string[] = []
      const ids: number[] = []
      for (const place of children.keys()) {
        ids.push(count)
        inner.push(node(place > 0 && random.chance(0.3) ? '<True/>' : this.predicate(), random.below(depth)))
      }
      const share = 1 + random.below(8)
      const attribute = byCount ? 'recordCount' : 'probability'
      const shares =
        functionName === 'regression' || random.chance(0.1)
          ? []
          : ['yes', 'no'].map((value, place) =>
              xml('ScoreDistribution', {
                value,
                recordCount: place === 0 ? share : 9 - share,
                ...(byCount ? {} : { [attribute]: (place === 0 ? share : 9 - share) / 9 }),
              }),
            )
      const score =
        functionName === 'regression'
          ? random.chance(0.95)
            ? this.number()
            : undefined
          : random.pick(['yes', 'no'])
      const defaultChild = ids.length > 0 ? random.pick(ids) : undefined
      return xml('Node', { id, score, defaultChild }, test, ...shares, ...inner)
    }
    return xml(
      'TreeModel',
      {
        functionName,
        missingValueStrategy: strategy,
        noTrueChildStrategy: random.pick(['returnNullPrediction', 'returnLastPrediction', undefined]),
      },
      this.schema(isTop),
      node(random.chance(0.9) ? '<True/>' : this.predicate(), 3),
    )
  }

  private table(targetCategory: string | undefined, isZero = false): string {
    const { random } = this
    const parts = isZero
      ? []
      : Array.from({ length: 1 + random.below(4) }, () => {
          const coefficient = this.number()
          const number = this.field('continuous')
          const code = this.field('categorical')
          switch (random.below(4)) {
            case 0:
              return xml('CategoricalPredictor', { name: code.name, value: this.valueFor(code), coefficient })
            case 1: {
              const fields = [number.name, this.field('continuous').name].map((field) =>
                xml('FieldRef', { field }),
              )
              return xml('PredictorTerm', { coefficient }, ...fields)
            }
            default:
              return xml('NumericPredictor', {
                name: number.name,
                exponent: random.pick([undefined, 1, 2]),
                coefficient,
              })
          }
        })
    const kinds = ['NumericPredictor', 'CategoricalPredictor', 'PredictorTerm']
    const placeOf = (part: string): number => kinds.findIndex((kind) => part.startsWith(`<${kind}`))
    const sorted = [...parts].sort((one, other) => placeOf(one) - placeOf(other))
    return xml('RegressionTable', { intercept: isZero ? 0 : this.number(), targetCategory }, ...sorted)
  }

  private regression(isTop: boolean): string {
    const { random } = this
    const method = random.pick(['logit', 'softmax'])
    const [one, other] = random.chance(0.5) ? ['yes', 'no'] : ['no', 'yes']
    return random.chance(0.3)
      ? xml(
          'RegressionModel',
          { functionName: 'regression', normalizationMethod: random.pick(['none', 'logit', undefined]) },
          this.schema(isTop),
          this.table(undefined),
        )
      : xml(
          'RegressionModel',
          { functionName: 'classification', normalizationMethod: method },
          this.schema(isTop),
          this.table(one),
          this.table(other, method === 'logit'),
        )
  }

  private general(): string {
    const { random } = this
    const numbers = ['x', 'f', 'n']
    const codes = ['c', 'd']
    const cells: string[] = []
    const parameters = Array.from({ length: 4 }, (_none, place) => {
      const parameterName = `p${place}`
      if (place > 0)
        for (const name of [
          random.pick([...numbers, ...codes]),
          ...(random.chance(0.3) ? [random.pick(codes)] : []),
        ]) {
          const kind = FIELDS.find((each) => each.name === name) as FieldKind
          const value = numbers.includes(name) ? random.pick([1, 2]) : this.valueFor(kind)
          cells.push(xml('PPCell', { value, predictorName: name, parameterName }))
        }
      return parameterName
    })
    const reference = random.pick(['yes', 'no'])
    const other = reference === 'yes' ? 'no' : 'yes'
    const isLinear = random.chance(0.5)
    const type = isLinear
      ? { modelType: 'generalizedLinear', linkFunction: 'logit' }
      : { modelType: 'multinomialLogistic' }
    return xml(
      'GeneralRegressionModel',
      { functionName: 'classification', ...type, targetReferenceCategory: reference },
      this.schema(true),
      xml('ParameterList', {}, ...parameters.map((name) => xml('Parameter', { name }))),
      xml('FactorList', {}, ...codes.map((name) => xml('Predictor', { name }))),
      xml('CovariateList', {}, ...numbers.map((name) => xml('Predictor', { name }))),
      xml('PPMatrix', {}, ...cells),
      xml(
        'ParamMatrix',
        {},
        ...parameters.map((parameterName) =>
          xml('PCell', { targetCategory: other, parameterName, df: 1, beta: this.number() }),
        ),
      ),
    )
  }

  private scorecard(): string {
    const characteristics = Array.from({ length: 3 }, (_none, place) => {
      const attributes = [this.predicate(), this.predicate(), '<True/>'].map((test, at) => {
        const complex = at === 1 && this.random.chance(0.5)
        const inner = complex ? [test, xml('ComplexPartialScore', {}, this.amount(1))] : [test]
        return xml('Attribute', { partialScore: complex ? undefined : this.number() }, ...inner)
      })
      const kept = attributes.slice(0, this.random.chance(0.8) ? 3 : 2)
      return xml('Characteristic', { name: `k${place}` }, ...kept)
    })
    const settings = { functionName: 'regression', useReasonCodes: 'false', initialScore: this.number() }
    return xml('Scorecard', settings, this.schema(true), xml('Characteristics', {}, ...characteristics))
  }

  private segments(functionName: 'regression' | 'classification', method: string): string {
    const parts = Array.from({ length: 2 + this.random.below(3) }, (_none, id) =>
      xml(
        'Segment',
        { id, weight: method.startsWith('weighted') ? 1 + this.random.below(4) : undefined },
        '<True/>',
        this.tree(functionName, false),
      ),
    )
    return xml('Segmentation', { multipleModelMethod: method }, ...parts)
  }

  private ensemble(functionName: 'regression' | 'classification', method: string): string {
    return xml(
      'MiningModel',
      { functionName },
      this.schema(true),
      this.targets(functionName),
      this.segments(functionName, method),
    )
  }

  private targets(functionName: string): string {
    if (functionName === 'classification' || this.random.chance(0.5)) return ''
    return xml(
      'Targets',
      {},
      xml('Target', { field: 'y', rescaleFactor: this.number(), rescaleConstant: this.number() }),
    )
  }

  private chain(): string {
    const inner = (id: number): string => {
      const sum = `<Apply function="+"><FieldRef field="sum${id}"/><Constant dataType="double">${this.number()}</Constant></Apply>`
      const output = xml(
        'Output',
        {},
        xml('OutputField', {
          name: `sum${id}`,
          optype: 'continuous',
          dataType: 'double',
          feature: 'predictedValue',
          isFinalResult: 'false',
        }),
        xml(
          'OutputField',
          { name: `moved${id}`, optype: 'continuous', dataType: 'double', feature: 'transformedValue' },
          sum,
        ),
      )
      const model = xml(
        'MiningModel',
        { functionName: 'regression' },
        this.schema(false),
        output,
        this.segments('regression', 'sum'),
      )
      return xml('Segment', { id }, '<True/>', model)
    }
    const last = xml(
      'RegressionModel',
      { functionName: 'classification', normalizationMethod: 'logit' },
      xml(
        'MiningSchema',
        {},
        xml('MiningField', { name: 'y', usageType: 'target' }),
        xml('MiningField', { name: 'sum1' }),
        xml('MiningField', { name: 'moved2' }),
      ),
      xml(
        'RegressionTable',
        { intercept: this.number(), targetCategory: 'yes' },
        xml('NumericPredictor', { name: 'sum1', coefficient: this.number() }),
        xml('NumericPredictor', { name: 'moved2', coefficient: this.number() }),
      ),
      xml('RegressionTable', { intercept: 0, targetCategory: 'no' }),
    )
    const end = xml('Segment', { id: 3 }, '<True/>', last)
    return xml(
      'MiningModel',
      { functionName: 'classification' },
      this.schema(true),
      xml('Segmentation', { multipleModelMethod: 'modelChain' }, inner(1), inner(2), end),
    )
  }
}

/** Values at, next to and away from the numbers of the document; every field may be absent unless all are required. */
export function randomRecord(random: Random, mayBeAbsent: boolean): FeatureRecord {
  return Object.fromEntries(
    FIELDS.flatMap(({ name, optype, type, values }): readonly (readonly [string, number | string])[] => {
      if (mayBeAbsent && random.chance(0.2)) return []
      if (optype !== 'continuous')
        return [
          [name, random.chance(0.05) ? (type === 'string' ? 'Z' : (values[0] ?? '')) : random.pick(values)],
        ]
      const near = Number(random.pick(values))
      const value =
        type === 'integer'
          ? near + random.below(3) - 1
          : near + random.pick([0, 0, 1e-9, -1e-9, 1e-16, 0.5, -0.5])
      return [[name, value]]
    }),
  )
}
