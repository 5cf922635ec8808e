/** The engine in a page without network. */
import type { TestBrowser } from '../../../../test/support/browser/launch.ts'
import { ANSWER_ALL, bundleEngine } from './bundle.ts'
import type { Answerer } from './compare.ts'

export async function inOfflinePage(browser: TestBrowser): Promise<Answerer & { close(): Promise<void> }> {
  const context = await browser.newContext({ offline: true })
  const page = await context.newPage()
  await page.addScriptTag({ content: await bundleEngine() })
  const answer: Answerer = (asked) =>
    page.evaluate<readonly string[]>(`(${ANSWER_ALL})(${JSON.stringify(asked)})`)
  return Object.assign(answer, { close: () => context.close() })
}
