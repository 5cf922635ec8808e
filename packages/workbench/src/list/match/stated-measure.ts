/**
 * A unit or a period in the name of a column that is not the field's own: `Age (mo)`, `Ingresos (5 años)`. It is named, and the
 * list waits until its reader has said what the numbers are.
 */
import type { Field } from '../../shapes/fields.ts'

export interface StatedMeasure {
  readonly kind: 'unit' | 'period'
  /** A unit as it is written, or so many of a unit of time. */
  readonly said: string | Time
  /** The unit to convert from; empty where a number cannot be converted without changing what it says. */
  readonly from: string
}

interface Time {
  readonly count: number
  readonly unit: TimeUnit
}

/** The reader says that the numbers are in the field's own unit or period, whatever the name says. */
export const OWN = 'own'

/** Words for a unit of time, and its length in days. Those of months and years serve to compare periods only. */
const TIMES = {
  year: { days: 365.25, words: ['years', 'year', 'yrs', 'yr', 'y', 'anos', 'ano', 'a'] },
  month: { days: 30.4375, words: ['months', 'month', 'mths', 'mth', 'mos', 'mo', 'm', 'meses', 'mes'] },
  week: { days: 7, words: ['weeks', 'week', 'wks', 'wk', 'w', 'semanas', 'semana', 'sem'] },
  day: { days: 1, words: ['days', 'day', 'd', 'dias', 'dia'] },
  hour: { days: 1 / 24, words: ['hours', 'hour', 'hrs', 'hr', 'h', 'horas', 'hora'] },
  minute: { days: 1 / 1440, words: ['minutes', 'minute', 'mins', 'min', 'minutos', 'minuto'] },
  second: { days: 1 / 86_400, words: ['seconds', 'second', 'sec', 's', 'segundos', 'segundo', 'seg'] },
}
export type TimeUnit = keyof typeof TIMES
const TIME_UNITS = Object.keys(TIMES) as readonly TimeUnit[]
/** 52 weeks, 365 days and 12 months are the same period. */
const SAME_PERIOD = 0.03

/** Words around a period that do not change it: `last 12 months`, `en los últimos 12 meses`. */
const AROUND =
  /\b(in|last|past|previous|prior|before|the|completed|en|el|la|los|las|ultim[oa]s?|previ[oa]s?|anterior(es)?|cumplidos)\b/g

/**
 * What the name states in place of the field's own unit or period; undefined where all that it states is the field's own. What
 * is in brackets counts before the rest of the name, and is in doubt unless it is understood.
 */
export function statedMeasure(column: string, field: Field | undefined): StatedMeasure | undefined {
  if (field === undefined || (field.type !== 'integer' && field.type !== 'number')) return undefined
  const { unit = '', otherUnits = {}, window = '' } = field
  const own = timeUnitOf(unit)
  const period = /^\d/.test(window) ? timesIn(window)[0] : undefined
  if (unit === '' && period === undefined) return undefined
  const known = [unit, window, ...Object.keys(otherUnits)]
  const isTimed = own !== undefined || period !== undefined
  const isOwn = (said: string | Time): boolean => {
    // How far a scale goes, as in `Barthel (0-100)`, is neither a unit nor a period.
    if (typeof said === 'string')
      return known.some((each) => isSameUnit(said, each)) || (!isTimed && /^[\d\s.,–-]*$/.test(said))
    const isPeriod = period !== undefined && Math.abs(daysOf(said) / daysOf(period) - 1) < SAME_PERIOD
    return isPeriod || (said.unit === own && said.count === 1)
  }
  const inBrackets = saidInBrackets(column)
  // Units such as mg/dL and %, where there are no brackets.
  const inName = isTimed ? timesIn(column) : (column.match(/[a-zµμ]+\s?\/\s?[a-z]+|%/gi) ?? [])
  const all = inBrackets.length === 0 ? inName : inBrackets.map((each) => (isTimed ? timeOrText(each) : each))
  const said = all.find((each) => !isOwn(each))
  if (said === undefined) return undefined
  if (isTimed && own === undefined) return { kind: 'period', said, from: '' }
  if (typeof said === 'string' || said.count !== 1 || own === undefined)
    return { kind: 'unit', said, from: '' }
  return { kind: 'unit', said: { ...said, count: 0 }, from: canConvert(said.unit, own) ? said.unit : '' }
}

/** What is in brackets as a time, where it says nothing else; else as it is written. */
function timeOrText(said: string): Time | string {
  const rest = plainWords(said).replace(AROUND, '').trim()
  if (!/^(\d+([.,]\d+)?)?[^a-z\d/]*[a-z]+$/.test(rest)) return said
  return timesIn(`(${rest})`)[0] ?? said
}

export function saidInBrackets(column: string): readonly string[] {
  return [...column.matchAll(/[([]([^)\]]*)[)\]]/g)].map(([, said = '']) => said)
}

function daysOf({ count, unit }: Time): number {
  return count * TIMES[unit].days
}

/** Converts a number to the unit of the field. An age becomes completed years; every other conversion is by a whole factor. */
export function inOwnMeasure({ unit = '' }: Field, value: number, measure: string): number {
  const own = timeUnitOf(unit)
  if (measure === '' || measure === OWN || own === undefined) return value
  if (own === 'year') return Math.floor(value / 12)
  return value * Math.round(TIMES[measure as TimeUnit].days / TIMES[own].days)
}

function canConvert(from: TimeUnit, own: TimeUnit): boolean {
  if (own === 'year') return from === 'month'
  return own !== 'month' && from !== 'month' && from !== 'year' && TIMES[from].days > TIMES[own].days
}

function timeUnitOf(word: string): TimeUnit | undefined {
  return TIME_UNITS.find((unit) => TIMES[unit].words.includes(word.toLowerCase()))
}

/** Units of time in a name, with their number, else one. A single letter counts after a number or alone in brackets. */
function timesIn(name: string): readonly Time[] {
  const words = plainWords(name).matchAll(
    /([([]\s*)?(\d+(?:[.,]\d+)?)?[^a-z0-9([\])]*([a-z]+)(?=(\s*[)\]])?)/g,
  )
  return [...words].flatMap(([, opened, count, word = '', closed]) => {
    const unit = timeUnitOf(word)
    const isAlone = opened !== undefined && closed !== undefined
    if (unit === undefined || (word.length === 1 && count === undefined && !isAlone)) return []
    return [{ count: Number((count ?? '1').replace(',', '.')), unit }]
  })
}

/** Without case and accents, and with half as a number. */
function plainWords(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/½|\b1\/2\b|\b(half|medio)\b/g, '0.5')
    .replace(/\b(two|dos)\b/g, '2')
}

/** The three letters that stand for micro are one. */
export function isSameUnit(a: string, b: string): boolean {
  const plain = (unit: string): string => unit.replace(/\s/g, '').replace(/[µμ]/g, 'u').toLowerCase()
  return plain(a) === plain(b)
}
