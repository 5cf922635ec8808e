/**
 * The model of a specification before its numbers are known, checked as any model is, and the columns of its regression.
 * A column is a term of the model language with unit weight, compiled by the engine itself, so that a fit and its model
 * read a record in the same way.
 */
import { type Catalog, hasShape } from '@patient-risk/catalog'
import { bandText } from '@patient-risk/catalog/pages'
import {
  checkModel,
  type Domain,
  narrow,
  FaultList,
  faultLine,
  type CardDefinition,
  type ModelDefinition,
  type ProfileDefinition,
  type SimpleTermDefinition,
  type TermDefinition,
} from 'patient-risk-engine/definition'
import { DataError } from '../../tables/data-error.ts'
import type { ModelSpecification, SimpleSpecification, TermSpecification } from '../data/specification.ts'

export interface Draft {
  readonly byTerm: readonly (readonly Column[])[]
  readonly columns: readonly string[]
  /** A model that reads records as the fitted one will; its terms are the columns, one each. */
  readonly reader: ModelDefinition
}

/** Its name for people, and the term that gives its value. */
interface Column<Term = TermDefinition> {
  readonly name: string
  readonly term: Term
}

type SimpleFitted =
  SimpleSpecification | { readonly kind: 'absent'; readonly label?: string; readonly field: string }
export type FittedTerm = TermSpecification | SimpleFitted

/** Every input with a stated value for absence gets a term for its absence. */
export function withAbsence({ inputs, terms }: ModelSpecification): readonly FittedTerm[] {
  const absent = Object.entries(inputs).flatMap(([field, input]) => {
    if (input.whenAbsent === undefined) return []
    const uses = (term: TermSpecification): boolean =>
      (term.kind === 'product' ? term.factors : [term]).some((each) => each.field === field)
    return [{ kind: 'absent' as const, label: `${terms.find(uses)?.label ?? field}, absent`, field }]
  })
  return [...terms, ...absent]
}

export function draftModel(spec: ModelSpecification, terms: readonly FittedTerm[], catalog: Catalog): Draft {
  const domainOf = (field: string): Domain => {
    const domain = catalog.domains.get(field)
    const input = spec.inputs[field]
    if (domain === undefined) throw new DataError([`the catalogue has no field called ${field}`])
    if (input === undefined) throw new DataError([`${field} has a term and is not among the inputs`])
    return narrow(domain, input)
  }
  const byTerm = terms.map((term) => columnsOf(term, domainOf))
  const columns = byTerm.flat()
  const unknown = 'Not known before the fit.'
  const words = { development: unknown, calibration: unknown, cost: unknown }
  const model = (own: readonly TermDefinition[]): ModelDefinition => modelWith(spec, own, 0, words)
  const faults = new FaultList('specification, model')
  const ones = columns.map(() => 1)
  const whole = model(termsWith(byTerm, ones))
  if (hasShape('model', { value: whole }, faults)) checkModel(whole, catalog, faults)
  if (faults.faults.length > 0) throw new DataError(faults.faults.map(faultLine))
  const reader = model(columns.map(({ term }) => term))
  return { byTerm, columns: columns.map(({ name }) => name), reader }
}

/** The terms of the model for one coefficient a column: one a term, and for an interaction one a column. */
export function termsWith(
  byTerm: Draft['byTerm'],
  coefficients: readonly number[],
): readonly TermDefinition[] {
  let first = 0
  return byTerm.flatMap((columns) => {
    const own = coefficients.slice(first, first + columns.length)
    first += columns.length
    const times = (k: number) => (points: number) => points * (own[k] ?? 0)
    if (columns[0]?.term.kind === 'product') return columns.map(({ term }, k) => withPoints(term, times(k)))
    const sums: number[] = []
    for (const [k, { term }] of columns.entries()) {
      withPoints(term, (points, place) => {
        const sum = (sums[place] ?? 0) + times(k)(points)
        sums[place] = sum
        return sum
      })
    }
    return columns.slice(0, 1).map(({ term }) => withPoints(term, (_points, place) => sums[place] ?? 0))
  })
}

type Change = (points: number, place: number) => number

/** A term with other points in place of its own, which are numbered in their order. */
export function withPoints(term: TermDefinition, change: Change): TermDefinition {
  if ('coefficient' in term) return { ...term, coefficient: change(term.coefficient, 0) }
  if ('coefficients' in term) return { ...term, coefficients: term.coefficients.map(change) }
  if ('bands' in term) {
    const bands = term.bands.map((band, place) => ({ ...band, points: change(band.points, place) }))
    return { ...term, bands }
  }
  // Trees are never estimated here.
  if (term.kind === 'trees') return term
  if (term.kind !== 'category') return { ...term, points: change(term.points, 0) }
  const points = Object.entries(term.points).map(([code, own], place) => [code, change(own, place)] as const)
  return { ...term, points: Object.fromEntries(points) }
}

