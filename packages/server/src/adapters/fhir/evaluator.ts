/** FHIRPath and UCUM, by libraries that are loaded when FHIR is first used: loading takes half a second. */
import { createRequire } from 'node:module'
import type { FoundValue } from './read/finding.ts'
import { type Json, inside, isObject, listOf, textOf } from 'patient-risk-engine/read'
import { codingsOf } from './codings.ts'
import { FHIR_REASONS, type LatestMapping, systemName } from '@patient-risk/catalog'

const UCUM = 'http://unitsofmeasure.org'
const LONGEST_UNIT = 40
const DIMENSIONLESS = /^(1|%|\{[^{}]*\})$/
/** Floating-point arithmetic leaves 2.9999999999999996 of 265.2 / 88.4; no laboratory reports as many digits as this. */
const SIGNIFICANT_DIGITS = 10

type Conversion = NonNullable<LatestMapping['convert']>[number]
type Run = (node: Json) => unknown

/** The package has no types of its own. */
interface Ucum {
  convertUnitTo(from: string, value: number, to: string): { status: string; toVal: number | null }
  readonly uStrParser_: { parseString(text: string, to: 'validate'): readonly [unit: unknown, read: string] }
}

const require = createRequire(import.meta.url)
const compiled = new Map<string, Run>()

export function compilePath(path: string, base?: string): Run {
  const name = `${base ?? ''} ${path}`
  const known = compiled.get(name)
  if (known !== undefined) return known
  const { compile } = require('fhirpath') as { compile: (expression: unknown, model: unknown) => Run }
  const expression = base === undefined ? path : { base, expression: path }
  const made = compile(expression, require('fhirpath/fhir-context/r4'))
  compiled.set(name, made)
  return made
}

/**
 * What a path may call: functions whose time grows with the resource alone, and that write and fetch nothing. `trace` would print
 * values of patients, `now` would give another answer tomorrow, and a regular expression can take hours for thirty letters.
 */
const FUNCTIONS = new Set(
  [
    'where select exists all empty not count iif hasValue extension',
    'first last tail skip take single distinct union combine intersect exclude',
    'is as ofType toString toBoolean toInteger toDecimal toQuantity toDate toDateTime',
    'startsWith endsWith contains substring indexOf length upper lower trim split',
    'abs ceiling floor round truncate sum min max avg',
  ].flatMap((line) => line.split(' ')),
)

interface PathNode {
  readonly type: string
  readonly text?: string
  readonly children?: readonly PathNode[]
}

/** The functions of a path that are not allowed. */
export function refusedFunctions(path: string): readonly string[] {
  const { parse } = require('fhirpath') as { parse: (path: string) => PathNode }
  const namesIn = ({ type, text = '', children = [] }: PathNode): readonly string[] => [
    ...(type === 'FunctionInvocation' ? [text] : []),
    ...children.flatMap(namesIn),
  ]
  return [...new Set(namesIn(parse(path)))].filter((name) => !FUNCTIONS.has(name))
}

/** What a path gives for a resource or a part of one; empty also where the path fails. */
export function evaluate(path: string, node: Json, base?: string): readonly unknown[] {
  const run = compilePath(path, base)
  try {
    return listOf(run(node))
  } catch {
    // The text of the error may quote the resource.
    return []
  }
}

export function singleValue(path: string, node: Json, base?: string): unknown {
  const values = evaluate(path, node, base)
  return values.length === 1 ? values[0] : undefined
}

function ucum(): Ucum {
  const library = require('@lhncbc/ucum-lhc') as { UcumLhcUtils: { getInstance(): Ucum } }
  return library.UcumLhcUtils.getInstance()
}

/**
 * Whether a text is a UCUM code as it stands. A name such as `pound` is not a code. Only a code may go to the other functions of the
 * library: they print what they cannot parse, and the text is the caller's.
 */
export function isUnit(text: string): boolean {
  try {
    const [unit, read] = ucum().uStrParser_.parseString(text, 'validate')
    return Boolean(unit) && read === text
  } catch {
    return false
  }
}

