/** The focus stays where a keyboard user can go on, also when an action removes or disables the button that was pressed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { happensWithin } from '../until.ts'
import { fillPatient, goTo } from './open-page.ts'
import { useWorkbench } from './workbench.ts'

const { openSignedIn } = await useWorkbench()
const ROWS = [
  'NHC;age;sex;inpatientAdmissions;emergencyAdmissions;stayDays',
  'A1;840;F;2;1;7',
  'A2;70;M;1;0;3',
]

test('after each action the focus is on what stands beside it, or on the heading', async () => {
  const { page, close } = await openSignedIn()
  const press = async (button: string, focused: string): Promise<void> => {
    await page.locator(`button:has-text("${button}")`).last().focus()
    await page.keyboard.press('Enter')
    const isThere = `document.activeElement.textContent.startsWith(${JSON.stringify(focused)})`
    await happensWithin(10_000, () => page.evaluate<boolean>(isThere))
    const text = await page.evaluate<string>('document.activeElement.textContent')
    assert.equal(text.slice(0, focused.length), focused, `after ${button}`)
  }
  await page.evaluate("location.hash = '#/nowhere/patient'")
  await page.waitForSelector('.link-note')
  await page.locator('.link-note button').focus()
  await page.keyboard.press('Enter')
  await page.waitForSelector('h1:focus')
  await fillPatient(page)
  await press('What if?', 'Back to the real values')
  await press('Back to the real values', 'One patient')
  await goTo(page, 'list')
  await page.waitForSelector('#paste')
  await page.fill('#paste', ROWS.join('\n'))
  await press('Use the pasted rows', 'A list of patients')
  await press('Score 2 rows', 'A list of patients')
  await page.locator('.cell.wrong').click()
  await page.fill('.cell-editor', '84')
  page.on('download', () => assert.fail('the key of the editor has pressed a button'))
  await page.keyboard.press('Enter')
  await page.locator('.risk-button').nth(1).waitFor()
  await press('Undo', 'Redo')
  await press('Redo', 'Changes')
  await press('Another list', 'Cancel')
  await close()
})
