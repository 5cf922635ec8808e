/** What each feature of a model file is in our fields: the field, and what the model was given for each of its values. */
import type { Catalog } from '@patient-risk/catalog'
import { type Domain, codesIn, holds, narrow, rangeOf, nearNames } from 'patient-risk-engine/definition'
import type { FeatureSpecification, ImportPart, ModelSpecification } from '../data/specification.ts'
import type { SourceFeature } from './source.ts'

export type Value = number | string | boolean
/** What a model is given; null for no value. */
export type Given = number | string | null

export interface Mapped {
  readonly name: string
  readonly field: string
  readonly domain: Domain
  /** Whether records without the field are scored, and trees tell them apart. */
  readonly mayBeAbsent: boolean
  /** What the model was given for an absent field. */
  readonly absent: Given
  /** What it was given for each value of the field; undefined where it was given the number itself. */
  readonly values: ReadonlyMap<Value, Given> | undefined
  /** What it was given for values that are not listed. */
  readonly rest?: Given
}

export interface Mapping {
  readonly catalog: Catalog
  readonly model: Pick<ModelSpecification, 'inputs'>
  readonly features: NonNullable<ImportPart['features']>
}

/** Names of fields that differ by a letter or two. A long name, as a file may have, is compared with none. */
export function nearFields(name: string, { domains }: Catalog): readonly string[] {
  const isNear = (field: string): boolean => Math.abs(field.length - name.length) <= MOST_EDITS
  return nearNames(name, [...domains.keys()].filter(isNear))
}

/** As many as `nearNames` takes. */
const MOST_EDITS = 2
/** A whole number with more values than this is not a code. */
const MOST_VALUES = 1_000

/** Returns undefined and calls `fault` with the reason if the feature cannot be mapped. */
export function mapFeature(
  { catalog, model, features }: Mapping,
  { name, kind, codes, from, to }: SourceFeature,
  fault: (reason: string) => void,
): Mapped | undefined {
  const isNamed = Object.hasOwn(features, name)
  const spec: FeatureSpecification = isNamed ? (features[name] ?? {}) : {}
  const place = `import.features.${name}`
  const field = spec.field ?? name
  const whole = catalog.domains.get(field)
  const input = Object.hasOwn(model.inputs, field) ? model.inputs[field] : undefined
  if (whole === undefined || input === undefined) {
    const near = nearFields(field, catalog)
    const hint = whole === undefined && near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ''
    const why = whole === undefined ? 'is not in the catalogue' : 'is not among `model.inputs`'
    fault(
      isNamed
        ? `${place}: the field ${field} ${why}${hint}`
        : `the file has a feature ${name}: say in ${place} which field it is${hint}`,
    )
    return undefined
  }
  if (spec.is !== undefined && spec.values !== undefined)
    fault(`${place}: has \`is\` and \`values\`; one of them is enough`)
  if (spec.is === undefined && spec.otherwise !== undefined)
    fault(`${place}.otherwise: goes with \`is\` alone`)
  const { otherwise = 0 } = spec
  const domain = narrow(whole, input)
  const mapped = { name, field, domain, mayBeAbsent: input.whenAbsent === null, absent: spec.absent ?? null }
  for (const value of spec.is ?? [])
    if (!holds(whole, value)) fault(`${place}.is: ${field} cannot be ${JSON.stringify(value)}`)
  const range = rangeOf(domain)
  if (spec.is === undefined && spec.values === undefined && range !== undefined)
    if (range.from < (from ?? -Infinity) || range.to > (to ?? Infinity))
      fault(
        `${place}: the file has results ${from ?? ''} to ${to ?? ''} only; narrow model.inputs.${field} by \`from\` and \`to\``,
      )
  const listed = valuesOf(domain, spec.is === undefined && (kind === 'code' || spec.values !== undefined))
  const written = new Set(listed?.map(String))
  const wrong = Object.keys(spec.values ?? {}).filter(
    (value) => !written.has(value) && !codesIn(whole).has(value),
  )
  // What follows from a wrong entry is not said too.
  if (wrong.length > 0) {
    fault(`${place}.values: ${field} cannot be ${wrong.join(', ')}, or has more than ${MOST_VALUES} values`)
    return undefined
  }
  if (listed === undefined) {
    if (spec.is === undefined && codes !== undefined)
      fault(
        `${place}: the file has the codes ${codes.join(', ')}; permit no more than ${MOST_VALUES} values in model.inputs.${field}`,
      )
    if (spec.is === undefined) return { ...mapped, values: undefined }
    return { ...mapped, values: new Map(spec.is.map((value) => [value, 1])), rest: otherwise }
  }
  const givenFor = (value: Value): Given => {
    if (spec.is !== undefined) return spec.is.includes(value) ? 1 : otherwise
    const own = spec.values?.[String(value)]
    if (own !== undefined) return own
    if (typeof value !== 'boolean') return value
    return codes?.includes(String(value)) ? String(value) : Number(value)
  }
  const values = new Map(listed.map((value) => [value, givenFor(value)]))
  const lost = [...values].filter(([, given]) => given !== null && codes?.includes(String(given)) === false)
  if (lost.length > 0)
    fault(
      `${place}: the file has no code ${lost.map(([, given]) => given).join(', ')}; it has ${codes?.join(', ') ?? ''}. Say in \`values\` what the model was given for ${lost.map(([value]) => value).join(', ')}, or leave such values out of model.inputs.${field}`,
    )
  return { ...mapped, values }
}

/** The values of a field one by one, where it has few. Numbers are listed only where they stand for codes. */
function valuesOf(domain: Domain, isCoded: boolean): readonly Value[] | undefined {
  if (domain.kind === 'code') return [...domain.codes.keys()]
  if (domain.kind === 'yesNo') return [true, false]
  const { from, to } = rangeOf(domain) ?? { from: 0, to: Infinity }
  if (!isCoded || domain.kind === 'decimal' || to - from >= MOST_VALUES) return undefined
  return domain.kind === 'list' ? domain.values : Array.from({ length: to - from + 1 }, (_, at) => from + at)
}
