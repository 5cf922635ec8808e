/** A nurse's working day with one list, from an ugly spreadsheet to a file and paper. Whatever goes wrong on the way, nothing is lost. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Download, Locator, Page } from 'playwright-core'
import readSheets from 'read-excel-file/node'
import { goTo, openOverview, signIn } from '../../../../../test/support/browser/open-page.ts'
import { pdfPages } from '../patient/pdf-text.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'
import { xlsx, type SheetCell } from './spreadsheet.ts'

const ROWS = 400
const EXPLAIN = '/risk/api/do/v0/explain'
const PASSPHRASE = 'four plain words here'
const HEAD = ['NHC', 'Edad', 'Sexo', 'Ingresos', 'Urgencias', 'Dias estancia', 'Ward']
/** Rows whose age is ten times too high in the file. */
const WRONG = [5, 55, 105, 155, 205, 255, 305, 355, 385, 395]

interface Patient {
  readonly id: string
  readonly age: number
  readonly isFemale: boolean
  readonly counts: readonly [admissions: number, visits: number, days: number]
}

const PATIENTS: readonly Patient[] = Array.from({ length: ROWS }, (_row, index) => ({
  id: String(index + 1).padStart(8, '0'),
  age: 30 + (index % 65),
  isFemale: index % 3 === 0,
  counts: [index % 6, index % 4, 1 + (index % 20)],
}))

/** Titles above the header, numbers that are shown with zeros before them, codes for the sex, and a hidden sheet before the real one. */
function uglySpreadsheet(): Buffer {
  const rows = PATIENTS.map(({ id, age, isFemale, counts }, index): readonly SheetCell[] => {
    const typed = WRONG.includes(index + 1) ? age * 10 : age
    return [{ value: Number(id), format: '00000000' }, typed, isFemale ? 2 : 1, ...counts, 'Ward 3']
  })
  return xlsx({
    sheets: [
      { name: 'Old', isHidden: true, rows: [HEAD, ['OLD', 20, 1, 0, 0, 1, 'Ward 9']] },
      { name: 'March', rows: [['Ward 3, March 2026'], ['Printed by the office'], [], HEAD, ...rows] },
    ],
  })
}

const { served, open } = await useWorkbench()

const rowOf = (page: Page, id: string): Locator =>
  page.locator('.grid-window .grid-row', { has: page.locator('.cell.identifier', { hasText: id }) })

async function find(page: Page, text: string, rows: number): Promise<void> {
  await page.fill('.filters input[type=search]', text)
  await page.getByText(`${rows} of ${ROWS} rows`).waitFor()
}

async function correct(page: Page, line: number): Promise<Locator> {
  const { id, age } = PATIENTS[line - 1] ?? { id: '', age: 0 }
  await find(page, id, 1)
  await rowOf(page, id).locator('.cell.wrong').click()
  await page.fill('.cell-editor', String(age))
  await page.keyboard.press('Enter')
  return rowOf(page, id).locator('.cell.risk')
}

async function chooseDownload(page: Page, button: string): Promise<Download> {
  await page.click('.results-head .menu > summary')
  const file = page.waitForEvent('download')
  await page.click(`.menu-body button:has-text("${button}")`)
  return file
}

/** The risks that the service gives these patients, asked without the page. */
async function trueRisks(): Promise<readonly unknown[]> {
  const records = PATIENTS.map(({ age, isFemale, counts: [admissions, visits, days] }, index) => ({
    idx: index + 1,
    age,
    sex: isFemale ? 'F' : 'M',
    inpatientAdmissions: admissions,
    emergencyAdmissions: visits,
    stayDays: days,
  }))
  const answers = (await served.post(records)).json() as readonly { readonly risk: unknown }[]
  return answers.map(({ risk }) => risk)
}

