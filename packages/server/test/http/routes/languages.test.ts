/** Texts for people in the language that the caller accepts: what is translated, what stays, and what the headers say. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SCORE, serve } from '../../../../../test/support/serve.ts'

const served = await serve({
  deployments: [
    { name: 'readmission', basePath: '/', model: 'readmission30', output: 'number' },
    { name: 'english', basePath: '/english', model: 'readmission30', output: 'number', languages: ['en'] },
  ],
})
after(() => served.close())

const PATIENT = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 60 }
const RECORDS = [
  {
    ...PATIENT,
    cfs_total: 4,
    cfs_date: '01-02-1995',
    barthel_feeding: 10,
    barthel_bathing: 5,
    barthel_total: 15,
  },
  { ...PATIENT, idx: 2, age: 'eighty', stayDays: null },
]

interface Explained {
  readonly error_message: readonly Record<string, string>[] | null
  readonly explanation: { readonly contributions: readonly { readonly label: string }[] } | null
  readonly scales: readonly Record<string, unknown>[]
  readonly notices: readonly { readonly code: string; readonly text: string }[]
}

const explain = async (language: string | undefined, path = SCORE): Promise<readonly Explained[]> => {
  const headers = language === undefined ? {} : { 'accept-language': language }
  return (await served.post(RECORDS, { path: `${path}/explain`, headers })).json() as Explained[]
}

test('explain: notices, labels and bands in Spanish; codes, keys and ExtendError as ever', async () => {
  const english = await explain(undefined)
  const spanish = await explain('es')
  const [first, second] = spanish
  assert.deepEqual(
    first?.notices.map(({ code, text }) => `${code}: ${text}`),
    [
      'outside-data: Días de estancia está por encima de 14, el valor más alto de los datos de readmission30.',
      'incomplete-scale: Índice de Barthel: Total es la suma de los 2 ítems indicados, y faltan otros: el formulario puede estar incompleto.',
      'old-assessment: La valoración Escala Clínica de Fragilidad (CFS) es de hace más de 366 días.',
    ],
  )
  assert.deepEqual(
    first.explanation?.contributions.map(({ label }) => label).sort(),
    ['Edad', 'Días de estancia', 'Ingresos hospitalarios', 'Sexo', 'Visitas a urgencias'].sort(),
  )
  const cfs = first.scales.find(({ scale }) => scale === 'cfs')
  assert.deepEqual([cfs?.['band'], cfs?.['bandText']], ['very mild frailty', 'fragilidad muy leve'])
  assert.deepEqual(
    second?.error_message?.map(({ text }) => text),
    ['Edad: no es un número entero.', 'Días de estancia: falta el valor.'],
  )
  const withoutText = second.error_message.map(({ text, ...rest }) => (assert.ok(text), rest))
  assert.deepEqual(withoutText, english[1]?.error_message)
  assert.ok(!JSON.stringify(english).includes('bandText'))
})

/** Accept-Language · Content-Language. */
const CHOICES: readonly (readonly [string, string])[] = [
  ['es', 'es'],
  ['es-MX, en;q=0.5', 'es'],
  ['en, es', 'en'],
  ['en;q=0.4, es;q=0.5', 'es'],
  ['fr, es;q=0.1', 'es'],
  ['fr', 'en'],
  ['*', 'en'],
  ['es;q=0, *', 'en'],
  ['es;q=0.000', 'en'],
  ['ES;Q=0.9', 'es'],
  ['ca', 'en'],
  ['es;q=2, en;q=1', 'en'],
  ['', 'en'],
  [',;;=, es', 'es'],
]

for (const [accepted, given] of CHOICES) {
  test(`Accept-Language "${accepted}" gives ${given}`, async () => {
    for (const path of [`${SCORE}/fields`, `${SCORE}/model`]) {
      const { headers } = await served.get(path, { 'accept-language': accepted })
      assert.equal(headers['content-language'], given)
      assert.match(String(headers.vary), /accept-language/i)
    }
    const { headers } = await served.post(RECORDS, {
      path: `${SCORE}/explain`,
      headers: { 'accept-language': accepted },
    })
    assert.equal(headers['content-language'], given)
  })
}

