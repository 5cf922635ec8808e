/** What an answer rests on, beside the number: bands, notices, the range over what is missing, and the explanation of the API. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { SCORE } from '../../../../../test/support/serve.ts'
import { download, fillPatient, pasteList } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { served, openSignedIn } = await useWorkbench({
  deployments: [
    { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
    { name: 'flag', basePath: '/flag', model: 'readmission30', output: 'yes-no', threshold: 0.4 },
    { name: 'mortality', basePath: '/mortality', model: 'profund', output: 'number' },
  ],
})

const NEWS2 = ['spo2', 'supplementalOxygen', 'systolicBp', 'pulse', 'consciousness', 'temperature']
const zeroOf = (names: readonly string[], value = 0): Record<string, number> =>
  Object.fromEntries(names.map((name) => [name, value]))
const CIRS = [
  'cardiac',
  'hypertension',
  'vascular',
  'respiratory',
  'eent',
  'upperGi',
  'lowerGi',
  'hepatic',
  'renal',
  'otherGu',
  'musculoskeletalSkin',
  'neurological',
  'endocrineMetabolic',
  'psychiatric',
]
const SPMSQ = [
  'todayDate',
  'dayOfWeek',
  'place',
  'telephone',
  'age',
  'birthDate',
  'currentLeader',
  'previousLeader',
  'motherMaidenName',
  'serialThrees',
]

/** The scale · its fields · what the result says of it. The patient is a woman of 80. */
const BANDS = [
  ['gripStrength', { kg: 20 }, /^Hand grip strength20not lowEWGSOP2 2019$/],
  ['news2', { respirationRate: 3, ...zeroOf(NEWS2) }, /3low-mediumRoyal College of Physicians 2017$/],
  ['news2', { total: 3 }, /3no band applies$/],
  ['cirs', { coding: '1-5', ...zeroOf(CIRS, 1) }, /14no band applies$/],
  [
    'spmsq',
    { education: 'beyondHighSchool', ...zeroOf(SPMSQ), todayDate: 1, place: 1 },
    /2mild impairmentPfeiffer 1975, adjusted for schooling$/,
  ],
  ['moca', { rawScore: 30, educationPoint: 1 }, /30normalNasreddine 2005 \/ MoCA form$/],
  ['cfs', { total: 4 }, /4very mild frailtyGroups in common useband not confirmed$/],
  ['barthel', { feeding: 10, bathing: 5, total: 15 }, /15incomplete: 2 of 10 items$/],
] as const

test('each scale has the band, the scheme and the state that hold for a woman of 80', async () => {
  const { page, close } = await openSignedIn()
  for (const [scale, fields, expected] of BANDS) {
    await page.click('button:has-text("New patient")')
    await fillPatient(page)
    await page.fill('#field-age', '80')
    await fillScale(page, scale, fields)
    await page.locator('.scales-said dl > div', { hasText: expected }).waitFor()
    await page.locator('.result:not(.outdated)').waitFor()
    assert.match(await copy(page), /\n\nScales:\n- .+/, scale)
  }
  await close()
})

test('values beyond the data are named in both languages, in copied text and in the download of a list', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  await page.fill('#field-age', '110')
  await page.fill('#field-inpatientAdmissions', '100')
  await page.fill('#field-stayDays', '3650')
  const ends = { Age: 99, 'Inpatient admissions': 21, 'Length of stay': 14 }
  const notes = Object.entries(ends).map(
    ([name, end]) => `${name}: above ${end}, the highest value in the model's data.`,
  )
  for (const note of notes) await page.locator('.notices li', { hasText: note }).waitFor()
  const copied = await copy(page)
  for (const note of notes) assert.ok(copied.includes(`- ${note}`))
  assert.match(
    copied,
    /95% sampling interval: [\d.]+% to [\d.]+%\. It comes from the size of the model's data/,
  )
  assert.match(copied, /Deployment: readmission, sha-256=:\S+:/)
  await page.getByRole('button', { name: 'Español' }).click()
  await page.locator('.notices li', { hasText: 'Edad: por encima de 99' }).waitFor()
  await page.locator('.sampling', { hasText: 'Intervalo de muestreo del 95' }).waitFor()
  await close()
})

test('on a narrow screen the bar with the risk says that there are notes', async () => {
  const { page, close } = await openSignedIn()
  await page.setViewportSize({ width: 390, height: 800 })
  await fillPatient(page)
  await page.locator('.result-bar', { hasText: /^22\.9% Details$/ }).waitFor()
  await page.fill('#field-stayDays', '60')
  await page.locator('.result-bar', { hasText: '1 notice' }).waitFor()
  await close()
})

