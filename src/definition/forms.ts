/** The ways in which a scale may be written down. A scale without codings has one form without a name. */
import type { ScaleDefinition, TotalDefinition } from './scale.ts'

export interface ScaleForm {
  /** The coding's name, or null where the scale has only one way. */
  readonly coding: string | null
  /** How far every item of this form lies above the base values. */
  readonly shift: number
  /** The permitted values of each item, as written in this form. */
  readonly items: ReadonlyMap<string, readonly number[]>
  readonly total: TotalDefinition
}

export function scaleForms(scale: ScaleDefinition): readonly ScaleForm[] {
  const all = Object.keys(scale.items)
  if (scale.codings === undefined) return [form(scale, null, { items: all, total: scale.total })]
  return Object.entries(scale.codings.forms).map(([name, coding]) =>
    form(scale, name, {
      items: coding.items ?? all,
      total: coding.total ?? scale.total,
      ...(coding.shift === undefined ? {} : { shift: coding.shift }),
      ...(coding.narrowed === undefined ? {} : { narrowed: coding.narrowed }),
    }),
  )
}

interface FormParts {
  readonly items: readonly string[]
  readonly total: TotalDefinition
  readonly shift?: number
  readonly narrowed?: Readonly<Record<string, readonly number[]>>
}

function form(scale: ScaleDefinition, coding: string | null, parts: FormParts): ScaleForm {
  const shift = parts.shift ?? 0
  const items = new Map<string, readonly number[]>()
  for (const name of parts.items) {
    const base = parts.narrowed?.[name] ?? scale.items[name]?.values ?? []
    items.set(
      name,
      base.map((value) => value + shift),
    )
  }
  return { coding, shift, items, total: parts.total }
}
