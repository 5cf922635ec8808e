/** Predicates and expressions, evaluated as the standard says. Undefined is a missing value, or an unknown answer. */
import { type Ask, type Cases, explore, present } from './cases.ts'
import { Comparison, type Numeric, type Truth, constantOf } from './comparison.ts'
import { type Scope, codesOf, isNumber, valuesOf } from './scope.ts'
import { type Amount, type Typed, type Value, divided, isAmount } from './values.ts'
import { featureNumber, plus, power, raised, times } from './values.ts'
import { type Element, wordsIn } from './xml.ts'

const TYPES = ['string', 'integer', 'float', 'double', 'boolean'] as const
const OPTYPES = ['continuous', 'categorical', 'ordinal'] as const
const PREDICATES = ['SimplePredicate', 'SimpleSetPredicate', 'CompoundPredicate', 'True', 'False']

/** Expressions inside of each other, also through derived fields. */
const MOST_NESTED = 500

export function casesOf<T>(
  of: Element,
  scope: Scope,
  run: (at: Evaluation) => T,
  known = scope.file.known,
): Cases<T> {
  return explore(of, known, (ask) => run(new Evaluation(scope, ask)))
}

/** What one evaluation has found so far. The answers to its questions do not change, so a derived field has one value. */
interface Progress {
  readonly values: Map<Scope, Map<string, Typed>>
  /** The derived fields that are being evaluated. */
  readonly active: Set<string>
  nested: number
}

export class Evaluation extends Comparison {
  private readonly scope: Scope
  private readonly progress: Progress

  constructor(
    scope: Scope,
    ask: Ask,
    progress: Progress = { values: new Map(), active: new Set(), nested: 0 },
  ) {
    super(ask)
    this.scope = scope
    this.progress = progress
  }

  /** A field that a model names: a result of an earlier one, a derived field, or a feature with the treatment of the schema. */
  field(name: string, of: Element): Typed {
    const { results, derived, schema, parent, file } = this.scope
    of.take(1)
    if (results.has(name)) return { value: results.get(name), type: 'double' }
    const field = derived.get(name)
    if (field !== undefined) return this.derived(name, field)
    const mining = schema.get(name)
    const data = file.fields.get(name)
    if (parent !== undefined) {
      const outer = new Evaluation(parent, this.ask, this.progress).field(name, of)
      return mining === undefined ? outer : this.treated(outer, mining)
    }
    if (mining === undefined || data === undefined) return of.refuse(`names ${name}, which is no field here`)
    return this.treated(this.feature(data, mining), mining)
  }

  /** Evaluated once, however often it is named. */
  private derived(name: string, field: Element): Typed {
    const { values, active } = this.progress
    const own = values.get(this.scope) ?? new Map<string, Typed>()
    values.set(this.scope, own)
    const found = own.get(name)
    if (found !== undefined) return found
    if (active.has(name)) field.refuse('is derived from itself')
    active.add(name)
    const type = field.string('dataType')
    const expression =
      field.children.find((each) => each.name !== 'Value') ?? field.refuse('has no expression')
    const typed = { value: this.cast(this.evaluate(expression), type, field), type }
    active.delete(name)
    own.set(name, typed)
    return typed
  }

