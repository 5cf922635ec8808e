/**
 * The columns of a regression for each term of a specification. A column is a term of the model language
 * with unit weight, compiled by the engine itself, so that a fit and its model read a record in the same way.
 */
import type { Domain } from '../../definition/domain.ts'
import type { PointsBandDefinition, SimpleTermDefinition, TermDefinition } from '../../definition/term.ts'
import { DataError } from '../data/data-error.ts'
import type { SimpleSpecification, TermSpecification } from '../specification.ts'

export interface UnitTerm {
  /** One column each: its name for people, and the term that gives its value. */
  readonly columns: readonly { readonly name: string; readonly term: TermDefinition }[]
  /** The terms of the model for one coefficient a column: one, or for an interaction one a column. */
  readonly build: (coefficients: readonly number[]) => readonly TermDefinition[]
}

interface AbsentSpecification {
  readonly kind: 'absent'
  readonly label?: string
  readonly field: string
}
export type FittedTerm = TermSpecification | AbsentSpecification

/** The fields that a term of a specification reads. */
export function fieldsRead(spec: FittedTerm): readonly string[] {
  return spec.kind === 'product' ? spec.factors.map(({ field }) => field) : [spec.field]
}

export function unitTerm(spec: FittedTerm, domainOf: (field: string) => Domain): UnitTerm {
  if (spec.kind !== 'product') return simpleUnit(spec, domainOf(spec.field))
  const [left, right] = spec.factors.map((factor) => {
    if (factor.kind === 'spline' && !Array.isArray(factor.knots)) {
      throw new DataError([`${factor.field}: a curve in a product needs its knots as numbers`])
    }
    return simpleUnit(factor, domainOf(factor.field))
  })
  const pairs = (left?.columns ?? []).flatMap((a) => (right?.columns ?? []).map((b) => [a, b] as const))
  const product = (index: number, coefficient: number): TermDefinition => ({
    ...spec,
    factors: (pairs[index] ?? []).map(({ term }) => term),
    coefficient,
  })
  return {
    columns: pairs.map(([a, b], index) => ({ name: `${a.name} × ${b.name}`, term: product(index, 1) })),
    build: (coefficients) => pairs.map((_pair, index) => product(index, coefficients[index] ?? 0)),
  }
}

interface SimpleUnit extends UnitTerm {
  readonly columns: readonly { readonly name: string; readonly term: SimpleTermDefinition }[]
}

function simpleUnit(spec: SimpleSpecification | AbsentSpecification, domain: Domain): SimpleUnit {
  const name = spec.label ?? spec.field
  switch (spec.kind) {
    case 'linear':
    case 'square':
    case 'logarithm':
      return single(name, (coefficient) => ({ ...spec, coefficient }))
    case 'flag':
    case 'absent':
      return single(name, (points) => ({ ...spec, points }))
    case 'category': {
      const { reference, unseen = {}, ...rest } = spec
      const codes = domain.kind === 'code' ? [...domain.codes.keys()] : []
      const own = codes.filter((code) => code !== reference && !Object.hasOwn(unseen, code))
      const names = own.map((code) => `${name} = ${code}`)
      return several(names, (coefficients) => {
        const pointsOf = (code: string): number => {
          const { of, times } = unseen[code] ?? { of: code, times: 1 }
          return times * (coefficients[own.indexOf(of)] ?? 0)
        }
        return { ...rest, points: Object.fromEntries(codes.map((code) => [code, pointsOf(code)])) }
      })
    }
    case 'banded': {
      const { bands, reference = 0, ...rest } = spec
      const others = bands.flatMap((_band, index) => (index === reference ? [] : [index]))
      const names = others.map((index) => `${name}, ${bandName(bands[index] ?? {})}`)
      return several(names, (coefficients) => ({
        ...rest,
        bands: bands.map((band, index) => ({ ...band, points: coefficients[others.indexOf(index)] ?? 0 })),
      }))
    }
    case 'spline': {
      const knots = Array.isArray(spec.knots) ? (spec.knots as readonly number[]) : []
      const names = knots
        .slice(1)
        .map((_knot, index) => `${name}, ${index === 0 ? 'straight part' : `bend ${index}`}`)
      return several(names, (coefficients) => ({
        ...spec,
        knots: [...knots],
        coefficients: [...coefficients],
      }))
    }
  }
}

function single(name: string, build: (coefficient: number) => SimpleTermDefinition): SimpleUnit {
  return several([name], ([coefficient = 0]) => build(coefficient))
}

function several(
  names: readonly string[],
  build: (coefficients: readonly number[]) => SimpleTermDefinition,
): SimpleUnit {
  const columns = names.map((name, index) => ({
    name,
    term: build(names.map((_each, k) => (k === index ? 1 : 0))),
  }))
  return { columns, build: (coefficients) => [build(coefficients)] }
}

function bandName({ from, to, below }: Partial<PointsBandDefinition>): string {
  if (from === undefined) return below === undefined ? `up to ${to ?? ''}` : `below ${below}`
  if (below !== undefined) return `${from} to below ${below}`
  if (to === undefined) return `from ${from}`
  return from === to ? String(from) : `${from} to ${to}`
}
