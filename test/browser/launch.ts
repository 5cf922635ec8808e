/** Starts a real browser for a test: the one from npm where it fits this machine, else the system's own. */
import { existsSync } from 'node:fs'
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
const SYSTEM_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await browserPath(), args: FLAGS, headless: true })
}

/** CHROMIUM_PATH first; then the package's browser, which is built for Linux on x64 alone; then the system's. */
async function browserPath(): Promise<string> {
  const given = process.env['CHROMIUM_PATH']
  if (given !== undefined) {
    if (existsSync(given)) return given
    throw new Error(`CHROMIUM_PATH names ${given}, and there is no such file.`)
  }
  if (process.platform === 'linux' && process.arch === 'x64') {
    const { default: packaged } = await import('@sparticuz/chromium')
    return packaged.executablePath()
  }
  const found = SYSTEM_PATHS.find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new Error(
    `There is no browser for ${process.platform} on ${process.arch}. Install Chromium (Debian: apt-get install chromium) ` +
      'or set CHROMIUM_PATH to one.',
  )
}