  /** A feature as the record has it. Values that the file calls missing are; invalid ones are treated as its schema says. */
  private feature(data: Element, mining: Element): Typed {
    data.take(data.children.length)
    const name = data.string('name')
    const type = data.oneOf('dataType', TYPES, data.string('dataType'))
    data.oneOf('optype', OPTYPES, data.string('optype'))
    const missing: Typed = { value: undefined, type }
    if (this.ask(present(name)) === undefined) return missing
    const value = isNumber(data) ? featureNumber(name, type) : { code: name, type, codes: codesOf(data) }
    const isOneOf = (values: readonly string[]): boolean =>
      values.length > 0 && this.isOneOf({ value, type }, values, data) === true
    if (isOneOf(valuesOf(data, 'missing'))) return missing
    const valid = valuesOf(data, 'valid')
    const intervals = data.all('Interval')
    const isListed = isOneOf(valid) || intervals.some((each) => this.isWithin(each, value))
    const isValid = (isListed || valid.length + intervals.length === 0) && !isOneOf(valuesOf(data, 'invalid'))
    const treatment = mining.oneOf('invalidValueTreatment', ['returnInvalid', 'asIs', 'asMissing', 'asValue'])
    if (isValid) return { value, type }
    if (treatment === 'returnInvalid')
      data.refuse('has values without a result among others; one range or a list of codes can be expressed')
    if (treatment === 'asMissing') return missing
    if (treatment === 'asValue')
      return { value: this.cast(mining.string('invalidValueReplacement'), type, mining), type }
    // Tools differ in whether such a value is an outlier.
    if (mining.get('outliers') !== undefined)
      mining.refuse('treats outliers, and takes invalid values as they are')
    return { value, type }
  }

  private treated({ value, type }: Typed, mining: Element): Typed {
    const outliers = mining.oneOf('outliers', ['asIs', 'asMissingValues', 'asExtremeValues'])
    let kept = value
    if (outliers !== 'asIs' && value !== undefined) {
      const low = mining.number('lowValue')
      const high = mining.number('highValue')
      const end = this.beyond(value, low, high, mining)
      if (end !== undefined) kept = outliers === 'asExtremeValues' ? end : undefined
    }
    if (kept !== undefined) return { value: kept, type }
    if (mining.get('missingValueTreatment') === 'returnInvalid')
      mining.refuse('has no result where the field is missing')
    return { value: this.cast(mining.get('missingValueReplacement'), type, mining), type }
  }

  holds(predicate: Element): Truth {
    if (predicate.name === 'True' || predicate.name === 'False') return predicate.name === 'True'
    if (predicate.name === 'CompoundPredicate') return this.together(predicate)
    const typed = this.field(predicate.string('field'), predicate)
    if (predicate.name === 'SimpleSetPredicate') {
      const isIn = predicate.oneOf('booleanOperator', ['isIn', 'isNotIn']) === 'isIn'
      const found = this.isOneOf(typed, wordsIn(predicate.need('Array').text), predicate)
      return found === undefined ? undefined : found === isIn
    }
    const operator = predicate.string('operator')
    if (operator === 'isMissing') return typed.value === undefined
    if (operator === 'isNotMissing') return typed.value !== undefined
    const text = predicate.string('value')
    return this.compare(operator, typed.value, constantOf(text, typed, predicate), predicate, text)
  }

  private together(predicate: Element): Truth {
    const operator = predicate.oneOf(
      'booleanOperator',
      ['and', 'or', 'xor', 'surrogate'],
      predicate.string('booleanOperator'),
    )
    const parts = predicate.all(...PREDICATES)
    if (parts.length === 0) predicate.refuse('has no predicates')
    if (operator === 'surrogate') {
      for (const part of parts) {
        const truth = this.holds(part)
        if (truth !== undefined) return truth
      }
      return undefined
    }
    const truths = parts.map((part) => this.holds(part))
    // One false decides `and`, and one true decides `or`, whatever is unknown.
    if (operator !== 'xor' && truths.includes(operator === 'or')) return operator === 'or'
    if (truths.includes(undefined)) return undefined
    return operator === 'xor' ? truths.filter(Boolean).length % 2 === 1 : operator === 'and'
  }

  evaluate(of: Element): Value {
    const { progress } = this
    of.take(1 + of.children.length)
    progress.nested++
    if (progress.nested > MOST_NESTED)
      of.refuse(`is the innermost of more than ${MOST_NESTED} expressions, counted through derived fields`)
    const value = this.expressed(of)
    progress.nested--
    return value
  }

