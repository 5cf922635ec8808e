/** Language and colours: taken from the reader's browser, changed by a button, kept only with the session. */
import type { Language } from './i18n/language.ts'
import { offered, packOf } from './i18n/translate.ts'
import { createState } from './state.ts'

export type Theme = 'system' | 'light' | 'dark'

export interface Preferences {
  readonly language: Language
  readonly theme: Theme
}

export const preferences = createState<Preferences>({
  language: 'en',
  theme: 'system',
})

/** The first of the browser's languages that is offered; English where none is. */
export function preferredLanguage(): Language {
  const known = offered.get().map(({ language }) => language)
  const wanted = navigator.languages.flatMap((each) => [each, each.replace(/-.*/, '')])
  return wanted.find((each) => known.includes(each)) ?? 'en'
}

/** The form of numbers and dates: those of the browser's region where its language is the chosen one. */
export function localeOf(language: Language): string {
  return navigator.languages.find((each) => each.startsWith(language)) ?? packOf(language)?.locale ?? 'en-GB'
}

/** Puts the preferences on the page itself, now and whenever they change. */
export function applyPreferences(): void {
  const apply = (): void => {
    const { language, theme } = preferences.get()
    document.documentElement.lang = language
    if (theme === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
  }
  apply()
  preferences.subscribe(apply)
}
