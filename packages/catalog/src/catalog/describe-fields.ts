/** The field catalogue as a deployment serves it: each field with its type, values, unit, meaning and users. */
import {
  type Domain,
  narrow,
  type FieldDefinition,
  type ModelDefinition,
  type ChosenBands,
  schemesInUse,
  type PartRole,
  type ScalePart,
  codeMeanings,
  scaleParts,
  type ScaleDefinition,
} from 'patient-risk-engine/definition'
import { type Codes, type FieldCodes, codesWith, makePlan, usualIn } from 'patient-risk-engine'
import type { Catalog } from './catalog.ts'
import type { Deployment } from './deployment.ts'

/** What models do with a field. */
interface FieldUse {
  /** `part`: an input may be computed from it, so a wrong value in it can keep a record from being scored. */
  readonly use: 'required' | 'optional' | 'part' | 'unused'
  /** The value that the model assumes for its absence, or null where it takes the absence itself; and why. */
  readonly whenAbsent?: number | boolean | string | null
  readonly whyAbsent?: string
  /** Models of the catalogue that take it, or an input that may be computed from it. */
  readonly models: readonly string[]
}

type Stated = Pick<FieldDefinition, 'meaning' | 'unit' | 'window' | 'includes' | 'excludes'>

export interface FieldDescription extends FieldUse, Readonly<Stated> {
  readonly name: string
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'date'
  /** Permitted numbers or codes, where they can be listed. */
  readonly values?: readonly (number | string)[]
  readonly valueMeanings?: Readonly<Record<string, string>>
  readonly minimum?: number
  readonly maximum?: number
  /** Where only multiples of a step are permitted. */
  readonly step?: number
  /** The unit that the model reads, where the deployment receives another one. */
  readonly modelUnit?: string
  /** Other units in use, each with how many of it are one of `unit`. A page may offer them and convert. */
  readonly otherUnits?: Readonly<Record<string, number>>
  /** Where the median of many records usually lies, in `unit`: in the model's own data if they are known. */
  readonly usual?: { readonly from: number; readonly to: number }
  /** The codes that records are sent with, each with the value that it stands for; null for no value. */
  readonly codes?: FieldCodes
  readonly note?: string
  /** The scale that it belongs to, and what it is there. */
  readonly scale?: string
  readonly role: PartRole | 'base' | 'input'
  /** False when nobody could confirm its numbers. */
  readonly verified: boolean
}

export interface FieldCatalogue {
  readonly model: string
  readonly fields: readonly FieldDescription[]
  readonly scales: readonly ReturnType<typeof describeScale>[]
}

const known = new WeakMap<Deployment, FieldCatalogue>()

/** The fields of a deployment, computed once for its routes and the documents about it. */
export function fieldsOf(catalog: Catalog, deployment: Deployment): FieldCatalogue {
  const made = known.get(deployment) ?? withCodes(plainFields(catalog, deployment), deployment.codes)
  known.set(deployment, made)
  return made
}

/** The same for a key with codes of its own. */
export function fieldsForKey(catalog: Catalog, deployment: Deployment, ofKey: Codes): FieldCatalogue {
  return withCodes(plainFields(catalog, deployment), codesWith(deployment.codes, ofKey))
}

function plainFields(catalog: Catalog, { model, units, bands }: Deployment): FieldCatalogue {
  return describeFields(catalog, model.definition, units, bands)
}

function withCodes({ fields, ...rest }: FieldCatalogue, codes: Codes): FieldCatalogue {
  const described = fields.map((field): FieldDescription => {
    const own = Object.hasOwn(codes, field.name) ? codes[field.name] : undefined
    return own === undefined || Object.keys(own).length === 0 ? field : { ...field, codes: own }
  })
  return { ...rest, fields: described }
}

/** `units` are those in which the deployment receives fields; `chosen` are its schemes of bands. */
export function describeFields(
  catalog: Catalog,
  model: ModelDefinition,
  units: Readonly<Record<string, string>> = {},
  chosen: ChosenBands = {},
): FieldCatalogue {
  const useOf = fieldUses(catalog, model)
  const scales = [...catalog.scales.values()]
  const permitted = (name: string): Permitted =>
    describeDomain(narrow(catalog.domains.get(name) as Domain, model.inputs[name] ?? {}))
  const fields = [...catalog.fields].map(([name, field]): FieldDescription => {
    const { meaning, unit, window, includes, excludes } = field
    const role = catalog.baseFields.includes(name) ? 'base' : 'input'
    const codes = field.type === 'code' ? { valueMeanings: field.values } : {}
    const about = { meaning, ...given({ unit, window, includes, excludes }), ...codes, role } as const
    return { name, ...permitted(name), ...about, ...useOf(name), verified: true }
  })
  const parts = scales.flatMap((scale) =>
    scaleParts(scale).map((part): FieldDescription => {
      const name = `${scale.id}_${part.name}`
      const { verified, ...about } = describePart(scale, part)
      return { name, ...permitted(name), ...about, ...useOf(name), verified }
    }),
  )
  return {
    model: `${model.id}@${model.version}`,
    fields: [...fields, ...parts].map((field) =>
      withUnits(catalog, field, model, Object.hasOwn(units, field.name) ? units[field.name] : undefined),
    ),
    scales: scales.map((scale) => describeScale(scale, chosen)),
  }
}

/** Of the schemes of bands, `default` marks those that the deployment uses. */
function describeScale(scale: ScaleDefinition, chosen: ChosenBands) {
  const { id, version, title, purpose, direction, verified, total, codings, redFlags } = scale
  const inUse = schemesInUse(scale, chosen)
  const bands = scale.bands?.map((scheme) => ({ ...scheme, default: inUse.includes(scheme) }))
  const own = {
    id,
    version,
    title,
    purpose,
    direction,
    verified,
    total,
    ...given({ codings, bands, redFlags }),
  }
  return { ...own, source: scale.source.cite, licence: scale.licence.status }
}

