/** What a field may hold. Each kind of field has its kind of domain, and every check of a value uses it. */
import {
  ALWAYS,
  add,
  and,
  compare,
  divide,
  floor,
  isWhole,
  multiply,
  number,
  or,
  subtract,
  value,
  within,
} from '../expression/build.ts'
import { type Holds, compileCondition } from '../expression/evaluate.ts'
import type { ConditionNode, NumberNode } from '../expression/node.ts'
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
export function writtenValue(domain: Domain, held: number): number | string | boolean {
  if (domain.kind === 'yesNo') return held === 1
  for (const [code, standsFor] of codesIn(domain)) if (standsFor === held) return code
  return held
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

const permitting = new WeakMap<Domain, Holds>()
const NO_STATES = new Uint8Array(0)
const asked = new Float64Array(1)

/** Whether a number is one that the field may hold. */
export function permits(domain: Domain, number: number): boolean {
  const holds = permitting.get(domain) ?? compileCondition(permitsNode(domain, value(0)))
  permitting.set(domain, holds)
  asked[0] = number
  return holds(asked, NO_STATES, Number.NaN)
}

/** Whether a number is one of the domain's, as an expression. None is not, in a domain of numbers. */
export function permitsNode(domain: Domain, of: NumberNode): ConditionNode {
  switch (domain.kind) {
    case 'integer':
      return and(within(of, domain), isWhole(of))
    case 'decimal': {
      const { from, to, step } = domain
      return and(within(of, { from, to }), step === undefined ? ALWAYS : isOnStepNode(of, step))
    }
    case 'list':
      return or(
        ...runsOf(domain.values).map((run) => {
          const { from, step, to } = run
          if (from === to) return compare(of, '=', number(from))
          if (step === 1) return and(within(of, { from, to }), isWhole(of))
          // Only a number of the run is equal to what this gives, and for such a number every operation is exact.
          const steps = floor(divide(subtract(of, number(from)), number(step)))
          const nearest = add(multiply(steps, number(step)), number(from))
          return and(within(of, { from, to }), compare(nearest, '=', of))
        }),
      )
    case 'code':
    case 'yesNo':
    case 'date':
      return ALWAYS
  }
}

/** A multiple of the step, counted in thousandths. */
function isOnStepNode(of: NumberNode, step: number): ConditionNode {
  const units = inUnits(of)
  const width = number(Math.round(step * UNITS))
  const nearest = multiply(floor(divide(units, width)), width)
  return and(compare(divide(units, number(UNITS)), '=', of), compare(nearest, '=', units))
}

/** How many thousandths a number has. */
export function inUnits(of: NumberNode): NumberNode {
  return floor(add(multiply(of, number(UNITS)), number(0.5)))
}

/** Ascending numbers as runs with even steps of halves, which are exact in binary. */
function runsOf(values: readonly number[]): readonly { from: number; step: number; to: number }[] {
  const runs: { from: number; step: number; to: number }[] = []
  const isExact = (each: number): boolean => Number.isInteger(each * 2)
  for (const each of values) {
    const { from, step, to } = runs[runs.length - 1] ?? { from: Number.NaN, step: 0, to: 0 }
    const continues = isExact(from) && isExact(each) && (from === to || each - to === step)
    if (continues) runs[runs.length - 1] = { from, step: each - to, to: each }
    else runs.push({ from: each, step: 0, to: each })
  }
  return runs
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
  const read = Number(key)
  return key.trim() !== '' && holds(domain, read) ? read : undefined
}

/** Numbers have at most three decimals. Tenths are not exact in binary; thousandths counted in ones are. */
export const UNITS = 1_000

/** Whether a number with at most three decimals is a multiple of the step. */
export function isOnStep(value: number, step: number): boolean {
  const units = Math.round(value * UNITS)
  return units / UNITS === value && units % Math.round(step * UNITS) === 0
}

/** The multiples of a step in a range, in thousandths: the first and the last of them, and how far they lie apart. */
export function stepsIn(
  { from, to }: Range,
  step: number,
): Readonly<Record<'first' | 'last' | 'width', number>> {
  const width = Math.round(step * UNITS)
  const first = Math.ceil(Math.round(from * UNITS) / width) * width
  return { first, last: Math.floor(Math.round(to * UNITS) / width) * width, width }
}

/** Every value of a stepped range, in order. */
export function steppedValues(range: Range, step: number): readonly number[] {
  const { first, last, width } = stepsIn(range, step)
  return Array.from({ length: (last - first) / width + 1 }, (_, index) => (first + index * width) / UNITS)
}

export function rounded(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals
}