test('a sum of some items is no total: the page says that the Barthel is incomplete', async () => {
  const { page, close } = await openSignedIn()
  await page.selectOption('.deployment select', 'mortality')
  await page.locator('[data-scale=barthel] .card-body').waitFor()
  await fillScale(page, 'barthel', { feeding: 10, bathing: 5, total: 15 })
  await page.locator('.notices li', { hasText: 'Barthel Index: Total is the sum of only 2 items' }).waitFor()
  await page.locator('[data-scale=barthel] .sum', { hasText: 'Total 15, incomplete: 2 of 10' }).waitFor()
  await page.getByText('Still needed').waitFor()
  await close()
})

test('the explanation is that of the interface: contributions against the typical patient', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  const record = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
  const [answer] = (await served.post([record], { path: `${SCORE}/explain` })).json() as {
    explanation: { contributions: { label: string; points: number }[]; reference: { risk: number } }
  }[]
  const { contributions = [], reference } = answer?.explanation ?? {}
  const rows = await page.locator('.contributions tbody tr').allTextContents()
  assert.equal(contributions.length, 5)
  contributions.forEach(({ label, points }, index) => {
    assert.match(rows[index] ?? '', new RegExp(`^${label}.*× ${Math.exp(points).toFixed(2)}$`))
  })
  const percent = ((reference?.risk ?? 0) * 100).toFixed(1)
  await page.locator('.against', { hasText: `risk ${percent}%): Age 65, Sex female` }).waitFor()
  await close()
})

test('a missing value: between which risks, over usual values, and whether it can change the answer', async () => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  await page.fill('#field-stayDays', '')
  await page
    .locator('.range-note', { hasText: /^Between [\d.]+% and [\d.]+%, depending on what is missing/ })
    .waitFor()
  await page.selectOption('.deployment select', 'flag')
  await page.fill('#field-inpatientAdmissions', '0')
  const decided =
    /^Between [\d.]+% and [\d.]+%: what is missing \(Length of stay\) does not change the answer No\.With usual values: /
  await page.locator('.range-note', { hasText: decided }).waitFor()
  await close()
})

test('a list marks rows with notices, explains them, and its download has all of it with the digest', async () => {
  const { page, close } = await openSignedIn('list')
  const head = 'NHC,age,sex,inpatientAdmissions,emergencyAdmissions,stayDays,barthel_feeding'
  await pasteList(page, [head, 'H1,110,F,2,1,7,', 'H2,71,M,0,0,,10', 'H3,71,M,0,0,3,'])
  await page.click('button:has-text("Score 3 row")')
  await page.locator('.problem-button.warn', { hasText: '1 notice' }).click()
  await page.locator('.row-detail .notices li', { hasText: 'Age: above 99' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.problem-button.bad').click()
  await page.locator('.row-detail .range-note', { hasText: 'what is missing (Length of stay)' }).waitFor()
  await page.locator('.row-detail .scales-said', { hasText: 'incomplete: 1 of 10 items' }).waitFor()
  await page.keyboard.press('Escape')
  const { text } = await download(page, 'All, ')
  const { digest } = (
    await served.get(`${SCORE}/fields`, { authorization: `Bearer ${served.key}` })
  ).json() as {
    digest: string
  }
  const [names = '', first = '', second = '', third = ''] = text.replace('\uFEFF', '').split('\r\n')
  assert.match(
    names,
    /,risk,threshold,same identifier,calibration alarm,problems,notices,range,sampling,scales,contributions,model,deployment,digest,scored,corrected,state,note$/,
  )
  assert.match(
    first,
    /,"outside-data: age is above 99, the highest value in the data of readmission30\.",,0\.\d+ to 0\.\d+,,/,
  )
  assert.match(
    second,
    /,0\.\d+ to 0\.\d+ over stayDays; usual 0\.\d+ to 0\.\d+,,"barthel without a total, incomplete \(1 of 10\)",,/,
  )
  assert.match(third, /,,,,0\.\d+ to 0\.\d+,,stayDays -0\.\d+; age /)
  for (const line of [first, second, third]) assert.ok(line.includes(`,readmission,${digest},`), line)
  await close()
})

async function fillScale(
  page: Page,
  scale: string,
  fields: Readonly<Record<string, number | string>>,
): Promise<void> {
  const card = page.locator(`[data-scale=${scale}]`)
  if ((await card.locator('.card-body').count()) === 0) await card.locator('summary').click()
  for (const [part, value] of Object.entries(fields)) {
    const field = card.locator(`[data-field=${scale}_${part}]`)
    const choice = field.locator(`input[type=radio][value="${value}"]`)
    await field.waitFor()
    if ((await choice.count()) > 0) await choice.check({ force: true })
    else await field.locator('input[type=text]').fill(String(value))
  }
}

async function copy(page: Page): Promise<string> {
  await Promise.all([page.getByText('Copied.').waitFor(), page.click('button:has-text("Copy as text")')])
  return String(await page.evaluate('navigator.clipboard.readText()'))
}
