/** Changes the language of the page, once its texts are there. */
import { preferences } from '../preferences.ts'
import type { Language } from './language.ts'
import { loadLanguage } from './translate.ts'

let wanted: Language | undefined

/** Texts that come late do not replace those of a language that was chosen after them. */
export async function changeLanguage(language: Language): Promise<void> {
  wanted = language
  await loadLanguage(language)
  if (wanted === language) preferences.patch({ language })
}
