/** What the tests of a file share: the service, a browser, and how its page is opened. Both are closed after the tests. */
import { after } from 'node:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { type ServeOptions, type Served, serve } from '../serve.ts'
import { closeAll, openBrowser } from './launch.ts'
import { type Opened, type Place, goTo, openPage, signIn } from './open-page.ts'

export interface Workbench {
  readonly browser: Browser
  readonly served: Served
  /** The page before anyone has signed in. */
  readonly open: (options?: BrowserContextOptions) => Promise<Opened>
  /** The page of someone who may use every deployment. */
  readonly openSignedIn: (place?: Place) => Promise<Opened>
}

export async function useWorkbench(options: ServeOptions = {}): Promise<Workbench> {
  let close = (): Promise<void> => Promise.resolve()
  // Before the first await: after waiting for a browser that another file has opened, the hook would belong to that file.
  after(() => close())
  const browser = await openBrowser()
  close = () => closeAll(browser)
  const served = await serve(options)
  close = () => closeAll(browser, served)
  const open: Workbench['open'] = (context) => openPage(browser, served.origin, context)
  return {
    browser,
    served,
    open,
    async openSignedIn(place) {
      const opened = await open()
      await signIn(opened.page, served.key)
      if (place !== undefined) await goTo(opened.page, place)
      return opened
    },
  }
}
