/**
 * PMML evaluated record by record, as the standard says it, without a compiler: what the reader's terms are compared with. It
 * knows what the generated documents use, and throws for anything else.
 */
import { type Element, readXml, wordsIn } from '../../../../src/learn/import/pmml/xml.ts'
import type { FeatureRecord } from './answer.ts'

type Value = number | string | boolean | undefined
type Field = readonly [value: Value, type: string]
type Look = (name: string) => Field

/** The value or the probability of the event; undefined where there is no result. */
export function evaluatePmml(text: string, record: FeatureRecord, event: string): number | undefined {
  const top = readXml(text)
  const fields = new Map(top.need('DataDictionary').children.map((each) => [each.string('name'), each]))
  const model = top.children.find(({ name }) => /Model$|Scorecard/.test(name)) as Element
  const schema = model.need('MiningSchema')
  const look = (name: string): Field => {
    const mining = schema.children.find((each) => each.get('name') === name)
    if (mining === undefined) {
      const derived = top
        .first('TransformationDictionary')
        ?.children.find((each) => each.get('name') === name)
      if (derived === undefined) throw new Error(`no field ${name}`)
      return [
        typed(expression(derived.children[0] as Element, look), derived.string('dataType')),
        derived.string('dataType'),
      ]
    }
    const data = fields.get(name) as Element
    return treat(rawOf(data, mining, record) as Field, mining)
  }
  return modelValue(model, look, event)
}

/** Whether a value is outside of what the file calls valid, in a field for which such a record has no result. */
export function hasInvalid(text: string, record: FeatureRecord): boolean {
  const top = readXml(text)
  const schema = top.children.find(({ name }) => /Model$|Scorecard/.test(name))?.need('MiningSchema')
  return top.need('DataDictionary').children.some((data) => {
    const mining = schema?.children.find((each) => each.get('name') === data.get('name'))
    return (
      mining !== undefined &&
      mining.get('usageType') !== 'target' &&
      rawOf(data, mining, record) === 'invalid'
    )
  })
}

function typed(value: Value, type: string): Value {
  if (value === undefined) return undefined
  if (type === 'string') return String(value)
  if (type === 'boolean') return value === true || value === 'true' || value === 1
  const number = Number(value)
  return type === 'float' ? Math.fround(number) : number
}

function rawOf(data: Element, mining: Element, record: FeatureRecord): Field | 'invalid' {
  const type = data.string('dataType')
  const given = record[data.string('name')]
  if (given === undefined) return [undefined, type]
  const value = typed(given, type)
  const is = (property: string): readonly Element[] =>
    data.all('Value').filter((each) => (each.get('property') ?? 'valid') === property)
  const equalsOne = (values: readonly Element[]): boolean =>
    values.some((each) => typed(each.string('value'), type) === value)
  if (equalsOne(is('missing'))) return [undefined, type]
  const isFree = is('valid').length === 0 && data.all('Interval').length === 0
  const isValid =
    isFree || equalsOne(is('valid')) || data.all('Interval').some((each) => within(each, value as number))
  if (isValid && !equalsOne(is('invalid'))) return [value, type]
  const treatment = mining.get('invalidValueTreatment') ?? 'returnInvalid'
  if (treatment === 'returnInvalid') return 'invalid'
  if (treatment === 'asValue') return [typed(mining.string('invalidValueReplacement'), type), type]
  return [treatment === 'asIs' ? value : undefined, type]
}

function treat([value, type]: Field, mining: Element): Field {
  const outliers = mining.get('outliers') ?? 'asIs'
  let kept = value
  if (outliers !== 'asIs' && typeof value === 'number') {
    const low = mining.number('lowValue')
    const high = mining.number('highValue')
    if (outliers === 'asExtremeValues') kept = Math.min(high, Math.max(low, value))
    else if (value < low || value > high) kept = undefined
  }
  const replacement = mining.get('missingValueReplacement')
  return [kept === undefined && replacement !== undefined ? typed(replacement, type) : kept, type]
}

function within(interval: Element, value: number): boolean {
  const closure = interval.string('closure')
  const left = Number(interval.get('leftMargin') ?? -Infinity)
  const right = Number(interval.get('rightMargin') ?? Infinity)
  return (
    (value > left || (value === left && closure.startsWith('closed'))) &&
    (value < right || (value === right && closure.endsWith('Closed')))
  )
}

