/** Draws the page, for a service that answers it. */
import { render } from 'preact'
import { App } from './app.tsx'
import { loadLanguage } from './i18n/translate.ts'
import { applyPreferences, preferences } from './preferences.ts'
import { type Service, connectTo } from './service.ts'

export async function start(service: Service): Promise<void> {
  connectTo(service)
  applyPreferences()
  // Without its texts the page is in English, which is better than no page.
  await loadLanguage(preferences.get().language).catch(() => preferences.patch({ language: 'en' }))
  const place = document.getElementById('page')
  if (place !== null) render(<App />, place)
}
