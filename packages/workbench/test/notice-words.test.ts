/** Notices, ranges and sampling intervals of real answers in the words of the page, in both languages. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { CLINICAL_WORDS } from '../build.ts'
import { describeFields } from '@patient-risk/catalog'
import { CONTRIBUTIONS_NOT_COMPUTED, NOTICE_CODES, RANGE_NOT_COMPUTED } from 'patient-risk-engine/explain'
import type { Explained, Explanation, Notice, ScaleState } from '../src/shapes/answers.ts'
import type { FieldCatalogue } from '../src/shapes/fields.ts'
import type { PagePack } from '@patient-risk/catalog/languages'
import { packOf } from '../../../test/support/languages.ts'
import { SCORE, serve, testCatalog } from '../../../test/support/serve.ts'

type Language = 'en' | 'es'
interface Words {
  readonly language: Language
}

/** What is tested of the page. Its own types need a browser's, which the tests do not have. */
interface Page {
  addLanguage(pack: PagePack): void
  makeWords(language: Language, locale: string): Words
  noticeText(words: Words, catalogue: FieldCatalogue, notice: Notice): { text: string; lang?: 'en' }
  rangeTexts(
    words: Words,
    catalogue: FieldCatalogue,
    answer: Pick<Explained, 'range' | 'risk'>,
    threshold: number,
  ): string[]
  samplingTexts(words: Words, explanation: Explanation | null): string[]
  scaleText(words: Words, catalogue: FieldCatalogue, state: ScaleState): string
  comparisonTexts(
    words: Words,
    model: object,
    catalogue: FieldCatalogue,
    explanation: Explanation | null,
  ): string[]
}

/** The page imports JSON as a bundler does, so what is tested is bundled too. */
async function loadPage(): Promise<Page> {
  const modules = [
    'i18n/notice-words',
    'i18n/translate',
    'i18n/words',
    'patient/result/as-text',
    'patient/result/rests-on-words',
  ]
  const { outputFiles } = await build({
    stdin: {
      contents: modules.map((name) => `export * from './${name}.ts'`).join('\n'),
      resolveDir: fileURLToPath(new URL('../src', import.meta.url)),
    },
    bundle: true,
    define: CLINICAL_WORDS,
    format: 'esm',
    write: false,
  })
  const text = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')
  return (await import(`data:text/javascript;base64,${text}`)) as Page
}

const page = await loadPage()
const CATALOGUE = catalogueOf()
const EN = page.makeWords('en', 'en-GB')
const ES = page.makeWords('es', 'es-ES')
page.addLanguage(packOf('es'))

function catalogueOf(): FieldCatalogue {
  const catalog = testCatalog()
  const model = [...catalog.models.values()].find(({ definition }) => definition.id === 'hospital')
  assert.ok(model !== undefined)
  return describeFields(catalog, model.definition) as unknown as FieldCatalogue
}

const PATIENT = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }
const HOSPITAL = {
  oncologyService: false,
  procedureDuringStay: false,
  acuteAdmission: true,
  sodium: 139,
  haemoglobin: 11.5,
}
const FEED_DOUBT: Notice = {
  code: 'feed-doubt',
  field: 'stayDays',
  text: 'Of this sender, stayDays: it is the same in almost every record. Check whether it is a default of the sending system.',
}
/** What is doubted in English · the same in Spanish. */
const FEED_DOUBTS = [
  [
    'it is the same in almost every record. Check whether it is a default of the sending system',
    'es igual en casi todos los registros. Compruebe si es un valor por defecto del sistema que envía',
  ],
  [
    'its values do not look like values in g/dL. Check the unit, and whether it is another quantity',
    'sus valores no parecen valores en g/dL. Compruebe la unidad y si es otra magnitud',
  ],
  [
    'its values do not look like values in the declared unit; they may be in g/L. Check the unit, and whether it is another quantity',
    'sus valores no parecen valores en la unidad declarada; pueden estar en g/L. Compruebe la unidad y si es otra magnitud',
  ],
  [
    'this sender also writes codes of another convention, where "1", "2" may mean something else. State what each code means in `codes`',
    'este remitente también escribe códigos de otra convención, en la que "1", "2" puede significar otra cosa. Indique qué significa cada código en `codes`',
  ],
] as const
const OLD = { cfs_total: 4, cfs_date: '01-02-1995' }

