/** Language and colours: taken from the reader's browser, changed by a button, kept only with the session. */
import type { Language } from './i18n/language.ts'
import { createState } from './state.ts'

export type Theme = 'system' | 'light' | 'dark'

export interface Preferences {
  readonly language: Language
  readonly theme: Theme
}

export const preferences = createState<Preferences>({
  language: navigator.languages.find((each) => /^(en|es)/.test(each))?.startsWith('es') ? 'es' : 'en',
  theme: 'system',
})

/** The form of numbers and dates: those of the browser's region where its language is the chosen one. */
export function localeOf(language: Language): string {
  return (
    navigator.languages.find((each) => each.startsWith(language)) ?? (language === 'en' ? 'en-GB' : 'es-ES')
  )
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
