/** The field catalogue as a deployment serves it: each field with its type, values, unit, meaning and users. */
import { type Domain, narrow } from '../definition/domain.ts'
import type { FieldDefinition } from '../definition/field.ts'
import type { ModelDefinition } from '../definition/model.ts'
import { type PartRole, type ScalePart, scaleParts } from '../definition/scale-domains.ts'
import type { ScaleDefinition } from '../definition/scale.ts'
import type { Catalog } from './catalog.ts'
import { type ScaleSummary, summaryOf } from './scale-summary.ts'
import { type FieldUse, FieldUses } from './field-use.ts'

export interface FieldDescription {
  readonly name: string
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'date'
  /** Permitted numbers or codes, where they can be listed. */
  readonly values?: readonly (number | string)[]
  readonly valueMeanings?: Readonly<Record<string, string>>
  readonly minimum?: number
  readonly maximum?: number
  /** Where only multiples of a step are permitted. */
  readonly step?: number
  readonly unit?: string
  /** The unit that the model reads, where the deployment receives another one. */
  readonly modelUnit?: string
  /** Other units in use, each with how many of it are one of `unit`. A page may offer them and convert. */
  readonly otherUnits?: Readonly<Record<string, number>>
  readonly meaning: string
  readonly window?: string
  readonly includes?: string
  readonly excludes?: string
  readonly note?: string
  /** The scale that it belongs to, and what it is there. */
  readonly scale?: string
  readonly role: PartRole | 'base' | 'input'
  /** What the deployment's model does with it. */
  readonly use: FieldUse
  /** What the model takes its absence for, and why. */
  readonly whenAbsent?: number | boolean | string
  readonly whyAbsent?: string
  /** Models of the catalogue that take it, or an input that may be worked out from it. */
  readonly models: readonly string[]
  /** False when nobody could confirm its numbers. */
  readonly verified: boolean
}

export interface FieldCatalogue {
  readonly model: string
  readonly fields: readonly FieldDescription[]
  readonly scales: readonly ScaleSummary[]
}

/** `units` are those in which the deployment receives fields. */
export function describeFields(
  catalog: Catalog,
  model: ModelDefinition,
  units: Readonly<Record<string, string>> = {},
): FieldCatalogue {
  const fields: FieldDescription[] = []
  const uses = new FieldUses(catalog, model)
  for (const [name, field] of catalog.fields) {
    fields.push({
      name,
      ...describeDomain(domainFor(catalog, model, name)),
      ...aboutField(field),
      role: catalog.baseFields.includes(name) ? 'base' : 'input',
      ...uses.of(name),
      verified: true,
    })
  }
  for (const scale of catalog.scales.values()) {
    for (const part of scaleParts(scale)) fields.push(describePart({ catalog, model, uses }, scale, part))
  }
  return {
    model: `${model.id}@${model.version}`,
    fields: fields.map((field) => withOtherUnits(catalog, inUnit(catalog, field, units))),
    scales: [...catalog.scales.values()].map(summaryOf),
  }
}

/** The field in the unit in which it is received: its limits are those of the model, converted. */
function withOtherUnits({ units: known }: Catalog, field: FieldDescription): FieldDescription {
  const units = known.get(field.name)
  const { unit } = field
  if (units === undefined || unit === undefined) return field
  const factors = new Map([[units.unit, 1]])
  for (const [name, { times = 1, per = 1 }] of Object.entries(units.others)) factors.set(name, per / times)
  const own = factors.get(unit) ?? 1
  const others = [...factors].filter(([name]) => name !== unit)
  return {
    ...field,
    otherUnits: Object.fromEntries(others.map(([name, per]) => [name, Number((per / own).toPrecision(6))])),
  }
}

function inUnit(
  { units: known }: Catalog,
  field: FieldDescription,
  units: Readonly<Record<string, string>>,
): FieldDescription {
  const unit = Object.hasOwn(units, field.name) ? units[field.name] : undefined
  const own = known.get(field.name)
  if (unit === undefined || own === undefined || unit === own.unit) return field
  const { times = 1, per = 1 } = own.others[unit] ?? {}
  const converted = (value: number): number => Number(((value * per) / times).toPrecision(6))
  const { values, step, minimum, maximum, ...rest } = field
  const numbers = values?.filter((value) => typeof value === 'number').map(converted)
  return {
    ...rest,
    type: 'number',
    unit,
    modelUnit: own.unit,
    ...(numbers === undefined ? {} : { values: numbers }),
    ...(step === undefined ? {} : { step: converted(step) }),
    ...(minimum === undefined ? {} : { minimum: converted(minimum) }),
    ...(maximum === undefined ? {} : { maximum: converted(maximum) }),
  }
}

