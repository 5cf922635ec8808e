/** Texts of the page in the reader's language. A key that the English file lacks does not compile. */
import { parseJson } from 'patient-risk-engine/read'
import { offlineFacts, service } from '../service.ts'
import { createState } from '../state.ts'
import english from './en.json' with { type: 'json' }
import { type Language, type LanguagePack, type OfferedLanguage, textIn } from './language.ts'
import { noteEnglish } from './mark-english.ts'

export type MessageKey = keyof typeof english
export type Parts = Readonly<Record<string, string | number>>
type Known = Readonly<Record<string, string>>

const FOLDER = '/workbench/languages'
const ENGLISH: OfferedLanguage = { language: 'en', name: 'English' }

/** The languages that the service offers. */
export const offered = createState<readonly OfferedLanguage[]>([ENGLISH])

const packs = new Map<Language, LanguagePack>()

/** The English words of `clinical/languages/en.json`, which the build puts here; tests of other words do without. */
declare const CLINICAL_WORDS: Readonly<Record<'names' | 'roles' | 'values', Known>> | undefined
const { names, roles, values } =
  typeof CLINICAL_WORDS === 'undefined' ? { names: {}, roles: {}, values: {} } : CLINICAL_WORDS

/** These words, by the first part of the page's keys: names of fields, and words on values. */
const CLINICAL: Readonly<Record<string, { readonly place: string; readonly words: Known }>> = {
  field: { place: 'names', words: names },
  role: { place: 'roles', words: roles },
  item: { place: 'values', words: values },
}

/** Asks which languages there are. Without an answer the page is in English. */
export async function loadOffered(): Promise<void> {
  const response = await service().fetch(`${FOLDER}.json`)
  if (response.ok) offered.set(parseJson(await response.text()) as readonly OfferedLanguage[])
}

/** Loads the texts of a language. Until then, and where they cannot be had, the page is in English. */
export async function loadLanguage(language: Language): Promise<void> {
  if (language === ENGLISH.language || packs.has(language)) return
  const response = await service().fetch(`${FOLDER}/${language}.json`)
  if (!response.ok) throw new Error(`the service has no texts in ${language}`)
  addLanguage(parseJson(await response.text()) as LanguagePack)
}

export function addLanguage(pack: LanguagePack): void {
  packs.set(pack.language, pack)
}

/** Loads those that lists are recognised in, beside the reader's own. One that cannot be had is left out. */
export async function loadAllLanguages(): Promise<readonly Language[]> {
  const languages = offered.get().map(({ language }) => language)
  await Promise.all(languages.map((each) => loadLanguage(each).catch(() => undefined)))
  return languages
}

export function packOf(language: Language): LanguagePack | undefined {
  return packs.get(language)
}

/** The message, with `{name}` replaced by the given figures and words. Where no service answers, some have words of their own. */
export function translate(language: Language, key: MessageKey, parts: Parts = {}): string {
  const ofPage = offlineFacts() === undefined ? undefined : ownText(`offline.${key}`)
  if (ofPage !== undefined) return say(language, `offline.${key}`, ofPage, parts)
  return say(language, key, english[key], parts)
}

/** A text by its key and its English, in the reader's language. */
export function say(language: Language, key: string, text: string, parts: Parts = {}): string {
  if (language === ENGLISH.language) return fillIn(text, parts)
  const pack = packs.get(language)
  const known = pack && textIn(pack.words, text, key)
  return known === undefined ? noteEnglish(fillIn(text, parts)) : fillIn(known, parts)
}

export function fillIn(message: string, parts: Parts): string {
  return message.replace(/\{(\w+)\}/g, (whole, name: string) => String(parts[name] ?? whole))
}

/** A message for a name that comes from the service, or undefined where the files do not know it. */
export function lookUp(language: Language, key: string): string | undefined {
  const [first = '', ...rest] = key.split('.')
  const clinical = Object.hasOwn(CLINICAL, first) ? CLINICAL[first] : undefined
  const name = rest.join('.')
  if (clinical === undefined || !Object.hasOwn(clinical.words, name)) {
    const text = ownText(key)
    return text === undefined ? undefined : say(language, key, text)
  }
  const text = clinical.words[name] ?? ''
  if (language === ENGLISH.language) return text
  const pack = packs.get(language)
  return (pack && textIn(pack.clinical, text, `${clinical.place}.${name}`)) ?? noteEnglish(text)
}

function ownText(key: string): string | undefined {
  const messages: Known = english
  return Object.hasOwn(messages, key) ? messages[key] : undefined
}
