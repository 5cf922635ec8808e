/**
 * The model of a specification before its numbers are known, checked as any model is, and the columns of its regression.
 * A column is a term of the model language with unit weight, compiled by the engine itself, so that a fit and its model
 * read a record in the same way.
 */
import type { Catalog } from '../../catalog/catalog.ts'
import { checkModel } from '../../definition/check/check-model.ts'
import { type Domain, narrow } from '../../definition/domain.ts'
import { FaultList, faultLine } from '../../definition/fault.ts'
import type { ModelDefinition } from '../../definition/model.ts'
import type { PointsBandDefinition, SimpleTermDefinition, TermDefinition } from '../../definition/term.ts'
import { DataError } from '../data/data-error.ts'
import type { ModelSpecificationType, SimpleSpecification, TermSpecification } from '../specification.ts'
import { modelWith } from './definition.ts'

export interface Draft {
  readonly specification: ModelSpecificationType
  readonly terms: readonly FittedTerm[]
  readonly units: readonly UnitTerm[]
  readonly columns: readonly string[]
  /** A model that reads records as the fitted one will; its terms are the columns, one each. */
  readonly reader: ModelDefinition
}

interface UnitTerm {
  readonly columns: readonly Column<TermDefinition>[]
  /** The terms of the model for one coefficient a column: one, or for an interaction one a column. */
  readonly build: (coefficients: readonly number[]) => readonly TermDefinition[]
}

/** Its name for people, and the term that gives its value. */
interface Column<Term> {
  readonly name: string
  readonly term: Term
}

interface AbsentSpecification {
  readonly kind: 'absent'
  readonly label?: string
  readonly field: string
}
type FittedTerm = TermSpecification | AbsentSpecification

/** Every input with a stated value for absence gets a term for its absence. */
export function withAbsence({ inputs, terms }: ModelSpecificationType): readonly FittedTerm[] {
  const fieldsOf = (term: TermSpecification): readonly string[] =>
    (term.kind === 'product' ? term.factors : [term]).map(({ field }) => field)
  const absent = Object.entries(inputs).flatMap(([field, input]) => {
    if (input.whenAbsent === undefined) return []
    const label = terms.find((term) => fieldsOf(term).includes(field))?.label ?? field
    return [{ kind: 'absent' as const, label: `${label}, absent`, field }]
  })
  return [...terms, ...absent]
}

export function draftModel(
  specification: ModelSpecificationType,
  terms: readonly FittedTerm[],
  catalog: Catalog,
): Draft {
  const domainOf = (field: string): Domain => {
    const domain = catalog.domains.get(field)
    const input = specification.inputs[field]
    if (domain === undefined) throw new DataError([`the catalogue has no field called ${field}`])
    if (input === undefined) throw new DataError([`${field} has a term and is not among the inputs`])
    return narrow(domain, input)
  }
  const units = terms.map((term) => unitTerm(term, domainOf))
  const columns = units.flatMap((unit) => unit.columns)
  const unknown = 'Not known before the fit.'
  const words = { development: unknown, calibration: unknown, cost: unknown }
  const model = (own: readonly TermDefinition[]): ModelDefinition => modelWith(specification, own, 0, words)
  const faults = new FaultList('specification, model')
  const ones = columns.map(() => 1)
  checkModel(model(termsWith(units, ones)), catalog, faults)
  if (faults.faults.length > 0) throw new DataError(faults.faults.map(faultLine))
  const reader = model(columns.map(({ term }) => term))
  return { specification, terms, units, columns: columns.map(({ name }) => name), reader }
}

/** The terms of the model for one coefficient a column. */
export function termsWith(
  units: readonly UnitTerm[],
  coefficients: readonly number[],
): readonly TermDefinition[] {
  let first = 0
  return units.flatMap(({ columns, build }) => build(coefficients.slice(first, (first += columns.length))))
}

function unitTerm(spec: FittedTerm, domainOf: (field: string) => Domain): UnitTerm {
  if (spec.kind !== 'product') {
    const simple = simpleUnit(spec, domainOf(spec.field))
    return { columns: columnsOf(simple), build: (coefficients) => [simple.build(coefficients)] }
  }
  const [left = [], right = []] = spec.factors.map((factor) => {
    if (factor.kind === 'spline' && !Array.isArray(factor.knots)) {
      throw new DataError([`${factor.field}: a curve in a product needs its knots as numbers`])
    }
    return columnsOf(simpleUnit(factor, domainOf(factor.field)))
  })
  const pairs = left.flatMap((a) => right.map((b) => [a, b] as const))
  const products = (coefficients: readonly number[]): readonly TermDefinition[] =>
    pairs.map(([a, b], k) => ({ ...spec, factors: [a.term, b.term], coefficient: coefficients[k] ?? 0 }))
  const ones = products(pairs.map(() => 1))
  const columns = pairs.map(([a, b], k) => ({
    name: `${a.name} × ${b.name}`,
    term: ones[k] as TermDefinition,
  }))
  return { columns, build: products }
}

