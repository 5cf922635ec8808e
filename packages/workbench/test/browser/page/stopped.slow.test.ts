/** The service stops while the page is open, and comes back: nothing that was typed or scored is lost. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type TestBrowser, closeAll, openBrowser } from '../../../../../test/support/browser/launch.ts'
import { fillPatient, goTo, openPage, signIn } from '../../../../../test/support/browser/open-page.ts'

const BIN = fileURLToPath(new URL('../../../../../bin/patient-risk.js', import.meta.url))
const ROWS = 4_000

let browser: TestBrowser
before(async () => {
  browser = await openBrowser()
})
after(() => closeAll(browser))

test('one patient and a list go on when the service is back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-stopped-'))
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const first = start(port, folder)
  const key = /prk_\S+/.exec(await printed(first))?.[0] ?? ''
  let second: ChildProcess | undefined
  try {
    const { page, close } = await openPage(browser, origin)
    await signIn(page, key)
    await fillPatient(page)
    await goTo(page, 'list')
    await page.setInputFiles('input[type=file]', {
      name: 'ward.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(listText()),
    })
    // The second chunk is held until the service is gone.
    let count = 0
    let isStopped: Promise<unknown> | undefined
    await page.route('**/risk/api/do/v0/explain', async (route) => {
      count++
      if (count === 2) {
        isStopped = stop(first)
        await isStopped
      }
      await route.continue().catch(() => undefined)
    })
    await page.click('button:has-text("Score 4,000 rows")')
    await page.getByText(/Next try in/).waitFor()
    await isStopped
    await goTo(page, 'patient')
    const place = (await page.locator('#field-age').boundingBox())?.y
    await page.fill('#field-age', '90')
    await page.getByText('Your entries are kept; the page asks again by itself.').waitFor()

    assert.equal((await page.locator('#field-age').boundingBox())?.y, place, 'nothing moved')

    second = start(port, folder)
    await page.locator('.banner').waitFor({ state: 'detached' })
    await page.waitForSelector('.risk-figure')
    assert.equal(await page.inputValue('#field-age'), '90')
    await goTo(page, 'list')
    await page.getByText('4,000 of 4,000 rows').waitFor()
    await close('requests')
  } finally {
    await Promise.all([stop(first), second === undefined ? undefined : stop(second)])
    rmSync(folder, { recursive: true })
  }
})

function start(port: number, folder: string): ChildProcess {
  const environment = { ...process.env, DATA_DIR: folder, LOG_LEVEL: 'silent', WORKERS: '1' }
  return spawn(process.execPath, [BIN, 'serve', '--port', String(port)], { env: environment })
}

/** What the first start prints, up to the key. */
async function printed(child: ChildProcess): Promise<string> {
  let text = ''
  for await (const part of child.stdout ?? []) {
    text += String(part)
    if (/prk_\S+\s/.test(text)) return text
  }
  return text
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

function listText(): string {
  const rows = Array.from({ length: ROWS }, (_row, index) => `${60 + (index % 40)},F,1,0,${index % 9}`)
  return ['age,sex,inpatientAdmissions,emergencyAdmissions,stayDays', ...rows].join('\n')
}