/** What the model does with a field, and which models of the catalogue take it. */
function fieldUses(catalog: Catalog, model: ModelDefinition): (name: string) => FieldUse {
  const needs = [...catalog.models].map(
    ([key, { definition }]) => [key, neededFields(catalog, definition)] as const,
  )
  return (name) => {
    const models = needs.filter(([, fields]) => fields.has(name)).map(([key]) => key)
    const input = Object.hasOwn(model.inputs, name) ? model.inputs[name] : undefined
    if (input === undefined)
      return { use: models.includes(`${model.id}@${model.version}`) ? 'part' : 'unused', models }
    if (input.whenAbsent === undefined) return { use: 'required', models }
    return { use: 'optional', whenAbsent: input.whenAbsent, whyAbsent: input.why ?? '', models }
  }
}

/** The model's inputs, the fields they can be computed from, and the coding fields of those scales. */
function neededFields(catalog: Catalog, model: ModelDefinition): ReadonlySet<string> {
  const plan = makePlan(catalog.definitions, model)
  const needed = plan.fields.filter((_, slot) => plan.isNeeded(slot))
  const codings = needed.map(({ scale }) => plan.fields[plan.scales[scale]?.codingSlot ?? -1] ?? [])
  return new Set([...needed, ...codings.flat()].map(({ name }) => name))
}

/** The keys that have a value. */
export function given<T extends object>(parts: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const known = Object.entries(parts).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known) as ReturnType<typeof given<T>>
}

/** The field in the unit in which it is received, with the model's limits converted to it, and its other units. */
function withUnits(
  { units: known }: Catalog,
  field: FieldDescription,
  model: ModelDefinition,
  received: string | undefined,
): FieldDescription {
  const units = known.get(field.name)
  const unit = units === undefined ? undefined : (received ?? field.unit)
  if (units === undefined || unit === undefined) return field
  const factors = new Map([[units.unit, 1]])
  for (const [name, { times = 1, per = 1 }] of Object.entries(units.others)) factors.set(name, per / times)
  const own = factors.get(unit) ?? 1
  const converted = <T>(value: T): T | number =>
    typeof value === 'number' ? Number((value * own).toPrecision(6)) : value
  const { values, step, minimum, maximum, ...rest } = field
  const limits = {
    values: values?.map(converted),
    step: converted(step),
    minimum: converted(minimum),
    maximum: converted(maximum),
  }
  const others = [...factors].filter(([name]) => name !== unit)
  const { from, to } = usualIn(model.profile, field.name) ?? units.usual
  return {
    ...(unit === units.unit
      ? field
      : { ...rest, type: 'number', unit, modelUnit: units.unit, ...given(limits) }),
    otherUnits: Object.fromEntries(others.map(([name, per]) => [name, Number((per / own).toPrecision(6))])),
    usual: { from: Number((from * own).toPrecision(6)), to: Number((to * own).toPrecision(6)) },
  }
}

/** The parts that have no label of their own. */
const MEANINGS: Partial<Record<PartRole, string>> = {
  coding: 'the coding in which its values are written',
  total: 'total',
  date: 'day of the assessment, DD-MM-YYYY',
}

/** What a part of a scale is, after the title of the scale. */
export function partMeaning(scale: ScaleDefinition, { name, role }: ScalePart): string {
  const { items, measures, context, subtotals, derived } = scale
  const { label } =
    items[name] ?? measures?.[name] ?? context?.[name] ?? subtotals?.[name] ?? derived?.[name] ?? {}
  return `${scale.title}: ${MEANINGS[role] ?? label ?? name}`
}

function describePart(
  scale: ScaleDefinition,
  part: ScalePart,
): Omit<FieldDescription, 'name' | 'type' | keyof FieldUse> {
  const { name, role } = part
  const { total, codings } = scale
  const item = scale.items[name]
  const context = scale.context?.[name]
  // A total that is a measure has its unit.
  const ofTotal = role === 'total' && total !== 'sum' && total.kind === 'grade' ? total.item : undefined
  const measure = scale.measures?.[name]
  const unit = scale.measures?.[ofTotal ?? name]?.unit
  const forms = role === 'coding' ? Object.entries(codings?.forms ?? {}) : undefined
  const valueMeanings =
    item?.meanings ??
    (forms && Object.fromEntries(forms.map(([coding, { meaning }]) => [coding, meaning]))) ??
    (context && codeMeanings(context))
  return {
    ...given({ unit }),
    meaning: partMeaning(scale, part),
    ...given({ note: item?.note ?? measure?.note, valueMeanings }),
    scale: scale.id,
    role,
    verified: scale.verified && item?.verified !== false && measure?.verified !== false,
  }
}

type Permitted = Pick<FieldDescription, 'type' | 'values' | 'minimum' | 'maximum' | 'step'>

const TYPES = {
  integer: 'integer',
  decimal: 'number',
  code: 'string',
  yesNo: 'boolean',
  date: 'date',
} as const

export function describeDomain(domain: Domain): Permitted {
  if (domain.kind === 'list') return { type: domain.whole ? 'integer' : 'number', values: domain.values }
  const type = TYPES[domain.kind]
  if (domain.kind === 'code') return { type, values: [...domain.codes.keys()] }
  if (domain.kind !== 'integer' && domain.kind !== 'decimal') return { type }
  const { from: minimum, to: maximum, step } = domain
  return { type, minimum, maximum, ...given({ step }) }
}
