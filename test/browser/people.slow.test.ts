/** Every view with axe at the widths and colours that the short run leaves out. */
import { after, before, test } from 'node:test'
import { type Served, serve } from '../serve.ts'
import { lookAtEveryView } from './every-view.ts'
import { type TestBrowser, closeAll, openBrowser } from './launch.ts'

let served: Served
let browser: TestBrowser
before(async () => {
  browser = await openBrowser()
  served = await serve({
    deployments: [
      { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
      { name: 'lace', basePath: '/lace', model: 'lace', output: 'number' },
      { name: 'walter', basePath: '/walter', model: 'walter', output: 'number' },
    ],
  })
})
after(() => closeAll(browser, served))

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
