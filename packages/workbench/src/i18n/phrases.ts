/**
 * Texts of the service in the reader's language. They are looked up whole, by the English that the service sends: a text that
 * was changed there is shown in English until it is translated again, never with its old meaning.
 */
import { type Language, textIn } from './language.ts'
import { packOf } from './translate.ts'

export interface Label {
  readonly text: string
  /** The language of the text, where it is the service's own. */
  readonly lang?: 'en'
}

export function phraseOf(language: Language, text: string): Label {
  const pack = packOf(language)
  const known = pack && (textIn(pack.clinical, text, '') ?? textIn(pack.words, text, ''))
  if (known !== undefined) return { text: known }
  // The page writes 9.1% in English, as browsers do; some texts of the service have a space there.
  const english = text.replace(/(\d)\s%/g, '$1%')
  return language === 'en' ? { text: english } : { text: english, lang: 'en' }
}

/** Whether all of them can be translated, so that a sentence is not in two languages. */
export function canTranslateAll(language: Language, texts: readonly string[]): boolean {
  return texts.every((text) => phraseOf(language, text).lang === undefined)
}
