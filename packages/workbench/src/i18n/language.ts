/** A language by its tag, such as `es`. English is in the page itself; the others are files that the service serves. */
export type Language = string

/** Texts by their English, and by a place where the same English needs other words. */
export interface Texts {
  readonly texts: Readonly<Record<string, string>>
  readonly places?: Readonly<Record<string, { readonly en: string; readonly text: string }>>
}

export interface OfferedLanguage {
  readonly language: Language
  /** What the language calls itself. */
  readonly name: string
}

/** A language as the service serves it: the page's own words, and what is clinical. */
export interface LanguagePack extends OfferedLanguage {
  readonly locale: string
  readonly words: Texts
  readonly clinical: Texts
}

/** Of a text in English that has another meaning at its place, only that place counts; a former English is no longer translated. */
export function textIn({ texts, places = {} }: Texts, english: string, place: string): string | undefined {
  const own = Object.hasOwn(places, place) ? places[place] : undefined
  if (own?.en === english) return own.text
  return Object.hasOwn(texts, english) ? texts[english] : undefined
}

/** Whether numbers are written with a comma. */
export function hasDecimalComma(language: Language): boolean {
  return (1.5).toLocaleString(language).includes(',')
}
