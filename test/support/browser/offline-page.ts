/** Makes the page that works without a service, and opens it from the disk in a browser without network. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { TEST_NOW } from '../clock.ts'
import { runHere } from '../run-command.ts'

export interface OpenedOffline {
  readonly page: Page
  /** Fails when the page asked for anything, or its console held an error. */
  readonly close: () => Promise<void>
}

/** A folder for the pages of a test file. */
export function pageFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'offline-page-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Makes the page as a user does, with `patient-risk pack NAME --page`. Returns its path. */
export async function makeOfflinePage(
  folder: string,
  settings: DeploymentSettings,
  clinicalFolders: readonly string[] = [],
): Promise<string> {
  const config = join(folder, `${settings.name}.json`)
  writeFileSync(config, JSON.stringify({ clinical: clinicalFolders, deployments: [settings] }))
  const { code, out, err } = await runHere(['pack', settings.name, '--page'], { CONFIG: config })
  assert.deepEqual([code, err], [0, ''])
  const path = join(folder, `${settings.name}.html`)
  writeFileSync(path, out)
  return path
}

/** The clock of the page is that of the test's service. */
export async function openOffline(
  browser: Browser,
  path: string,
  options: BrowserContextOptions = {},
): Promise<OpenedOffline> {
  const context = await browser.newContext({
    offline: true,
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  const page = await context.newPage()
  const asked: string[] = []
  const faults: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  await page.clock.setFixedTime(TEST_NOW)
  const address = pathToFileURL(path).href
  await page.goto(address)
  return {
    page,
    async close() {
      await context.close()
      assert.deepEqual(faults, [])
      // What a page makes itself for a download is no request to anyone.
      const outside = asked.filter((url) => !url.startsWith('blob:') && !url.startsWith('data:'))
      assert.deepEqual(outside, [address])
    },
  }
}
