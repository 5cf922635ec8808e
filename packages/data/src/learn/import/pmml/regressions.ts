/** RegressionModel and GeneralRegressionModel: sums of coefficients times products of fields. */
import type { ModelDefinition } from 'patient-risk-engine/definition'
import { type Evaluation, casesOf } from './evaluation.ts'
import { stated } from '../source.ts'
import { type ModelTarget, type Scope, byName, eventOf } from './scope.ts'
import { type Amount, type Value, byCase, plus, raised, times, total } from './values.ts'
import type { Element } from './xml.ts'

const IDENTITY = { kind: 'identity' } as const
const LOGISTIC = { kind: 'logistic', intercept: 0 } as const

export function regression(model: Element, scope: Scope): ModelTarget {
  const [first, second, third] = model.all('RegressionTable')
  const method = model.oneOf('normalizationMethod', ['none', 'logit', 'softmax'])
  const link = method === 'none' ? IDENTITY : LOGISTIC
  if (first === undefined || third !== undefined)
    return model.refuse('needs one table, or two for two classes')
  if (model.get('functionName') === 'regression') return { amount: tableSum(first, scope), link }
  if (second === undefined) return model.refuse('needs a table for each of two classes')
  const classes = [first.string('targetCategory'), second.string('targetCategory')]
  const isFirst = eventOf(model, scope.file, classes) === classes[0]
  const one = tableSum(first, scope)
  if (method === 'softmax') {
    const other = tableSum(second, scope)
    return { amount: isFirst ? minus(one, other, model) : minus(other, one, model), link }
  }
  if (second.number('intercept') !== 0 || second.children.length > 0)
    second.refuse(`is not 0, and ${method} takes the first table alone`)
  return { amount: isFirst ? one : minus(method === 'none' ? 1 : 0, one, model), link }
}

function minus(one: number | Amount, other: number | Amount, of: Element): number | Amount {
  return plus(one, times(other, -1, of), of)
}

function tableSum(table: Element, scope: Scope): number | Amount {
  const parts: (number | Amount)[] = [table.number('intercept')]
  for (const part of table.children) {
    const run = (at: Evaluation): Value => {
      if (part.name === 'NumericPredictor')
        return numberOf(part.string('name'), part.number('exponent', 1), at, part)
      // A missing category counts as none of them.
      if (part.name === 'CategoricalPredictor') return isEqual(part.string('name'), part, at) ?? 0
      if (part.name !== 'PredictorTerm') return part.refuse('is not read')
      const fields = [part.need('FieldRef'), ...part.all('FieldRef').slice(1)]
      return productOf(
        fields.map((each) => numberOf(each.string('field'), 1, at, each)),
        part,
      )
    }
    parts.push(times(part.number('coefficient'), byCase(casesOf(part, scope, run)), part))
  }
  return total(parts)
}

function numberOf(name: string, exponent: number, at: Evaluation, of: Element): number | Amount | undefined {
  const { value } = at.field(name, of)
  return value === undefined ? undefined : raised(at.number(value, of), exponent, of)
}

function isEqual(name: string, of: Element, at: Evaluation): 0 | 1 | undefined {
  const truth = at.isOneOf(at.field(name, of), [of.string('value')], of)
  if (truth === undefined) return undefined
  return truth ? 1 : 0
}

function productOf(
  values: readonly (number | Amount | undefined)[],
  of: Element,
): number | Amount | undefined {
  return values.reduce(
    (one, other) => (one === undefined || other === undefined ? undefined : times(one, other, of)),
    1,
  )
}

