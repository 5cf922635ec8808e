/** Expressions and predicates, evaluated as the standard says. Undefined is a missing value, or an unknown answer. */
import type { Ask } from './cases.ts'
import type { Scope } from './scope.ts'
import { type Amount, type Typed, type Value, asNumber, codeText, divided, isAmount } from './values.ts'
import { cast, isBelow, isNumeric, plus, power, times } from './values.ts'
import { type Element, wordsIn } from './xml.ts'

type Truth = boolean | undefined
const PREDICATES = ['SimplePredicate', 'SimpleSetPredicate', 'CompoundPredicate', 'True', 'False']

export function predicateOf(element: Element): Element {
  return element.need(...PREDICATES)
}

export function holds(predicate: Element, scope: Scope, ask: Ask): Truth {
  if (predicate.name === 'True' || predicate.name === 'False') return predicate.name === 'True'
  if (predicate.name === 'CompoundPredicate') {
    const parts = predicate.all(...PREDICATES)
    const operator = predicate.string('booleanOperator')
    if (operator === 'surrogate') {
      for (const part of parts) {
        const truth = holds(part, scope, ask)
        if (truth !== undefined) return truth
      }
      return undefined
    }
    const truths = parts.map((part) => holds(part, scope, ask))
    if (operator === 'xor')
      return truths.includes(undefined)
        ? undefined
        : truths.filter((truth) => truth === true).length % 2 === 1
    // One false decides `and`, and one true decides `or`, whatever is unknown.
    const decisive = predicate.oneOf('booleanOperator', ['and', 'or']) === 'or'
    if (truths.includes(decisive)) return decisive
    return truths.includes(undefined) ? undefined : !decisive
  }
  const typed = scope.value(predicate.string('field'), ask, predicate)
  if (predicate.name === 'SimpleSetPredicate') {
    const words = wordsIn(predicate.need('Array').text)
    const isIn = predicate.oneOf('booleanOperator', ['isIn', 'isNotIn']) === 'isIn'
    const found = isOneOf(typed, words, ask, predicate)
    return found === undefined ? undefined : found === isIn
  }
  const operator = predicate.string('operator')
  if (operator === 'isMissing' || operator === 'isNotMissing')
    return (typed.value === undefined) === (operator === 'isMissing')
  return compared(operator, typed, predicate.string('value'), ask, predicate)
}

/** A field compared with a constant of the file, which has the type of the field. */
function compared(operator: string, typed: Typed, text: string, ask: Ask, of: Element): Truth {
  const { value, type } = typed
  if (value === undefined) return undefined
  if (operator === 'equal') return isOneOf(typed, [text], ask, of)
  if (operator === 'notEqual') return !isOneOf(typed, [text], ask, of)
  const number = of.numberIn(text)
  const constant = type === 'float' ? Math.fround(number) : number
  if (typeof value === 'object' && 'code' in value) {
    const codes = isNumeric(type)
      ? value.codes?.filter((code) => inOrder(operator, Number(code), constant))
      : undefined
    return codes === undefined
      ? of.refuse(`asks for the order of codes of ${value.code}`)
      : ask({ field: value.code, codes })
  }
  return inOrder(operator, asNumber(value, ask, of), constant, ask, of, number)
}

const never: Ask = () => undefined

function inOrder(
  operator: string,
  one: number | Amount,
  other: number | Amount,
  ask: Ask = never,
  of?: Element,
  written?: number,
): boolean {
  const element = of as Element
  if (operator === 'lessThan') return isBelow(one, other, false, ask, element, written)
  if (operator === 'lessOrEqual') return isBelow(one, other, true, ask, element, written)
  if (operator === 'greaterThan') return !isBelow(one, other, true, ask, element, written)
  if (operator === 'greaterOrEqual') return !isBelow(one, other, false, ask, element, written)
  return element.refuse(`the operator ${operator} cannot be expressed`)
}

export function equals(typed: Typed, text: string, ask: Ask, of: Element): Truth {
  return isOneOf(typed, [text], ask, of)
}

function isOneOf({ value, type }: Typed, words: readonly string[], ask: Ask, of: Element): Truth {
  if (value === undefined) return undefined
  if (typeof value === 'object' && 'code' in value)
    return ask({ field: value.code, codes: words.map((word) => codeText(word, type)) })
  if (typeof value === 'string' || typeof value === 'boolean') return words.includes(String(value))
  return words.some((word) => {
    const written = of.numberIn(word)
    const number = type === 'float' ? Math.fround(written) : written
    return isBelow(value, number, true, ask, of, written) && !isBelow(value, number, false, ask, of, written)
  })
}

