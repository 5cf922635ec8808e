/** A language that nobody has heard of, as a trial: two files in a folder, and every entrance speaks it. No code knows its name. */
import assert from 'node:assert/strict'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parseJson } from 'patient-risk-engine/read'
import { SERVICE_TEXTS, missingTexts, saidTexts } from '@patient-risk/catalog'
import { Fetcher, adapterRoutes } from '@patient-risk/server/adapters'
import { mapping } from '../../../../../test/support/mapping.ts'
import { CLINICAL_ROOT, SCORE, serve, testCatalog } from '../../../../../test/support/serve.ts'

const TAG = 'qaa'
const EXAMPLES = new URL('../../../../../examples/fhir/', import.meta.url)
const WORKBENCH = new URL('../../../../../packages/workbench/src/', import.meta.url)
/** Each text in brackets of its own; what is filled in keeps its place. */
const trial = (text: string): string => `⟦${text}⟧`

const folder = mkdtempSync(join(tmpdir(), 'language-'))
after(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'languages'))
const writeLanguage = (name: string, english: Iterable<string>): void => {
  const texts = Object.fromEntries([...english].map((text) => [text, trial(text)]))
  const head = { language: TAG, name: 'Trial', locale: 'de-DE', review: 'A trial.' }
  writeFileSync(join(folder, 'languages', name), JSON.stringify({ ...head, texts }))
}
const { needed } = saidTexts(testCatalog())
writeLanguage(`${TAG}.json`, [...needed, ...SERVICE_TEXTS])
const words = globSync('**/en.json', { cwd: WORKBENCH }).flatMap((file) =>
  Object.values(JSON.parse(readFileSync(new URL(file, WORKBENCH), 'utf8')) as Record<string, string>),
)
writeLanguage(`${TAG}.page.json`, words)

const served = await serve({
  clinical: [CLINICAL_ROOT, folder],
  deployments: [
    {
      name: 'readmission',
      basePath: '/',
      model: 'readmission30',
      output: 'yes-no',
      languages: [TAG],
      cdsHooks: { hooks: ['patient-view', 'encounter-discharge'] },
    },
  ],
  service: { adapters: adapterRoutes(mapping, true, {}, new Fetcher()) },
})
after(() => served.close())
const accept = { 'accept-language': `${TAG}, en;q=0.5` }

test('nothing is missing, so the language alone is named', () => {
  assert.deepEqual(missingTexts(served.catalog, TAG), [])
})

test('explain: every text for people is in it', async () => {
  const record = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 60 }
  const records = [
    { ...record, cfs_total: 4, phq9_selfHarm: 1, prisma7_male: 1 },
    { idx: 2, age: 130 },
  ]
  const { headers, ...answer } = await served.post(records, { path: `${SCORE}/explain`, headers: accept })
  assert.equal(headers['content-language'], TAG)
  const texts = (answer.json() as readonly Record<string, unknown>[]).flatMap((each) => textsIn(each))
  assert.ok(texts.length > 15)
  assert.deepEqual(
    texts.filter((text) => !text.includes('⟦')),
    [],
  )
})

/** What people read in an explained record; the other keys hold codes. */
function textsIn(value: unknown, key = ''): readonly string[] {
  if (typeof value === 'string') return ['text', 'bandText', 'label'].includes(key) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([name, each]) => textsIn(each, isList ? key : name))
}

for (const path of [`${SCORE}/fields`, `${SCORE}/model`, '/model-card']) {
  test(`GET ${path}: in the language, and named so`, async () => {
    const { headers, text } = await served.get(path, accept)
    assert.equal(headers['content-language'], TAG)
    assert.ok((text.match(/⟦/g) ?? []).length > 20)
  })
}

test('FHIR: narrative, rationale, notes and text of issues', async () => {
  const body = readFileSync(new URL('bundle.json', EXAMPLES), 'utf8')
  const headers = { ...accept, 'content-type': 'application/fhir+json' }
  const answer = await served.post(body, { path: '/fhir/$score', headers })
  assert.equal(answer.headers['content-language'], TAG)
  assert.match(answer.text, /"rationale":"⟦/)
  assert.match(answer.text, /<p>⟦/)
})

test('FHIR: why there is no value, in notes and diagnostics', async () => {
  const patient = { resourceType: 'Patient', id: 'p', gender: 'female' }
  const body = JSON.stringify({
    resourceType: 'Bundle',
    type: 'collection',
    entry: [{ resource: patient }],
  })
  const headers = { ...accept, 'content-type': 'application/fhir+json' }
  const { text } = await served.post(body, { path: '/fhir/$score', headers })
  const said = [...text.matchAll(/"diagnostics":"(?!range:)([^"]*)"/g)].map(([, each = '']) => each)
  assert.ok(said.length >= 4)
  assert.deepEqual(
    said.filter((each) => !each.startsWith('⟦')),
    [],
  )
})

test('CDS Hooks: services and cards', async () => {
  const { text } = await served.get('/cds-services', accept)
  assert.match(text, /"title":"⟦/)
  const hook = readFileSync(new URL('hook.json', EXAMPLES), 'utf8')
  const answer = await served.post(hook, { path: '/cds-services/readmission', headers: accept })
  assert.equal(answer.headers['content-language'], TAG, answer.text)
  assert.match(answer.text, /"label":"⟦Open the scoring page⟧"/)
})

test('the page offers it, with its own words and the clinical ones', async () => {
  const ask = (path: string): Promise<{ readonly body: string }> => served.app.inject({ url: path })
  const list = parseJson((await ask('/workbench/languages.json')).body) as readonly { language: string }[]
  assert.deepEqual(
    list.map(({ language }) => language),
    ['en', TAG],
  )
  const { body: text } = await ask(`/workbench/languages/${TAG}.json`)
  assert.match(text, /⟦Sign in⟧/)
  assert.match(text, /⟦Barthel Index⟧/)
})

test('a text that the language lacks is English, and the answer says both', async () => {
  const lacking = mkdtempSync(join(tmpdir(), 'language-'))
  try {
    mkdirSync(join(lacking, 'languages'))
    const head = { language: 'qab', name: 'Part', locale: 'de-DE', review: 'A trial.' }
    const texts = { 'Barthel Index': '⟦B⟧' }
    writeFileSync(join(lacking, 'languages', 'qab.json'), JSON.stringify({ ...head, texts }))
    const settings = {
      name: 'part',
      basePath: '/',
      model: 'lace',
      output: 'number' as const,
      languages: ['qab'],
    }
    const other = await serve({ clinical: [CLINICAL_ROOT, lacking], deployments: [settings] })
    const { headers, text } = await other.get(`${SCORE}/fields`, { 'accept-language': 'qab' })
    await other.close()
    assert.equal(headers['content-language'], 'qab, en')
    assert.match(text, /⟦B⟧: /)
  } finally {
    rmSync(lacking, { recursive: true })
  }
})
