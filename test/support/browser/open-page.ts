/** Opens the workbench in a browser and watches it: an error in its console or a breach of its policy fails the test. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

export interface Opened {
  readonly page: Page
  /** Fails when the console held an error. `mayFail` lets pass what a browser itself says of a refused request. */
  readonly close: (mayFail?: 'requests') => Promise<void>
}

const WAIT_MS = 30_000
const OF_A_REQUEST = 'Failed to load resource'

export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
  prepare: (context: BrowserContext) => Promise<unknown> = () => Promise.resolve(),
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  context.setDefaultTimeout(WAIT_MS)
  await prepare(context)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  await page.goto(`${origin}/`)
  return {
    page,
    async close(mayFail) {
      // As they are now: a page that is being closed breaks off what it was loading, and complains of that.
      const serious = faults.filter((text) => mayFail !== 'requests' || !text.startsWith(OF_A_REQUEST))
      // What a test changes on the way may still be at work on an answer, and would find the page gone.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
      assert.deepEqual(serious, [])
    },
  }
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.fill('#key', key)
  await page.click('button[type=submit]')
  await page.waitForSelector('nav')
}

/** The values of one patient whose risk is known. */
export async function fillPatient(page: Page): Promise<void> {
  await page.fill('#field-age', '84')
  await page.check('[data-field=sex] input[value=F]')
  await page.fill('#field-inpatientAdmissions', '2')
  await page.fill('#field-emergencyAdmissions', '1')
  await page.fill('#field-stayDays', '7')
  await page.waitForSelector('.contributions')
}

/** Fills in a patient of the model `hospital`, with haemoglobin in g/dL, and waits for the score. */
export async function fillHospital(page: Page): Promise<void> {
  await page.fill('#field-haemoglobin', '11.5')
  await page.fill('#field-sodium', '139')
  for (const field of ['oncologyService', 'procedureDuringStay', 'acuteAdmission']) {
    await page.check(`[data-field=${field}] input[value=true]`, { force: true })
  }
  await page.fill('#field-inpatientAdmissions', '0')
  await page.fill('#field-stayDays', '3')
  await page.locator('.score', { hasText: '5 points' }).waitFor()
}

export async function pasteList(page: Page, rows: readonly string[]): Promise<void> {
  await page.fill('#paste', rows.join('\n'))
  await page.click('button:has-text("Use the pasted rows")')
}

/** A download of a scored list as CSV, by the start of its button. */
export async function download(
  page: Page,
  button: string,
): Promise<{ readonly name: string; readonly text: string }> {
  await page.click('.results-head .menu > summary')
  await page.selectOption('.format select', 'csv')
  const [file] = await Promise.all([
    // A list that was corrected brings its changes as a second file, which may come first.
    page.waitForEvent('download', (each) => !each.suggestedFilename().endsWith('-changes.csv')),
    page.click(`.menu-body button:has-text("${button}")`),
  ])
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
}

/** Opens the overview of a scored list, which is closed where the table needs the room. */
export async function openOverview(page: Page): Promise<void> {
  const toggle = page.locator('.overview-toggle')
  if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
}

export type Place = 'patient' | 'list' | 'model' | 'right' | 'outcomes' | 'operations'

export async function goTo(page: Page, place: Place): Promise<void> {
  await page.click(`nav a[href="#/${place}"]`)
  await page.waitForSelector(`nav a[href="#/${place}"][aria-current=page]`)
}

/** axe-core as text, from the package that brings it. It is put into the page itself: once a page, and not once a look. */
const AXE = readFileSync(
  createRequire(import.meta.resolve('@axe-core/playwright')).resolve('axe-core'),
  'utf8',
)
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

interface AxeFault {
  readonly id: string
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[]
}

/** What axe finds, by rule and place. */
export async function axeFaults(page: Page): Promise<readonly string[]> {
  // A view that is still loading has no heading yet.
  await page.waitForSelector('h1')
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE)
  const options = { resultTypes: ['violations'], runOnly: { type: 'tag', values: RULES } }
  // Hundreds of options, all alike, take longer than everything else together.
  const violations = await page.evaluate<readonly AxeFault[]>(
    `axe.run({ exclude: [['optgroup']] }, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
  )
}

/**
 * Labels whose words do not fit into their place, with their place: heads, buttons, choices and links that a style cuts off, and names of
 * columns that are beyond the edge of their table, which scrolls sideways below 1,024 pixels. Cells of a list and texts of a file may be
 * longer than any place, and are shown whole elsewhere.
 */
export function cutLabels(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(() => {
    const fits = (element) => {
      if (element.tagName !== 'SELECT') return element.scrollWidth <= element.clientWidth + 1
      // A copy with the chosen words only, as wide as it likes: the arrow takes room too, which no property of the style says.
      const copy = element.cloneNode(false)
      copy.append(new Option(element.selectedOptions[0]?.textContent ?? ''))
      copy.style.cssText = 'position: absolute; width: max-content; min-width: 0; max-width: none'
      element.after(copy)
      const wanted = copy.getBoundingClientRect().width
      copy.remove()
      return wanted <= element.getBoundingClientRect().width + 1
    }
    // The name lies in a part of the button that ends with dots.
    const isInTable = (head) => {
      const name = head.querySelector('.sort > span')
      const edge = innerWidth < 1024 ? Infinity : head.closest('.grid').getBoundingClientRect().right
      return head.getBoundingClientRect().right <= edge && name.scrollWidth <= name.clientWidth && name.scrollHeight <= name.clientHeight + 1
    }
    const isHidden = (element) => element.getBoundingClientRect().width <= 2 || !element.checkVisibility()
    const beyond = [...document.querySelectorAll('[role=columnheader]')].filter((head) => !isHidden(head) && !isInTable(head))
    const cut = [...document.querySelectorAll('button, select, summary, label, th, h1, h2, h3, nav a, .tag, .figure-box, .quiet:not(.origin)')]
      .filter((element) => !isHidden(element) && element.closest('.grid-window') === null)
      .filter((element) => getComputedStyle(element).display !== 'inline' && !fits(element))
    return [...beyond, ...cut]
      .map((element) => element.tagName.toLowerCase() + '.' + element.className + ': ' + (element.selectedOptions?.[0] ?? element).textContent)
  })()`)
}