/** A term other than a product: the names of its columns, and the term for one coefficient a column. */
interface SimpleUnit {
  readonly names: readonly string[]
  readonly build: (coefficients: readonly number[]) => SimpleTermDefinition
}

function columnsOf({ names, build }: SimpleUnit): readonly Column<SimpleTermDefinition>[] {
  return names.map((name, own) => ({ name, term: build(names.map((_name, k) => (k === own ? 1 : 0))) }))
}

function simpleUnit(spec: SimpleSpecification | AbsentSpecification, domain: Domain): SimpleUnit {
  const name = spec.label ?? spec.field
  switch (spec.kind) {
    case 'linear':
    case 'square':
    case 'logarithm':
      return { names: [name], build: ([coefficient = 0]) => ({ ...spec, coefficient }) }
    case 'flag':
    case 'absent':
      return { names: [name], build: ([points = 0]) => ({ ...spec, points }) }
    case 'category': {
      const { reference, unseen = {}, ...rest } = spec
      const codes = domain.kind === 'code' ? [...domain.codes.keys()] : []
      const own = codes.filter((code) => code !== reference && !Object.hasOwn(unseen, code))
      const build: SimpleUnit['build'] = (coefficients) => {
        const points = codes.map((code) => {
          const { of, times } = unseen[code] ?? { of: code, times: 1 }
          return [code, times * (coefficients[own.indexOf(of)] ?? 0)] as const
        })
        return { ...rest, points: Object.fromEntries(points) }
      }
      return { names: own.map((code) => `${name} = ${code}`), build }
    }
    case 'banded': {
      const { bands, reference = 0, ...rest } = spec
      const others = [...bands.keys()].filter((index) => index !== reference)
      const names = others.map((index) => `${name}, ${bandName(bands[index] ?? {})}`)
      const pointsOf = (coefficients: readonly number[], index: number): number =>
        coefficients[others.indexOf(index)] ?? 0
      const build: SimpleUnit['build'] = (coefficients) => ({
        ...rest,
        bands: bands.map((band, index) => ({ ...band, points: pointsOf(coefficients, index) })),
      })
      return { names, build }
    }
    case 'spline': {
      const knots = Array.isArray(spec.knots) ? (spec.knots as readonly number[]) : []
      const parts = knots.slice(1).map((_knot, index) => (index === 0 ? 'straight part' : `bend ${index}`))
      return {
        names: parts.map((part) => `${name}, ${part}`),
        build: (coefficients) => ({ ...spec, knots: [...knots], coefficients: [...coefficients] }),
      }
    }
  }
}

function bandName({ from, to, below }: Partial<PointsBandDefinition>): string {
  if (from === undefined) return below === undefined ? `up to ${to ?? ''}` : `below ${below}`
  if (below !== undefined) return `${from} to below ${below}`
  if (to === undefined) return `from ${from}`
  return from === to ? String(from) : `${from} to ${to}`
}

/** Quantiles in common use for so many knots. */
const KNOT_SHARES: Readonly<Record<number, readonly number[]>> = {
  3: [0.1, 0.5, 0.9],
  4: [0.05, 0.35, 0.65, 0.95],
  5: [0.05, 0.275, 0.5, 0.725, 0.95],
  6: [0.05, 0.23, 0.41, 0.59, 0.77, 0.95],
  7: [0.025, 0.1833, 0.3417, 0.5, 0.6583, 0.8167, 0.975],
}

/** The fields whose values must be known before the knots of their curves can be set. */
export function fieldsWithOpenKnots(specification: ModelSpecificationType): readonly string[] {
  return specification.terms.flatMap((term) =>
    term.kind === 'spline' && !Array.isArray(term.knots) ? [term.field] : [],
  )
}

/** Puts the knots of a curve at quantiles of the data, where a specification gives only their number. */
export function setKnots(
  terms: readonly FittedTerm[],
  quantile: (field: string, share: number) => number,
): readonly FittedTerm[] {
  return terms.map((term) => {
    if (term.kind !== 'spline' || Array.isArray(term.knots)) return term
    const shares = KNOT_SHARES[term.knots] ?? []
    const knots = [...new Set(shares.map((share) => quantile(term.field, share)))]
    if (knots.length >= 3) return { ...term, knots }
    throw new DataError([
      `${term.field} takes too few values for a curve with ${String(term.knots)} knots; use fewer, or another term`,
    ])
  })
}