/** Whether a number lies in an Interval. */
export function isWithin(interval: Element, value: number | Amount, ask: Ask): boolean {
  const closure = interval.string('closure')
  const [left, right] = [interval.get('leftMargin'), interval.get('rightMargin')]
  const isAbove =
    left === undefined || !isBelow(value, interval.numberIn(left), closure.startsWith('open'), ask, interval)
  return (
    isAbove &&
    (right === undefined ||
      isBelow(value, interval.numberIn(right), closure.endsWith('Closed'), ask, interval))
  )
}

export function evaluate(expression: Element, scope: Scope, ask: Ask): Value {
  const kind = EXPRESSIONS[expression.name]
  return kind === undefined
    ? expression.refuse('this expression cannot be expressed')
    : kind(expression, scope, ask)
}

type Evaluation = (expression: Element, scope: Scope, ask: Ask) => Value

const EXPRESSIONS: Readonly<Record<string, Evaluation>> = {
  Constant: (of, _scope, ask) => {
    if (of.get('missing') === 'true') return undefined
    const type = of.get('dataType') ?? (Number.isNaN(Number(of.text)) ? 'string' : 'double')
    return cast(of.text, type, ask, of)
  },
  FieldRef: (of, scope, ask) => scope.value(of.string('field'), ask, of).value ?? of.get('mapMissingTo'),
  NormDiscrete: (of, scope, ask) => {
    const isEqual = equals(scope.value(of.string('field'), ask, of), of.string('value'), ask, of)
    return isEqual === undefined ? whenMissing(of, ask) : Number(isEqual)
  },
  NormContinuous: (of, scope, ask) => {
    const { value } = scope.value(of.string('field'), ask, of)
    return value === undefined ? whenMissing(of, ask) : onLines(of, asNumber(value, ask, of), ask)
  },
  Discretize: (of, scope, ask) => {
    const { value } = scope.value(of.string('field'), ask, of)
    if (value === undefined) return of.get('mapMissingTo')
    const number = asNumber(value, ask, of)
    const bin = of.all('DiscretizeBin').find((each) => isWithin(each.need('Interval'), number, ask))
    return bin?.string('binValue') ?? of.get('defaultValue')
  },
  MapValues: (of, scope, ask) => {
    const pairs = of
      .all('FieldColumnPair')
      .map((pair) => [pair.string('column'), scope.value(pair.string('field'), ask, pair)] as const)
    if (pairs.some(([, { value }]) => value === undefined)) return of.get('mapMissingTo')
    const row = of
      .need('InlineTable')
      .all('row')
      .find((cells) =>
        pairs.every(([column, typed]) => equals(typed, cells.need(column).text.trim(), ask, cells)),
      )
    return row?.need(of.string('outputColumn')).text.trim() ?? of.get('defaultValue')
  },
  Apply: (of, scope, ask) => {
    const [name, parts] = [of.string('function'), of.children.filter((each) => each.name !== 'Extension')]
    const part = (place: number): Value => {
      const each = parts[place]
      return each === undefined ? of.refuse(`has no argument ${place + 1}`) : evaluate(each, scope, ask)
    }
    const missing = of.get('mapMissingTo')
    if (name === 'if') {
      const truth = truthOf(part(0), ask, of)
      if (truth === undefined) return missing ?? of.get('defaultValue')
      return (truth ? part(1) : parts.length > 2 ? part(2) : undefined) ?? of.get('defaultValue')
    }
    const values = parts.map((_part, place) => part(place))
    if (name === 'isMissing' || name === 'isNotMissing')
      return (values[0] === undefined) === (name === 'isMissing')
    if (missing !== undefined && values.includes(undefined)) return missing
    const given = values.filter((value) => value !== undefined)
    const isDefined = given.length === values.length || (name in TOGETHER && given.length > 0)
    return (isDefined ? apply(name, given, ask, of) : undefined) ?? of.get('defaultValue')
  },
}

function whenMissing(of: Element, ask: Ask): Value {
  return cast(of.get('mapMissingTo'), 'double', ask, of)
}