function compare(operator: string, one: Value, other: Value): boolean | undefined {
  if (one === undefined || other === undefined) return undefined
  const isTruth = typeof one === 'boolean' || typeof other === 'boolean'
  const left = isTruth ? String(one) : one
  const right = isTruth ? String(other) : other
  switch (operator) {
    case 'equal':
      return left === right
    case 'notEqual':
      return left !== right
    case 'lessThan':
      return left < right
    case 'lessOrEqual':
      return left <= right
    case 'greaterThan':
      return left > right
    default:
      return left >= right
  }
}

function predicate(of: Element, look: Look): boolean | undefined {
  if (of.name === 'True') return true
  if (of.name === 'False') return false
  if (of.name === 'CompoundPredicate') {
    const operator = of.string('booleanOperator')
    const parts = of.children.map((each) => predicate(each, look))
    if (operator === 'surrogate') return parts.find((part) => part !== undefined)
    if (operator === 'xor')
      return parts.includes(undefined) ? undefined : parts.filter(Boolean).length % 2 === 1
    // One part decides: a false one of `and`, a true one of `or`.
    const deciding = operator !== 'and'
    if (parts.includes(deciding)) return deciding
    return parts.includes(undefined) ? undefined : !deciding
  }
  const [value, type] = look(of.string('field'))
  if (of.name === 'SimpleSetPredicate') {
    if (value === undefined) return undefined
    const isIn = wordsIn(of.need('Array').text).some((word) => typed(word, type) === value)
    return of.string('booleanOperator') === 'isIn' ? isIn : !isIn
  }
  const operator = of.string('operator')
  if (operator === 'isMissing') return value === undefined
  if (operator === 'isNotMissing') return value !== undefined
  return compare(operator, value, typed(of.string('value'), type))
}

function expression(of: Element, look: Look): Value {
  const missing = of.get('mapMissingTo')
  switch (of.name) {
    case 'Constant':
      return typed(of.text, of.get('dataType') ?? 'double')
    case 'FieldRef':
      return look(of.string('field'))[0] ?? missing
    case 'NormDiscrete': {
      const [value, type] = look(of.string('field'))
      return value === undefined
        ? typed(missing, 'double')
        : Number(value === typed(of.string('value'), type))
    }
    case 'NormContinuous': {
      const [value] = look(of.string('field'))
      const points = of.all('LinearNorm').map((each) => [each.number('orig'), each.number('norm')] as const)
      if (value === undefined) return typed(missing, 'double')
      const x = Number(value)
      const first = points[0] as readonly [number, number]
      const last = points.at(-1) as readonly [number, number]
      const outliers = of.get('outliers') ?? 'asIs'
      if (outliers !== 'asIs' && (x < first[0] || x > last[0])) {
        if (outliers === 'asMissingValues') return typed(missing, 'double')
        return x < first[0] ? first[1] : last[1]
      }
      const found = points.findIndex(([orig], place) => place > 0 && x <= orig)
      const place = found === -1 ? points.length - 1 : found
      const [a, b] = points[place - 1] as readonly [number, number]
      const [c, d] = points[place] as readonly [number, number]
      return b + ((x - a) / (c - a)) * (d - b)
    }
    case 'Discretize': {
      const [value] = look(of.string('field'))
      if (value === undefined) return missing
      const bin = of.all('DiscretizeBin').find((each) => within(each.need('Interval'), Number(value)))
      return bin?.string('binValue') ?? of.get('defaultValue')
    }
    case 'MapValues': {
      const pairs = of
        .all('FieldColumnPair')
        .map((each) => [each.string('column'), look(each.string('field'))] as const)
      if (pairs.some(([, [value]]) => value === undefined)) return missing
      const row = of
        .need('InlineTable')
        .children.find((cells) =>
          pairs.every(([column, [value, type]]) => typed(cells.need(column).text, type) === value),
        )
      return row?.need(of.string('outputColumn')).text ?? of.get('defaultValue')
    }
    default:
      return applied(of, look)
  }
}

