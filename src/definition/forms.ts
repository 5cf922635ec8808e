/** The ways in which a scale may be written down. A scale without codings has one form without a name. */
import type { DerivedDefinition, ScaleDefinition, TotalDefinition } from './scale.ts'

export interface ScaleForm {
  /** The coding's name, or null where the scale has only one way. */
  readonly coding: string | null
  /** How far every item of this form lies above the base values. */
  readonly shift: number
  /** The permitted values of each item, as written in this form. */
  readonly items: ReadonlyMap<string, readonly number[]>
  readonly total: TotalDefinition
}

/** The forms of each scale: definitions do not change once they are read. */
const known = new WeakMap<ScaleDefinition, readonly ScaleForm[]>()

export function scaleForms(scale: ScaleDefinition): readonly ScaleForm[] {
  const made = known.get(scale)
  if (made !== undefined) return made
  const codings = scale.codings === undefined ? [[null, {}] as const] : Object.entries(scale.codings.forms)
  const forms = codings.map(([coding, form]: readonly [string | null, Partial<FormParts>]) => {
    const { shift = 0, items = Object.keys(scale.items), narrowed = {}, total = scale.total } = form
    const valuesOf = (name: string): readonly number[] => narrowed[name] ?? scale.items[name]?.values ?? []
    return {
      coding,
      shift,
      items: new Map(items.map((name) => [name, valuesOf(name).map((value) => value + shift)])),
      total,
    }
  })
  known.set(scale, forms)
  return forms
}

type FormParts = NonNullable<ScaleDefinition['codings']>['forms'][string]

/** The names of the values that a computed figure follows from. */
export function partsOf(definition: DerivedDefinition): readonly string[] {
  const of = typeof definition.of === 'string' ? [definition.of] : definition.of
  return definition.kind === 'shifted' || definition.kind === 'gnri' ? [...of, definition.by] : of
}