export type Evidence = CardDefinition['discrimination'][number]
interface Known {
  readonly fill?: (text: string) => string
  readonly own?: Evidence
  readonly profile?: ProfileDefinition
  readonly estimates?: ModelDefinition['estimates']
}

/** Texts of the card and the threshold that a specification may leave out. */
interface DefaultTexts {
  readonly development: string
  readonly calibration: string
  readonly cost: string
}

/** The model of a specification with its numbers. `words` replace texts that it leaves out; `own` are the figures of its fit. */
export function modelWith(
  specification: ModelSpecification,
  terms: readonly TermDefinition[],
  intercept: number,
  words: DefaultTexts,
  { fill = (text) => text, own, profile, estimates }: Known = {},
): ModelDefinition {
  const { threshold, source, licence, ...rest } = specification
  const { card } = rest
  // The schema of models checks the figures when the finished model is read.
  const elsewhere = (card.discrimination ?? []) as unknown as CardDefinition['discrimination']
  const first = own ?? (elsewhere.length === 0 ? { data: words.calibration } : undefined)
  return {
    $schema: '../../schema/model.schema.json',
    ...rest,
    card: {
      ...card,
      development: fill(card.development ?? words.development),
      discrimination: [...(first ? [first] : []), ...elsewhere],
      calibration: fill(card.calibration ?? words.calibration),
    },
    terms: [...terms],
    link: { kind: 'logistic', intercept },
    ...(threshold && { threshold: { ...threshold, cost: fill(threshold.cost ?? words.cost) } }),
    ...(profile && { profile }),
    ...(estimates && { estimates }),
    source,
    licence,
  }
}

function columnsOf(spec: FittedTerm, domainOf: (field: string) => Domain): readonly Column[] {
  if (spec.kind !== 'product') return simpleColumns(spec, domainOf(spec.field))
  const [left = [], right = []] = spec.factors.map((factor) => {
    if (!hasOpenKnots(factor)) return simpleColumns(factor, domainOf(factor.field))
    throw new DataError([`${factor.field}: a curve in a product needs its knots as numbers`])
  })
  return left.flatMap((a) =>
    right.map((b) => ({
      name: `${a.name} × ${b.name}`,
      term: { ...spec, factors: [a.term, b.term], coefficient: 1 },
    })),
  )
}

function simpleColumns(spec: SimpleFitted, domain: Domain): readonly Column<SimpleTermDefinition>[] {
  const name = spec.label ?? spec.field
  switch (spec.kind) {
    case 'linear':
    case 'square':
    case 'logarithm':
      return [{ name, term: { ...spec, coefficient: 1 } }]
    case 'flag':
    case 'absent':
      return [{ name, term: { ...spec, points: 1 } }]
    case 'category': {
      const { reference, unseen = {}, ...rest } = spec
      const codes = domain.kind === 'code' ? [...domain.codes.keys()] : []
      const own = codes.filter((code) => code !== reference && !Object.hasOwn(unseen, code))
      return own.map((counted) => {
        const points = codes.map((code) => {
          const { of, times } = unseen[code] ?? { of: code, times: 1 }
          return [code, of === counted ? times : 0] as const
        })
        return { name: `${name} = ${counted}`, term: { ...rest, points: Object.fromEntries(points) } }
      })
    }
    case 'banded': {
      const { bands, reference = 0, ...rest } = spec
      const columns = bands.map((counted) => ({
        name: `${name}, ${bandText(counted)}`,
        term: { ...rest, bands: bands.map((band) => ({ ...band, points: band === counted ? 1 : 0 })) },
      }))
      return columns.filter((_column, index) => index !== reference)
    }
    case 'spline': {
      const knots = Array.isArray(spec.knots) ? (spec.knots as readonly number[]) : []
      const parts = knots.slice(1).map((_knot, index) => (index === 0 ? 'straight part' : `bend ${index}`))
      return parts.map((part) => {
        const coefficients = parts.map((other) => (other === part ? 1 : 0))
        return { name: `${name}, ${part}`, term: { ...spec, knots: [...knots], coefficients } }
      })
    }
  }
}

type OpenCurve = Extract<SimpleSpecification, { kind: 'spline' }> & { readonly knots: number }

/** Whether only the number of knots is given. */
export function hasOpenKnots(term: FittedTerm): term is OpenCurve {
  return term.kind === 'spline' && !Array.isArray(term.knots)
}
