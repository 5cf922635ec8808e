/** The packed TypeScript client in a page of another origin, and in a page that was loaded without TLS. */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type PackedClient, packClient } from './pack-client.ts'
import { type Flaky, flakyProxy } from './flaky.ts'
import { STEPS, checkRetries } from './run-client.ts'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { type Served, serve } from '../support/serve.ts'
import { type TestBrowser, closeAll, openBrowser } from '../support/browser/launch.ts'

const PAGE = `<!doctype html><title>ward</title>
<script type="importmap">{ "imports": { "patient-risk-client": "/client/client.js" } }</script>`
const INSECURE = 'http://ward.test'

let browser: TestBrowser
let client: PackedClient
let flaky: Flaky
let served: Served
before(async () => {
  client = packClient()
  const dist = join(client.folder, 'node_modules/patient-risk-client/dist')
  const modules = readdirSync(dist).filter((name) => name.endsWith('.js'))
  const page = new Map([
    ['/', PAGE],
    ['/use-client.js', readFileSync(join(client.folder, 'use-client.js'), 'utf8')],
    ...modules.map((name) => [`/client/${name}`, readFileSync(join(dist, name), 'utf8')] as const),
  ])
  browser = await openBrowser()
  flaky = await flakyProxy(() => served.origin, page)
  const cors = { origins: [flaky.origin] }
  served = await serve({ deployments: DEFAULT_FILE.deployments.map((each) => ({ ...each, cors })) })
})
after(async () => {
  flaky.close()
  client.remove()
  await closeAll(browser, served)
})

test('a page of an origin that the deployment allows uses every call', async () => {
  const addresses = JSON.stringify({ origin: served.origin, key: served.key, flaky: flaky.origin })
  const steps = await inTab(flaky.origin, (tab) =>
    tab.evaluate<readonly string[]>(
      `import('/use-client.js').then(({ useClient }) => useClient(${addresses}))`,
    ),
  )
  assert.equal(steps.length, STEPS)
  checkRetries(flaky)
})

test('a page without TLS, where browsers have no crypto.randomUUID', async () => {
  const options = JSON.stringify({ url: INSECURE, key: served.key, output: 'number', retries: 0 })
  const [result] = await inTab(INSECURE, async (tab) => {
    assert.equal(await tab.evaluate('isSecureContext || "randomUUID" in crypto'), false)
    return tab.evaluate<readonly { readonly idx: number }[]>(
      `import('/client/client.js').then(({ RiskClient }) => new RiskClient(${options}).score([{ idx: 7 }]))`,
    )
  })
  assert.equal(result?.idx, 7)
})

async function inTab<T>(origin: string, use: (tab: Page) => Promise<T>): Promise<T> {
  const tab = await browser.newPage()
  try {
    // A name that is not of this machine: 127.0.0.1 counts as secure. Both servers answer under it.
    await tab.route(`${INSECURE}/**`, async (route) => {
      const { pathname } = new URL(route.request().url())
      const target = pathname.startsWith('/risk/') ? served.origin : flaky.origin
      await route.fulfill({ response: await route.fetch({ url: target + pathname }) })
    })
    await tab.goto(`${origin}/`)
    return await use(tab)
  } finally {
    await tab.close()
  }
}
