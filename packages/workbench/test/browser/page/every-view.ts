/** Looks at every view of the page with axe, at one width, in one colour scheme and in one language. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import type { Browser } from 'playwright-core'
import type { DeploymentSettings } from '@patient-risk/catalog/config'
import { packOf } from '../../../../../test/support/languages.ts'
import type { Served } from '../../../../../test/support/serve.ts'
import {
  axeFaults,
  cutLabels,
  fillPatient,
  goTo,
  openOverview,
  openPage,
  signIn,
} from '../../../../../test/support/browser/open-page.ts'

export const LIST =
  'id,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays\n1,84,F,2,1,7\n2,,M,0,0,3\n3,71,M,1,4,12'

export const DEPLOYMENTS: readonly DeploymentSettings[] = [
  { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
  { name: 'lace', basePath: '/lace', model: 'lace', output: 'number' },
  { name: 'walter', basePath: '/walter', model: 'walter', output: 'number' },
]

const ENGLISH = JSON.parse(
  readFileSync(new URL('../../../src/i18n/en.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, string>>

export interface Look {
  readonly language: string
  readonly colorScheme: 'light' | 'dark'
  readonly width: number
}

/** Needs a service with DEPLOYMENTS. */
export async function lookAtEveryView(
  context: TestContext,
  browser: Browser,
  served: Served,
  { language, colorScheme, width }: Look,
): Promise<void> {
  const words = language === 'en' ? undefined : packOf(language)
  const t = (key: string): string => {
    const english = ENGLISH[key] ?? ''
    return words?.words.places[key]?.text ?? words?.words.texts[english] ?? english
  }
  const { page, close } = await openPage(browser, served.origin, {
    locale: words?.locale ?? 'en-GB',
    colorScheme,
    viewport: { width, height: width > 1200 ? 900 : 768 },
  })
  const look = (name: string): Promise<void> =>
    context.test(name, async () => {
      assert.deepEqual(await axeFaults(page), [])
      assert.deepEqual(await cutLabels(page), [], 'labels that are cut off')
      assert.equal(
        await page.evaluate('document.documentElement.scrollWidth'),
        width,
        'the page scrolls sideways',
      )
    })
  await look('sign in')
  const key = await served.makeKey({ scopes: ['*', 'admin'] })
  await signIn(page, key)
  await page.waitForSelector('form.questions')
  await look('one patient, empty')
  await fillPatient(page)
  await page.click('[data-scale=barthel] summary')
  await page.fill('#field-barthel_total', '7')
  await page.locator('#field-barthel_total').blur()
  await page.waitForSelector('.problem')
  await page.click('.risk-curve > summary')
  await page.click('.curve-body summary')
  await page.waitForSelector('.curve-body:not(.stale)')
  await look('one patient, with a result, a problem and the risk over one value')
  await page.click(`.foot button:has-text("${t('shortcuts.title')}")`)
  await look('shortcuts')
  await page.keyboard.press('Escape')
  await goTo(page, 'model')
  await page.waitForSelector('article.model')
  await look('model')
  await page.selectOption('.deployment select', 'lace')
  await page.getByRole('heading', { name: 'LACE' }).waitFor()
  await look('model with points')
  await page.selectOption('.deployment select', 'walter')
  await page.getByRole('heading', { name: 'Walter' }).waitFor()
  await look('model with bands above a value')
  await page.selectOption('.deployment select', 'readmission')
  await goTo(page, 'list')
  await page.waitForSelector('.drop')
  await look('list, empty')
  await page.fill('#paste', LIST)
  await page.click(`button:has-text("${t('list.usePasted')}")`)
  await look('list, columns')
  await page.click('.matching button.primary')
  await page.waitForSelector('.grid')
  await look('list, results')
  await openOverview(page)
  await look('list, overview')
  await page.click('.overview-toggle')
  await page.locator('.risk-button').first().click()
  await page.waitForSelector('.row-detail .contributions')
  await look('list, a row')
  await page.keyboard.press('Escape')
  if (width < 900) await page.click('.filter-box > summary')
  await page.locator('.state-button').first().click()
  await page.click('.history > button:nth-of-type(3)')
  await look('list, changes')
  await page.keyboard.press('Escape')
  await page.click('.results-head .menu > summary')
  await look('list, downloads')
  await page.click(`.menu-body button:has-text("${t('saved.menu')}")`)
  await look('list, saving')
  await page.keyboard.press('Escape')
  await page.click(`.filters summary:has-text("${t('filter.columns')}")`)
  await look('list, choosing columns')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: t('lock.now') }).click()
  await page.waitForSelector('#key')
  await look('locked')
  await signIn(page, key)
  await goTo(page, 'operations')
  await page.waitForSelector('.keys')
  await page.click(`button:has-text("${t('keys.new')}")`)
  // Figures that come later move what is below them, while it is looked at.
  await page.waitForLoadState('networkidle')
  await look('operations')
  await close()
}
