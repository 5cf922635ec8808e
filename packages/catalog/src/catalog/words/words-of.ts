/** The words of a language for what the engine and the service say: its texts, and what it calls fields and scales. */
import { type Words, phraseIn } from 'patient-risk-engine/words'
import { type ScaleDefinition, scaleParts } from 'patient-risk-engine/definition'
import type { Catalog } from '../catalog.ts'
import { partMeaning } from '../describe-fields.ts'
import { ENGLISH, type Language } from '../../languages/language.ts'
import { labelIn } from '../../languages/labels.ts'
import { saidTexts } from './said-texts.ts'
import { SERVICE_TEXTS } from './service-texts.ts'

const made = new WeakMap<Catalog, Map<string, LanguageWords>>()

export interface LanguageWords extends Words {
  /** What `Content-Language` says: with English too where the language lacks a text. */
  readonly contentLanguage: string
}

/** Undefined for English, which needs none. Made once for each language. */
export function wordsOf(catalog: Catalog, tag: string | undefined): LanguageWords | undefined {
  const language = tag === undefined ? undefined : catalog.languages.others.get(tag)
  if (language === undefined) return undefined
  const known = made.get(catalog) ?? new Map<string, LanguageWords>()
  made.set(catalog, known)
  const words = known.get(language.language) ?? makeWords(catalog, language)
  known.set(language.language, words)
  return words
}

function makeWords(catalog: Catalog, { language, locale, clinical }: Language): LanguageWords {
  const { texts, places } = clinical
  const decimal = decimalOf(locale)
  const plain = { language, texts, names: {}, decimal }
  const { names: english } = catalog.languages.english
  const fields = Object.entries(english).map(([name, text]) => {
    const placed = places[`names.${name}`]
    return [name, placed?.en === text ? placed.text : phraseIn(plain, text)] as const
  })
  const names = [...fields, ...[...catalog.scales.values()].flatMap((scale) => namesOfScale(plain, scale))]
  const lacks = missingTexts(catalog, language).length > 0
  return {
    ...plain,
    names: Object.fromEntries(names),
    contentLanguage: lacks ? `${language}, ${ENGLISH}` : language,
  }
}

/** The scale itself and each of its fields, by their names in a record. */
function namesOfScale(words: Words, scale: ScaleDefinition): readonly (readonly [string, string])[] {
  const title = phraseIn(words, scale.title)
  const parts = scaleParts(scale).map((part) => {
    const label = labelIn(partMeaning(scale, part), scale.title)
    return [`${scale.id}_${part.name}`, `${title}: ${phraseIn(words, label)}`] as const
  })
  return [[scale.id, title], ...parts]
}

function decimalOf(locale: string): string {
  const parts = new Intl.NumberFormat(locale).formatToParts(1.5)
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.'
}

/** What the language has no translation of: texts of clinical files, and of the service. */
export function missingTexts(catalog: Catalog, tag: string): readonly string[] {
  const { texts = {}, places = {} } = catalog.languages.others.get(tag)?.clinical ?? {}
  const placed = new Set(Object.values(places).map(({ en }) => en))
  return [...saidTexts(catalog).needed, ...SERVICE_TEXTS].filter(
    (text) => !Object.hasOwn(texts, text) && !placed.has(text),
  )
}
