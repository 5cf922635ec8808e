/** The model of a specification: before its numbers are known, checked as any model is. */
import type { Catalog } from '../../catalog/catalog.ts'
import { checkModel } from '../../definition/check/check-model.ts'
import { type Domain, narrow } from '../../definition/domain.ts'
import { FaultList, faultLine } from '../../definition/fault.ts'
import type { ModelDefinition } from '../../definition/model.ts'
import type { TermDefinition } from '../../definition/term.ts'
import { DataError } from '../data/data-error.ts'
import type { ModelSpecificationType } from '../specification.ts'
import { modelWith } from './definition.ts'
import { type FittedTerm, type UnitTerm, fieldsRead, unitTerm } from './unit-terms.ts'

export interface Draft {
  readonly specification: ModelSpecificationType
  readonly terms: readonly FittedTerm[]
  readonly units: readonly UnitTerm[]
  readonly columns: readonly string[]
  /** A model that reads records as the fitted one will; its terms are the columns, one each. */
  readonly reader: ModelDefinition
}

/** Every input with a stated value for absence gets a term for its absence. */
export function withAbsence(specification: ModelSpecificationType): readonly FittedTerm[] {
  const absent = Object.entries(specification.inputs).flatMap(([field, input]) => {
    if (input.whenAbsent === undefined) return []
    const label = specification.terms.find((term) => fieldsRead(term).includes(field))?.label ?? field
    return [{ kind: 'absent' as const, label: `${label}, absent`, field }]
  })
  return [...specification.terms, ...absent]
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