function applied(of: Element, look: Look): Value {
  const name = of.string('function')
  const missing = of.get('mapMissingTo')
  const otherwise = of.get('defaultValue')
  if (name === 'if') {
    const truth = expression(of.children[0] as Element, look)
    if (truth === undefined) return missing ?? otherwise
    const branch = of.children[truth === true ? 1 : 2]
    return (branch && expression(branch, look)) ?? otherwise
  }
  const values = of.children.map((each) => expression(each, look))
  if (name === 'isMissing') return values[0] === undefined
  if (name === 'isNotMissing') return values[0] !== undefined
  if (missing !== undefined && values.includes(undefined)) return missing
  const given = values.filter((value) => value !== undefined)
  const isTogether = ['min', 'max', 'sum', 'product'].includes(name)
  if (given.length < (isTogether ? 1 : values.length)) return otherwise
  return simple(name, given) ?? otherwise
}

function simple(name: string, given: readonly (number | string | boolean)[]): Value {
  const numbers = given.map(Number)
  const [one = 0, other = 0] = numbers
  switch (name) {
    case '+':
      return one + other
    case '-':
      return one - other
    case '*':
      return one * other
    case '/':
      return one / other
    case 'min':
      return Math.min(...numbers)
    case 'max':
      return Math.max(...numbers)
    case 'sum':
      return numbers.reduce((left, right) => left + right, 0)
    case 'product':
      return numbers.reduce((left, right) => left * right, 1)
    case 'abs':
      return Math.abs(one)
    case 'pow':
      return one ** other
    case 'ln':
      return Math.log(one)
    case 'threshold':
      return one > other ? 1 : 0
    case 'and':
      return given.every((value) => value === true)
    case 'or':
      return given.includes(true)
    case 'not':
      return given[0] !== true
    case 'isIn':
      return given.slice(1).some((value) => compare('equal', given[0], value) === true)
    default:
      return compare(name, given[0], given[1])
  }
}

function modelValue(model: Element, look: Look, event: string): number | undefined {
  const value = plainValue(model, look, event)
  const target = model.first('Targets')?.first('Target')
  if (value === undefined || target === undefined) return value
  const low = target.number('min', value)
  const high = target.number('max', value)
  const limited = value < low ? low : value > high ? high : value
  const rescaled = limited * target.number('rescaleFactor', 1) + target.number('rescaleConstant', 0)
  switch (target.get('castInteger')) {
    case undefined:
      return rescaled
    case 'round':
      return Math.floor(rescaled + 0.5)
    case 'ceiling':
      return Math.ceil(rescaled)
    case 'floor':
      return Math.floor(rescaled)
    default:
      throw new Error('no such cast')
  }
}

function plainValue(model: Element, look: Look, event: string): number | undefined {
  switch (model.name) {
    case 'TreeModel':
      return treeValue(model, look, event)
    case 'RegressionModel':
      return regressionValue(model, look, event)
    case 'GeneralRegressionModel':
      return generalValue(model, look, event)
    case 'Scorecard': {
      const parts = model.need('Characteristics').children.map((characteristic) => {
        const found = characteristic
          .all('Attribute')
          .find((each) => predicate(each.children[0] as Element, look) === true)
        const complex = found?.first('ComplexPartialScore')?.children[0]
        return complex === undefined
          ? found?.number('partialScore')
          : (expression(complex, look) as number | undefined)
      })
      return added([model.number('initialScore', 0), ...parts])
    }
    default:
      return ensembleValue(model, look, event)
  }
}

function added(parts: readonly (number | undefined)[]): number | undefined {
  return parts.reduce((sum, part) => (sum === undefined || part === undefined ? undefined : sum + part), 0)
}

function ensembleValue(model: Element, look: Look, event: string): number | undefined {
  const segmentation = model.need('Segmentation')
  const segments = segmentation.all('Segment')
  const method = segmentation.string('multipleModelMethod')
  const modelOf = (segment: Element): Element =>
    segment.children.find(({ name }) => name.endsWith('Model')) as Element
  if (method === 'modelChain') {
    const results = new Map<string, number | undefined>()
    const seen: Look = (name) => (results.has(name) ? [results.get(name), 'double'] : look(name))
    let last: number | undefined
    for (const segment of segments) {
      const part = modelOf(segment)
      last = modelValue(part, seen, event)
      for (const output of part.first('Output')?.children ?? [])
        if (output.get('feature') === 'transformedValue')
          results.set(
            output.string('name'),
            expression(output.children[0] as Element, seen) as number | undefined,
          )
        else results.set(output.string('name'), last)
    }
    return last
  }
  const weights = segments.map((each) => (method.startsWith('weighted') ? each.number('weight') : 1))
  const sum = added(
    segments.map((segment, place) => {
      const value = modelValue(modelOf(segment), look, event)
      return value === undefined ? undefined : value * (weights[place] as number)
    }),
  )
  const total = weights.reduce((one, other) => one + other, 0)
  return sum === undefined || method === 'sum' ? sum : sum / total
}

