/** A lock covers the page and keeps its work: the same person goes on, another one finds nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { goTo, pasteList, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const HEAD = 'id,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'
const PATIENT = /Smith|Jones|called/

const { served, open } = await useWorkbench()

/** A list with a correction and a note, opened with a key of this name. */
async function openWorked(name: string): Promise<{
  readonly page: Page
  readonly key: string
  readonly close: (mayFail?: 'requests') => Promise<void>
}> {
  const key = await served.makeKey({ name })
  const { page, close } = await open()
  await page.clock.install()
  await signIn(page, key)
  await goTo(page, 'list')
  await pasteList(page, [HEAD, 'Smith-7,84,F,2,1,7', 'Jones-8,71,M,0,0,3'])
  await page.click('button:has-text("Score 2 rows")')
  await page.clock.runFor(100)
  await page.waitForSelector('.grid')
  await page.locator('.grid-row', { hasText: 'Smith' }).locator('.cell.value').first().dblclick()
  await page.fill('.cell-editor', '85')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.grid-row.edited .risk-button')
  await page.locator('.grid-row', { hasText: 'Smith' }).locator('.cell.note').dblclick()
  await page.fill('.cell-editor', 'called')
  await page.keyboard.press('Enter')
  await page.locator('.grid-row', { hasText: 'Smith' }).locator('.risk-button').click()
  await page.waitForSelector('.row-detail .contributions')
  return { page, key, close }
}

async function expectCovered(page: Page): Promise<void> {
  await page.waitForSelector('#key')
  assert.doesNotMatch(await page.content(), PATIENT)
  assert.doesNotMatch(await page.title(), PATIENT)
  assert.equal(await page.evaluate('sessionStorage.length + localStorage.length'), 0)
}

async function expectBack(page: Page): Promise<void> {
  await page.locator('.grid-row.edited', { hasText: /Smith-7.*85F217called/ }).waitFor()
}

test('after the idle time the same key goes on where it was, and another key of the same name finds nothing', async () => {
  const { page, key, close } = await openWorked('nurse')
  await page.clock.fastForward('15:01')
  await expectCovered(page)
  await page.getByText('The page was locked because it was not used for a while.').waitFor()
  await signIn(page, key)
  // Beside an open patient the table has no room for its notes.
  await page.waitForSelector('.row-detail .contributions')
  assert.equal(await page.locator('.row-detail').getByLabel('Note').inputValue(), 'called')
  await page.keyboard.press('Escape')
  await expectBack(page)
  await page.getByRole('button', { name: 'Lock the page' }).click()
  await expectCovered(page)
  await signIn(page, await served.makeKey({ name: 'nurse' }))
  await page.waitForSelector('nav')
  await goTo(page, 'list')
  await page.waitForSelector('.drop')
  assert.doesNotMatch(await page.content(), PATIENT)
  await close('requests')
})

test('a refused key is followed by the one that replaces it, and by no other', async () => {
  for (const name of ['ward 3', 'ward 4']) {
    const { page, close } = await openWorked('ward 3')
    await page.keyboard.press('Escape')
    await page.route('**/explain', (route) => route.fulfill({ status: 401, body: '{}' }))
    await page.locator('.grid-row', { hasText: 'Jones' }).locator('.cell.value').first().dblclick()
    await page.fill('.cell-editor', '72')
    await page.keyboard.press('Enter')
    await expectCovered(page)
    await page.getByText('it has expired, was revoked or was replaced').waitFor()
    await page.unroute('**/explain')
    await signIn(page, await served.makeKey({ name }))
    if (name === 'ward 3') {
      await expectBack(page)
      await page.getByText('1 row is not scored yet').waitFor()
      await page.click('button:has-text("Score now")')
      await page.locator('.grid-row.edited .risk-button').nth(1).waitFor()
    } else {
      await page.waitForSelector('nav')
      await goTo(page, 'list')
      await page.waitForSelector('.drop')
    }
    await close('requests')
  }
})

test('what is kept is forgotten on request, after a question', async () => {
  const { page, key, close } = await openWorked('nurse')
  await page.clock.fastForward('15:01')
  await expectCovered(page)
  await page.click('button:has-text("Forget what is kept")')
  await page.clock.runFor(1_000)
  await page.locator('dialog').getByRole('button', { name: 'Forget what is kept' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await signIn(page, key)
  await page.waitForSelector('nav')
  await goTo(page, 'list')
  await page.waitForSelector('.drop')
  await close()
})

test('a list that was being scored goes on after the lock', async () => {
  const key = await served.makeKey({ name: 'nurse' })
  const { page, close } = await open()
  await page.clock.install()
  await signIn(page, key)
  await goTo(page, 'list')
  await page.route('**/explain', () => undefined)
  await pasteList(page, [HEAD, 'Smith-7,84,F,2,1,7'])
  await page.click('button:has-text("Score 1 row")')
  await page.getByText('0 of 1 row answered').waitFor()
  await page.clock.fastForward('15:01')
  await expectCovered(page)
  await page.unroute('**/explain')
  await signIn(page, key)
  await page.click('button:has-text("Go on")')
  await page.clock.runFor(100)
  await page.waitForSelector('.risk-button')
  await close('requests')
})
