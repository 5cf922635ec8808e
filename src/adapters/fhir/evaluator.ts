/** FHIRPath and UCUM, through the libraries of their makers. They are loaded when FHIR is first used. */
import { createRequire } from 'node:module'
import { type Json, codingsOf, isObject, listOf } from './json.ts'
import type { LatestMapping } from './mapping.ts'

export interface Evaluator {
  /** What a path gives for a resource; empty also for a resource on which the path fails. */
  evaluate(path: string, resource: Json, base?: string): readonly unknown[]
  /** A quantity in the unit of the mapping, or why it cannot be one. */
  readonly convert: (
    quantity: Json,
    mapping: Pick<LatestMapping, 'unit' | 'convert'>,
  ) => { value: unknown } | { why: string }
}

const UCUM = 'http://unitsofmeasure.org'
const LONGEST_UNIT = 40
const DIMENSIONLESS = /^(1|%|\{[^{}]*\})$/
/** Floating-point arithmetic leaves 2.9999999999999996 of 265.2 / 88.4; no laboratory reports as many digits as this. */
const SIGNIFICANT_DIGITS = 10

/** The package has no types of its own. */
export interface Ucum {
  convertUnitTo(
    from: string,
    value: number,
    to: string,
  ): { readonly status: string; readonly toVal: number | null }
  validateUnitString(unit: string): { readonly status: string }
}

export function openUcum(): Ucum {
  const required = createRequire(import.meta.url)('@lhncbc/ucum-lhc') as {
    UcumLhcUtils: { getInstance(): Ucum }
  }
  return required.UcumLhcUtils.getInstance()
}

export async function openEvaluator(): Promise<Evaluator> {
  const [{ default: fhirpath }, { default: r4 }] = await Promise.all([
    import('fhirpath'),
    import('fhirpath/fhir-context/r4'),
  ])
  const units = openUcum()
  const compiled = new Map<string, (resource: Json) => unknown>()
  return {
    evaluate(path, resource, base = '') {
      const name = `${base} ${path}`
      let run = compiled.get(name)
      if (run === undefined) {
        const expression = base === '' ? path : { base, expression: path }
        run = fhirpath.compile(expression, r4) as (resource: Json) => unknown
        compiled.set(name, run)
      }
      try {
        return listOf(run(resource))
      } catch {
        // The text of the error may quote the resource.
        return []
      }
    },
    convert: (quantity, mapping) => convertQuantity(quantity, mapping, units),
  }
}

function convertQuantity(
  quantity: Json,
  { unit, convert = [] }: Pick<LatestMapping, 'unit' | 'convert'>,
  ucum: Ucum,
): { value: unknown } | { why: string } {
  const { value, comparator, system, code } = quantity
  if (comparator !== undefined)
    return { why: 'The quantity has a comparator, so its number is not the value.' }
  if (typeof value !== 'number') return { value: value ?? null }
  const given = system === UCUM ? code : code === undefined ? quantity['unit'] : undefined
  if (unit === undefined) {
    const isPlain =
      given === undefined ? code === undefined : typeof given === 'string' && DIMENSIONLESS.test(given)
    return isPlain ? { value } : { why: 'The quantity has a unit where a plain number is expected.' }
  }
  if (typeof given !== 'string' || given.length > LONGEST_UNIT)
    return { why: 'The quantity has no UCUM unit.' }
  if (given === unit) return { value }
  const direct = convertTo(given, value, unit, ucum)
  if (direct !== undefined) return { value: direct }
  for (const { from, multiplyBy = 1, divideBy = 1 } of convert) {
    const inFrom = from === given ? value : convertTo(given, value, from, ucum)
    if (inFrom !== undefined) return { value: rounded((inFrom * multiplyBy) / divideBy) }
  }
  return { why: `The unit of the quantity cannot be converted to ${unit}.` }
}

function convertTo(from: string, value: number, to: string, ucum: Ucum): number | undefined {
  try {
    const { status, toVal } = ucum.convertUnitTo(from, value, to)
    return status === 'succeeded' && typeof toVal === 'number' && Number.isFinite(toVal)
      ? rounded(toVal)
      : undefined
  } catch {
    return undefined
  }
}

function rounded(value: number): number {
  return Number(value.toPrecision(SIGNIFICANT_DIGITS))
}

const WEIGHTS = new Set([
  'http://hl7.org/fhir/StructureDefinition/ordinalValue',
  'http://hl7.org/fhir/StructureDefinition/itemWeight',
])

/** The points of an answer: a plain number, a quantity without a unit, or the weight that its coding carries. */
export function pointsOf(value: unknown, { convert }: Evaluator): { value: unknown } | { why: string } {
  if (!isObject(value)) return { value }
  if (Object.hasOwn(value, 'value')) return convert(value, {})
  const codings = Array.isArray(value['coding']) ? listOf(value['coding']) : [value]
  const weights = codings.flatMap((coding) =>
    isObject(coding)
      ? listOf(coding['extension']).flatMap((each) =>
          isObject(each) && WEIGHTS.has(String(each['url'])) ? [each['valueDecimal']] : [],
        )
      : [],
  )
  if (weights.length > 0 && weights.every((weight) => weight === weights[0])) return { value: weights[0] }
  return { why: 'The answer is a code without a weight (itemWeight or ordinalValue).' }
}

/** A value as a field takes it where our own code system names the field: a code stands for itself. */
export function plainValue(value: unknown, evaluator: Evaluator): { value: unknown } | { why: string } {
  if (!isObject(value) || Object.hasOwn(value, 'value')) return pointsOf(value, evaluator)
  const [coding] = codingsOf(value)
  return coding === undefined ? { why: 'The value has no code.' } : { value: coding.code }
}
