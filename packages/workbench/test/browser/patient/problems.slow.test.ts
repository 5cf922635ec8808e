/** Every kind of problem, in both languages: at its field or row, in plain words, with the wording of the interface as a detail. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { type CatalogModel, makeDeployments } from '@patient-risk/catalog'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { testCatalog } from '../../../../../test/support/serve.ts'
import { fillPatient, goTo } from '../../../../../test/support/browser/open-page.ts'
import { useWorkbench } from '../../../../../test/support/browser/workbench.ts'

const { openSignedIn } = await useWorkbench({ service: { deployments: deploymentsWithABrokenOne() } })

/** What is typed where, and what must then stand beside that field: in English, in Spanish, and from the service. */
const AT_A_FIELD: readonly (readonly [
  kind: string,
  cause: (page: Page) => Promise<void>,
  field: string,
  hints: readonly [RegExp, RegExp],
  message: string | RegExp,
])[] = [
  [
    'missing',
    (page) => visit(page, 'stayDays'),
    'stayDays',
    [/This value is needed/, /Este valor es necesario/],
    'ValueMissing for value stayDays',
  ],
  [
    'not an integer',
    (page) => type(page, 'age', '84.5'),
    'age',
    [/whole number/, /número entero/],
    'ValueError for value Age (not an integer)',
  ],
  [
    'out of range',
    (page) => type(page, 'age', '12'),
    'age',
    [/Allowed: 18 to 110 years/, /Se admite: 18 a 110 años/],
    'ValueError for value Age (out of range)',
  ],
  [
    'not a number',
    (page) => type(page, 'haemoglobin', 'low'),
    'haemoglobin',
    [/A number is needed/, /Hace falta un número/],
    'ValueError for value Haemoglobin (not a number)',
  ],
  [
    'a total out of step',
    (page) => type(page, 'barthel_total', '52'),
    'barthel_total',
    [/Outside what is possible/, /Fuera de lo posible/],
    'ValueError for value Total (out of range)',
  ],
  [
    'a wrong sum',
    wrongSum,
    'barthel_total',
    [/add up to 15/, /suman 15/],
    /^ValueError for value Total \(the sum of the given item values.*15.*\)$/,
  ],
  [
    'not a date',
    (page) => type(page, 'barthel_date', '31-02-2026'),
    'barthel_date',
    [/no such day/, /Ese día no existe/],
    'ValueError for value Date (not a valid date)',
  ],
  [
    'a date to come',
    (page) => type(page, 'barthel_date', '01-01-2200'),
    'barthel_date',
    [/in the future/, /en el futuro/],
    'ValueError for value Date (date in the future)',
  ],
  [
    'given twice',
    givenTwice,
    'mnaSf_calfCircumference',
    [/Given twice/, /Indicado dos veces/],
    'ValueError for value CalfCircumference (given twice)',
  ],
  [
    'not a permitted value',
    openFromAList,
    'sex',
    [/not one of the possible answers: F, M, X/, /No es una de las respuestas posibles: F, M, X/],
    'ValueError for value Sex (not a permitted value)',
  ],
]

test('a problem of a field stands beside it, and the field points to it', async (context) => {
  const { page, close } = await openSignedIn()
  await openCards(page)
  for (const [kind, cause, field, hints, message] of AT_A_FIELD) {
    await context.test(kind, async () => {
      await page.click('.view-head .actions button:has-text("New patient")')
      await page.fill('#field-emergencyAdmissions', '1')
      await cause(page)
      await inBothLanguages(page, async (language) => {
        const note = page
          .locator(`[data-field="${field}"] .problem`, { hasText: hints[language] })
          .filter({ has: page.getByText(message, typeof message === 'string' ? { exact: true } : {}) })
        await note.waitFor()
        const id = (await note.getAttribute('id')) ?? ''
        assert.equal(await page.locator(`[data-field="${field}"] [aria-describedby~="${id}"]`).count(), 1)
      })
    })
  }
  await close()
})

type Body = readonly Readonly<Record<string, unknown>>[]

/** The page itself never sends these. They are put into its request on the way, and the service answers them. */
const OF_THE_RECORD: readonly (readonly [
  kind: string,
  change: (body: Body) => readonly unknown[],
  hints: readonly [RegExp, RegExp],
  message: string,
])[] = [
  [
    'duplicate',
    (body) => [...body, ...body],
    [/^Number of the record: Another record/, /^Número del registro: Otro registro/],
    'ValueError for value Idx (duplicate)',
  ],
  [
    'not an object',
    () => [5],
    [/^The whole record: This is not a record/, /^El registro entero: Esto no es un registro/],
    'ValueError for value Record (not an object)',
  ],
  [
    'too many fields',
    ([record]) => [
      { ...record, ...Object.fromEntries(Array.from({ length: 1_100 }, (_each, at) => [`x${at}`, 1])) },
    ],
    [/^The whole record: .*too many fields/, /^El registro entero: .*demasiados campos/],
    'ValueError for value Record (too many fields)',
  ],
  [
    'unknown field',
    ([record]) => [{ ...record, barthel_chairTransfer: 5 }],
    [/^barthel_chairTransfer: .*does not know this field/, /^barthel_chairTransfer: .*no conoce este campo/],
    'ValueError for value ChairTransfer (unknown field)',
  ],
]