function describePart(
  { catalog, model, uses }: { catalog: Catalog; model: ModelDefinition; uses: FieldUses },
  scale: ScaleDefinition,
  part: ScalePart,
): FieldDescription {
  const name = `${scale.id}_${part.name}`
  const item = scale.items[part.name]
  const measure = scale.measures?.[part.name]
  const unit = measure?.unit ?? unitOfTotal(scale, part)
  const note = item?.note ?? measure?.note
  return {
    name,
    ...describeDomain(domainFor(catalog, model, name)),
    ...(unit === undefined ? {} : { unit }),
    meaning: `${scale.title}: ${meaningOf(scale, part)}`,
    ...(note === undefined ? {} : { note }),
    ...(item?.meanings === undefined ? {} : { valueMeanings: item.meanings }),
    ...codeMeanings(scale, part),
    scale: scale.id,
    role: part.role,
    ...uses.of(name),
    verified: scale.verified && item?.verified !== false && measure?.verified !== false,
  }
}

function meaningOf(scale: ScaleDefinition, part: ScalePart): string {
  switch (part.role) {
    case 'item':
      return scale.items[part.name]?.label ?? scale.measures?.[part.name]?.label ?? part.name
    case 'context':
      return scale.context?.[part.name]?.label ?? part.name
    case 'subtotal':
      return scale.subtotals?.[part.name]?.label ?? part.name
    case 'derived':
      return scale.derived?.[part.name]?.label ?? part.name
    case 'coding':
      return 'the coding in which its values are written'
    case 'total':
      return 'total'
    case 'date':
      return 'day of the assessment, DD-MM-YYYY'
  }
}

/** A total that is a measure has its unit. */
function unitOfTotal({ total, measures }: ScaleDefinition, { role }: ScalePart): string | undefined {
  return role === 'total' && total !== 'sum' && total.kind === 'grade'
    ? measures?.[total.item]?.unit
    : undefined
}

function codeMeanings(
  scale: ScaleDefinition,
  part: ScalePart,
): { valueMeanings?: Readonly<Record<string, string>> } {
  if (part.role === 'coding') {
    const forms = Object.entries(scale.codings?.forms ?? {})
    return { valueMeanings: Object.fromEntries(forms.map(([name, form]) => [name, form.meaning])) }
  }
  const values = part.role === 'context' ? scale.context?.[part.name]?.values : undefined
  return values === undefined || Array.isArray(values) ? {} : { valueMeanings: values }
}

function domainFor(catalog: Catalog, model: ModelDefinition, name: string): Domain {
  const domain = catalog.domains.get(name) as Domain
  const input = model.inputs[name]
  return input === undefined ? domain : narrow(domain, input)
}

function describeDomain(
  domain: Domain,
): Pick<FieldDescription, 'type' | 'values' | 'minimum' | 'maximum' | 'step'> {
  switch (domain.kind) {
    case 'integer':
      return { type: 'integer', minimum: domain.from, maximum: domain.to }
    case 'decimal':
      return {
        type: 'number',
        minimum: domain.from,
        maximum: domain.to,
        ...(domain.step === undefined ? {} : { step: domain.step }),
      }
    case 'list':
      return { type: domain.whole ? 'integer' : 'number', values: domain.values }
    case 'code':
      return { type: 'string', values: [...domain.codes.keys()] }
    case 'yesNo':
      return { type: 'boolean' }
    case 'date':
      return { type: 'date' }
  }
}

function aboutField(
  field: FieldDefinition,
): Pick<FieldDescription, 'meaning' | 'unit' | 'window' | 'includes' | 'excludes' | 'valueMeanings'> {
  return {
    meaning: field.meaning,
    ...(field.unit === undefined ? {} : { unit: field.unit }),
    ...(field.window === undefined ? {} : { window: field.window }),
    ...(field.includes === undefined ? {} : { includes: field.includes }),
    ...(field.excludes === undefined ? {} : { excludes: field.excludes }),
    ...(field.type === 'code' ? { valueMeanings: field.values } : {}),
  }
}
