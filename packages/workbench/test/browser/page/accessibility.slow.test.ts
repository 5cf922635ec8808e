/** Every view with axe at four widths, with every pair of width, colours and language, and on the narrowest screen. */
import { test } from 'node:test'
import { DEPLOYMENTS, lookAtEveryView } from './every-view.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { browser, served } = await useWorkbench({ deployments: DEPLOYMENTS })

const LOOKS = [
  { language: 'en', colorScheme: 'light', width: 390 },
  { language: 'es', colorScheme: 'dark', width: 390 },
  { language: 'en', colorScheme: 'dark', width: 768 },
  { language: 'es', colorScheme: 'light', width: 768 },
  { language: 'en', colorScheme: 'light', width: 1280 },
  { language: 'es', colorScheme: 'dark', width: 1280 },
  { language: 'en', colorScheme: 'dark', width: 1600 },
  { language: 'es', colorScheme: 'light', width: 1600 },
  { language: 'es', colorScheme: 'light', width: 320 },
] as const

for (const look of LOOKS) {
  const { language, colorScheme, width } = look
  test(`axe finds nothing on any view, and nothing runs over: ${language}, ${colorScheme}, ${width} px`, (context) =>
    lookAtEveryView(context, browser, served, look))
}
