/**
 * Texts for people in another language. English is the source: it is what the code and the definitions say, and it needs no words. A
 * sentence is a text with named parts; its English is its id, so a text that was changed is English until it is translated again.
 */

/** A language, made once from its files. */
export interface Words {
  /** Its tag, such as `es`. */
  readonly language: string
  /** Texts by their English. */
  readonly texts: Readonly<Record<string, string>>
  /** What fields are called, by their names in a record. */
  readonly names: Readonly<Record<string, string>>
  /** The decimal sign. */
  readonly decimal: string
}

/** A figure, a text that is the same in every language, a field, a text of a definition, or another sentence. */
export type Part =
  number | string | { readonly field: string } | { readonly phrase: string } | { readonly sentence: Sentence }

export interface Sentence {
  /** In English, with the names of its parts in braces. */
  readonly text: string
  readonly parts?: Readonly<Record<string, Part>>
}

/** The sentence as English has always said it: fields by the names of the record. */
export function inEnglish({ text, parts = {} }: Sentence): string {
  return fill(text, parts, (part) => {
    if (typeof part !== 'object') return String(part)
    if ('sentence' in part) return inEnglish(part.sentence)
    return 'field' in part ? part.field : part.phrase
  })
}

/** The sentence in a language; in English where the language lacks it, never half of it. */
export function sentenceIn(words: Words | undefined, sentence: Sentence): string {
  const text = words && (isOnlyParts(sentence.text) ? sentence.text : known(words.texts, sentence.text))
  if (words === undefined || text === undefined) return inEnglish(sentence)
  return fill(text, sentence.parts ?? {}, (part) => {
    if (typeof part === 'number') return String(part).replace('.', words.decimal)
    if (typeof part === 'string') return part
    if ('sentence' in part) return sentenceIn(words, part.sentence)
    return 'field' in part ? nameIn(words, part.field) : phraseIn(words, part.phrase)
  })
}

/** A list of names has nothing to translate. */
function isOnlyParts(text: string): boolean {
  return /^(?:\{\w+\}|[, ])*$/.test(text)
}

/** A text of a definition; as it is where the language lacks it. */
export function phraseIn(words: Words | undefined, text: string): string {
  return (words && known(words.texts, text)) ?? text
}

/** What a field is called; its name in a record where the language has no other. */
export function nameIn(words: Words | undefined, field: string): string {
  return (words && known(words.names, field)) ?? field
}

function fill(text: string, parts: Readonly<Record<string, Part>>, write: (part: Part) => string): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const part = known(parts, name)
    return part === undefined ? whole : write(part)
  })
}

function known<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
