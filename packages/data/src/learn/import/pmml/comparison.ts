/** Values compared with each other and with constants of the file, by questions about features. */
import { edgeOf } from 'patient-risk-engine/definition'
import { type Ask, firstThat } from './cases.ts'
import { closureOf } from './scope.ts'
import {
  type Amount,
  type Typed,
  type Value,
  codeText,
  isAmount,
  isCode,
  isNumeric,
  rounded,
} from './values.ts'
import type { Element } from './xml.ts'

/** Undefined: unknown. */
export type Truth = boolean | undefined
export type Numeric = number | Amount

export class Comparison {
  readonly ask: Ask

  constructor(ask: Ask) {
    this.ask = ask
  }

  /** The end beyond which a value lies. */
  beyond(value: Value, low: number, high: number, of: Element): number | undefined {
    if (this.compare('lessThan', value, low, of)) return low
    return this.compare('greaterThan', value, high, of) ? high : undefined
  }

  isOneOf(typed: Typed, words: readonly string[], of: Element): Truth {
    const { value, type } = typed
    of.take(words.length)
    if (value === undefined) return undefined
    if (isCode(value))
      return this.ask({ field: value.code, codes: words.map((word) => codeText(word, type, of)) })
    return words.some((word) => this.compare('equal', value, constantOf(word, typed, of), of, word))
  }

  /** `written` is the constant as the file has it. */
  compare(operator: string, one: Value, other: Value, of: Element, written?: string): Truth {
    of.take(1)
    if (one === undefined || other === undefined) return undefined
    if (operator === 'notEqual') return this.compare('equal', one, other, of, written) === false
    if (isCode(other) && !isCode(one) && operator === 'equal') return this.compare(operator, other, one, of)
    if (isCode(one)) {
      const { code: field, type, codes } = one
      if (typeof other === 'object') return of.refuse(`compares ${field} with another field`)
      if (operator === 'equal') return this.ask({ field, codes: [codeText(String(other), type, of)] })
      if (codes === undefined || !isNumeric(type)) return of.refuse(`asks for the order of codes of ${field}`)
      return this.ask({
        field,
        codes: codes.filter((code) => this.compare(operator, Number(code), other, of)),
      })
    }
    const isText = [one, other].some((each) => typeof each === 'string' || typeof each === 'boolean')
    if (operator === 'equal' && isText && typeof one !== 'object' && typeof other !== 'object')
      return String(one) === String(other)
    const left = this.number(one, of)
    const right = this.number(other, of)
    const below = (orEqual: boolean): boolean => this.isBelow(left, right, orEqual, of, written)
    if (operator === 'equal') return below(true) && !below(false)
    if (operator === 'lessThan' || operator === 'lessOrEqual') return below(operator === 'lessOrEqual')
    if (operator === 'greaterThan' || operator === 'greaterOrEqual') return !below(operator === 'greaterThan')
    return of.refuse(`${operator} cannot be expressed`)
  }

  isBelow(one: Numeric, other: Numeric, orEqual: boolean, of: Element, written?: string): boolean {
    if (typeof one === 'number') {
      if (isAmount(other)) return !this.isBelow(other, one, !orEqual, of, written)
      return orEqual ? one <= other : one < other
    }
    if (isAmount(other) || one.read === undefined)
      return of.refuse(
        'compares what does not rise or fall with one field alone, or is computed in too many steps',
      )
    const { field, at, rises, width } = one.read
    if (width !== undefined) {
      const rounding = width === 64 ? 'none' : roundingFor(other)
      const number = written === undefined ? other : Number(written)
      const split = orEqual ? { upTo: number } : { below: number }
      const edge = edgeOf({ ...split, field, then: 0, else: 0 }, rounding)
      return this.ask({ field, edge, written: { ...split, rounding } }) === true
    }
    const holds = (value: number): boolean => (orEqual ? at(value) <= other : at(value) < other)
    return (this.ask({ field, edge: firstThat((value) => holds(value) !== rises) }) === true) === rises
  }

  /** Whether a number lies in an Interval. */
  isWithin(interval: Element, value: Value): boolean {
    const closure = closureOf(interval)
    const left = interval.get('leftMargin')
    const right = interval.get('rightMargin')
    const above = closure.startsWith('open') ? 'greaterThan' : 'greaterOrEqual'
    const below = closure.endsWith('Open') ? 'lessThan' : 'lessOrEqual'
    const isMet = (operator: string, margin: string | undefined): boolean =>
      margin === undefined || this.compare(operator, value, interval.numberIn(margin), interval) === true
    return isMet(above, left) && isMet(below, right)
  }

  /** A value as a number. Codes that are numbers are one case each. */
  number(value: Exclude<Value, undefined>, of: Element): Numeric {
    if (typeof value === 'number' || isAmount(value)) return value
    if (typeof value === 'boolean') return Number(value)
    if (typeof value === 'string') return of.numberIn(value)
    const { code: field, codes, type } = value
    if (codes === undefined || (!isNumeric(type) && type !== 'boolean'))
      return of.refuse(`needs ${field} as a number, and it is a code`)
    const found = codes.find(
      (code, place) => place === codes.length - 1 || this.ask({ field, codes: [code] }) === true,
    )
    return type === 'boolean' ? Number(found === 'true') : Number(found)
  }

  cast(value: Value, type: string, of: Element): Value {
    if (value === undefined) return undefined
    if (type === 'string' || type === 'boolean') {
      if (isAmount(value)) return of.refuse(`makes a ${type} of a number`)
      if (isCode(value)) return value
      return type === 'string' ? String(value) : String(value) === 'true' || value === 1
    }
    if (!isNumeric(type)) return of.refuse(`the type ${type} cannot be expressed`)
    const number = this.number(value, of)
    if (type === 'integer' && typeof number === 'number' && !Number.isInteger(number))
      return of.refuse('makes a whole number of a fraction')
    return type === 'float' ? rounded(number) : number
  }
}

/** A constant of 32 bits was rounded as the values were; one of 64 bits is compared with rounded values. */
function roundingFor(constant: number): 'both' | 'value' {
  return constant === Math.fround(constant) ? 'both' : 'value'
}

/** A constant that a field is compared with has the type of the field. */
export function constantOf(text: string, { value, type }: Typed, of: Element): Value {
  if (typeof value !== 'number' && !isAmount(value)) return text
  return type === 'float' ? Math.fround(of.numberIn(text)) : of.numberIn(text)
}
