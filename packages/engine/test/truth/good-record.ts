/** Records that are valid by construction, made from the definitions as written and not from the engine's reading of them. */
import type { Catalog } from '@patient-risk/catalog'
import type { FieldDefinition } from '../../src/definition/field.ts'
import type { InputDefinition, ModelDefinition } from '../../src/definition/model.ts'
import type { ScaleDefinition } from '../../src/definition/scale.ts'
import type { Random } from '../../../../test/support/random.ts'

/** A record as it is written: each key and value in JSON, in order. Only text can hold a key twice. */
export type Written = [key: string, value: string][]

export function write(record: Written): string {
  return `{${record.map(([key, value]) => `${key}:${value}`).join(',')}}`
}

export function put(record: Written, field: string, value: unknown): void {
  const key = JSON.stringify(field)
  const text = JSON.stringify(value)
  const known = record.find(([other]) => other === key)
  if (known === undefined) record.push([key, text])
  else known[1] = text
}

export function drop(record: Written, field: string): void {
  const at = record.findIndex(([key]) => key === JSON.stringify(field))
  if (at >= 0) record.splice(at, 1)
}

/** Scales whose total is the plain sum of all their items, written in one way only. */
export function plainScales(catalog: Catalog): readonly ScaleDefinition[] {
  return [...catalog.scales.values()].filter(
    ({ total, codings, subtotals, derived }) =>
      total === 'sum' && codings === undefined && subtotals === undefined && derived === undefined,
  )
}

/** The inputs that a model cannot do without. */
export function requiredInputs(model: ModelDefinition): readonly string[] {
  return Object.entries(model.inputs).flatMap(([name, input]) =>
    input.whenAbsent === undefined ? [name] : [],
  )
}

type ScaleInputs = readonly (readonly [ScaleDefinition, readonly string[]])[]
const scaleInputs = new WeakMap<ModelDefinition, ScaleInputs>()

/** The scales that a model uses, with the inputs of each; found once, as hundreds of thousands of records need them. */
function scalesOf(catalog: Catalog, model: ModelDefinition): ScaleInputs {
  const known = scaleInputs.get(model)
  if (known !== undefined) return known
  const found = [...catalog.scales.values()]
    .map((scale) => {
      const names = Object.keys(model.inputs).filter((name) => name.startsWith(`${scale.id}_`))
      return [scale, names] as const
    })
    .filter(([, names]) => names.length > 0)
  scaleInputs.set(model, found)
  return found
}

export function goodRecord(catalog: Catalog, model: ModelDefinition, idx: number, random: Random): Written {
  const record: Written = []
  put(record, 'idx', idx)
  for (const [name, input] of Object.entries(model.inputs)) {
    const field = catalog.fields.get(name)
    if (field !== undefined) put(record, name, goodValue(field, input, random))
  }
  for (const [scale, names] of scalesOf(catalog, model)) {
    if (names.includes(`${scale.id}_total`)) putScale(record, scale, random)
    else {
      for (const name of names)
        put(record, name, random.pick(scale.items[name.slice(scale.id.length + 1)]?.values ?? []))
    }
  }
  return record
}

/** All items with their total, all items alone, or the total alone. */
function putScale(record: Written, scale: ScaleDefinition, random: Random): void {
  const items = itemsOf(scale)
  const values = items.map((item) => random.pick(scale.items[item]?.values ?? []))
  const shape = random.below(3)
  if (shape < 2) items.forEach((item, at) => put(record, `${scale.id}_${item}`, values[at]))
  if (shape > 0)
    put(record, `${scale.id}_total`, sumOf(scale, new Map(items.map((item, at) => [item, values[at] ?? 0]))))
}

/** The sum of the items, without the mild form of a disease whose severe form scores. */
function sumOf({ total }: ScaleDefinition, values: ReadonlyMap<string, number>): number {
  let sum = [...values.values()].reduce((all, value) => all + value, 0)
  const hierarchies = total === 'sum' || total.kind !== 'sum' ? [] : (total.hierarchies ?? [])
  for (const { severe, replaces } of hierarchies) {
    if ((values.get(severe) ?? 0) > 0) sum -= values.get(replaces) ?? 0
  }
  return sum
}

/** The items of the way in which a scale is written when nobody says otherwise. */
export function itemsOf(scale: ScaleDefinition): readonly string[] {
  const form = scale.codings?.forms[scale.codings.default ?? '']
  return form?.items ?? Object.keys(scale.items)
}

export function goodValue(field: FieldDefinition, input: InputDefinition, random: Random): unknown {
  switch (field.type) {
    case 'integer':
    case 'decimal': {
      const from = Math.max(field.from, input.from ?? -Infinity)
      const to = Math.min(field.to, input.to ?? Infinity)
      const value = from + random.next() * (to - from)
      return field.type === 'integer' ? Math.round(value) : Math.round(value * 10) / 10
    }
    case 'code':
      return random.pick(Object.keys(field.values).filter((code) => input.values?.includes(code) ?? true))
    case 'yesNo':
      return random.chance(0.5)
  }
}