test('a problem of the record as a whole stands with the result', async (context) => {
  const { page, close } = await openSignedIn()
  await fillPatient(page)
  for (const [kind, change, hints, message] of OF_THE_RECORD) {
    await context.test(kind, async () => {
      await page.route(/\/v0\/explain$/, (route) => {
        const body = JSON.parse(route.request().postData() ?? '[]') as Body
        return route.continue({ postData: JSON.stringify(change(body)) })
      })
      await page.fill('#field-age', String(60 + kind.length))
      await inBothLanguages(page, (language) => expectWithTheResult(page, message, hints[language]))
      // What does not prevent a risk leaves it in sight; everything else takes it away.
      assert.equal(await page.locator('.risk-figure').count(), kind === 'unknown field' ? 1 : 0)
      await page.unroute(/\/v0\/explain$/)
    })
  }
  await close()
})

test('a model that gives no number says so, and gives none', async () => {
  const { page, close } = await openSignedIn()
  await page.selectOption('.deployment select', 'broken')
  await page.fill('#field-age', '80')
  await page.check('[data-field=sex] input[value=F]', { force: true })
  for (const field of ['inpatientAdmissions', 'emergencyAdmissions']) await type(page, field, '0')
  await type(page, 'stayDays', '80')
  const message = 'ValueError for value Risk (not computable)'
  const hints = [/^Risk: The model gives no number/, /^Riesgo: El modelo no da ningún número/] as const
  const titles = ['No risk can be given', 'No se puede dar un riesgo'] as const
  await inBothLanguages(page, async (language) => {
    await expectWithTheResult(page, message, hints[language])
    await page.getByText(titles[language]).waitFor()
  })
  assert.equal(await page.locator('.risk-figure').count(), 0)
  await close()
})

test('in a list, an element that is not a record and a repeated name leave other rows scored', async () => {
  const { page, close } = await openSignedIn('list')
  const good = '{"age":84,"sex":"F","inpatientAdmissions":2,"emergencyAdmissions":1,"stayDays":7}'
  await page.fill('#paste', `[${good}, 5, ${good.replace('{', '{"age":48,')}]`)
  await page.click('.paste button')
  await page.click('button.primary')
  await page.waitForSelector('.grid')
  assert.equal(await page.locator('.risk-button').count(), 1)
  const entries = [
    /^Agegiven twice1 rowThe whole recordnot a record1 row$/,
    /^Edadindicado dos veces1 filaEl registro enterono es un registro1 fila$/,
  ] as const
  await inBothLanguages(page, async (language) => {
    assert.match((await page.locator('.quality').textContent()) ?? '', entries[language])
  })
  // After the correction the row has one value.
  await page.locator('.cell.wrong').click()
  await page.fill('.cell-editor', '85')
  await page.keyboard.press('Enter')
  await page.locator('.grid-row.edited .risk-button').waitFor()
  await close()
})

async function inBothLanguages(page: Page, check: (language: 0 | 1) => Promise<void>): Promise<void> {
  await check(0)
  await page.click('.tools button[lang=es]')
  // Spanish is loaded on demand.
  await page.locator('nav', { hasText: 'paciente' }).waitFor()
  await check(1)
  await page.click('.tools button[lang=en]')
}

async function expectWithTheResult(page: Page, message: string, hint: RegExp): Promise<void> {
  const note = page.locator('.result .problem', { hasText: message })
  await note.waitFor()
  assert.match((await note.locator('p').first().textContent()) ?? '', hint)
}

/** The model of the default deployment beside one whose terms cancel out beyond every number. */
function deploymentsWithABrokenOne(): ReturnType<typeof makeDeployments>['deployments'] {
  const catalog = testCatalog()
  const known = catalog.models.get('readmission30@1.0.4') as CatalogModel
  const terms = [1e308, -1e308].flatMap((coefficient) => {
    const term = { kind: 'linear', field: coefficient > 0 ? 'age' : 'stayDays', coefficient } as const
    return [term, term]
  })
  const broken = { ...known, selfCheckFailures: [], definition: { ...known.definition, id: 'broken', terms } }
  const models = new Map([...catalog.models, ['broken@1.0.0', broken]])
  const { deployments, faults } = makeDeployments({ ...catalog, models }, [
    ...DEFAULT_FILE.deployments,
    { name: 'broken', basePath: '/broken', model: 'broken@1.0.0', output: 'number' },
  ])
  assert.deepEqual(faults, [])
  return deployments
}

async function openCards(page: Page): Promise<void> {
  for (const scale of ['barthel', 'mnaSf']) await page.click(`[data-scale=${scale}] summary`)
  await page.click('.questions > details summary')
}

async function type(page: Page, field: string, text: string): Promise<void> {
  await page.fill(`#field-${field}`, text)
  await page.locator(`#field-${field}`).blur()
}

async function visit(page: Page, field: string): Promise<void> {
  await page.focus(`#field-${field}`)
  await page.focus('#field-age')
}

async function wrongSum(page: Page): Promise<void> {
  await page.check('[data-field=barthel_chairTransfers] input[value="15"]', { force: true })
  await type(page, 'barthel_total', '20')
}

async function givenTwice(page: Page): Promise<void> {
  await page.locator('[data-field=mnaSf_bmi] input').last().check({ force: true })
  await page.locator('[data-field=mnaSf_calfCircumference] input').last().check({ force: true })
}

/** The form's buttons offer nothing else, so the value comes from a list. */
async function openFromAList(page: Page): Promise<void> {
  await goTo(page, 'list')
  await page.fill(
    '#paste',
    'age;sex;inpatientAdmissions;emergencyAdmissions;stayDays\n84;H;2;1;7\n71;F;0;0;3',
  )
  await page.click('.paste button')
  await page.click('button.primary')
  await page.locator('.grid-row', { hasText: 'H' }).locator('.cell.problems').dblclick()
  await page.click('.row-detail .actions button')
  await page.waitForSelector('[data-field=sex] .foreign input:checked')
}
