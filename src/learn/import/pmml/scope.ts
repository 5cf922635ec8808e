/** The fields that a model of the file can name: features with the treatment of its mining schema, derived fields, results. */
import type { ModelDefinition } from '../../../definition/model.ts'
import { edgeOf } from '../../../definition/trees.ts'
import type { ReadOptions } from '../source.ts'
import { type Ask, type Known, type State, present } from './cases.ts'
import { equals, evaluate, isWithin } from './expressions.ts'
import {
  type Amount,
  type Typed,
  type Value,
  asNumber,
  codeText,
  featureNumber,
  isBelow,
  isNumeric,
} from './values.ts'
import { cast } from './values.ts'
import type { Element } from './xml.ts'

/** What is the same for all models of a file. */
export interface PmmlFile {
  readonly options: ReadOptions
  readonly fields: ReadonlyMap<string, Element>
  readonly derived: ReadonlyMap<string, Element>
  readonly known: Known
}

export interface Scope {
  readonly file: PmmlFile
  readonly value: (name: string, ask: Ask, of: Element) => Typed
}

export interface Outcome {
  readonly amount: number | Amount
  readonly link: ModelDefinition['link']
}

export function byName(elements: readonly Element[]): ReadonlyMap<string, Element> {
  return new Map(elements.map((element) => [element.string('name'), element]))
}

/** `results` are the outputs of earlier models of a chain. */
export function scopeOf(
  model: Element,
  file: PmmlFile,
  parent?: Scope,
  results: ReadonlyMap<string, Value> = new Map(),
): Scope {
  const schema = byName(model.need('MiningSchema').all('MiningField'))
  const derived = new Map([
    ...(parent === undefined ? file.derived : []),
    ...byName(model.first('LocalTransformations')?.all('DerivedField') ?? []),
  ])
  const active = new Set<string>()
  const scope: Scope = {
    file,
    value(name, ask, of) {
      if (results.has(name)) return { value: results.get(name), type: 'double' }
      const field = derived.get(name)
      if (field === undefined) {
        const mining = schema.get(name)
        if (mining === undefined && parent !== undefined) return parent.value(name, ask, of)
        const data = file.fields.get(name)
        if (mining === undefined || (parent === undefined && data === undefined))
          return of.refuse(`names ${name}, which is no field here`)
        return parent === undefined
          ? treated(feature(data as Element, mining, ask), mining, ask)
          : treated(parent.value(name, ask, of), mining, ask)
      }
      if (active.has(name)) field.refuse('is derived from itself')
      active.add(name)
      try {
        const type = field.string('dataType')
        const expression = field.children.find(({ name: kind }) => !['Extension', 'Value'].includes(kind))
        const value = evaluate(expression ?? field.refuse('has no expression'), scope, ask)
        return { value: cast(value, type, ask, field), type }
      } finally {
        active.delete(name)
      }
    },
  }
  return scope
}

/** A feature as the record has it. Values that the file calls missing are; invalid ones are treated as its schema says. */
function feature(data: Element, mining: Element, ask: Ask): Typed {
  const [name, type] = [data.string('name'), data.string('dataType')]
  const missing: Typed = { value: undefined, type }
  if (ask(present(name)) === undefined) return missing
  const isNumber = data.get('optype') === 'continuous'
  if (isNumber && !isNumeric(type)) data.refuse(`a number of the type ${type} cannot be expressed`)
  const value: Value = isNumber ? featureNumber(name, type) : { code: name, type, codes: codesOf(data) }
  const isOneOf = (values: readonly Element[]): boolean =>
    values.length > 0 &&
    (isNumber
      ? values.some((each) => equals({ value, type }, each.string('value'), ask, each) === true)
      : ask({ field: name, codes: values.map((each) => codeText(each.string('value'), type)) }) === true)
  if (isOneOf(valuesOf(data, 'missing'))) return missing
  const [valid, intervals] = [valuesOf(data, 'valid'), data.all('Interval')]
  const isListed = isOneOf(valid) || intervals.some((each) => isWithin(each, asNumber(value, ask, data), ask))
  const isFree = valid.length + intervals.length === 0
  if ((isFree || isListed) && !isOneOf(valuesOf(data, 'invalid'))) return { value, type }
  const treatment = mining.oneOf('invalidValueTreatment', ['returnInvalid', 'asIs', 'asMissing', 'asValue'])
  if (treatment === 'returnInvalid')
    return data.refuse(
      'has values without a result among others; one range or a list of codes can be expressed',
    )
  if (treatment === 'asIs') {
    // Tools differ in whether such a value is an outlier.
    if ((mining.get('outliers') ?? 'asIs') !== 'asIs')
      mining.refuse('treats outliers, and takes invalid values as they are')
    return { value, type }
  }
  return treatment === 'asMissing'
    ? missing
    : { value: cast(mining.string('invalidValueReplacement'), type, ask, mining), type }
}

