/**
 * A unit or a period in the name of a column that is not the field's own: `Age (mo)`, `Ingresos (5 años)`. It is named, and the
 * list waits until its reader has said what the numbers are.
 */
import type { Field } from '../../shapes/fields.ts'

export interface StatedMeasure {
  readonly kind: 'unit' | 'period'
  /** A unit as it is written, or so many of a unit of time. */
  readonly said: string | { readonly count: number; readonly unit: TimeUnit }
  /** The unit to convert from; empty where a number cannot be converted without changing what it says. */
  readonly from: string
}

/** The reader says that the numbers are in the field's own unit or period, whatever the name says. */
export const OWN = 'own'

const TIME_WORDS = {
  year: ['years', 'year', 'yrs', 'yr', 'y', 'anos', 'ano', 'a'],
  month: ['months', 'month', 'mths', 'mth', 'mos', 'mo', 'm', 'meses', 'mes'],
  week: ['weeks', 'week', 'wks', 'wk', 'w', 'semanas', 'semana', 'sem'],
  day: ['days', 'day', 'd', 'dias', 'dia'],
  hour: ['hours', 'hour', 'hrs', 'hr', 'h', 'horas', 'hora'],
  minute: ['minutes', 'minute', 'mins', 'min', 'minutos', 'minuto'],
  second: ['seconds', 'second', 'secs', 'sec', 's', 'segundos', 'segundo', 'seg'],
} as const
export type TimeUnit = keyof typeof TIME_WORDS
const TIME_UNITS = Object.keys(TIME_WORDS) as readonly TimeUnit[]
/** In days. Months and years have no fixed number of them, so they serve to compare periods only. */
const DAYS: Readonly<Record<TimeUnit, number>> = {
  year: 365.25,
  month: 30.4375,
  week: 7,
  day: 1,
  hour: 1 / 24,
  minute: 1 / 1440,
  second: 1 / 86_400,
}
/** 52 weeks, 365 days and 12 months are the same period. */
const SAME_PERIOD = 0.03

/** What the name states in place of the field's own unit or period; undefined where it states nothing, or the field's own too. */
export function statedMeasure(column: string, field: Field | undefined): StatedMeasure | undefined {
  if (field === undefined || (field.type !== 'integer' && field.type !== 'number')) return undefined
  const { unit = '', otherUnits = {}, window = '' } = field
  const own = timeUnitOf(unit)
  const [period] = timesIn(window.replace(/^(\d+ \w+).*$/, '$1'))
  const stated = timesIn(column)
  if (own !== undefined) {
    const [first] = stated
    if (first === undefined || stated.some((each) => each.unit === own)) return undefined
    return { kind: 'unit', said: { ...first, count: 0 }, from: canConvert(first.unit, own) ? first.unit : '' }
  }
  if (/^\d/.test(window) && period !== undefined) {
    const isOwn = (each: Time): boolean => Math.abs(daysOf(each) / daysOf(period) - 1) < SAME_PERIOD
    const [first] = stated
    return first === undefined || stated.some(isOwn) ? undefined : { kind: 'period', said: first, from: '' }
  }
  const said = unitsIn(column)
  const known = [unit, ...Object.keys(otherUnits)]
  if (unit === '' || said[0] === undefined) return undefined
  return said.some((each) => known.some((other) => isSameUnit(each, other)))
    ? undefined
    : { kind: 'unit', said: said[0], from: '' }
}

/** A number in the field's own unit. An age is told in completed years; everything else is a whole multiple. */
export function inOwnMeasure({ unit = '' }: Field, value: number, measure: string): number {
  const own = timeUnitOf(unit)
  if (measure === '' || measure === OWN || own === undefined) return value
  if (own === 'year') return Math.floor(value / 12)
  return value * Math.round(DAYS[measure as TimeUnit] / DAYS[own])
}

function canConvert(from: TimeUnit, own: TimeUnit): boolean {
  if (own === 'year') return from === 'month'
  return own !== 'month' && from !== 'month' && from !== 'year' && DAYS[from] > DAYS[own]
}

interface Time {
  readonly count: number
  readonly unit: TimeUnit
}

function daysOf({ count, unit }: Time): number {
  return count * DAYS[unit]
}

function timeUnitOf(word: string): TimeUnit | undefined {
  return TIME_UNITS.find((unit) => (TIME_WORDS[unit] as readonly string[]).includes(word.toLowerCase()))
}

/** Units of time in a name, with their number, else one. A single letter counts after a number or alone in brackets. */
function timesIn(name: string): readonly Time[] {
  const plain = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  const words = plain.matchAll(/([([]\s*)?(\d+(?:[.,]\d+)?)?[^a-z0-9([\])]*([a-z]+)(?=(\s*[)\]])?)/g)
  return [...words].flatMap(([, opened, count, word = '', closed]) => {
    const unit = timeUnitOf(word)
    const isAlone = opened !== undefined && closed !== undefined
    if (unit === undefined || (word.length === 1 && count === undefined && !isAlone)) return []
    return [{ count: Number((count ?? '1').replace(',', '.')), unit }]
  })
}

/** Units such as mg/dL and %, in brackets or not. */
function unitsIn(name: string): readonly string[] {
  return name.match(/[a-zµμ]+\s?\/\s?[a-z]+|%/gi) ?? []
}

/** The three letters that stand for micro are one. */
export function isSameUnit(a: string, b: string): boolean {
  const plain = (unit: string): string => unit.replace(/\s/g, '').replace(/[µμ]/g, 'u').toLowerCase()
  return plain(a) === plain(b)
}
