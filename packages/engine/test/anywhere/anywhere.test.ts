/** The engine outside the service gives the bytes of the service. The slow test does so for all models and more runtimes. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Script, createContext } from 'node:vm'
import { type TestBrowser, closeAll, openBrowser } from '../../../../test/support/browser/launch.ts'
import { type Served, serve } from '../../../../test/support/serve.ts'
import { inOfflinePage } from './browser.ts'
import { ANSWER_ALL, bundleEngine } from './bundle.ts'
import { type Answerer, DEPLOYMENTS, compareWithHttp } from './compare.ts'

let served: Served
let browser: TestBrowser
before(async () => {
  browser = await openBrowser()
  served = await serve({ deployments: DEPLOYMENTS })
})
after(() => closeAll(browser, served))

test('a page without network answers score and explain of 1,000 records as HTTP does', async () => {
  const page = await inOfflinePage(browser)
  const { scored } = await compareWithHttp(served, page, 'readmission30', 1_000)
  await page.close()
  assert.ok(
    scored > 100 && scored < 900,
    `${scored} records without a problem: the corpus has too few of one kind`,
  )
})

/** Everything of a host that the engine uses · whether it is there. */
const HOSTS: readonly (readonly [name: string, globals: object])[] = [
  [
    'the language, text encoding, atob and WebAssembly',
    { WebAssembly: (globalThis as { readonly WebAssembly?: unknown }).WebAssembly },
  ],
  ['the same without WebAssembly, which a page may forbid', {}],
]
for (const [name, globals] of HOSTS) {
  test(`the engine needs no more than ${name}`, async () => {
    const context = createContext({
      atob,
      TextEncoder,
      TextDecoder,
      Uint8Array,
      WebAssembly: undefined,
      ...globals,
    })
    new Script(`${await bundleEngine()};answerAll = ${ANSWER_ALL}`).runInContext(context)
    const ask = new Script('JSON.stringify(answerAll(JSON.parse(asked)))')
    const answer: Answerer = (asked) => {
      context['asked'] = JSON.stringify(asked)
      return Promise.resolve(JSON.parse(String(ask.runInContext(context))) as string[])
    }
    const { scored } = await compareWithHttp(served, answer, 'lace', 200)
    assert.ok(scored > 20)
  })
}
