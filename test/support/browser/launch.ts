/**
 * Starts a real browser for a test: the one that CHROMIUM_PATH names, the one from npm where it fits this machine, the
 * system's, else one that playwright fetches. Where none can be had, the tests of the page are skipped with one line.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const FLAGS = [
  '--no-sandbox',
  '--headless',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]
const SYSTEM_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
]
const START_MS = 30_000
const FETCH_MS = 180_000

export type TestBrowser = Browser

/** A browser that no file uses any more is closed after this time; the next file of the process usually comes sooner. */
const IDLE_MS = 2_000
let opened: Promise<Browser> | undefined
let users = 0
let closing: NodeJS.Timeout | undefined

/** Opens a browser, shared by the files of a process. If none can be found, the process prints one line and ends without running tests. */
export async function openBrowser(): Promise<Browser> {
  clearTimeout(closing)
  users++
  const browser = await (opened ??= launch())
  if (browser.isConnected()) return browser
  // It has ended since the last file: a browser that crashed must not fail the files that come after it.
  opened = launch()
  return opened
}

async function launch(): Promise<Browser> {
  const found = await tryCandidates()
  if (typeof found !== 'string') return found
  process.stdout.write(found)
  process.exit(0)
}

/** The line about skipped tests where no browser can be started here. */
export async function whyNoBrowser(): Promise<string | undefined> {
  const found = await tryCandidates()
  if (typeof found === 'string') return found
  await found.close()
  return undefined
}

async function tryCandidates(): Promise<Browser | string> {
  let fault = ''
  for (const path of candidates()) {
    try {
      const executablePath = await path()
      if (executablePath === undefined) continue
      return await chromium.launch({ executablePath, args: FLAGS, headless: true, timeout: START_MS })
    } catch (error) {
      fault = (error as Error).message.split('\n')[0] ?? ''
    }
  }
  if (process.env['CHROMIUM_PATH'] !== undefined) throw new Error(`CHROMIUM_PATH: ${fault}`)
  return (
    `# The tests of the page are skipped: no browser for ${process.platform} on ${process.arch}. ` +
    `Install Chromium or set CHROMIUM_PATH. ${fault}\n`
  )
}

/** Closes what a `before` hook has opened, also where the hook failed halfway: what stays open keeps the process from ending. */
export async function closeAll(browser: Browser | undefined, served?: Closable): Promise<void> {
  await served?.close()
  if (browser === undefined || --users > 0) return
  closing = setTimeout(() => {
    opened = undefined
    void browser.close()
  }, IDLE_MS)
}

interface Closable {
  readonly close: () => Promise<void>
}

type Candidate = () => string | undefined | Promise<string | undefined>

function candidates(): readonly Candidate[] {
  const given = process.env['CHROMIUM_PATH']
  if (given !== undefined) return [() => given]
  return [packaged, () => SYSTEM_PATHS.find((path) => existsSync(path)), fetched]
}

/** The browser from npm is built for Linux on x64 only. */
async function packaged(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const { default: browser } = await import('@sparticuz/chromium')
  return browser.executablePath()
}

/** The browser that playwright installs, fetched once where it is not there yet. */
function fetched(): string {
  const path = chromium.executablePath()
  if (!existsSync(path)) {
    const cli = join(createRequire(import.meta.url).resolve('playwright-core'), '../cli.js')
    // Where the download cannot be reached, the tests are skipped soon.
    const env = { ...process.env, PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000' }
    execFileSync(process.execPath, [cli, 'install', 'chromium'], { stdio: 'ignore', timeout: FETCH_MS, env })
  }
  return path
}
