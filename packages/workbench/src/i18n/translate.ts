/** Texts of the page in the reader's language. A key that one of the files lacks does not compile. */
import type { Language } from './language.ts'
import { offlineFacts } from '../service.ts'
import english from './en.json'

export type MessageKey = keyof typeof english

interface LanguagePack {
  readonly messages: Readonly<Record<MessageKey, string>>
  /** Texts of the service, by their English. */
  readonly phrases: Readonly<Record<string, string>>
}

const ENGLISH: LanguagePack = { messages: english, phrases: {} }
const packs = new Map<Language, LanguagePack>([['en', ENGLISH]])

/** Loads the texts of a language. Until then, and where they cannot be had, the page is in English. */
export async function loadLanguage(language: Language): Promise<void> {
  if (packs.has(language)) return
  const { pack } = await import('./spanish.ts')
  packs.set(language, pack)
}

/** Adds the words on the items of instruments and their values, which a page needs only where an instrument is open or named. */
export async function loadItemWords(language: Language): Promise<void> {
  const { words, phrases } = await (language === 'es'
    ? import('./items/item-words-es.ts')
    : import('./items/item-words-en.ts'))
  const pack = packOf(language)
  packs.set(language, {
    messages: { ...pack.messages, ...words },
    phrases: { ...pack.phrases, ...phrases },
  })
}

/** Adds the texts of model cards that only the model's page shows. English has them from the service. */
export async function loadCardTexts(language: Language): Promise<void> {
  if (language === 'en') return
  const { default: texts } = await import('./cards-es.json')
  const pack = packOf(language)
  packs.set(language, { ...pack, phrases: { ...pack.phrases, ...texts } })
}

export function packOf(language: Language): LanguagePack {
  return packs.get(language) ?? ENGLISH
}

/** The message, with `{name}` replaced by the given figures and words. Where no service answers, some have words of their own. */
export function translate(
  language: Language,
  key: MessageKey,
  parts: Readonly<Record<string, string | number>> = {},
): string {
  const ofPage = offlineFacts() === undefined ? undefined : lookUp(language, `offline.${key}`)
  return fillIn(ofPage ?? packOf(language).messages[key], parts)
}

export function fillIn(message: string, parts: Readonly<Record<string, string | number>>): string {
  return message.replace(/\{(\w+)\}/g, (whole, name: string) => String(parts[name] ?? whole))
}

/** A message for a name that comes from the service, or undefined where the files do not know it. */
export function lookUp(language: Language, key: string): string | undefined {
  const messages: Readonly<Record<string, string>> = packOf(language).messages
  return Object.hasOwn(messages, key) ? messages[key] : undefined
}
