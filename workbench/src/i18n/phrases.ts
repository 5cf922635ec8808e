/**
 * Words of the service in the reader's language. They are looked up whole, by the English that the service sends: a text
 * that was changed there is shown in English until it is translated anew, and never as what it used to say.
 */
import type { Language } from '../preferences.ts'
import spanish from './phrases-es.json'

export interface Label {
  readonly text: string
  /** The language of the text, where it is the service's own. */
  readonly lang?: 'en'
}

const PHRASES: Readonly<Record<Language, Readonly<Record<string, string>>>> = { en: {}, es: spanish }

export function phraseOf(language: Language, text: string): Label {
  const known = Object.hasOwn(PHRASES[language], text) ? PHRASES[language][text] : undefined
  if (known !== undefined) return { text: known }
  return language === 'en' ? { text } : { text, lang: 'en' }
}

/** Whether all of them can be said in the reader's language, so that a sentence does not change it halfway. */
export function knowsAll(language: Language, texts: readonly string[]): boolean {
  return texts.every((text) => phraseOf(language, text).lang === undefined)
}