/** The model · the record · the notice in English · the same in Spanish. */
const SENTENCES = [
  [
    'readmission30',
    { phq9_selfHarm: 1 },
    /: Thoughts of death or self-harm\. Thoughts of death or self-harm are reported: .+, whatever the total\.$/,
    /^.+: .+\. Refiere ideas de muerte o de autolesión: .+, sea cual sea el total\.$/,
  ],
  [
    'readmission30',
    { stayDays: 60 },
    "Length of stay: above 14, the highest value in the model's data.",
    'Días de estancia: por encima de 14, el valor más alto de los datos del modelo.',
  ],
  [
    'readmission30',
    { barthel_feeding: 10, barthel_bathing: 5, barthel_total: 15 },
    'Barthel Index: Total is the sum of only 2 items; others are missing. The form may be incomplete.',
    'Índice de Barthel: Total es la suma de solo 2 ítems; faltan otros. El formulario puede estar incompleto.',
  ],
  [
    'readmission30',
    OLD,
    'Clinical Frailty Scale: assessed more than 366 days ago.',
    'Escala Clínica de Fragilidad (CFS): valorada hace más de 366 días.',
  ],
  [
    'readmission30',
    { prisma7_male: 1 },
    /^“Sex” and “PRISMA-7: .+” cannot both be true: they say different things about the sex\.$/,
    /^«Sexo» y «PRISMA-7: .+» no pueden ser ciertos a la vez: dicen cosas distintas sobre el sexo\.$/,
  ],
  [
    'readmission30',
    { moca_rawScore: 30, moca_educationPoint: 1 },
    'A score of 30 gets no point for education.',
    'Una puntuación de 30 no recibe punto por escolaridad.',
  ],
  [
    'hospital',
    { ...HOSPITAL, haemoglobin: 7.1 },
    'Haemoglobin: unusual in g/dL, usual in mmol/L. Check its unit.',
    'Hemoglobina: inusual en g/dL, habitual en mmol/L. Compruebe la unidad.',
  ],
] as const

const models = ['readmission30', 'hospital', 'profund', 'walter']
const served = await serve({
  deployments: models.map((model) => ({
    name: model,
    basePath: `/${model}`,
    model,
    output: 'number' as const,
  })),
})
after(() => served.close())

async function explained(model: string, record: object): Promise<Explained> {
  const call = { path: `/${model}${SCORE}/explain` }
  const [answer] = (await served.post([{ ...PATIENT, ...record }], call)).json() as Explained[]
  assert.ok(answer !== undefined)
  return answer
}

for (const [model, record, english, spanish] of SENTENCES) {
  test(`a notice in words: ${String(english)}`, async () => {
    const { notices } = await explained(model, record)
    assert.equal(notices.length, 1, JSON.stringify(notices))
    for (const [words, expected] of [
      [EN, english],
      [ES, spanish],
    ] as const) {
      const { text, lang } = page.noticeText(words, CATALOGUE, notices[0] as Notice)
      if (typeof expected === 'string') assert.equal(text, expected)
      else assert.match(text, expected)
      assert.equal(lang, undefined, 'nothing is left in English')
    }
  })
}

test('an assumed value, a total in another form, and every code has words', () => {
  const notices: Notice[] = [
    {
      code: 'assumed',
      field: 'sodium',
      text: 'sodium is missing or not usable; hospital takes false in its place.',
    },
    {
      code: 'assumed',
      field: 'sodium',
      text: 'sodium is missing or not usable; trees takes its absence into account.',
    },
    {
      code: 'unit-doubt',
      field: 'barthel_total',
      text: 'barthel_total is unusual for a value out of 100 and usual for one out of 20: check its unit.',
    },
    FEED_DOUBT,
    RANGE_NOT_COMPUTED,
    CONTRIBUTIONS_NOT_COMPUTED,
  ]
  assert.deepEqual(
    notices.map((notice) => page.noticeText(EN, CATALOGUE, notice).text),
    [
      'Sodium is missing or not usable. The model takes No in its place.',
      'Sodium is missing or not usable. The model takes its absence into account.',
      'Barthel Index: Total: unusual out of 100, usual out of 20. Check which form was used.',
      FEED_DOUBT.text.replace('stayDays', 'Length of stay'),
      'The range of the risk was not computed: what is missing allows too many combinations.',
      'What each value adds was not computed: the model allows too many combinations.',
    ],
  )
  assert.deepEqual(
    notices.slice(-2).map((notice) => page.noticeText(ES, CATALOGUE, notice)),
    [
      {
        text: 'No se ha calculado el intervalo del riesgo: lo que falta permite demasiadas combinaciones.',
      },
      { text: 'No se ha calculado lo que aporta cada valor: el modelo permite demasiadas combinaciones.' },
    ],
  )
  const feedText = (doubt: string): object =>
    page.noticeText(ES, CATALOGUE, { ...FEED_DOUBT, text: `Of this sender, stayDays: ${doubt}.` })
  for (const [english, spanish] of FEED_DOUBTS)
    assert.deepEqual(feedText(english), { text: `De este remitente, Días de estancia: ${spanish}.` })
  // A sentence that the page does not know is said whole in English, and marked as such for readers of the screen.
  const unknown = 'it is new'
  assert.deepEqual(feedText(unknown), { text: `Of this sender, stayDays: ${unknown}.`, lang: 'en' })
  const told = new Set([
    ...notices.map(({ code }) => code),
    'act-on-item',
    'outside-data',
    'incomplete-scale',
    'old-assessment',
    'contradiction',
  ])
  assert.deepEqual([...NOTICE_CODES].sort(), [...told].sort())
})

