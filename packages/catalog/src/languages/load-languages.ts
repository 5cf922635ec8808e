/** Loads the languages of clinical folders. A later folder adds to those before it, and its texts come first. */
import { basename } from 'node:path'
import { type Fault, FaultList } from 'patient-risk-engine/definition'
import { hasShape } from '../files/check-shape.ts'
import {
  ENGLISH,
  type EnglishWords,
  type Language,
  type LanguageDefinition,
  type Languages,
  type Texts,
} from './language.ts'

interface LanguageFile {
  readonly file: string
  readonly value: unknown
  readonly digest: string
}

/** The page's own words of a language lie beside its clinical texts. */
const PAGE_ENDING = '.page.json'
const NOTHING: Texts = { texts: {}, places: {} }

export function loadLanguages(files: readonly LanguageFile[], faults: Fault[]): Languages {
  let english: EnglishWords = { names: {}, roles: {}, values: {} }
  const others = new Map<string, Language>()
  for (const file of files) {
    const list = new FaultList(file.file, faults)
    const found = readLanguage(file, list)
    if (found === undefined) continue
    if (found.language === ENGLISH) english = withEnglish(english, found)
    else others.set(found.language, withTexts(others.get(found.language), found, isOfPage(file)))
  }
  return { english, others }
}

const isOfPage = ({ file }: LanguageFile): boolean => file.endsWith(PAGE_ENDING)

function readLanguage(file: LanguageFile, list: FaultList): LanguageDefinition | undefined {
  if (!hasShape('language', file, list)) return undefined
  const found = file.value as LanguageDefinition
  const { language, locale, texts = {}, places = {} } = found
  const name = `${language}${isOfPage(file) ? PAGE_ENDING : '.json'}`
  if (basename(file.file) !== name) list.add('/language', 'language', `the file must be called ${name}`)
  if (!isLocale(locale)) list.add('/locale', 'locale', `${locale} is not a locale, such as pt-PT`)
  const isEnglish = language === ENGLISH
  if (isEnglish && (found.texts ?? found.places) !== undefined)
    list.add(
      '',
      'language',
      'English texts are in the definitions; this file has names, roles and values only',
    )
  if (!isEnglish && (found.names ?? found.roles ?? found.values) !== undefined)
    list.add('', 'language', 'names, roles and values are English; translate them in texts')
  for (const [english, text] of Object.entries(texts)) comparePlaces(english, text, list.at(`/texts`))
  for (const [place, { en, text }] of Object.entries(places))
    comparePlaces(en, text, list.at(`/places/${place}`))
  return list.faults.some(({ file: faulty }) => faulty === file.file) ? undefined : found
}

function isLocale(text: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(text).length > 0
  } catch {
    return false
  }
}

/** What is filled in must have its place in the translation too, and no other place may stay open. */
function comparePlaces(english: string, text: string, list: FaultList): void {
  const placesIn = (each: string): string =>
    [...new Set(each.match(/\{\w+\}/g) ?? [])].sort((a, b) => a.localeCompare(b)).join(' ')
  const expected = placesIn(english)
  if (placesIn(text) === expected) return
  const wanted = expected === '' ? 'nothing in braces' : expected
  list.add('', 'places', `the translation of “${english}” must hold ${wanted}, as its English does`)
}

function withEnglish(former: EnglishWords, { names, roles, values }: LanguageDefinition): EnglishWords {
  return {
    names: { ...former.names, ...names },
    roles: { ...former.roles, ...roles },
    values: { ...former.values, ...values },
  }
}

function withTexts(
  former: Language | undefined,
  { language, name, locale, texts, places }: LanguageDefinition,
  isPage: boolean,
): Language {
  const own = isPage ? former?.page : former?.clinical
  const joined = { texts: { ...own?.texts, ...texts }, places: { ...own?.places, ...places } }
  return {
    language,
    name,
    locale,
    clinical: isPage ? (former?.clinical ?? NOTHING) : joined,
    page: isPage ? joined : former?.page,
  }
}