export function generalRegression(model: Element, scope: Scope): ModelTarget {
  for (const name of [
    'offsetVariable',
    'offsetValue',
    'trialsVariable',
    'trialsValue',
    'cumulativeLinkFunction',
  ])
    if (model.get(name) !== undefined) model.refuse(`${name} cannot be expressed`)
  const type = model.oneOf(
    'modelType',
    ['generalizedLinear', 'multinomialLogistic', 'CoxRegression', 'regression', 'generalLinear'],
    model.string('modelType'),
  )
  for (const predictor of [model.first('FactorList'), model.first('CovariateList')].flatMap(
    (list) => list?.children ?? [],
  ))
    if (predictor.first('Matrix') !== undefined) predictor.refuse('has contrasts of its own')
  const parameters = byName(model.need('ParameterList').all('Parameter'))
  for (const cell of [model.first('PPMatrix'), model.first('ParamMatrix')].flatMap(
    (each) => each?.children ?? [],
  ))
    if (!parameters.has(cell.string('parameterName')))
      cell.refuse('names a parameter that is not in ParameterList')
  if (type === 'CoxRegression') return cox(model, parameters, scope)
  const isLogistic =
    type === 'multinomialLogistic' ||
    (type === 'generalizedLinear' && model.oneOf('linkFunction', ['identity', 'logit']) === 'logit')
  const link = isLogistic ? LOGISTIC : IDENTITY
  if (model.get('functionName') === 'regression') return { amount: parameterSum(model, scope), link }
  const cells = model.need('ParamMatrix').all('PCell')
  const stated = new Set(cells.flatMap((cell) => cell.get('targetCategory') ?? []))
  const target = model
    .need('MiningSchema')
    .children.find((each) => ['target', 'predicted'].includes(each.get('usageType') ?? ''))
  const listed =
    scope.file.fields
      .get(target?.string('name') ?? '')
      ?.all('Value')
      .map((each) => each.string('value')) ?? []
  const reference = model.get('targetReferenceCategory') ?? listed.find((each) => !stated.has(each))
  const classes = [...new Set([...listed, ...stated, ...(reference === undefined ? [] : [reference])])]
  const event = eventOf(model, scope.file, classes)
  const others = [...stated].filter((each) => each !== reference)
  if (classes.length !== 2 || others.length > 1)
    return model.refuse(`has the classes ${classes.join(', ')}, not two`)
  const amount = parameterSum(model, scope)
  const isTurned = event === reference
  return { amount: isTurned ? minus(isLogistic ? 0 : 1, amount, model) : amount, link }
}

/** Each parameter is the product of its cells, and 1 without any. */
function parameterSum(model: Element, scope: Scope): number | Amount {
  const factors = new Set(model.first('FactorList')?.children.map((each) => each.get('name')))
  const cells = Map.groupBy(model.first('PPMatrix')?.all('PPCell') ?? [], (each) => each.get('parameterName'))
  const parts: (number | Amount)[] = [0]
  for (const cell of model.need('ParamMatrix').all('PCell')) {
    const own = cells.get(cell.string('parameterName')) ?? []
    const partOf = (each: Element, at: Evaluation): number | Amount | undefined => {
      const name = each.string('predictorName')
      return factors.has(name) ? isEqual(name, each, at) : numberOf(name, each.number('value'), at, each)
    }
    const product = (at: Evaluation): Value =>
      productOf(
        own.map((each) => partOf(each, at)),
        cell,
      )
    parts.push(times(cell.number('beta'), byCase(casesOf(cell, scope, product)), cell))
  }
  return total(parts)
}

/** Survival at the horizon: the baseline of a score of 0, which is the last one that is given at or before it. */
function cox(model: Element, parameters: ReadonlyMap<string, Element>, scope: Scope): ModelTarget {
  const { options } = scope.file
  let centre = 0
  for (const cell of model.need('ParamMatrix').all('PCell'))
    centre +=
      cell.number('beta') * (parameters.get(cell.string('parameterName'))?.number('referencePoint', 0) ?? 0)
  const amount = plus(parameterSum(model, scope), -centre, model)
  const table = model.first('BaseCumHazardTables')
  const survival = (hazard: number): ModelDefinition['link'] => ({
    kind: 'survival',
    baseline: Math.exp(-hazard),
    rate: 1,
  })
  if (table === undefined) {
    const baseline = stated(options, 'baseline')
    if (baseline === undefined) return model.refuse('has no baseline; state it in import.baseline')
    return { amount, link: survival(-Math.log(baseline)) }
  }
  if (options.isDraft === true) return { amount, link: survival(1) }
  const horizon = stated(options, 'horizon')
  if (horizon === undefined) return model.refuse('state the horizon in import.horizon')
  const hazardIn = (of: Element): number => {
    if (of.number('maxTime', Infinity) < horizon) of.refuse(`ends before the horizon ${horizon}`)
    const cells = of.all('BaselineCell').filter((cell) => cell.number('time') <= horizon)
    const hazards = cells.map((cell) => cell.number('cumHazard'))
    const hazard = Math.max(...hazards)
    return Math.min(...hazards) >= 0 && hazard > 0
      ? hazard
      : of.refuse(`has no hazard at the horizon ${horizon}`)
  }
  const field = model.get('baselineStrataVariable')
  if (field === undefined) return { amount, link: survival(hazardIn(table)) }
  const strata = table.all('BaselineStratum').map((each) => [each.string('value'), hazardIn(each)] as const)
  const [, first] = strata[0] ?? table.refuse('has no strata')
  const cases = casesOf(table, scope, (at): Value => {
    const typed = at.field(field, model)
    const found = strata.find(([value]) => at.isOneOf(typed, [value], model) === true)
    return found && Math.log(found[1] / first)
  })
  return { amount: plus(amount, byCase(cases), model), link: survival(first) }
}
