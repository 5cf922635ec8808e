/**
 * A second digest of a deployment: of what the number of an answer follows from, and of nothing else. A new version that differs in its
 * texts, its card, its bands or its notices alone has the same one, so what outcomes have shown of the old version holds for it too.
 */
import {
  type DerivedDefinition,
  type FieldDefinition,
  type ModelDefinition,
  type ScaleDefinition,
  codeMeanings,
  partsOf,
  recordField,
} from 'patient-risk-engine/definition'
import type { Conversions } from 'patient-risk-engine'
import { digestOf } from '@patient-risk/runtime'
import type { Catalog } from './catalog.ts'
import { type DecidingSettings, sortedKeys } from './deployment-digest.ts'

/** SHA-256 in base64. */
export function riskDigest(
  catalog: Pick<Catalog, 'fields' | 'scales'>,
  model: ModelDefinition,
  settings: DecidingSettings,
  conversions: Conversions,
): string {
  const scales = Object.keys(model.scales ?? {}).flatMap((id) => catalog.scales.get(id) ?? [])
  const fields = [...Object.keys(model.inputs), ...scales.flatMap(fieldsOfScale)]
  // No number follows from these: which names are reported, how many keys are read, bands, the age of an assessment.
  const others = {
    unknownFields: undefined,
    keysPerRecord: undefined,
    bands: undefined,
    assessmentDays: undefined,
  }
  const content = {
    model: computingModel(model),
    scales: Object.fromEntries(scales.map((scale) => [scale.id, computingScale(scale)])),
    fields: entriesOf(fields, (name) => {
      const field = catalog.fields.get(name)
      return field === undefined ? undefined : computingField(field)
    }),
    settings: { ...settings, ...others },
    conversions: entriesOf(fields, (name) => conversions[name]),
  }
  return digestOf(JSON.stringify(content, sortedKeys))
}

/** Values by name; names without a value are left out by JSON. */
function entriesOf<Value>(
  names: readonly string[],
  valueOf: (name: string) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]))
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>> | undefined,
  change: (value: From) => To,
): Readonly<Record<string, To>> | undefined {
  if (record === undefined) return undefined
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}

function computingModel({ id, inputs, terms, link, profile }: ModelDefinition): object {
  return {
    id,
    inputs: mapValues(inputs, ({ from, to, values, whenAbsent }) => ({ from, to, values, whenAbsent })),
    terms: withoutLabels(terms),
    link: withoutLabels(link),
    // The reference of drift, and the centre of the evidence of outcomes.
    profile: profile === undefined ? undefined : { ...profile, data: undefined },
  }
}

/** A copy without labels. Points by code may have a code of that name; their values are numbers. */
function withoutLabels(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutLabels)
  if (typeof part !== 'object' || part === null) return part
  const isLabel = (key: string, value: unknown): boolean => key === 'label' && typeof value === 'string'
  const kept = Object.entries(part).filter(([key, value]) => !isLabel(key, value))
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutLabels(value)]))
}

function computingScale(scale: ScaleDefinition): object {
  const { items, measures, computed, context, codings, subtotals, total, derived } = scale
  return {
    items: mapValues(items, ({ values }) => values),
    measures: mapValues(measures, ({ from, to, step, unit }) => ({ from, to, step, unit })),
    computed: withoutLabels(computed ?? {}),
    context: mapValues(context, (each) => {
      const codes = codeMeanings(each)
      return codes === undefined ? each.values : Object.keys(codes)
    }),
    codings: codings && {
      default: codings.default,
      forms: mapValues(codings.forms, (form) => ({ ...form, meaning: undefined })),
    },
    subtotals: mapValues(subtotals, (subtotal) => subtotal.items),
    total,
    derived: withoutLabels(derived ?? {}),
  }
}

function computingField(field: FieldDefinition): object {
  const { type, unit } = field
  if (field.type === 'code') return { type, unit, codes: Object.keys(field.values) }
  return field.type === 'yesNo' ? { type, unit } : { type, unit, from: field.from, to: field.to }
}

/** Fields of the record itself that a scale reads, such as the age, and the fields of its own. */
function fieldsOfScale({ id, items, measures, computed = {} }: ScaleDefinition): readonly string[] {
  const own = [...Object.keys(items), ...Object.keys(measures ?? {}), 'total'].map((part) => `${id}_${part}`)
  const parts = Object.values(computed).flatMap((definition: DerivedDefinition) => partsOf(definition))
  return [...own, ...parts.flatMap((part) => recordField(part) ?? [])]
}