test('a language is given only where the deployment lists it, and English needs no list', async () => {
  const { headers } = await served.get(`/english${SCORE}/fields`, { 'accept-language': 'es' })
  assert.equal(headers['content-language'], 'en')
  const text = JSON.stringify(await explain('es', `/english${SCORE}`))
  assert.match(text, /the form may be incomplete/)
  assert.doesNotMatch(text, /bandText|ítems/)
})

interface Described {
  readonly digest: string
  readonly title: string
  readonly fields: readonly { readonly name: string; readonly meaning: string; readonly unit?: string }[]
  readonly scales: readonly {
    readonly id: string
    readonly title: string
    readonly bands?: readonly { readonly bands: readonly { label: string; text?: string }[] }[]
  }[]
}

test('fields and model in Spanish: meanings, titles and bands; names, labels of bands, units and digests stay', async () => {
  const get = async (path: string, language: string): Promise<Described> =>
    (await served.get(`${SCORE}${path}`, { 'accept-language': language })).json() as Described
  const english = await get('/fields', 'en')
  const spanish = await get('/fields', 'es')
  const meaning = (of: Described, name: string): string | undefined =>
    of.fields.find((field) => field.name === name)?.meaning
  assert.equal(meaning(spanish, 'age'), 'Años cumplidos en la estancia índice.')
  assert.equal(meaning(spanish, 'barthel_feeding'), 'Índice de Barthel: Comer')
  const cfs = spanish.scales.find(({ id }) => id === 'cfs')
  assert.equal(cfs?.title, 'Escala Clínica de Fragilidad (CFS)')
  const band = cfs.bands?.[0]?.bands[0]
  assert.deepEqual([band?.label, band?.text], ['not frail', 'sin fragilidad'])
  const names = ({ fields }: Described): unknown => fields.map(({ name, unit }) => [name, unit])
  assert.deepEqual(names(spanish), names(english))
  assert.equal(spanish.digest, english.digest)
  assert.notEqual((await get('/model', 'es')).title, (await get('/model', 'en')).title)
})

test('the tag names the language, and insists on the deployment whatever the language', async () => {
  const plain = await served.get(`${SCORE}/fields`)
  const spanish = await served.get(`${SCORE}/fields`, { 'accept-language': 'es' })
  const tag = String(plain.headers.etag)
  assert.equal(spanish.headers.etag, `${tag.slice(0, -1)}-es"`)
  const again = { 'accept-language': 'es', 'if-none-match': spanish.headers.etag }
  assert.equal((await served.get(`${SCORE}/fields`, again)).status, 304)
  const other = { 'accept-language': 'es', 'if-none-match': tag }
  assert.equal((await served.get(`${SCORE}/fields`, other)).status, 200)
  const insisting = { headers: { 'if-match': spanish.headers.etag } }
  assert.equal((await served.post(RECORDS, insisting)).status, 200)
})

test('scoring has no texts for people, so its answer is the same and names no language', async () => {
  const english = await served.post(RECORDS)
  const spanish = await served.post(RECORDS, { headers: { 'accept-language': 'es' } })
  assert.equal(spanish.text, english.text)
  assert.equal(spanish.headers['content-language'], undefined)
})

test('the lines of a stream are explained in the language too', async () => {
  const { text, headers } = await served.post(RECORDS.map((record) => JSON.stringify(record)).join('\n'), {
    path: `${SCORE}/explain`,
    headers: { 'accept-language': 'es', 'content-type': 'application/x-ndjson' },
  })
  assert.equal(headers['content-language'], 'es')
  assert.match(text, /es la suma de los 2 ítems indicados/)
})
