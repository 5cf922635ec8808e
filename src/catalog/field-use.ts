/** What models do with a field: need it, take it when present, work an input out from it, or nothing. */
import type { ModelDefinition } from '../definition/model.ts'
import { makePlan } from '../engine/plan.ts'
import type { Catalog } from './catalog.ts'

/** `part`: an input may be worked out from it, so a wrong value in it can keep a record from being scored. */
export type FieldUse = 'required' | 'optional' | 'part' | 'unused'

export interface UseDescription {
  readonly use: FieldUse
  /** What the model takes its absence for, and why. */
  readonly whenAbsent?: number | boolean | string
  readonly whyAbsent?: string
  /** Models of the catalogue that take it, or an input that may be worked out from it. */
  readonly models: readonly string[]
}

/** What the model does with a field, and which models of the catalogue take it. */
export function fieldUses(catalog: Catalog, model: ModelDefinition): (name: string) => UseDescription {
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

/** A model's inputs and what they may be worked out from; with it the coding that those are written in. */
function neededFields(catalog: Catalog, model: ModelDefinition): ReadonlySet<string> {
  const plan = makePlan(catalog.knowledge, model)
  const needed = new Set<string>()
  plan.fields.forEach(({ name, scale }, slot) => {
    if (!plan.isNeeded(slot)) return
    needed.add(name)
    const coding = plan.scales[scale]?.codingSlot ?? -1
    if (coding >= 0) needed.add(plan.fields[coding]?.name ?? name)
  })
  return needed
}
