/** What a field may hold. Each kind of field has its kind of domain, and every check of a value uses it. */
import type { FieldDefinition } from './field.ts'

export interface Range {
  readonly from: number
  readonly to: number
}

export type Domain =
  NumberDomain | ListDomain | CodeDomain | { readonly kind: 'yesNo' } | { readonly kind: 'date' }

/** What fields may hold, by their names. */
export type Domains = ReadonlyMap<string, Domain>

interface NumberDomain extends Range {
  readonly kind: 'integer' | 'decimal'
  /** The step in thousandths, where only its multiples are permitted. */
  readonly step?: number
}
/** A list of permitted numbers, ascending. */
interface ListDomain {
  readonly kind: 'list'
  readonly values: readonly number[]
  /** Whether every permitted value is whole, so that a fraction is not an integer rather than out of range. */
  readonly whole: boolean
}
interface CodeDomain {
  readonly kind: 'code'
  /** Each permitted code with its number in the slot. */
  readonly codes: ReadonlyMap<string, number>
}

export function fieldDomain(field: FieldDefinition): Domain {
  if (field.type === 'code') return codeDomain(Object.keys(field.values))
  if (field.type === 'yesNo') return { kind: 'yesNo' }
  return { kind: field.type, from: field.from, to: field.to }
}

export function listDomain(values: readonly number[]): ListDomain {
  const ascending = [...new Set(values)].sort((a, b) => a - b)
  return { kind: 'list', values: ascending, whole: ascending.every(Number.isInteger) }
}

export function codeDomain(codes: readonly string[]): CodeDomain {
  return { kind: 'code', codes: new Map(codes.map((code, index) => [code, index])) }
}

/** The lowest and the highest number of a domain of numbers; undefined for any other. */
export function rangeOf(domain: Domain | undefined): Range | undefined {
  if (domain?.kind === 'list') return { from: domain.values[0] ?? 0, to: domain.values.at(-1) ?? 0 }
  return domain?.kind === 'integer' || domain?.kind === 'decimal' ? domain : undefined
}

/** The codes of a domain with their numbers; empty for any other. */
export function codesIn(domain: Domain | undefined): ReadonlyMap<string, number> {
  return domain?.kind === 'code' ? domain.codes : new Map()
}

/** Numbers by code as a table by the number that stands for the code in its slot; NaN for a code without one. */
export function byNumber(
  numbers: Readonly<Record<string, number | undefined>>,
  codes: ReadonlyMap<string, number>,
): readonly number[] {
  const table = new Array<number>(Math.max(-1, ...codes.values()) + 1).fill(Number.NaN)
  for (const [code, place] of codes) table[place] = numbers[code] ?? Number.NaN
  return table
}

/** The value that a number in a slot stands for, as a record writes it. */
export function writtenValue(domain: Domain, number: number): number | string | boolean {
  if (domain.kind === 'yesNo') return number === 1
  for (const [code, standsFor] of codesIn(domain)) if (standsFor === number) return code
  return number
}

/** The same domain, allowing only what the model's population allows too. Codes keep their numbers. */
export function narrow(
  domain: Domain,
  { from = -Infinity, to = Infinity, values }: Partial<Range> & { readonly values?: readonly string[] },
): Domain {
  if (domain.kind === 'list')
    return { ...domain, values: domain.values.filter((value) => value >= from && value <= to) }
  if (domain.kind === 'code' && values !== undefined)
    return { kind: 'code', codes: new Map([...domain.codes].filter(([code]) => values.includes(code))) }
  if (domain.kind !== 'integer' && domain.kind !== 'decimal') return domain
  return { ...domain, from: Math.max(domain.from, from), to: Math.min(domain.to, to) }
}

/** Whether a number is one that the field may hold. */
export function permits(domain: Domain, value: number): boolean {
  if (domain.kind === 'list') return domain.values.includes(value)
  if (domain.kind !== 'integer' && domain.kind !== 'decimal') return true
  const isWithin = value >= domain.from && value <= domain.to
  return isWithin && (domain.step === undefined || isOnStep(value, domain.step))
}

/** Whether a value of a file is one that the field may hold. */
export function holds(domain: Domain, value: number | boolean | string): boolean {
  if (domain.kind === 'code') return typeof value === 'string' && domain.codes.has(value)
  if (domain.kind === 'yesNo') return typeof value === 'boolean'
  if (domain.kind === 'date' || typeof value !== 'number') return false
  if (domain.kind === 'list') return permits(domain, value)
  // A value for absence may be an average, which need not be a multiple of the step.
  return value >= domain.from && value <= domain.to && (domain.kind === 'decimal' || Number.isInteger(value))
}

/** The number in the slot of a field that a key of a file stands for; undefined where the field cannot have it. */
export function numberIn(domain: Domain, key: string): number | undefined {
  if (domain.kind === 'yesNo') return { true: 1, false: 0 }[key]
  if (domain.kind === 'code') return codesIn(domain).get(key)
  const number = Number(key)
  return key.trim() !== '' && holds(domain, number) ? number : undefined
}

/** Numbers have at most three decimals. Tenths are not exact in binary; thousandths counted in ones are. */
export const UNITS = 1_000

/** Whether a number with at most three decimals is a multiple of the step. */
export function isOnStep(value: number, step: number): boolean {
  const units = Math.round(value * UNITS)
  return units / UNITS === value && units % Math.round(step * UNITS) === 0
}

/** Every value of a stepped range, in order. */
export function steppedValues({ from, to }: Range, step: number): readonly number[] {
  const width = Math.round(step * UNITS)
  const first = Math.ceil(Math.round(from * UNITS) / width)
  const last = Math.floor(Math.round(to * UNITS) / width)
  return Array.from({ length: last - first + 1 }, (_, index) => ((first + index) * width) / UNITS)
}

export function rounded(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals
}
