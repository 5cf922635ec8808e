/** Starts the page. */
import { render } from 'preact'
import { App } from './app.tsx'
import { loadLanguage } from './i18n/translate.ts'
import { applyPreferences, preferences } from './preferences.ts'

applyPreferences()
// Without its texts the page is in English, which is better than no page.
await loadLanguage(preferences.get().language).catch(() => preferences.patch({ language: 'en' }))
const place = document.getElementById('page')
if (place !== null) render(<App />, place)