function treated({ value, type }: Typed, mining: Element, ask: Ask): Typed {
  const outliers = mining.oneOf('outliers', ['asIs', 'asMissingValues', 'asExtremeValues'])
  let kept = value
  if (outliers !== 'asIs' && value !== undefined) {
    const number = asNumber(value, ask, mining)
    const [low, high] = [mining.number('lowValue'), mining.number('highValue')]
    const end = isBelow(number, low, false, ask, mining)
      ? low
      : isBelow(high, number, false, ask, mining)
        ? high
        : undefined
    if (end !== undefined) kept = outliers === 'asExtremeValues' ? end : undefined
  }
  const replacement = mining.get('missingValueReplacement')
  if (kept === undefined && replacement !== undefined)
    return { value: cast(replacement, type, ask, mining), type }
  if (kept === undefined && mining.get('missingValueTreatment') === 'returnInvalid')
    mining.refuse('has no result where the field is missing')
  return { value: kept, type }
}

function valuesOf(data: Element, property: 'valid' | 'invalid' | 'missing'): readonly Element[] {
  // A record has no value that is not a number.
  const given = data.all('Value').filter((each) => each.get('value') !== 'NaN' || data.get('dataType') === 'string')
  return given.filter((each) => (each.get('property') ?? 'valid') === property)
}

export function codesOf(data: Element): readonly string[] | undefined {
  const type = data.string('dataType')
  if (type === 'boolean') return ['true', 'false']
  const codes = valuesOf(data, 'valid').map((each) => codeText(each.string('value'), type))
  return codes.length === 0 ? undefined : codes
}

/** What a feature can be at all: what has no result is not permitted, so that models need not ask about it. */
export function stateOf(data: Element, mining: Element | undefined, mayBeAbsent: boolean): State {
  const open = { from: -Infinity, edge: Infinity, except: [], present: true, absent: mayBeAbsent }
  if ((mining?.get('invalidValueTreatment') ?? 'returnInvalid') !== 'returnInvalid') return open
  const codes = codesOf(data)
  const invalid = valuesOf(data, 'invalid').map((each) =>
    codeText(each.string('value'), data.string('dataType')),
  )
  const missing = valuesOf(data, 'missing').map((each) =>
    codeText(each.string('value'), data.string('dataType')),
  )
  if (data.get('optype') !== 'continuous')
    return { ...open, ...(codes ? { only: [...codes, ...missing] } : { except: invalid }) }
  const [interval, ...others] = data.all('Interval')
  if (interval === undefined || others.length > 0) return open
  const [closure, left, right] = [
    interval.string('closure'),
    interval.get('leftMargin'),
    interval.get('rightMargin'),
  ]
  const rounding = data.get('dataType') === 'float' ? 'both' : 'none'
  const edge = (margin: string, isUpTo: boolean): number => {
    const number = interval.numberIn(margin)
    return edgeOf(
      { field: '', then: 0, else: 0, ...(isUpTo ? { upTo: number } : { below: number }) },
      rounding,
    )
  }
  return {
    ...open,
    ...(left !== undefined && { from: edge(left, closure.startsWith('open')) }),
    ...(right !== undefined && { edge: edge(right, closure.endsWith('Closed')) }),
  }
}

/** The class whose probability is the risk; undefined for a model of numbers. */
export function eventOf(
  model: Element,
  { options }: PmmlFile,
  classes: readonly string[],
): string | undefined {
  if (model.get('functionName') === 'regression') return undefined
  const { event } = options
  const found = classes.find((each) => each === event || (event !== undefined && sameNumber(each, event)))
  if (options.isDraft === true) return classes[0]
  return found ?? model.refuse(`the specification must name the event; the classes are ${classes.join(', ')}`)
}

function sameNumber(one: string, other: string): boolean {
  return (
    codeText(one, 'double') === codeText(other, 'double') && one.trim() !== '' && !Number.isNaN(Number(one))
  )
}
