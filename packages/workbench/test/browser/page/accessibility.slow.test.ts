/** Every view with axe at four widths, in both colours and both languages, and on the narrowest screen. */
import { test } from 'node:test'
import { DEPLOYMENTS, lookAtEveryView } from './every-view.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { browser, served } = await useWorkbench({ deployments: DEPLOYMENTS })

const LOOKS = [390, 768, 1280, 1600].flatMap((width) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    (['en', 'es'] as const).map((language) => ({ language, colorScheme, width })),
  ),
)

for (const look of [...LOOKS, { language: 'es', colorScheme: 'light', width: 320 }] as const) {
  const { language, colorScheme, width } = look
  test(`axe finds nothing on any view, and nothing runs over: ${language}, ${colorScheme}, ${width} px`, (context) =>
    lookAtEveryView(context, browser, served, look))
}