function treeValue(model: Element, look: Look, event: string): number | undefined {
  const strategy = model.get('missingValueStrategy') ?? 'none'
  let node = model.need('Node')
  const scoreOf = (of: Element): number | undefined => {
    const score = of.get('score')
    if (model.string('functionName') === 'regression') return score === undefined ? undefined : Number(score)
    const shares = of.all('ScoreDistribution')
    if (shares.length === 0) return score === undefined ? undefined : Number(score === event)
    const own = shares.find((each) => each.string('value') === event)
    if (shares[0]?.get('probability') !== undefined) return Number(own?.get('probability') ?? 0)
    const total = shares.reduce((sum, each) => sum + each.number('recordCount'), 0)
    return Number(own?.get('recordCount') ?? 0) / total
  }
  if (predicate(node.children[0] as Element, look) !== true) return undefined
  for (;;) {
    const children = node.all('Node')
    if (children.length === 0) return scoreOf(node)
    let next: Element | undefined
    for (const child of children) {
      const truth = predicate(child.children[0] as Element, look)
      if (truth === true) next = child
      else if (truth === undefined && strategy === 'lastPrediction') return scoreOf(node)
      else if (truth === undefined && strategy === 'nullPrediction') return undefined
      else if (truth === undefined && strategy === 'defaultChild')
        next = children.find((each) => each.get('id') === node.get('defaultChild'))
      if (next !== undefined) break
    }
    if (next === undefined)
      return model.get('noTrueChildStrategy') === 'returnLastPrediction' ? scoreOf(node) : undefined
    node = next
  }
}

const sigmoid = (score: number): number => 1 / (1 + Math.exp(-score))

function regressionValue(model: Element, look: Look, event: string): number | undefined {
  const method = model.get('normalizationMethod') ?? 'none'
  const tables = model.all('RegressionTable').map((table) => {
    const parts = table.children.map((part) => {
      const coefficient = part.number('coefficient')
      if (part.name === 'CategoricalPredictor') {
        const [value, type] = look(part.string('name'))
        return value === typed(part.string('value'), type) ? coefficient : 0
      }
      const names =
        part.name === 'NumericPredictor'
          ? [part.string('name')]
          : part.all('FieldRef').map((each) => each.string('field'))
      const values = names.map((name) => look(name)[0])
      if (values.includes(undefined)) return undefined
      return values.reduce<number>(
        (product, value) => product * Number(value) ** part.number('exponent', 1),
        coefficient,
      )
    })
    return added([table.number('intercept'), ...parts])
  })
  const [first, second] = tables
  if (first === undefined) return undefined
  if (model.string('functionName') === 'regression') return method === 'none' ? first : sigmoid(first)
  if (second === undefined) return undefined
  const share = method === 'softmax' ? Math.exp(first) / (Math.exp(first) + Math.exp(second)) : sigmoid(first)
  return model.all('RegressionTable')[0]?.get('targetCategory') === event ? share : 1 - share
}

function generalValue(model: Element, look: Look, event: string): number | undefined {
  const factors = model.need('FactorList').children.map((each) => each.string('name'))
  const parts = model.need('ParamMatrix').children.map((cell) => {
    const own = model
      .need('PPMatrix')
      .children.filter((each) => each.get('parameterName') === cell.string('parameterName'))
    const values = own.map((each) => {
      const [value, type] = look(each.string('predictorName'))
      if (value === undefined) return undefined
      return factors.includes(each.string('predictorName'))
        ? Number(value === typed(each.string('value'), type))
        : Number(value) ** each.number('value')
    })
    return values.includes(undefined)
      ? undefined
      : (values as number[]).reduce((product, value) => product * value, cell.number('beta'))
  })
  const sum = added(parts)
  if (sum === undefined) return undefined
  return sigmoid(model.get('targetReferenceCategory') === event ? -sum : sum)
}