test('terms that are shown in the place of contributions are not said to be compared with a typical patient', async () => {
  const { explanation } = await explained('readmission30', {})
  assert.ok(explanation !== null)
  const [compared] = page.comparisonTexts(EN, {}, CATALOGUE, explanation)
  assert.match(compared ?? '', /typical patient/)
  const without: Explanation = { ...explanation, contributions: null }
  assert.ok(without.reference !== null)
  assert.doesNotMatch(page.comparisonTexts(EN, {}, CATALOGUE, without).join(' '), /typical patient/)
})

test('a sentence that the page does not know is shown as it is, marked as English', () => {
  const notice: Notice = { code: 'assumed', field: 'age', text: 'Something new.' }
  assert.deepEqual(page.noticeText(ES, CATALOGUE, notice), { text: 'Something new.', lang: 'en' })
})

/** The range · whether there is a risk · the words. */
const RANGES: readonly (readonly [Explained['range'], number | null, readonly string[]])[] = [
  [
    { inputs: ['stayDays'], possible: [0.09, 0.14], usual: [0.1, 0.12], decided: 'No' },
    null,
    [
      'Between 9.0% and 14.0%: what is missing (Length of stay) does not change the answer No.',
      'With usual values: 10.0% to 12.0%.',
    ],
  ],
  [
    { inputs: ['stayDays', 'age'], possible: [0.05, 0.62], usual: null, decided: null },
    0.2,
    ['Between 5.0% and 62.0%, depending on what is not known (Length of stay, Age).'],
  ],
  [
    {
      inputs: ['stayDays', 'age', 'sex', 'sodium'],
      possible: [0.5, 0.50001],
      usual: [0.5, 0.5],
      decided: 'Yes',
    },
    null,
    ['50.0% for every value of what is missing (4 values).'],
  ],
  [
    { inputs: ['stayDays'], possible: [0.1231, 0.1234], usual: null, decided: null },
    null,
    ['Between 12.31% and 12.34%, depending on what is missing (Length of stay).'],
  ],
  [
    { inputs: ['stayDays'], possible: [0.09, 0.1496], usual: null, decided: 'No' },
    null,
    ['Between 9.0% and 14.96%: what is missing (Length of stay) does not change the answer No.'],
  ],
]

for (const [range, risk, expected] of RANGES) {
  test(`a range in words: ${expected[0] ?? ''}`, () => {
    assert.deepEqual(page.rangeTexts(EN, CATALOGUE, { range, risk }, 0.15), expected)
  })
}

test('a record without anything to say has no words', async () => {
  const { range, risk, notices, scales, explanation } = await explained('readmission30', {})
  assert.deepEqual([page.rangeTexts(EN, CATALOGUE, { range, risk }, 0.15), notices, scales], [[], [], []])
  assert.match(
    page.samplingTexts(EN, explanation)[0] ?? '',
    /^95% sampling interval: [\d.]+% to [\d.]+%\. It comes from the size/,
  )
})

test('a scale in words: its band with the scheme, whether that is confirmed, and whether it is complete', async () => {
  const { scales } = await explained('readmission30', { cfs_total: 4, phq9_total: 10, barthel_feeding: 10 })
  assert.deepEqual(
    scales.map((state) => page.scaleText(EN, CATALOGUE, state)),
    [
      'Barthel Index: incomplete: 1 of 10 items',
      'Clinical Frailty Scale: 4, very mild frailty (Groups in common use, band not confirmed)',
      'Patient Health Questionnaire, 9 items: 10, moderate (Kroenke 2001 severity)',
    ],
  )
  assert.match(
    page.scaleText(ES, CATALOGUE, scales[1] as ScaleState),
    /fragilidad muy leve \(Grupos de uso común, categoría no confirmada\)$/,
  )
})
