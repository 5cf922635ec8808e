/** A list saved as one encrypted file and opened again in a new page. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { download, goTo, pasteList, signIn } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const HEAD = 'id,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'
const ROWS = ['Smith-7,84,F,2,1,7', 'Jones-8,840,M,0,0,3', 'Brown-9,71,M,1,1,3,9', 'Green-1,60,F,0,0,']
const PASSPHRASE = 'correct horse bättery'

const { served, openSignedIn, open } = await useWorkbench()

async function save(page: Page): Promise<Buffer> {
  await page.click('.results-head .menu > summary')
  await page.click('.menu-body button:has-text("Save encrypted")')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    (async () => {
      await page.fill('input[name=first]', 'short')
      await page.click('dialog button[type=submit]')
      await page.getByText('Use at least 12 characters').waitFor()
      await page.fill('input[name=first]', PASSPHRASE)
      await page.click('dialog button[type=submit]')
      await page.getByText('The two do not agree.').waitFor()
      await page.fill('input[name=again]', PASSPHRASE)
      await page.click('dialog button[type=submit]')
    })(),
  ])
  assert.equal(file.suggestedFilename(), 'pasted rows.prlist')
  await page.locator('dialog').waitFor({ state: 'detached' })
  return readFileSync(await file.path())
}

async function choose(page: Page, buffer: Buffer): Promise<void> {
  await page.setInputFiles('input[type=file]', {
    name: 'w.prlist',
    mimeType: 'application/octet-stream',
    buffer,
  })
  await page.waitForSelector('input[name=first]')
}

async function tryPassphrase(page: Page, passphrase: string): Promise<void> {
  await page.fill('input[name=first]', passphrase)
  await page.click('.passphrase button[type=submit]')
}

test('cells, answers, corrections, states, notes and changes are back, and work goes on', async () => {
  const first = await openSignedIn('list')
  await pasteList(first.page, [HEAD, ...ROWS])
  await first.page.click('button:has-text("Score 3 rows")')
  await first.page.waitForSelector('.grid')
  const row = (page: Page, name: string) => page.locator('.grid-window .grid-row', { hasText: name })
  await row(first.page, 'Jones').locator('.cell.wrong').click()
  await first.page.fill('.cell-editor', '84')
  await first.page.keyboard.press('Enter')
  await first.page.waitForSelector('.grid-row.edited .risk-button')
  await row(first.page, 'Smith').locator('.state-button').click()
  await row(first.page, 'Smith').locator('.cell.note').dblclick()
  await first.page.fill('.cell-editor', 'call again')
  await first.page.keyboard.press('Enter')
  const file = await save(first.page)
  assert.doesNotMatch(file.toString('latin1'), /Smith|call again|inpatientAdmissions/)
  const header = JSON.parse(file.subarray(0, file.indexOf('\n')).toString()) as Record<string, unknown>
  assert.deepEqual(
    [header['format'], header['version'], header['kdf'], header['iterations'], header['cipher']],
    ['patient-risk-list', 1, 'PBKDF2-SHA-256', 600_000, 'AES-256-GCM'],
  )
  const before = await download(first.page, 'All, ')
  await first.close()

  const { page, close } = await open()
  await signIn(page, served.key)
  await goTo(page, 'list')
  await choose(page, file)
  await tryPassphrase(page, 'correct horse battery')
  await page.getByText('The passphrase is wrong, or someone has altered the file.').waitFor()
  await tryPassphrase(page, PASSPHRASE)
  await page.waitForSelector('.grid')
  assert.equal(await row(page, 'Smith').locator('.state-button').textContent(), 'seen')
  await page.click('button:has-text("Changes (3)")')
  assert.match((await page.locator('.changes li').last().textContent()) ?? '', /^Jones-8, age: 840 → 84/)
  await page.keyboard.press('Escape')
  const again = await download(page, 'All, ')
  assert.equal(again.text, before.text)
  for (let step = 0; step < 3; step++) await page.getByRole('button', { name: 'Undo' }).click()
  await row(page, 'Jones').locator('.cell.wrong').waitFor()
  assert.equal(await row(page, 'Smith').locator('.state-button').textContent(), 'open')
  await close()
})

test('a damaged file, one that was cut, an altered header and a newer version each say what is wrong', async () => {
  const first = await openSignedIn('list')
  await pasteList(first.page, [HEAD, ROWS[0] ?? ''])
  await first.page.click('button:has-text("Score 1 row")')
  await first.page.waitForSelector('.grid')
  const file = await save(first.page)
  await first.close()
  const altered = (change: (text: string) => string): Buffer => {
    const end = file.indexOf('\n')
    const body = Buffer.concat([
      Buffer.from(change(file.subarray(0, end).toString())),
      file.subarray(end, -32),
    ])
    return Buffer.concat([body, createHash('sha256').update(body).digest()])
  }
  const flipped = Buffer.from(file)
  flipped[file.length - 100] = (flipped[file.length - 100] ?? 0) ^ 1
  for (const [name, bytes, words] of [
    ['damaged', flipped, 'This file is damaged or incomplete.'],
    ['cut', file.subarray(0, -50), 'This file is damaged or incomplete.'],
    [
      'altered',
      altered((text) => text.replace('600000', '600001')),
      'The passphrase is wrong, or someone has altered',
    ],
    ['newer', altered((text) => text.replace('"version":1', '"version":2')), 'saved by a newer version'],
    ['slower', altered((text) => text.replace('600000', '2000001')), 'saved by a newer version'],
    ['weaker', altered((text) => text.replace('600000', '1000')), 'This file is damaged or incomplete.'],
    ['no JSON', altered((text) => text.replace('}', '')), 'This file is damaged or incomplete.'],
    [
      'no salt',
      altered((text) => text.replace('"salt":"', '"salt":"*')),
      'This file is damaged or incomplete.',
    ],
  ] as const) {
    const { page, close } = await openSignedIn('list')
    await choose(page, bytes)
    await tryPassphrase(page, PASSPHRASE)
    await page.getByText(words).waitFor()
    assert.equal(await page.locator('.grid').count(), 0, name)
    await close()
  }
})
