/** Which column means which field: suggested by name, decided by the reader, remembered only when asked. */
import type { Field } from '../../shapes/fields.ts'
import type { Model } from '../../shapes/model.ts'
import { keptText } from '../../storage.ts'
import { isSameUnit, saidInBrackets, statedMeasure } from './stated-measure.ts'

/** A field's name, nothing, or the reader's own number for a patient, which is shown and never sent. */
export type Match = string
export const NOT_USED = ''
export const IDENTIFIER = '@identifier'

/** Plain names of a patient's own number: "Nº Historia" is `nhistoria`. */
const IDENTIFIER_NAME =
  /^(id|idx|cip|nhc|mrn|nhs|identifier|identificador)$|^(patient|paciente)(id|no|number)?$|^id(patient|paciente)$|^(n|no|num|numero)?(de)?historia(clinica)?$|^(medical|hospital|nhs)(record)?(number|no)$|^record(number|no|id)$/

/** A name without case, accents and signs: "Días de estancia" and "dias_de_estancia" are the same. */
export function plainName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}

/** `aliases` are the other names of a field, or of the identifier, from the message files. */
export function suggestMatches(
  columns: readonly string[],
  fields: readonly Field[],
  aliases: (name: string) => readonly string[],
  remembered: Readonly<Record<string, Match>>,
): readonly Match[] {
  const byName = new Map<string, string>()
  for (const field of fields) {
    for (const name of [...aliases(field.name), field.name]) byName.set(plainName(name), field.name)
  }
  const byField = new Map(fields.map((field) => [field.name, field]))
  const identifiers = new Set(aliases(IDENTIFIER).map(plainName))
  /** The match, unless the column itself says that it holds something else: then another field or column may fit better. */
  const fitting = (column: string, name: Match | undefined): Match | undefined =>
    statedMeasure(column, byField.get(name ?? '')) === undefined ? name : undefined
  const taken = new Set<Match>()
  const take = (match: Match): Match => {
    if (match === NOT_USED || taken.has(match)) return NOT_USED
    taken.add(match)
    return match
  }
  const exact = columns.map((column) => {
    const plain = plainName(column)
    const known = Object.hasOwn(remembered, plain) ? remembered[plain] : undefined
    if (known !== undefined) return take(known)
    const bare = plainName(withoutUnit(column))
    const field = fitting(column, byName.get(plain) ?? byName.get(bare))
    const isIdentifier = IDENTIFIER_NAME.test(bare) || identifiers.has(bare)
    return take(field ?? (isIdentifier ? IDENTIFIER : NOT_USED))
  })
  const isOpen = (column: string, found: Match): boolean =>
    found === NOT_USED && !Object.hasOwn(remembered, plainName(column))
  const near = columns.map((column, index) => {
    const found = exact[index] ?? NOT_USED
    if (!isOpen(column, found)) return found
    return take(fitting(column, nearest(plainName(withoutUnit(column)), byName, taken)) ?? NOT_USED)
  })
  // What is left is suggested with its doubt, which the reader decides.
  return columns.map((column, index) => {
    const found = near[index] ?? NOT_USED
    return isOpen(column, found) ? take(byName.get(plainName(withoutUnit(column))) ?? NOT_USED) : found
  })
}

/** "AGE (yrs)" and "LoS [days]" without what is in brackets. */
function withoutUnit(column: string): string {
  return column.replace(/[([][^)\]]*[)\]]/g, '')
}

/** The unit that the name of a column states in brackets, where the field can be converted from it; else empty. */
export function unitInName(column: string, { otherUnits = {} }: Field): string {
  return (
    Object.keys(otherUnits).find((unit) => saidInBrackets(column).some((said) => isSameUnit(unit, said))) ??
    ''
  )
}

/** A name that is one slip away: "stayday" for "stayDays". Short names are too alike for that. */
function nearest(plain: string, byName: ReadonlyMap<string, string>, taken: ReadonlySet<string>): Match {
  if (plain.length < 5) return NOT_USED
  for (const [name, field] of byName) {
    if (!taken.has(field) && Math.abs(name.length - plain.length) <= 1 && isOneEditApart(plain, name))
      return field
  }
  return NOT_USED
}

/** Whether two names differ by one letter that is changed, added or left out. */
export function isOneEditApart(a: string, b: string): boolean {
  const short = a.length <= b.length ? a : b
  const long = a.length <= b.length ? b : a
  if (long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at++
  const rest = short.length === long.length ? short.slice(at + 1) : short.slice(at)
  return rest === long.slice(at + 1)
}

/** Required inputs that no column gives. The total of a scale may also come from its items. */
export function missingInputs(model: Model, matches: readonly string[]): readonly Field[] {
  return model.inputs.filter(({ name, use, scale }) => {
    if (use !== 'required' || matches.includes(name)) return false
    return scale === undefined || !matches.some((match) => match.startsWith(`${scale}_`))
  })
}

const kept = keptText('device', 'patient-risk-columns')

export function rememberedMatches(): Readonly<Record<string, Match>> {
  try {
    return JSON.parse(kept.read() ?? '{}') as Record<string, Match>
  } catch {
    return {}
  }
}

/** Keeps names of columns and fields on this device; no cell is kept. */
export function rememberMatches(columns: readonly string[], matches: readonly Match[]): void {
  const all: Record<string, Match> = { ...rememberedMatches() }
  columns.forEach((column, index) => (all[plainName(column)] = matches[index] ?? NOT_USED))
  kept.write(JSON.stringify(all))
}

export function forgetMatches(): void {
  kept.remove()
}