/** On the line between the two points next to the value, or beyond them as `outliers` says. */
function onLines(of: Element, value: number | Amount, ask: Ask): Value {
  const points = of.all('LinearNorm').map((each) => [each.number('orig'), each.number('norm')] as const)
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined || points.length < 2) return of.refuse('needs two LinearNorm')
  const outliers = of.oneOf('outliers', ['asIs', 'asMissingValues', 'asExtremeValues'])
  if (outliers !== 'asIs') {
    const end = isBelow(value, first[0], false, ask, of)
      ? first
      : isBelow(last[0], value, false, ask, of)
        ? last
        : undefined
    // Tools differ in what an outlier gives here.
    if (outliers === 'asMissingValues' && of.get('mapMissingTo') !== undefined)
      of.refuse('has mapMissingTo, and outliers that are missing')
    if (end !== undefined) return outliers === 'asExtremeValues' ? end[1] : undefined
  }
  const inner = points.slice(1, -1).findIndex(([orig]) => isBelow(value, orig, false, ask, of))
  const place = inner === -1 ? points.length - 2 : inner
  const [[from, low], [to, high]] = [points[place], points[place + 1]] as [typeof first, typeof first]
  return plus(times(plus(value, -from), (high - low) / (to - from)), low)
}

function truthOf(value: Value, ask: Ask, of: Element): Truth {
  if (typeof value === 'object' && 'code' in value)
    return equals({ value, type: value.type }, 'true', ask, of)
  return value === undefined ? undefined : value === true || value === 'true' || value === 1
}

/** Functions that leave out what is missing. */
const TOGETHER: Readonly<
  Record<string, (one: number | Amount, other: number | Amount, isLess: () => boolean) => number | Amount>
> = {
  sum: plus,
  product: times,
  min: (one, other, isLess) => (isLess() ? one : other),
  max: (one, other, isLess) => (isLess() ? other : one),
}

function apply(name: string, given: readonly Exclude<Value, undefined>[], ask: Ask, of: Element): Value {
  const [one, other] = given
  if (one === undefined) return of.refuse('has no arguments')
  if (['and', 'or', 'not'].includes(name)) {
    const truths = given.map((value) => truthOf(value, ask, of))
    return name === 'not' ? !truths[0] : name === 'and' ? !truths.includes(false) : truths.includes(true)
  }
  const isEqual = (value: Value): boolean => {
    const [code, constant] = typeof one === 'object' && 'code' in one ? [one, value] : [value, one]
    if (typeof code === 'object' && 'code' in code && typeof constant !== 'object')
      return equals({ value: code, type: code.type }, String(constant), ask, of) === true
    if (
      typeof one !== 'string' &&
      typeof value !== 'string' &&
      !(typeof value === 'object' && 'code' in value)
    ) {
      const [left, right] = [asNumber(one, ask, of), asNumber(value as number, ask, of)]
      return isBelow(left, right, true, ask, of) && !isBelow(left, right, false, ask, of)
    }
    return typeof one === 'object' || typeof value === 'object'
      ? of.refuse('compares two fields')
      : String(one) === String(value)
  }
  if (name === 'equal' || name === 'notEqual') return isEqual(other) === (name === 'equal')
  if (name === 'isIn' || name === 'isNotIn') return given.slice(1).some(isEqual) === (name === 'isIn')
  const numbers = given.map((value) => asNumber(value, ask, of))
  const together = TOGETHER[name]
  if (together !== undefined)
    return numbers.reduce((left, right) => together(left, right, () => isBelow(left, right, true, ask, of)))
  const [left = 0, right = 0] = numbers
  if (name in ARITHMETIC) return ARITHMETIC[name]?.(left, right, of)
  if (name === 'threshold') return Number(!isBelow(left, right, true, ask, of))
  if (name === 'abs') return isBelow(left, 0, false, ask, of) ? times(left, -1) : left
  return inOrder(name, left, right, ask, of)
}

const ARITHMETIC: Readonly<
  Record<string, (left: number | Amount, right: number | Amount, of: Element) => Value>
> = {
  '+': plus,
  '-': (left, right) => plus(left, times(right, -1)),
  '*': times,
  '/': (left, right, of) => (isAmount(right) ? times(left, power(right, -1, of)) : divided(left, right)),
  pow: (left, right, of) => raised(left, right, of),
  sqrt: (left, _right, of) => raised(left, 0.5, of),
  ln: (left, _right, of) => (isAmount(left) ? power(left, 0, of) : Math.log(left)),
  ln1p: (left, _right, of) => (isAmount(left) ? power(plus(left, 1) as Amount, 0, of) : Math.log1p(left)),
  log10: (left, _right, of) => (isAmount(left) ? divided(power(left, 0, of), Math.LN10) : Math.log10(left)),
  exp: (left, _right, of) => (isAmount(left) ? of.refuse('terms have no exponential') : Math.exp(left)),
}

export function raised(base: number | Amount, exponent: number | Amount, of: Element): number | Amount {
  if (isAmount(exponent)) return of.refuse('has an exponent that depends on the record')
  if (!isAmount(base)) return base ** exponent
  return exponent === 0 ? 1 : exponent === 1 ? base : power(base, exponent, of)
}
