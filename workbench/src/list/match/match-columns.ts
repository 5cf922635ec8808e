/** Which column means which field: suggested by name, decided by the reader, remembered only when asked. */
import type { Field } from '../../shapes/fields.ts'
import type { Model } from '../../shapes/model.ts'

/** A field's name, nothing, or the reader's own number for a patient, which is shown and never sent. */
export type Match = string
export const NOT_USED = ''
export const IDENTIFIER = '@identifier'

const IDENTIFIER_NAMES: ReadonlySet<string> = new Set([
  'id',
  'idx',
  'nhc',
  'mrn',
  'patient',
  'patientid',
  'paciente',
  'idpaciente',
  'identifier',
  'identificador',
  'historia',
  'nhs',
])

/** A name without case, accents and signs: "Días de estancia" and "dias_de_estancia" are the same. */
export function plainName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}

/** `aliases` are the other names of a field, from the message files. */
export function suggestMatches(
  columns: readonly string[],
  fields: readonly Field[],
  aliases: (field: Field) => readonly string[],
  remembered: Readonly<Record<string, Match>>,
): readonly Match[] {
  const byName = new Map<string, string>()
  for (const field of fields) {
    for (const name of [...aliases(field), field.name]) byName.set(plainName(name), field.name)
  }
  const byField = new Map(fields.map((field) => [field.name, field]))
  /** The match, unless the column itself says that it holds something else. */
  const fitting = (column: string, name: Match | undefined): Match | undefined => {
    const field = byField.get(name ?? '')
    return field !== undefined && contradicts(column, field) ? undefined : name
  }
  const taken = new Set<Match>()
  const take = (match: Match): Match => {
    if (match === NOT_USED || taken.has(match)) return NOT_USED
    taken.add(match)
    return match
  }
  const exact = columns.map((column) => {
    const plain = plainName(column)
    const known = remembered[plain]
    if (known !== undefined) return take(known)
    const bare = plainName(withoutUnit(column))
    const field = fitting(column, byName.get(plain) ?? byName.get(bare))
    return take(field ?? (IDENTIFIER_NAMES.has(bare) ? IDENTIFIER : NOT_USED))
  })
  return columns.map((column, index) => {
    const found = exact[index] ?? NOT_USED
    if (found !== NOT_USED || remembered[plainName(column)] !== undefined) return found
    return take(fitting(column, nearest(plainName(withoutUnit(column)), byName, taken)) ?? NOT_USED)
  })
}

/** "AGE (yrs)" and "LoS [days]" without what is in brackets. */
function withoutUnit(column: string): string {
  return column.replace(/[([][^)\]]*[)\]]/g, '')
}

const TIME_UNITS: readonly (readonly string[])[] = [
  ['years', 'year', 'yrs', 'yr', 'y', 'anos', 'ano', 'a'],
  ['months', 'month', 'meses', 'mes'],
  ['days', 'day', 'd', 'dias', 'dia'],
  ['hours', 'hour', 'hrs', 'hr', 'h', 'horas', 'hora'],
]

/** Whether the brackets of a name state another unit or another period than the field has: "Haemoglobin (mmol/L)", "Visits (6 months)". */
function contradicts(column: string, { unit, otherUnits = {}, window }: Field): boolean {
  return saidInBrackets(column).some((said) => {
    const months = /(\d+)\s*(m|months?|mes|meses)\s*$/i.exec(said)?.[1]
    if (months !== undefined) return window !== undefined && !window.startsWith(`${months} `)
    if (unit === undefined) return false
    if (/[/%]/.test(said)) return ![unit, ...Object.keys(otherUnits)].some((each) => isSameUnit(each, said))
    const family = TIME_UNITS.find((names) => names.includes(plainName(said)))
    return family !== undefined && TIME_UNITS.flat().includes(unit) && !family.includes(unit)
  })
}

/** The unit that the name of a column states in brackets, where the field can be converted from it; else empty. */
export function unitInName(column: string, { otherUnits = {} }: Field): string {
  return (
    Object.keys(otherUnits).find((unit) => saidInBrackets(column).some((said) => isSameUnit(unit, said))) ??
    ''
  )
}

function saidInBrackets(column: string): readonly string[] {
  return [...column.matchAll(/[([]([^)\]]*)[)\]]/g)].map(([, said = '']) => said)
}

/** The three letters that stand for micro are one. */
function isSameUnit(a: string, b: string): boolean {
  const plain = (unit: string): string => unit.replace(/\s/g, '').replace(/[µμ]/g, 'u').toLowerCase()
  return plain(a) === plain(b)
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
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
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

const KEPT = 'patient-risk-columns'

export function rememberedMatches(): Readonly<Record<string, Match>> {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Record<string, Match>
  } catch {
    return {}
  }
}

/** Keeps names of columns and fields on this device; no cell is kept. */
export function rememberMatches(columns: readonly string[], matches: readonly Match[]): void {
  const all: Record<string, Match> = { ...rememberedMatches() }
  columns.forEach((column, index) => (all[plainName(column)] = matches[index] ?? NOT_USED))
  localStorage.setItem(KEPT, JSON.stringify(all))
}

export function forgetMatches(): void {
  localStorage.removeItem(KEPT)
}
