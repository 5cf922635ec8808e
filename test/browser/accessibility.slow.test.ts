/** Every view with axe at the widths and colours that the short run leaves out. */
import { test } from 'node:test'
import { DEPLOYMENTS, lookAtEveryView } from './every-view.ts'
import { useWorkbench } from './workbench.ts'

const { browser, served } = await useWorkbench({ deployments: DEPLOYMENTS })

for (const [colorScheme, width] of [
  ['dark', 1440],
  ['light', 1024],
  ['dark', 1024],
  ['light', 390],
  ['dark', 390],
  ['light', 320],
  ['dark', 320],
] as const) {
  test(`axe finds nothing on any view, and nothing runs over: ${colorScheme}, ${width} px`, (context) =>
    lookAtEveryView(context, browser, served, { colorScheme, width }))
}
