/** All models and 10,000 records in a page without network, and the engine in other runtimes: the bytes of HTTP everywhere. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { RUNTIMES, commandOf } from '../../../../test/clients/runtimes.ts'
import { type TestBrowser, closeAll, openBrowser } from '../../../../test/support/browser/launch.ts'
import { type Served, serve } from '../../../../test/support/serve.ts'
import { inOfflinePage } from './browser.ts'
import { ANSWER_ALL, bundleEngine } from './bundle.ts'
import { type Answerer, DEPLOYMENTS, compareWithHttp } from './compare.ts'

const ALL_RECORDS = 10_000
const IN_A_RUNTIME = 300

let served: Served
let browser: TestBrowser
let folder: string
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'patient-risk-engine-'))
  browser = await openBrowser()
  served = await serve({ deployments: DEPLOYMENTS })
})
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await closeAll(browser, served)
})

test('there are seven models', () => {
  assert.equal(DEPLOYMENTS.length, 7)
})

for (const { name } of DEPLOYMENTS) {
  test(`a page without network answers as HTTP does: ${name}`, async () => {
    const page = await inOfflinePage(browser)
    const records = Math.ceil(ALL_RECORDS / DEPLOYMENTS.length)
    const { scored } = await compareWithHttp(served, page, name, records)
    await page.close()
    assert.ok(scored > 0 && scored < records)
  })
}

const run = promisify(execFile)
for (const runtime of RUNTIMES) {
  test(`${runtime.name} answers as HTTP does`, async (context) => {
    const { command, skip } = await commandOf(runtime)
    if (skip !== undefined) {
      context.skip(skip)
      return
    }
    const [program = '', ...words] = command
    const answer: Answerer = async (asked) => {
      const file = join(folder, 'ask.mjs')
      writeFileSync(
        file,
        `${await bundleEngine()}\nconsole.log(JSON.stringify((${ANSWER_ALL})(${JSON.stringify(asked)})))`,
      )
      const { stdout } = await run(program, [...words, file], { maxBuffer: 1 << 28 })
      return JSON.parse(stdout) as string[]
    }
    const { scored } = await compareWithHttp(served, answer, 'readmission30', IN_A_RUNTIME)
    assert.ok(scored > 0)
  })
}

test('the README states the size of the bundle', async () => {
  const kB = Math.round(Buffer.byteLength(await bundleEngine()) / 1_000)
  const [, stated = ''] =
    /engine itself is (\d+) kB/.exec(readFileSync('packages/engine/README.md', 'utf8')) ?? []
  assert.ok(Math.abs(Number(stated) - kB) <= 10, `${kB} kB`)
})