/** A quantity in the unit of a field, rounded to the step of the field, as a person would write it there. */
export function convertQuantity(
  quantity: Json,
  { unit, convert = [], decimals }: Pick<LatestMapping, 'unit' | 'convert' | 'decimals'>,
  step?: number,
): FoundValue {
  const toStep = decimals === undefined ? step : 10 ** -decimals
  const { value, comparator, system, code } = quantity
  if (comparator !== undefined) return { why: { text: FHIR_REASONS.comparator } }
  if (typeof value !== 'number') return { value: value ?? null }
  // Many senders write the unit as a text only. It counts if it is the UCUM code.
  const ucumCode = systemName(textOf(system) ?? '') === UCUM ? code : undefined
  const given = code === undefined ? quantity['unit'] : ucumCode
  if (unit === undefined) {
    const isPlain =
      given === undefined ? code === undefined : typeof given === 'string' && DIMENSIONLESS.test(given)
    return isPlain ? { value } : { why: { text: FHIR_REASONS.unitOfPlain } }
  }
  if (typeof given !== 'string' || given.length > LONGEST_UNIT) return { why: { text: FHIR_REASONS.noUcum } }
  const known = [unit, ...convert.map(({ from }) => from)]
  if (contradicts(quantity['unit'], given, known)) return { why: { text: FHIR_REASONS.unitContradicts } }
  if (given === unit) return { value: roundedTo(step, value) }
  if (!isUnit(given)) return { why: { text: FHIR_REASONS.notUcum } }
  for (const { from, multiplyBy = 1, divideBy = 1 } of [{ from: unit } as Conversion, ...convert]) {
    const inFrom = from === given ? value : convertTo(given, value, from)
    if (inFrom === undefined) continue
    return { value: roundedTo(toStep, rounded((inFrom * multiplyBy) / divideBy)) }
  }
  return { why: { text: FHIR_REASONS.notConvertible, parts: { unit } } }
}

/**
 * Whether the text of a unit is another unit than its code: g/dL beside the code g/L, or another unit that the field knows: mmol/L. A text
 * that is no UCUM code says nothing, and neither does one of another kind: `C` is coulomb, and people mean Celsius.
 */
function contradicts(text: unknown, code: string, known: readonly string[]): boolean {
  if (typeof text !== 'string' || text === code || text.length > LONGEST_UNIT) return false
  if (!isUnit(text) || !isUnit(code)) return false
  const one = convertTo(text, 1, code)
  return one === undefined ? known.some((each) => convertTo(text, 1, each) !== undefined) : one !== 1
}

function convertTo(from: string, value: number, to: string): number | undefined {
  try {
    const { status, toVal } = ucum().convertUnitTo(from, value, to)
    return status === 'succeeded' && Number.isFinite(toVal) ? rounded(toVal as number) : undefined
  } catch {
    return undefined
  }
}

/** Half a step goes up, as people round: 37.05 is 37.1, although the nearest binary number is a little less. */
function roundedTo(step: number | undefined, value: number): number {
  return step === undefined ? value : rounded(Math.round(rounded(value / step)) * step)
}

function rounded(value: number): number {
  return Number(value.toPrecision(SIGNIFICANT_DIGITS))
}

const WEIGHTS = ['ordinalValue', 'itemWeight'].map(
  (name) => `http://hl7.org/fhir/StructureDefinition/${name}`,
)

export function pointsOf(value: unknown): FoundValue {
  if (!isObject(value)) return { value }
  if (Object.hasOwn(value, 'value')) return convertQuantity(value, {})
  const codings = Array.isArray(value['coding']) ? listOf(value['coding']) : [value]
  const weights = codings
    .flatMap((coding) => listOf(inside(coding, 'extension')))
    .filter((extension) => WEIGHTS.includes(String(inside(extension, 'url'))))
    .map((extension) => inside(extension, 'valueDecimal'))
  if (weights.length > 0 && weights.every((weight) => weight === weights[0])) return { value: weights[0] }
  return { why: { text: FHIR_REASONS.noWeight } }
}

/** The value of a field that is sent under our own code system. A code is used as it is. */
export function plainValue(value: unknown): FoundValue {
  if (!isObject(value) || Object.hasOwn(value, 'value')) return pointsOf(value)
  const [coding] = codingsOf(value)
  return coding === undefined ? { why: { text: FHIR_REASONS.noCode } } : { value: coding.code }
}
