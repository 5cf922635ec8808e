/**
 * Takes pictures of the running page: every view, light and dark, wide and narrow, in Spanish, and as it is printed. Those that
 * the documentation shows go to `docs/pictures`, all others to `reports/pictures`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from '../test/support/browser/launch.ts'
import { fillPatient, goTo, openPage, signIn } from '../test/support/browser/open-page.ts'
import { type Served, serve } from '../test/support/serve.ts'

const SHOWN_FOLDER = fileURLToPath(new URL('../docs/pictures', import.meta.url))
const OTHER_FOLDER = fileURLToPath(new URL('../reports/pictures', import.meta.url))
const SHOWN: ReadonlySet<string> = new Set([
  'one-patient',
  'one-patient-problems',
  'one-patient-narrow-dark',
  'list',
  'list-columns',
  'list-why',
  'model-effects',
  'model-report',
  'operations',
])
const ROWS = 1_200
const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 360, height: 740 }
const LOOKS = [
  { suffix: '', colorScheme: 'light', viewport: WIDE, locale: 'en-GB' },
  { suffix: '-dark', colorScheme: 'dark', viewport: WIDE, locale: 'en-GB' },
  { suffix: '-spanish', colorScheme: 'light', viewport: WIDE, locale: 'es-ES' },
  { suffix: '-narrow', colorScheme: 'light', viewport: NARROW, locale: 'es-ES' },
  { suffix: '-narrow-dark', colorScheme: 'dark', viewport: NARROW, locale: 'en-GB' },
] as const

type Look = (typeof LOOKS)[number]

function sexOf(draw: number): string {
  return draw === 0 ? 'F' : 'M'
}

/** The same rows each time: ages, stays and visits as they come in a ward, with a few errors. */
function wardList(): string {
  let seed = 20_260_315
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  const rows = Array.from({ length: ROWS }, (_row, index) => {
    const age = index % 151 === 9 ? '' : String(58 + next(40))
    const sex = index % 223 === 4 ? 'Q' : sexOf(next(2))
    const stay = index % 397 === 11 ? '-3' : String(1 + next(14))
    return [
      `H${4000 + index}`,
      age,
      sex,
      next(3) === 0 ? next(6) : 0,
      next(2) === 0 ? next(4) : 0,
      stay,
    ].join(',')
  })
  return ['patient,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays', ...rows].join('\n')
}

async function takeAll(browser: Browser, served: Served, key: string, look: Look): Promise<void> {
  const { suffix, ...options } = look
  const { page, close } = await openPage(browser, served.origin, options)
  const take = async (name: string, isWhole = false): Promise<void> => {
    await page.waitForTimeout(300)
    const file = `${name}${suffix}`
    const folder = SHOWN.has(file) ? SHOWN_FOLDER : OTHER_FOLDER
    writeFileSync(`${folder}/${file}.png`, await page.screenshot({ fullPage: isWhole }))
  }
  await take('sign-in')
  await signIn(page, key)
  await page.waitForSelector('form.questions')
  await fillPatient(page)
  await page.evaluate('document.activeElement.blur(); scrollTo(0, 0)')
  await take('one-patient')
  await takePrinted(page, take)
  await takeProblems(page, take)
  await goTo(page, 'list')
  await take('list-empty')
  const buffer = Buffer.from(wardList())
  await page.setInputFiles('input[type=file]', { name: 'ward.csv', mimeType: 'text/csv', buffer })
  await page.waitForSelector('.match')
  await take('list-columns')
  await page.click('.matching button.primary')
  await page.waitForSelector('.grid')
  await take('list')
  await page.locator('.risk-button').first().click()
  await page.waitForSelector('.row-detail .contributions')
  await take('list-why')
  await page.keyboard.press('Escape')
  await goTo(page, 'model')
  await page.waitForSelector('#calibration-title')
  await take('model')
  await page.locator('#effect-title').scrollIntoViewIfNeeded()
  await page.evaluate("document.getElementById('effect-title').scrollIntoView()")
  await take('model-effects')
  await page.evaluate("document.getElementById('calibration-title').scrollIntoView()")
  await take('model-report')
  await page.evaluate("document.getElementById('thresholds-title').scrollIntoView()")
  await take('model-report-thresholds')
  await page.evaluate('scrollTo(0, 0)')
  await take('model-whole', true)
  await page.selectOption('.deployment select', 'lace')
  await page.waitForSelector('h1:has-text("LACE")')
  await page.evaluate("document.getElementById('risk-title').scrollIntoView()")
  await take('model-points')
  await goTo(page, 'operations')
  await page.waitForSelector('.keys')
  await take('operations')
  await close()
}

async function takeProblems(page: Page, take: (name: string) => Promise<void>): Promise<void> {
  await page.fill('#field-age', '840')
  await page.locator('#field-age').blur()
  await page.click('[data-scale=barthel] summary')
  // By keyboard: on a narrow screen the bar with the result may be above the place of a click.
  await page.locator('[data-field=barthel_chairTransfers] input[value="15"]').press('Space')
  await page.fill('#field-barthel_total', '55')
  await page.locator('#field-barthel_total').blur()
  await page.waitForSelector('[data-field=barthel_total] .problem')
  await page.evaluate('document.activeElement.blur(); scrollTo(0, 0)')
  await take('one-patient-problems')
  await page.click('.view-head .actions button:last-child')
}

/** As it comes out on paper of A4, 96 points an inch. */
async function takePrinted(
  page: Page,
  take: (name: string, isWhole: boolean) => Promise<void>,
): Promise<void> {
  const screen = page.viewportSize()
  await page.emulateMedia({ media: 'print' })
  await page.setViewportSize({ width: 718, height: 1046 })
  await take('one-patient-printed', true)
  await page.emulateMedia({ media: 'screen' })
  if (screen !== null) await page.setViewportSize(screen)
}

for (const folder of [SHOWN_FOLDER, OTHER_FOLDER]) mkdirSync(folder, { recursive: true })
const served = await serve({
  deployments: [
    { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
    {
      name: 'readmission-flag',
      basePath: '/flag',
      model: 'readmission30',
      output: 'yes-no',
      threshold: 0.15,
    },
    { name: 'lace', basePath: '/lace', model: 'lace', output: 'number' },
  ],
})
const browser = await openBrowser()
const key = await served.makeKey({ name: 'Ward 3', scopes: ['*', 'admin'] })
for (const look of LOOKS) await takeAll(browser, served, key, look)
await browser.close()
await served.close()
