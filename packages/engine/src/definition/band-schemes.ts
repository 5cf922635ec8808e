/** Which schemes of bands a scale uses, and which records each of them holds for. */
import { rounded } from './domain.ts'
import type { BandSchemeDefinition, ScaleDefinition } from './scale.ts'
import { type ScaleForm, sumsOf } from './scale-domains.ts'

/** The name of the scheme that a deployment uses for a scale in place of the default, by the scale's id. */
export type ChosenBands = Readonly<Record<string, string>>

/** The schemes that a deployment uses: those of the chosen name, else the defaults. At most one of them holds for a record. */
export function schemesInUse(
  { id, bands = [] }: Pick<ScaleDefinition, 'id' | 'bands'>,
  chosen: ChosenBands = {},
): readonly BandSchemeDefinition[] {
  if (Object.hasOwn(chosen, id)) return bands.filter(({ scheme }) => scheme === chosen[id])
  const couldBe = bands.filter((scheme) => scheme.default ?? scheme.verified)
  return couldBe.filter(
    (scheme) =>
      scheme.default === true || !couldBe.some((other) => other !== scheme && canBothHold(scheme, other)),
  )
}

/** Whether there may be a record that both schemes hold for. */
export function canBothHold(a: BandSchemeDefinition, b: BandSchemeDefinition): boolean {
  const differ = (one: string | undefined, other: string | undefined): boolean =>
    one !== undefined && other !== undefined && one !== other
  const excludes = (given: string | undefined, absent: string | undefined): boolean =>
    given !== undefined && given === absent
  const isApart = (one: BandSchemeDefinition, other: BandSchemeDefinition): boolean =>
    (one.age?.to ?? Infinity) < (other.age?.from ?? -Infinity)
  return !(
    differ(a.sex, b.sex) ||
    differ(a.coding, b.coding) ||
    excludes(a.given, b.absent) ||
    excludes(b.given, a.absent) ||
    isApart(a, b) ||
    isApart(b, a)
  )
}

/** A form with its items in the base values, in which bands are written. */
export function baseForm(form: ScaleForm): ScaleForm {
  if (form.shift === 0) return form
  const items = [...form.items].map(
    ([name, values]) => [name, values.map((value) => rounded(value - form.shift, 3))] as const,
  )
  return { ...form, shift: 0, items: new Map(items), domains: new Map() }
}

/** The totals of a plain sum that are reached with an item of this value, and those that are reached without one. */
export function totalsByItem(
  form: ScaleForm,
  value: number,
): { readonly having: ReadonlySet<number>; readonly lacking: ReadonlySet<number> } {
  const parts = [...baseForm(form).items.values()]
  const having = parts.flatMap((part, index) =>
    part.includes(value) ? sumsOf(parts.with(index, [value])) : [],
  )
  const lacking = sumsOf(parts.map((part) => part.filter((each) => each !== value)))
  return { having: new Set(having), lacking: new Set(lacking) }
}
