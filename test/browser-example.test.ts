/** `examples/browser/index.html` in a real browser without network: what it answers, and that it asks nobody. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { PAGE, buildPage } from '../examples/browser/build.ts'
import { CsvError, readCsv } from '../examples/browser/read-csv.ts'
import { type TestBrowser, closeAll, openBrowser } from './support/browser/launch.ts'

const MOST_BYTES = 500_000
const HEADER = 'age,sex,inpatientAdmissions,emergencyAdmissions,stayDays'
const GOOD = { age: '84', sex: 'F', inpatientAdmissions: '2', emergencyAdmissions: '1', stayDays: '7' }

let browser: TestBrowser
before(async () => {
  browser = await openBrowser()
})
after(() => closeAll(browser))

test('the file in the repository is that of a fresh build, and small', async () => {
  const kept = readFileSync(PAGE, 'utf8')
  assert.ok(kept === (await buildPage()), 'Build it again: npm run example:browser')
  assert.ok(Buffer.byteLength(kept) < MOST_BYTES)
})

test('a good record gets its risk, a bad one its problem', async () => {
  await onPage(async (page) => {
    await fill(page, GOOD)
    assert.match(
      await page.innerText('#result'),
      /^22\.94 %\s+Risk of readmission within 30 days \(0\.2294 in the API\)\.$/,
    )
    await page.fill('#field-age', '85')
    assert.equal(await page.innerText('#result'), '', 'a result stands beside other values')
    await fill(page, { ...GOOD, stayDays: '-7' })
    assert.match(await page.innerText('#result'), /No risk.*\s+ValueError for value StayDays.*out of range/)
    assert.equal(await page.getAttribute('#field-stayDays', 'aria-invalid'), 'true')
    await fill(page, { ...GOOD, age: '' })
    assert.match(await page.innerText('#result'), /No risk.*\s+ValueMissing for value age/)
    await fill(page, { ...GOOD, age: '084' })
    assert.match(await page.innerText('#result'), /No risk.*\s+ValueError for value Age/)
  })
})

test('each row of a CSV file gets its own answer', async () => {
  await onPage(async (page) => {
    const buffer = Buffer.from(`${HEADER}\n84,F,2,1,7\n84,F,2,1,-7\n`)
    await page.setInputFiles('#file', { name: 'ward.csv', mimeType: 'text/csv', buffer })
    await page.waitForSelector('#list table')
    assert.match(await page.innerText('#list'), /^1 of 2 records have a risk\./)
    const rows = await page.locator('#list tr').allInnerTexts()
    assert.equal(rows.length, 3)
    assert.match(rows[1] ?? '', /^1\s+22\.94 %\s+none$/)
    assert.match(rows[2] ?? '', /^2\s+no risk\s+ValueError for value StayDays/)
    await page.click('#sample')
    assert.match(await page.innerText('#list'), /^2 of 3 records have a risk\./)
  })
})

test('a value of a file is shown as text and never as HTML', async () => {
  await onPage(async (page) => {
    const buffer = Buffer.from(`${HEADER},"<img src=x onerror=document.title='hit'>"\n84,<b>F</b>,2,1,7,1\n`)
    await page.setInputFiles('#file', { name: 'ward.csv', mimeType: 'text/csv', buffer })
    await page.waitForSelector('#list table')
    assert.equal(await page.locator('#list img, #list b').count(), 0)
  })
})

test('the page says what it holds, and that nothing is sent', async () => {
  await onPage(async (page) => {
    const text = await page.innerText('body')
    assert.match(text, /Nothing is sent\./)
    assert.match(text, /An example model/)
    assert.match(text, /There is no audit and no alarm here\./)
    assert.match(text, /Model readmission30@\d+\.\d+\.\d+ · digest [A-Za-z0-9+/]{43}=/)
  })
})

test('the policy of the page forbids connections, and scripts that were not built into it', async () => {
  await onPage(async (page) => {
    const sent = await page.evaluate<string>(
      "fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')",
    )
    assert.equal(sent, 'refused')
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('script'), { textContent: 'document.title = 1' }))",
    )
    assert.notEqual(await page.title(), '1')
  })
  assert.match(readFileSync(PAGE, 'utf8'), /default-src 'none'; connect-src 'none'; form-action 'none'/)
})

/** A text · the records, or what is wrong with it. */
const TEXTS: readonly (readonly [name: string, text: string, expected: readonly object[] | RegExp])[] = [
  [
    'numbers, words and no value',
    'age,sex\n84,F\n,M\n',
    [
      { idx: 1, age: 84, sex: 'F' },
      { idx: 2, sex: 'M' },
    ],
  ],
  ['semicolons and a byte order mark', '\uFEFFage;sex\r\n84;F\r\n', [{ idx: 1, age: 84, sex: 'F' }]],
  ['tabs', 'age\tsex\n84\tF', [{ idx: 1, age: 84, sex: 'F' }]],
  ['an idx of its own', 'idx,age\n7,84', [{ idx: 7, age: 84 }]],
  ['quotes', 'age,note\n84,"a, ""b""\nc"', [{ idx: 1, age: 84, note: 'a, "b"\nc' }]],
  ['no plain number', 'a,b,c,d\n007,1e3,+1,1 000', [{ idx: 1, a: '007', b: '1e3', c: '+1', d: '1 000' }]],
  ['true and false', 'a,b\ntrue,false', [{ idx: 1, a: true, b: false }]],
  ['a cell too many', 'age,sex\n84,F,1', /Line 2 has 3 cells, and the header has 2/],
  ['a cell too few', 'age,sex\n84', /Line 2 has 1 cells, and the header has 2/],
  ['a column twice', 'age,age\n84,85', /"age" is there twice/],
  ['an open quote', 'age\n"84', /not closed/],
  ['only a header', 'age\n', /no rows/],
  ['nothing', '', /empty/],
]
for (const [name, text, expected] of TEXTS) {
  test(`CSV: ${name}`, () => {
    if (expected instanceof RegExp) {
      assert.throws(
        () => readCsv(text),
        (error) => error instanceof CsvError && expected.test(error.message),
      )
    } else assert.deepEqual(readCsv(text), expected)
  })
}

async function fill(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    if (name === 'sex') await page.selectOption('#field-sex', value)
    else await page.fill(`#field-${name}`, value)
  }
  await page.click('#one button')
}

/** Opens the file without network. A request to anywhere, or an error in the page, fails the test. */
async function onPage(use: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ offline: true })
  const page = await context.newPage()
  const asked: string[] = []
  const errors: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('pageerror', (error) => errors.push(error.message))
  const address = pathToFileURL(PAGE).href
  await page.goto(address)
  await use(page)
  await context.close()
  assert.deepEqual([asked, errors], [[address], []])
}
