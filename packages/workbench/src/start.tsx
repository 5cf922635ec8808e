/** Draws the page, for a service that answers it. */
import { render } from 'preact'
import { App } from './app.tsx'
import { changeLanguage } from './i18n/change-language.ts'
import { loadOffered } from './i18n/translate.ts'
import { applyPreferences, preferredLanguage } from './preferences.ts'
import { type Service, connectTo } from './service.ts'

export async function start(service: Service): Promise<void> {
  connectTo(service)
  applyPreferences()
  // Without the texts of another language the page is in English, which is better than no page.
  await loadOffered()
    .then(() => changeLanguage(preferredLanguage()))
    .catch(() => undefined)
  const place = document.getElementById('page')
  if (place !== null) render(<App />, place)
}
