/** A language: what people read of clinical files and of answers, and the words of the page, by their English. */
export interface Language {
  readonly language: string
  /** What it calls itself. */
  readonly name: string
  /** The form of its numbers and dates. */
  readonly locale: string
  readonly clinical: Texts
  /** The page's own words; undefined where no file has them. */
  readonly page: Texts | undefined
}

export interface Texts {
  readonly texts: Readonly<Record<string, string>>
  /** Where the same English needs other words than elsewhere. */
  readonly places: Readonly<Record<string, PlacedText>>
}

export interface PlacedText {
  readonly en: string
  readonly text: string
}

/** English words for what definitions have as a name for programs or as a figure only. */
export interface EnglishWords {
  readonly names: Readonly<Record<string, string>>
  readonly roles: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, string>>
}

export interface Languages {
  readonly english: EnglishWords
  /** Without English, which needs no file. */
  readonly others: ReadonlyMap<string, Language>
}

/** A language file as it is written. */
export interface LanguageDefinition extends Partial<EnglishWords>, Partial<Texts> {
  readonly language: string
  readonly name: string
  readonly locale: string
}

export const ENGLISH = 'en'
