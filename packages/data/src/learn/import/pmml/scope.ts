/** The fields that a model of the file can name, and what the file says about its features. */
import { type ModelDefinition, edgeOf } from 'patient-risk-engine/definition'
import { type ReadOptions, stated } from '../source.ts'
import type { Known, State } from './cases.ts'
import { type Amount, type Value, codeText, isNumeric } from './values.ts'
import type { Element } from './xml.ts'

type Elements = ReadonlyMap<string, Element>

/** What is the same for all models of a file. */
export interface PmmlFile {
  readonly options: ReadOptions
  readonly fields: Elements
  readonly derived: Elements
  readonly known: Known
}

export interface Scope {
  readonly file: PmmlFile
  readonly schema: Elements
  readonly derived: Elements
  /** The outputs of earlier models of a chain. */
  readonly results: ReadonlyMap<string, Value>
  readonly parent: Scope | undefined
}

export interface ModelTarget {
  readonly amount: number | Amount
  readonly link: ModelDefinition['link']
}

export function byName(elements: readonly Element[] = []): Elements {
  return new Map(elements.map((element) => [element.string('name'), element]))
}

export function scopeOf(
  model: Element,
  file: PmmlFile,
  parent?: Scope,
  results: Scope['results'] = new Map(),
): Scope {
  const schema = byName(model.need('MiningSchema').all('MiningField'))
  const own = byName(model.first('LocalTransformations')?.all('DerivedField'))
  return { file, schema, derived: new Map([...(parent ? [] : file.derived), ...own]), results, parent }
}

export function isNumber(data: Element): boolean {
  return data.get('optype') === 'continuous'
}

/** No record has a value that is not a number. */
export function valuesOf(data: Element, property: 'valid' | 'invalid' | 'missing'): readonly string[] {
  const own = data.all('Value').filter((each) => (each.get('property') ?? 'valid') === property)
  const type = data.string('dataType')
  const isText = (each: Element): boolean => !(Number.parseFloat(each.string('value')) <= Infinity)
  const stated = own.filter((each) => property === 'valid' || !isNumeric(type) || !isText(each))
  const texts = stated.map((each) => codeText(each.string('value'), type, each))
  return texts.filter((text) => text !== 'NaN' || type === 'string')
}

export function codesOf(data: Element): readonly string[] | undefined {
  if (data.get('dataType') === 'boolean') return ['true', 'false']
  const codes = valuesOf(data, 'valid')
  return codes.length === 0 ? undefined : codes
}

const CLOSURES = ['openOpen', 'openClosed', 'closedOpen', 'closedClosed'] as const

export function closureOf(interval: Element): (typeof CLOSURES)[number] {
  return interval.oneOf('closure', CLOSURES, interval.string('closure'))
}

/** What a feature can be at all: what has no result is not permitted, so that models need not ask about it. */
export function stateOf(data: Element, mining: Element | undefined, mayBeAbsent: boolean): State {
  const open = { from: -Infinity, edge: Infinity, except: [], present: true, absent: mayBeAbsent }
  if ((mining?.get('invalidValueTreatment') ?? 'returnInvalid') !== 'returnInvalid') return open
  if (!isNumber(data)) {
    const codes = codesOf(data)
    if (codes !== undefined) return { ...open, only: [...codes, ...valuesOf(data, 'missing')] }
    return { ...open, except: valuesOf(data, 'invalid') }
  }
  const [interval, ...others] = data.all('Interval')
  if (interval === undefined || others.length > 0) return open
  const closure = closureOf(interval)
  const rounding = data.get('dataType') === 'float' ? 'both' : 'none'
  const edge = (margin: 'leftMargin' | 'rightMargin', isUpTo: boolean, otherwise: number): number => {
    if (interval.get(margin) === undefined) return otherwise
    const split = isUpTo ? { upTo: interval.number(margin) } : { below: interval.number(margin) }
    return edgeOf({ ...split, field: '', then: 0, else: 0 }, rounding)
  }
  const from = edge('leftMargin', closure.startsWith('open'), -Infinity)
  const end = edge('rightMargin', closure.endsWith('Closed'), Infinity)
  return from < end ? { ...open, from, edge: end } : interval.refuse('has no value')
}

/** The class whose probability is the risk; undefined for a model of numbers. */
export function eventOf(
  model: Element,
  { options }: PmmlFile,
  classes: readonly string[],
): string | undefined {
  if (model.get('functionName') === 'regression') return undefined
  const event = stated(options, 'event') ?? ''
  const { isDraft } = options
  const isNumeric = event.trim() !== '' && !Number.isNaN(Number(event))
  const found = classes.find((each) => each === event || (isNumeric && Number(each) === Number(event)))
  if (isDraft === true) return classes[0]
  return found ?? model.refuse(`name the event in import.event; the classes are ${classes.join(', ')}`)
}
