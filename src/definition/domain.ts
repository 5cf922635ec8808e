/** What a field may hold. One kind of domain a kind of field; everything that judges a value asks its domain. */
import type { FieldDefinition } from './field.ts'

export interface Range {
  readonly from: number
  readonly to: number
}

export type Domain =
  | ({ readonly kind: 'integer' } & Range)
  | DecimalDomain
  | ListDomain
  | CodeDomain
  | { readonly kind: 'yesNo' }
  | { readonly kind: 'date' }

export interface DecimalDomain extends Range {
  readonly kind: 'decimal'
  /** Where only every so many thousandths are permitted. */
  readonly step?: number
}
/** A list of permitted numbers, ascending. */
export interface ListDomain {
  readonly kind: 'list'
  readonly values: readonly number[]
  /** Whether every permitted value is whole, so that a fraction is not an integer rather than out of range. */
  readonly whole: boolean
}
export interface CodeDomain {
  readonly kind: 'code'
  /** Each permitted code, and the number that stands for it in the slot. */
  readonly codes: ReadonlyMap<string, number>
}

export function fieldDomain(field: FieldDefinition): Domain {
  switch (field.type) {
    case 'integer':
    case 'decimal':
      return { kind: field.type, from: field.from, to: field.to }
    case 'code':
      return codeDomain(Object.keys(field.values))
    case 'yesNo':
      return { kind: 'yesNo' }
  }
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

/** The same domain, allowing only what the model's population allows too. Codes keep their numbers. */
export function narrow(
  domain: Domain,
  to: { from?: number; to?: number; values?: readonly string[] },
): Domain {
  const low = to.from ?? -Infinity
  const high = to.to ?? Infinity
  switch (domain.kind) {
    case 'integer':
    case 'decimal':
      return { ...domain, from: Math.max(domain.from, low), to: Math.min(domain.to, high) }
    case 'list':
      return { ...domain, values: domain.values.filter((value) => value >= low && value <= high) }
    case 'code': {
      const allowed = to.values
      return allowed === undefined
        ? domain
        : { kind: 'code', codes: new Map([...domain.codes].filter(([code]) => allowed.includes(code))) }
    }
    case 'yesNo':
    case 'date':
      return domain
  }
}

/** Whether a number is one that the field may hold. */
export function permits(domain: Domain, value: number): boolean {
  switch (domain.kind) {
    case 'integer':
      return value >= domain.from && value <= domain.to
    case 'decimal':
      return (
        value >= domain.from &&
        value <= domain.to &&
        (domain.step === undefined || isOnStep(value, domain.step))
      )
    case 'list':
      return domain.values.includes(value)
    case 'code':
    case 'yesNo':
    case 'date':
      return true
  }
}

/** Whether a value of a file is one that the field may hold. */
export function holds(domain: Domain, value: number | boolean | string): boolean {
  switch (domain.kind) {
    case 'integer':
      return Number.isInteger(value) && permits(domain, value as number)
    case 'decimal':
      return typeof value === 'number' && value >= domain.from && value <= domain.to
    case 'list':
      return typeof value === 'number' && permits(domain, value)
    case 'code':
      return typeof value === 'string' && domain.codes.has(value)
    case 'yesNo':
      return typeof value === 'boolean'
    case 'date':
      return false
  }
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
