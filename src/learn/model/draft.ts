/** The model of a specification before its numbers are known, checked against the catalogue as any model is. */
import type { Catalog } from '../../catalog/catalog.ts'
import { checkModel } from '../../definition/check/check-model.ts'
import { type Domain, narrow } from '../../definition/domain.ts'
import { FaultList, faultLine } from '../../definition/fault.ts'
import type { ModelDefinition } from '../../definition/model.ts'
import type { TermDefinition } from '../../definition/term.ts'
import { DataError } from '../data/data-error.ts'
import type { ModelSpecificationType } from './model-specification.ts'
import { type FittedTerm, type UnitTerm, fieldsRead, unitTerm } from './unit-terms.ts'

export interface Draft {
  readonly specification: ModelSpecificationType
  readonly terms: readonly FittedTerm[]
  readonly units: readonly UnitTerm[]
  readonly columns: readonly string[]
  /** A model that reads records as the fitted one will; its terms are the columns, one each. */
  readonly reader: ModelDefinition
}

const UNKNOWN = 'Not known before the fit.'

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
  const whole = shell(
    specification,
    units.flatMap(({ columns, build }) => build(columns.map(() => 1))),
  )
  const faults = new FaultList('specification, model')
  checkModel(whole, catalog, faults)
  if (faults.faults.length > 0) throw new DataError(faults.faults.map(faultLine))
  return {
    specification,
    terms,
    units,
    columns: units.flatMap(({ columns }) => columns.map(({ name }) => name)),
    reader: shell(
      specification,
      units.flatMap(({ columns }) => columns.map(({ term }) => term)),
    ),
  }
}

/** A whole model file around some terms, with texts that only the fit can write left open. */
function shell(specification: ModelSpecificationType, terms: readonly TermDefinition[]): ModelDefinition {
  const { card, threshold, ...rest } = specification
  return {
    ...rest,
    card: {
      ...card,
      development: card.development ?? UNKNOWN,
      discrimination: [{ data: UNKNOWN }],
      calibration: card.calibration ?? UNKNOWN,
    },
    terms: [...terms],
    link: { kind: 'logistic', intercept: 0 },
    ...(threshold === undefined ? {} : { threshold: { ...threshold, cost: threshold.cost ?? UNKNOWN } }),
  }
}
