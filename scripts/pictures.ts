/** Takes the pictures of the documentation from the running page: every view, light and dark, wide and narrow. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../test/browser/launch.ts'
import { fillPatient, goTo, openPage, signIn } from '../test/browser/open-page.ts'
import { type Served, serve } from '../test/serve.ts'

const FOLDER = fileURLToPath(new URL('../docs/pictures', import.meta.url))
const ROWS = 1_200
const LOOKS = [
  { suffix: '', colorScheme: 'light', width: 1280, height: 832 },
  { suffix: '-dark', colorScheme: 'dark', width: 1280, height: 832 },
  { suffix: '-narrow', colorScheme: 'light', width: 360, height: 740 },
  { suffix: '-narrow-dark', colorScheme: 'dark', width: 360, height: 740 },
] as const

type Look = (typeof LOOKS)[number]

/** The same rows each time: ages, stays and visits as they come in a ward, with a few slips. */
function wardList(): string {
  let seed = 20_260_315
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  const rows = Array.from({ length: ROWS }, (_row, index) => {
    const age = index % 151 === 9 ? '' : String(58 + next(40))
    const sex = index % 223 === 4 ? 'H' : next(2) === 0 ? 'F' : 'M'
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
  const { colorScheme, width, height, suffix } = look
  const { page, close } = await openPage(browser, served.origin, { colorScheme, viewport: { width, height } })
  const take = async (name: string): Promise<void> => {
    await page.waitForTimeout(300)
    writeFileSync(`${FOLDER}/${name}${suffix}.png`, await page.screenshot())
  }
  await take('sign-in')
  await signIn(page, key)
  await page.waitForSelector('form.questions')
  await fillPatient(page)
  await page.evaluate('document.activeElement.blur(); scrollTo(0, 0)')
  await take('one-patient')
  await takeProblems(page, take)
  await goTo(page, 'list')
  await take('list-empty')
  const buffer = Buffer.from(wardList())
  await page.setInputFiles('input[type=file]', { name: 'ward.csv', mimeType: 'text/csv', buffer })
  await page.waitForSelector('.match')
  await take('list-columns')
  await page.click('button.primary:has-text("Score")')
  await page.waitForSelector('.grid')
  await take('list')
  await page.locator('.risk-button').first().click()
  await page.waitForSelector('dialog .contributions')
  await take('list-why')
  await page.keyboard.press('Escape')
  await goTo(page, 'model')
  await take('model')
  await page.locator('#effect-title').scrollIntoViewIfNeeded()
  await page.evaluate("document.getElementById('effect-title').scrollIntoView()")
  await take('model-effects')
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
  await page.click('[data-scale=barthel] summary')
  await page.check('[data-field=barthel_chairTransfers] input[value="15"]', { force: true })
  await page.fill('#field-barthel_total', '55')
  await page.waitForSelector('[data-field=barthel_total] .problem')
  await page.evaluate('document.activeElement.blur(); scrollTo(0, 0)')
  await take('one-patient-problems')
  await page.click('button:has-text("New patient")')
}

mkdirSync(FOLDER, { recursive: true })
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
const browser = await launchBrowser()
const key = await served.makeKey({ name: 'Ward 3', scopes: ['*', 'admin'] })
for (const look of LOOKS) await takeAll(browser, served, key, look)
await browser.close()
await served.close()
