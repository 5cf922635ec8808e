/** Changes the language of the page, once its texts are there. */
import { preferences } from '../preferences.ts'
import type { Language } from './language.ts'
import { loadLanguage } from './translate.ts'

export async function changeLanguage(language: Language): Promise<void> {
  await loadLanguage(language)
  preferences.patch({ language })
}
