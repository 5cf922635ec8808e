/** Draws the page, for a service that answers it. */
import { render } from 'preact'
import { App } from './app.tsx'
import { changeLanguage } from './i18n/change-language.ts'
import { loadOffered, offered } from './i18n/translate.ts'
import { keptLanguage } from './i18n/kept-language.ts'
import { applyPreferences, preferredLanguage } from './preferences.ts'
import { type Service, connectTo } from './service.ts'

export async function start(service: Service): Promise<void> {
  connectTo(service)
  applyPreferences()
  // Without the texts of another language the page is in English, which is better than no page.
  await loadOffered()
    .then(() => changeLanguage(chosenLanguage()))
    .catch(() => undefined)
  const place = document.getElementById('page')
  if (place !== null) render(<App />, place)
}

/** What the reader chose before a reload, where it is still offered. */
function chosenLanguage(): string {
  const kept = keptLanguage.read()
  const isOffered = offered.get().some(({ language }) => language === kept)
  return kept !== undefined && isOffered ? kept : preferredLanguage()
}
