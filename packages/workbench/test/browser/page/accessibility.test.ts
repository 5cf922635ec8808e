/** Accessibility and languages: axe finds nothing on any view, both languages, the keyboard alone, narrow screens, light and dark. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { DEPLOYMENTS, LIST, lookAtEveryView } from './every-view.ts'
import { axeFaults, cutLabels, fillPatient, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { browser, served, open } = await useWorkbench({ deployments: DEPLOYMENTS })

test('axe finds nothing on any view, and nothing runs over: English, light, 1280 px', (context) =>
  lookAtEveryView(context, browser, served, { language: 'en', colorScheme: 'light', width: 1280 }))

test('axe finds a planted fault', async () => {
  const { page, close } = await open()
  await page.waitForSelector('main')
  await page.evaluate("document.querySelector('main').append(document.createElement('img'))")
  assert.match((await axeFaults(page)).join(), /^image-alt: /)
  await close()
})

test('a planted label and a planted choice that are cut off are found', async () => {
  const { page, close } = await open()
  await page.waitForSelector('main')
  assert.deepEqual(await cutLabels(page), [])
  // By properties: the page's policy refuses a style that is written as text.
  await page.evaluate(`(() => {
    const button = document.createElement('button')
    button.textContent = 'Undo all corrections'
    Object.assign(button.style, { width: '40px', padding: '0', overflow: 'hidden', whiteSpace: 'nowrap' })
    const select = document.createElement('select')
    select.append(new Option('risk, highest first'))
    document.querySelector('main').append(button, select)
    // Wide enough for the words, but not for the arrow beside them.
    select.style.width = 'max-content'
    select.style.width = select.getBoundingClientRect().width - 12 + 'px'
  })()`)
  assert.deepEqual(await cutLabels(page), ['button.: Undo all corrections', 'select.: risk, highest first'])
  await close()
})

test('Spanish: words, numbers and problems, with the original beside them', async () => {
  const { page, close } = await open({ locale: 'es-ES' })
  await page.getByRole('heading', { name: 'Iniciar sesión' }).waitFor()
  assert.equal(await page.getAttribute('html', 'lang'), 'es')
  await signIn(page, served.key)
  await fillPatient(page)
  await page.getByText('0,2294, redondeado a cuatro decimales').waitFor()
  // Words of the service too, where a sentence is known as a whole; what is not is marked as English.
  await page.getByText('Años cumplidos en la estancia índice.').waitFor()
  await page.getByText('Periodo: los 12 meses anteriores a la estancia índice.').first().waitFor()
  await page.locator('.contributions th', { hasText: 'Ingresos hospitalarios' }).waitFor()
  await page.getByLabel('Buscar').fill('dependencia en diez')
  await page.locator('[data-scale=barthel] summary', { hasText: 'Índice de Barthel' }).click()
  const barthel = page.locator('[data-scale=barthel]')
  await barthel.getByText('Traslado entre cama y sillón').waitFor()
  await barthel.getByText('5 es para quien se desplaza en silla de ruedas sin ayuda.').waitFor()
  await page.fill('#field-barthel_total', '15')
  await barthel.getByText('dependencia total').waitFor()
  assert.equal(await barthel.locator('[lang=en]:not(.source)').count(), 0, 'nothing is left in English')
  await page.fill('#field-age', '12')
  await page.locator('#field-age').blur()
  const note = page.locator('[data-field=age] .problem')
  await note.waitFor()
  assert.match(
    (await note.textContent()) ?? '',
    /Se admite: 18 a 110.*ValueError for value Age \(out of range\)/s,
  )
  await page.click('button:has-text("English")')
  await page.getByRole('heading', { name: 'One patient' }).waitFor()
  assert.equal(await page.getAttribute('html', 'lang'), 'en')
  await close()
})

test('the keyboard alone: signed in, scored, a list corrected', async () => {
  const { page, close } = await open()
  await page.waitForSelector('#key')
  await press(page, 'Tab', 'Enter')
  await tabTo(page, '#key')
  await page.keyboard.type(served.key)
  await press(page, 'Enter')
  await page.waitForSelector('form.questions')
  await page.locator('#field-age:focus').waitFor()
  await page.keyboard.type('84')
  await press(page, 'Tab', 'Space', 'Tab')
  await page.keyboard.type('2')
  await press(page, 'Tab')
  await page.keyboard.type('1')
  await press(page, 'Tab')
  await page.keyboard.type('7')
  await page.waitForSelector('.risk-figure')

  await page.keyboard.press('Control+Home')
  await tabTo(page, 'nav a[href="#/list"]', 'Shift+Tab')
  await press(page, 'Enter')
  // The button that led to a step is gone: the heading of the step is announced, and the keyboard goes on from it.
  await page.locator('h1:focus', { hasText: 'A list of patients' }).waitFor()
  await tabTo(page, '#paste')
  await page.keyboard.insertText(LIST)
  await press(page, 'Tab', 'Enter')
  await page.locator('h2:focus', { hasText: 'What the columns mean' }).waitFor()
  await tabTo(page, 'button.primary:enabled')
  await press(page, 'Enter')
  await page.waitForSelector('.grid')
  await page.locator('h1:focus', { hasText: 'A list of patients' }).waitFor()
  // A menu that is left by keyboard closes, and covers nothing that has the focus.
  await tabTo(page, '.results-head .menu > summary')
  await press(page, 'Enter')
  await tabTo(page, '.results-head > .actions > button')
  assert.equal(await page.locator('.results-head .menu[open]').count(), 0)
  await tabTo(page, '[data-cell]')
  // The last column is the note, and before it are the five values.
  await press(page, 'ArrowDown', 'ArrowDown', 'End')
  for (let step = 0; step < 5; step++) await press(page, 'ArrowLeft')
  await press(page, 'Enter')
  await page.keyboard.type('79')
  await press(page, 'Enter')
  await page.locator('.figure-box', { hasText: 'With problems' }).getByText('0', { exact: true }).waitFor()
  assert.equal(await page.evaluate("document.activeElement.matches('[data-cell]')"), true, 'the cursor stays')
  await close()
})

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** Tabs on until the cursor is there. On a busy machine the place may still have to appear. */
async function tabTo(page: Page, selector: string, key = 'Tab'): Promise<void> {
  await page.waitForSelector(selector)
  for (let step = 0; step < 80; step++) {
    await page.keyboard.press(key)
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return
  }
  assert.fail(`no ${selector} within 80 steps`)
}