  private expressed(of: Element): Value {
    const missing = of.get('mapMissingTo')
    if (of.name === 'Apply') return this.apply(of, missing)
    if (of.name === 'Constant') {
      if (of.get('missing') === 'true') return undefined
      return this.cast(
        of.text,
        of.get('dataType') ?? (Number.isNaN(Number(of.text)) ? 'string' : 'double'),
        of,
      )
    }
    if (of.name === 'MapValues') return this.mapped(of, missing)
    if (!['FieldRef', 'NormDiscrete', 'NormContinuous', 'Discretize'].includes(of.name))
      return of.refuse('this expression cannot be expressed')
    const typed = this.field(of.string('field'), of)
    if (typed.value === undefined) return missing
    if (of.name === 'FieldRef') return typed.value
    if (of.name === 'NormDiscrete') return Number(this.isOneOf(typed, [of.string('value')], of))
    if (of.name === 'NormContinuous') return this.interpolate(of, this.number(typed.value, of))
    const bin = of.all('DiscretizeBin').find((each) => this.isWithin(each.need('Interval'), typed.value))
    return bin?.string('binValue') ?? of.get('defaultValue')
  }

  private mapped(of: Element, missing: string | undefined): Value {
    const pairs = of
      .all('FieldColumnPair')
      .map((pair) => [pair.string('column'), this.field(pair.string('field'), pair)] as const)
    if (pairs.length === 0) of.refuse('has no FieldColumnPair')
    if (pairs.some(([, { value }]) => value === undefined)) return missing
    const isMet = (cells: Element): boolean =>
      pairs.every(([column, typed]) => this.isOneOf(typed, [cells.need(column).text.trim()], cells))
    const row = of.need('InlineTable').all('row').find(isMet)
    return row?.need(of.string('outputColumn')).text.trim() ?? of.get('defaultValue')
  }

  /** On the line between the two points next to the value, or beyond them as `outliers` says. */
  private interpolate(of: Element, value: Numeric): Value {
    const points = of.all('LinearNorm').map((each) => [each.number('orig'), each.number('norm')] as const)
    const first = points[0]
    const last = points[points.length - 1]
    const isRising = points.every(([orig], at) => at === 0 || orig > (points[at - 1]?.[0] ?? orig))
    if (first === undefined || last === undefined || points.length < 2 || !isRising)
      return of.refuse('needs two LinearNorm or more, by rising orig')
    const outliers = of.oneOf('outliers', ['asIs', 'asMissingValues', 'asExtremeValues'])
    // Tools differ in what an outlier gives then.
    if (outliers === 'asMissingValues' && of.get('mapMissingTo') !== undefined)
      of.refuse('has mapMissingTo, and outliers that are missing')
    const end = outliers === 'asIs' ? undefined : this.beyond(value, first[0], last[0], of)
    if (end !== undefined && outliers === 'asMissingValues') return undefined
    if (end !== undefined) return end === first[0] ? first[1] : last[1]
    const inner = points.slice(1, -1).findIndex(([orig]) => this.isBelow(value, orig, false, of))
    const place = inner === -1 ? points.length - 2 : inner
    const [from, low] = points[place] as typeof first
    const [to, high] = points[place + 1] as typeof first
    return plus(times(plus(value, -from, of), (high - low) / (to - from), of), low, of)
  }

  private truth(value: Value, of: Element): Truth {
    return this.compare('equal', value === 1 ? true : value, 'true', of)
  }

