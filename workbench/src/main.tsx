/** Starts the page. */
import { render } from 'preact'
import { App } from './app.tsx'
import { applyPreferences } from './preferences.ts'

applyPreferences()
const place = document.getElementById('page')
if (place !== null) render(<App />, place)