test('a list is read, scored, corrected, marked, locked, saved, opened again, finished, downloaded and printed', async () => {
  const key = await served.makeKey({ name: 'nurse' })
  const morning = await open()
  const { page } = morning
  await signIn(page, key)
  await goTo(page, 'list')
  const file = { name: 'march.xlsx', mimeType: 'application/octet-stream', buffer: uglySpreadsheet() }
  await page.setInputFiles('input[type=file]', file)
  await page.getByText('Sheets of the file that are hidden and not read: Old').waitFor()
  assert.equal(
    await page.locator('.samples').first().textContent(),
    '00000001 · 00000002 · 00000003 · 00000004',
  )
  await page.getByLabel('Meaning of the value 1 in Sexo').selectOption('M')
  await page.getByLabel('Meaning of the value 2 in Sexo').selectOption('F')
  await page.click(`button:has-text("Score ${ROWS} rows")`)
  await page.waitForSelector('.grid')
  await page.getByText(`${ROWS} of ${ROWS} rows`).waitFor()

  // Ten corrections. Of one the first try fails, of another one every try.
  const failuresOf = (line: (typeof WRONG)[number]): number => {
    if (line === WRONG[2]) return 1
    return line === WRONG[6] ? Infinity : 0
  }
  let failures = 0
  for (const line of WRONG) {
    const most = failuresOf(line)
    failures = 0
    await page.route(`**${EXPLAIN}`, (route) => {
      if (failures >= most) return route.continue()
      failures++
      return route.fulfill({ status: 503, body: '{}' })
    })
    const risk = await correct(page, line)
    if (most === Infinity) {
      await risk.getByText('not scored yet').waitFor()
      assert.equal(failures, 3)
    } else {
      await risk.getByText('%').waitFor()
      assert.equal(failures, most)
    }
    await page.unroute(`**${EXPLAIN}`)
  }
  await page.getByText('1 row is not scored yet').waitFor()
  await page.click('button:has-text("Score now")')
  await page.getByText('1 row is not scored yet').waitFor({ state: 'detached' })

  // The last one is undone.
  await page.locator('.cell.identifier').click()
  await page.keyboard.press('Control+z')
  await rowOf(page, '00000395').locator('.cell.wrong').waitFor()

  // Eleven are marked together, nine one by one, and one has a note.
  await find(page, '0000003', 11)
  await page.click('.history .menu summary:has-text("Mark")')
  await page.click('.menu-body button:has-text("seen")')
  await find(page, '0000002', 11)
  for (let line = 21; line < 30; line++)
    await rowOf(page, `000000${line}`).locator('.state-button').dblclick()
  await rowOf(page, '00000021').locator('.cell.note').dblclick()
  await page.fill('.cell-editor', 'called the daughter')
  await page.keyboard.press('Enter')
  assert.equal(await page.locator('.state-button.done').count(), 9)

  // Lunch.
  await page.getByRole('button', { name: 'Lock the page' }).click()
  await page.waitForSelector('#key')
  assert.doesNotMatch(await page.content(), /0000002|daughter/)
  await signIn(page, key)
  await page.locator('.state-button.done').first().waitFor()
  const saving = chooseDownload(page, 'Save encrypted')
  await page.fill('input[name=first]', PASSPHRASE)
  await page.fill('input[name=again]', PASSPHRASE)
  await page.click('dialog button[type=submit]')
  const saved = readFileSync(await (await saving).path())
  await morning.close('requests')

  const { page: next, close } = await open()
  await signIn(next, key)
  await goTo(next, 'list')
  await next.setInputFiles('input[type=file]', { ...file, name: 'march.prlist', buffer: saved })
  await next.fill('input[name=first]', PASSPHRASE)
  await next.click('.passphrase button[type=submit]')
  await next.waitForSelector('.grid')
  await (await correct(next, 395)).getByText('%').waitFor()
  await find(next, '', ROWS)
  await openOverview(next)
  await next.getByText('No problem was found in any row.').waitFor()
  await checkDownload(await chooseDownload(next, 'All, '))

  const pages = pdfPages(await next.pdf({ format: 'A4' }))
  assert.ok(pages.length <= 8, `${pages.length} pages`)
  pages.forEach((text, index) => {
    assert.ok(text.includes(`${index + 1}/${pages.length}`), `number of page ${index + 1}`)
    assert.match(
      text,
      /readmission301\.0\.4.*NHCRisk.*StateReasonsAgeSex.*LengthofstayNote/,
      `head of page ${index + 1}`,
    )
  })
  for (const part of ['calledthedaughter', 'done', 'seen', ...PATIENTS.map(({ id }) => id)])
    assert.ok(pages.join('').includes(part), `${part} on paper`)
  await close()
})

/** Reads the file with a program that did not write it. */
async function checkDownload(file: Download): Promise<void> {
  assert.match(file.suggestedFilename(), /^march-results-readmission30-.*\.xlsx$/)
  const folder = mkdtempSync(join(tmpdir(), 'workbench-day-'))
  try {
    const path = join(folder, 'list.xlsx')
    copyFileSync(await file.path(), path)
    const [results, changes] = await readSheets(path)
    const [head = [], ...rows] = results?.data ?? []
    const column = (name: string): readonly unknown[] => rows.map((row) => row[head.indexOf(name)])
    assert.deepEqual(
      column('NHC'),
      PATIENTS.map(({ id }) => id),
    )
    assert.deepEqual(
      column('Edad'),
      PATIENTS.map(({ age }) => age),
    )
    assert.deepEqual(column('risk'), await trueRisks())
    assert.ok(column('problems').every((text) => text === null))
    assert.ok(column('scored (UTC)').every((at) => at instanceof Date))
    assert.equal(column('corrected').filter((text) => text !== null).length, WRONG.length)
    const states = Object.groupBy(column('state'), (state) => String(state))
    assert.deepEqual([states['open']?.length, states['seen']?.length, states['done']?.length], [380, 11, 9])
    const notes = column('note').flatMap((note, index) => (note === null ? [] : [[index + 1, note]]))
    assert.deepEqual(notes, [[21, 'called the daughter']])

    const changed = changes?.data.slice(1).map(([, ...cells]) => cells) ?? []
    const ages = changed.filter((cells) => cells[3] === 'Edad')
    assert.equal(ages.length, WRONG.length + 2)
    assert.deepEqual(
      ages.filter((cells) => cells[2] === '00000395').map(([action, , , , from, to]) => [action, from, to]),
      [
        ['changed', '340', '34'],
        ['undone', '34', '340'],
        ['changed', '340', '34'],
      ],
    )
    assert.equal(changed.filter((cells) => cells[5] === 'seen').length, 11 + 9)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
