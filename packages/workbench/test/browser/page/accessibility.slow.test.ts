/** Every view with axe, from the narrowest to a wide screen, in both colours and every language: nothing runs over or is cut off. */
import { test } from 'node:test'
import { DEPLOYMENTS, lookAtEveryView } from './every-view.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const languages = ['en', 'es', 'ca', 'pt']
const { browser, served } = await useWorkbench({
  deployments: DEPLOYMENTS.map((each) => ({ ...each, languages })),
})

const LOOKS = [
  { language: 'en', colorScheme: 'light', width: 390 },
  { language: 'pt', colorScheme: 'dark', width: 360 },
  { language: 'en', colorScheme: 'dark', width: 768 },
  { language: 'ca', colorScheme: 'light', width: 820 },
  { language: 'en', colorScheme: 'light', width: 900 },
  { language: 'es', colorScheme: 'light', width: 1024 },
  { language: 'pt', colorScheme: 'light', width: 1024 },
  { language: 'en', colorScheme: 'light', width: 1280 },
  { language: 'pt', colorScheme: 'dark', width: 1280 },
  { language: 'es', colorScheme: 'light', width: 1280 },
  { language: 'en', colorScheme: 'dark', width: 1600 },
  { language: 'ca', colorScheme: 'light', width: 1440 },
  { language: 'es', colorScheme: 'light', width: 320 },
] as const

for (const look of LOOKS) {
  const { language, colorScheme, width } = look
  test(`axe finds nothing on any view, and nothing runs over or is cut off: ${language}, ${colorScheme}, ${width} px`, (context) =>
    lookAtEveryView(context, browser, served, look))
}
