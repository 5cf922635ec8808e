/** The texts, numbers and dates of the page in the reader's language and format. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Language } from './language.ts'
import { localeOf, preferences } from '../preferences.ts'
import { useShared } from '../state.ts'
import { phraseOf } from './phrases.ts'
import { translate, type MessageKey } from './translate.ts'

/** What the message files have in singular and plural. */
export type Counted =
  | 'rows'
  | 'problems'
  | 'notices'
  | 'columns'
  | 'items'
  | 'values'
  | 'points'
  | 'trees'
  | 'cells'
  | 'days'
  | 'identifiers'
  | 'hiddenRows'
  | 'unscored'

export type Words = ReturnType<typeof wordsOf>

const cache = new Map<Language, Words>()

/** The words of a document that does not follow its reader's browser: a report that is written to a file. */
export const DocumentWords = createContext<Words | undefined>(undefined)

export function useWords(): Words {
  const { language } = useShared(preferences)
  return useContext(DocumentWords) ?? wordsFor(language)
}

export function wordsFor(language: Language): Words {
  const words = cache.get(language) ?? makeWords(language, localeOf(language))
  cache.set(language, words)
  return words
}

export const makeWords = (language: Language, locale: string): Words => wordsOf(language, locale)

function wordsOf(language: Language, locale: string) {
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
  const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const precise = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
  const months = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const shortDays = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
  const hours = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
  const number = (value: number, decimals = 6): string =>
    formatOf('decimal', locale, 0, decimals).format(value)
  const percent = (probability: number, decimals = 1): string =>
    formatOf('percent', locale, decimals).format(probability)
  const t = (key: MessageKey, parts?: Readonly<Record<string, string | number>>): string =>
    translate(language, key, parts)
  return {
    language,
    t,
    /** A text of the service, translated where the page has a translation. */
    serviceText: (text: string): string => phraseOf(language, text).text,
    /** `one` or `many` of a counted thing. */
    count: (key: Counted, count: number): string =>
      t(count === 1 ? `count.${key}.one` : `count.${key}.many`, { n: number(count, 2) }),
    number,
    /** With exactly this many decimals, for figures in a column. */
    fixed: (value: number, decimals: number): string => formatOf('decimal', locale, decimals).format(value),
    /** "5 years", or the unit alone for none: "weeks". */
    duration: (count: number, unit: string): string => {
      const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
      const parts = format.formatToParts(count === 0 ? 2 : count)
      return parts.flatMap(({ type, value }) => (count > 0 || type === 'unit' ? value : [])).join('')
    },
    /** The hour of a day, as on a clock. */
    hour: (iso: string): string => hours.format(new Date(iso)),
    /** A probability as a percentage with one decimal. */
    percent,
    /** A risk as a percentage, never 0 % or 100 %, with one decimal; with two where one would put it on the wrong side of a threshold. */
    risk: (probability: number, threshold = 0, decimals = 1): string => {
      if (probability < 0.0005) return `< ${percent(0.001)}`
      if (probability >= 0.9995) return `> ${percent(0.999)}`
      const isTrue = shownRisk(probability, decimals) >= threshold === probability >= threshold
      return percent(probability, isTrue ? decimals : MOST_DECIMALS)
    },
    /** A threshold as a percentage with all of its digits. */
    threshold: (probability: number): string => formatOf('percent', locale, 1, 4).format(probability),
    date: (iso: string | number): string => dates.format(new Date(iso)),
    /** A month that the service writes as 2026-01, in words. */
    month: (text: string): string => months.format(new Date(`${text}-15T12:00:00Z`)),
    time: (iso: string | number): string => times.format(new Date(iso)),
    /** The same with seconds. */
    seconds: (iso: string | number): string => precise.format(new Date(iso)),
    /** Day and month. */
    shortDay: (iso: string): string => shortDays.format(new Date(iso)),
    /** A day that the service writes as DD-MM-YYYY, in words; undefined when there is no such day. */
    day: (text: string): string | undefined => {
      const match = /^(\d{2})-(\d{2})-(\d{4})$/.exec(text)
      if (match === null) return undefined
      const day = Number(match[1])
      const month = Number(match[2])
      const year = Number(match[3])
      const date = new Date(Date.UTC(year, month - 1, day))
      return date.getUTCDate() === day && date.getUTCMonth() === month - 1 ? days.format(date) : undefined
    },
  }
}

const formats = new Map<string, Intl.NumberFormat>()

/** Making a format is slow and using it is quick, and a list shows thousands of figures. */
function formatOf(
  style: 'decimal' | 'percent',
  locale: string,
  minimumFractionDigits: number,
  maximumFractionDigits = minimumFractionDigits,
): Intl.NumberFormat {
  const name = [style, locale, minimumFractionDigits, maximumFractionDigits].join(' ')
  const options = { style, minimumFractionDigits, maximumFractionDigits }
  const format = formats.get(name) ?? new Intl.NumberFormat(locale, options)
  formats.set(name, format)
  return format
}

/** The service answers four decimals, so a percentage has two. */
export const MOST_DECIMALS = 2

/** A probability as it is shown. */
function shownRisk(probability: number, decimals: number): number {
  return Number(`${parseFloat(formatOf('percent', 'en', decimals).format(probability))}e-2`)
}

/** One decimal, or two where the difference of the two figures would not be the figure of the difference. */
export function decimalsOfDifference(before: number, now: number): number {
  const between = shownRisk(now, 1) - shownRisk(before, 1)
  return Math.abs(between - shownRisk(now - before, 1)) < 1e-6 ? 1 : MOST_DECIMALS
}