  private apply(of: Element, missing: string | undefined): Value {
    const name = of.string('function')
    const otherwise = of.get('defaultValue')
    if (name === 'if') {
      const [condition, yes, no] = of.children
      if (condition === undefined || yes === undefined) return of.refuse('needs a condition and a value')
      const truth = this.truth(this.evaluate(condition), of)
      if (truth === undefined) return missing ?? otherwise
      return (truth ? this.evaluate(yes) : no && this.evaluate(no)) ?? otherwise
    }
    const values = of.children.map((each) => this.evaluate(each))
    const aggregate = AGGREGATES.get(name)
    const own = FUNCTIONS.get(name)
    const most = mostArguments(name)
    if (values.length > most || values.length < (own ? most : 1)) of.refuse(`has ${values.length} arguments`)
    if (name === 'isMissing') return values[0] === undefined
    if (name === 'isNotMissing') return values[0] !== undefined
    if (missing !== undefined && values.includes(undefined)) return missing
    const given = values.filter((value) => value !== undefined)
    const [one, other] = given
    if (one === undefined || (!aggregate && given.length < values.length)) return otherwise
    if (name === 'isIn' || name === 'isNotIn')
      return given.slice(1).some((each) => this.compare('equal', one, each, of)) === (name === 'isIn')
    if (name === 'not') return this.truth(one, of) === false
    if (name === 'and') return given.every((value) => this.truth(value, of) !== false)
    if (name === 'or') return given.some((value) => this.truth(value, of) === true)
    const apply = aggregate ?? own
    if (apply === undefined && other === undefined) return of.refuse(`${name} cannot be expressed`)
    if (apply === undefined) return this.compare(name, one, other, of) ?? otherwise
    const [first = 0, ...rest] = given.map((value) => this.number(value, of))
    if (own) return own(this, of, first, rest[0] ?? 0)
    return rest.reduce((left, right) => apply(this, of, left, right), first)
  }
}

const LISTS = ['and', 'or', 'isIn', 'isNotIn']
const UNARY = ['isMissing', 'isNotMissing', 'not']

type NumberFunction = (at: Comparison, of: Element, left: Numeric, right: Numeric) => Numeric
type NumberFunctions = ReadonlyMap<string, NumberFunction>
/** Of any number of arguments. What is missing is left out. */
const AGGREGATES: NumberFunctions = new Map<string, NumberFunction>([
  ['sum', (_at, of, left, right) => plus(left, right, of)],
  ['product', (_at, of, left, right) => times(left, right, of)],
  ['min', (at, of, left, right) => (at.isBelow(left, right, true, of) ? left : right)],
  ['max', (at, of, left, right) => (at.isBelow(left, right, true, of) ? right : left)],
])
/** Of as many arguments as they name after the first two. */
const FUNCTIONS: NumberFunctions = new Map<string, NumberFunction>([
  ['+', (_at, of, left, right) => plus(left, right, of)],
  ['-', (_at, of, left, right) => plus(left, times(right, -1, of), of)],
  ['*', (_at, of, left, right) => times(left, right, of)],
  ['/', (_at, of, left, by) => (isAmount(by) ? times(left, power(by, -1, of), of) : divided(left, by, of))],
  ['pow', (_at, of, left, right) => raised(left, right, of)],
  ['threshold', (at, of, left, right) => Number(!at.isBelow(left, right, true, of))],
  ['abs', (at, of, left) => (at.isBelow(left, 0, false, of) ? times(left, -1, of) : left)],
  ['sqrt', (_at, of, left) => raised(left, 0.5, of)],
  ['ln', (_at, of, left) => (isAmount(left) ? power(left, 0, of) : Math.log(left))],
  [
    'ln1p',
    (_at, of, left) => (isAmount(left) ? power(plus(left, 1, of) as Amount, 0, of) : Math.log1p(left)),
  ],
  [
    'log10',
    (_at, of, left) => (isAmount(left) ? divided(power(left, 0, of), Math.LN10, of) : Math.log10(left)),
  ],
  ['exp', (_at, of, left) => (isAmount(left) ? of.refuse('terms have no exponential') : Math.exp(left))],
])

function mostArguments(name: string): number {
  if (AGGREGATES.has(name) || LISTS.includes(name)) return Infinity
  if (UNARY.includes(name)) return 1
  // Comparisons are not listed, and take two.
  return (FUNCTIONS.get(name)?.length ?? 4) - 2
}

export function predicateOf(element: Element): Element {
  return element.need(...PREDICATES)
}
