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

/** What the name states in place of the field's own unit or period; undefined where it states nothing, or the field's own too. */
export function statedMeasure(column: string, field: Field | undefined): StatedMeasure | undefined {
  if (field === undefined || (field.type !== 'integer' && field.type !== 'number')) return undefined
  const { unit = '', otherUnits = {}, window = '' } = field
  const own = timeUnitOf(unit)
  const times = timesIn(column)
  const [time] = times
  const [period] = /^\d/.test(window) ? timesIn(window) : []
  if (own !== undefined) {
    if (time === undefined || times.some((each) => each.unit === own)) return undefined
    return { kind: 'unit', said: { ...time, count: 0 }, from: canConvert(time.unit, own) ? time.unit : '' }
  }
  if (period !== undefined) {
    const daysOf = (each: Time): number => each.count * TIMES[each.unit].days
    const isOwn = (each: Time): boolean => Math.abs(daysOf(each) / daysOf(period) - 1) < SAME_PERIOD
    return time === undefined || times.some(isOwn) ? undefined : { kind: 'period', said: time, from: '' }
  }
  // Units such as mg/dL and %, in brackets or not.
  const said = column.match(/[a-zµμ]+\s?\/\s?[a-z]+|%/gi) ?? []
  const known = [unit, ...Object.keys(otherUnits)]
  const isKnown = said.some((each) => known.some((other) => isSameUnit(each, other)))
  return unit === '' || said[0] === undefined || isKnown
    ? undefined
    : { kind: 'unit', said: said[0], from: '' }
}

/** A number in the field's own unit. An age is told in completed years; everything else is a whole multiple. */
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

/** The three letters that stand for micro are one. */
export function isSameUnit(a: string, b: string): boolean {
  const plain = (unit: string): string => unit.replace(/\s/g, '').replace(/[µμ]/g, 'u').toLowerCase()
  return plain(a) === plain(b)
}
