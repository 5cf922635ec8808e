/** Words of the page in the reader's language. A key that one of the files lacks does not compile. */
import english from './en.json'
import spanish from './es.json'
import type { Language } from '../preferences.ts'

export type MessageKey = keyof typeof english
type Messages = Readonly<Record<MessageKey, string>>

const MESSAGES: Readonly<Record<Language, Messages>> = { en: english, es: spanish }

/** The message, with `{name}` replaced by the given figures and words. */
export function translate(
  language: Language,
  key: MessageKey,
  parts: Readonly<Record<string, string | number>> = {},
): string {
  return MESSAGES[language][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(parts[name] ?? whole))
}

/** A message for a name that comes from the service, or undefined where the files do not know it. */
export function lookUp(language: Language, key: string): string | undefined {
  const messages: Readonly<Record<string, string>> = MESSAGES[language]
  return Object.hasOwn(messages, key) ? messages[key] : undefined
}
