/** `patient-risk fhir`: a Bulk Data export, scored patient by patient. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Random } from '../../../../test/support/random.ts'
import { runHere } from '../../../../test/support/run-command.ts'
import { serveAdapters } from '../../../../test/support/serve-adapters.ts'
import type { Served } from '../../../../test/support/serve.ts'

type Resource = Readonly<Record<string, unknown>> & { readonly resourceType: string; readonly id: string }

const BASE = 'https://hospital.example/fhir/'
const AS_OF = '2026-03-09'
const PATIENTS = 60
const CLASS = 'http://terminology.hl7.org/CodeSystem/v3-ActCode'

let served: Served
before(async () => (served = await serveAdapters({})))
after(() => served.close())

let folder = ''
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'population-'))))
afterEach(() => rmSync(folder, { recursive: true }))
const input = (): string => join(folder, 'export')
const output = (): string => join(folder, 'results')

function stay(patient: string, name: string, code: string, start: string, end: string): Resource {
  return {
    resourceType: 'Encounter',
    id: `${patient}-${name}`,
    status: 'finished',
    class: { system: CLASS, code },
    subject: { reference: `Patient/${patient}` },
    period: { start: `${start}T10:00:00+01:00`, end: `${end}T12:00:00+01:00` },
  }
}

/** A patient with an index stay, and some with earlier ones, or without a birth date, which gives no risk. */
function resourcesOf(seed: number): readonly Resource[] {
  const random = new Random(seed)
  const id = `p${seed}`
  const birthDate = random.chance(0.1) ? {} : { birthDate: `${1925 + random.below(30)}-06-15` }
  const earlier = Array.from({ length: random.below(4) }, (_, at) =>
    stay(id, `old${at}`, random.chance(0.5) ? 'IMP' : 'EMER', `2025-0${at + 5}-10`, `2025-0${at + 5}-12`),
  )
  return [
    { resourceType: 'Patient', id, gender: random.chance(0.5) ? 'female' : 'male', ...birthDate },
    stay(id, 'index', 'IMP', '2026-03-02', '2026-03-09'),
    ...earlier,
  ]
}

/** Files by name. A name that ends in .gz is packed. */
function writeExport(files: Readonly<Record<string, readonly object[] | string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(input(), name)
    mkdirSync(dirname(path), { recursive: true })
    const text =
      typeof content === 'string' ? content : content.map((each) => `${JSON.stringify(each)}\n`).join('')
    writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text)
  }
}

const manifestOf = (more: object = {}): string =>
  JSON.stringify({
    transactionTime: `${AS_OF}T23:00:00+01:00`,
    request: `${BASE}Group/g1/$export`,
    requiresAccessToken: true,
    output: [],
    error: [],
    ...more,
  })

const all = Array.from({ length: PATIENTS }, (_, seed) => resourcesOf(seed))
const ofType = (type: string): readonly Resource[] =>
  all.flat().filter(({ resourceType }) => resourceType === type)

/** Types in files of their own, stays in two files and in an order that is not that of the patients. */
const exported = (): Readonly<Record<string, readonly object[]>> => {
  const stays = ofType('Encounter').toSorted((a, b) => (a.id.at(-1) ?? '').localeCompare(b.id.at(-1) ?? ''))
  return {
    'Patient.1.ndjson': ofType('Patient').toReversed(),
    'Encounter.1.ndjson.gz': stays.slice(0, 50),
    'Encounter.2.ndjson': stays.slice(50),
    'log.ndjson': [{ eventId: 'kickoff' }],
  }
}

const score = (...words: readonly string[]): ReturnType<typeof runHere> =>
  runHere(['fhir', input(), '--output', output(), '--quiet', '--threads', '1', ...words])

const linesOf = (name: string): readonly Resource[] =>
  readFileSync(join(output(), name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Resource)

interface Assessment extends Resource {
  readonly subject: { readonly reference: string }
  readonly prediction: readonly { readonly probabilityDecimal: number }[]
}
const risksOf = (resources: readonly Resource[]): ReadonlyMap<string, number | undefined> =>
  new Map(
    resources
      .filter(({ resourceType }) => resourceType === 'RiskAssessment')
      .map((each) => {
        const { subject, prediction } = each as Assessment
        return [subject.reference, prediction[0]?.probabilityDecimal]
      }),
  )

test('every patient has the number that $score gives for its Bundle, and the others their reasons', async () => {
  writeExport({ ...exported(), 'manifest.json': manifestOf() })
  const { code, err } = await score('--history', 'complete')
  assert.equal(code, 0, err)
  const expected = new Map<string, number | undefined>()
  for (const resources of all) {
    const entry = resources.map((resource) => ({
      fullUrl: `${BASE}${resource.resourceType}/${resource.id}`,
      resource,
    }))
    const path = `/fhir/$score?history=complete&asOf=${encodeURIComponent(`${AS_OF}T23:00:00+01:00`)}`
    const headers = { 'content-type': 'application/fhir+json' }
    const answer = await served.post(JSON.stringify({ resourceType: 'Bundle', type: 'collection', entry }), {
      path,
      headers,
    })
    const { entry: found } = answer.json() as { readonly entry: readonly { readonly resource: Resource }[] }
    for (const [reference, risk] of risksOf(found.map(({ resource }) => resource)))
      expected.set(reference, risk)
  }
  const assessments = linesOf('RiskAssessment.1.ndjson')
  const found = risksOf(assessments)
  assert.ok(expected.size > PATIENTS / 2 && expected.size < PATIENTS)
  assert.deepEqual([...found].toSorted(), [...expected].toSorted())
  const about = linesOf('OperationOutcome.1.ndjson').map(({ extension }) => {
    const [first] = extension as readonly { readonly valueReference: { readonly reference: string } }[]
    return first?.valueReference.reference
  })
  const everybody = ofType('Patient').map(({ id }) => `${BASE}Patient/${id}`)
  assert.deepEqual(
    everybody.filter((reference) => !found.has(reference) && !about.includes(reference)),
    [],
  )
  assert.equal(new Set(assessments.map(({ id }) => id)).size, assessments.length)
  assert.ok(assessments.every(({ id }) => /^[A-Za-z0-9\-.]{1,64}$/.test(id)))
})

test('a second run gives the same ids; the manifest counts the lines and names the model', async () => {
  writeExport({ ...exported(), 'manifest.json': manifestOf() })
  await score('--history', 'complete')
  const first = linesOf('RiskAssessment.1.ndjson')
  const manifest = JSON.parse(readFileSync(join(output(), 'manifest.json'), 'utf8')) as {
    readonly output: readonly { readonly type: string; readonly url: string; readonly count: number }[]
    readonly error: readonly { readonly count: number }[]
    readonly extension: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }
  assert.equal(manifest.output[0]?.count, first.length)
  assert.equal(manifest.error[0]?.count, linesOf('OperationOutcome.1.ndjson').length)
  assert.match(manifest.output[0].url, /^file:\/\/.*RiskAssessment\.1\.ndjson$/)
  const { patients, scored, model, incomplete } = manifest.extension['urn:patient-risk:run'] ?? {}
  assert.deepEqual([patients, scored, model, incomplete], [PATIENTS, first.length, 'readmission30', []])
  rmSync(output(), { recursive: true })
  await score('--history', 'complete')
  assert.deepEqual(linesOf('RiskAssessment.1.ndjson'), first)
})

const INCOMPLETE: readonly (readonly [
  string,
  object,
  Readonly<Record<string, readonly object[] | string>>,
  RegExp,
])[] = [
  [
    'messages of the server',
    { error: [{ type: 'OperationOutcome', url: `${BASE}e.ndjson` }] },
    {},
    /messages of the server/,
  ],
  [
    'messages of the server under their new name',
    { outcome: [{ url: `${BASE}e.ndjson` }] },
    {},
    /messages of the server/,
  ],
  ['a next manifest', { link: [{ relation: 'next', url: `${BASE}2` }] }, {}, /next manifest/],
  [
    'a part of the data',
    { request: `${BASE}$export?_since=2026-01-01T00:00:00Z` },
    {},
    /asked for with _since/,
  ],
  ['some types', { request: `${BASE}$export?_type=Patient,Encounter` }, {}, /without Observation, Condition/],
  [
    'a file that is not there',
    { output: [{ type: 'Encounter', url: `${BASE}Encounter.3.ndjson` }] },
    {},
    /Encounter\.3\.ndjson/,
  ],
  [
    'fewer resources than counted',
    { output: [{ type: 'Patient', url: `${BASE}Patient.1.ndjson`, count: PATIENTS + 1 }] },
    {},
    /counts 61 resources Patient, and the files have 60/,
  ],
  [
    'a line that was cut',
    {},
    { 'Condition.1.ndjson': '{"resourceType":"Condition","id":"c1","sub' },
    /Condition\.1\.ndjson:1/,
  ],
  [
    'a resource without an id',
    {},
    { 'Condition.1.ndjson': [{ resourceType: 'Condition' }] },
    /Condition\.1\.ndjson:1/,
  ],
]

for (const [what, manifest, files, says] of INCOMPLETE) {
  test(`an export with ${what} is not complete: nothing is written`, async () => {
    writeExport({ ...exported(), ...files, 'manifest.json': manifestOf(manifest) })
    const refused = await score('--history', 'complete')
    assert.equal(refused.code, 1)
    assert.match(refused.err, says)
    assert.deepEqual(readdirSync(output()), [])
  })
}

test('an export that is not complete is refused as a partial history too, until its gaps are accepted', async () => {
  const gap = 'The manifest lists messages of the server about what it did not export.'
  writeExport({ ...exported(), 'manifest.json': manifestOf({ outcome: [{ url: `${BASE}e.ndjson` }] }) })
  assert.equal((await score()).code, 1)
  const { code, err } = await score('--accept-incomplete')
  assert.equal(code, 0, err)
  assert.ok(err.includes(gap))
  const manifest = JSON.parse(readFileSync(join(output(), 'manifest.json'), 'utf8')) as {
    readonly extension: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }
  const { history, incomplete } = manifest.extension['urn:patient-risk:run'] ?? {}
  assert.deepEqual([history, incomplete], ['partial', [gap]])
})

test('as many resources as counted are complete', async () => {
  const counted = { output: [{ type: 'Patient', url: `${BASE}Patient.1.ndjson`, count: PATIENTS }] }
  writeExport({ ...exported(), 'manifest.json': manifestOf(counted) })
  assert.equal((await score('--history', 'complete')).code, 0)
})

const ONE = resourcesOf(1)
const withManifest = async (files: Readonly<Record<string, readonly object[]>>): Promise<string> => {
  writeExport({ ...files, 'manifest.json': manifestOf() })
  const { code, err } = await score('--history', 'complete')
  assert.equal(code, 0, err)
  return err
}
const riskOfOne = (): number | undefined => {
  const files = readdirSync(output())
  if (!files.includes('RiskAssessment.1.ndjson')) return undefined
  return risksOf(linesOf('RiskAssessment.1.ndjson')).get(`${BASE}Patient/p1`)
}

test('deleted resources do not count', async () => {
  const old = stay('p1', 'deleted', 'IMP', '2025-11-01', '2025-11-05')
  await withManifest({ 'all.ndjson': ONE })
  const without = riskOfOne()
  rmSync(output(), { recursive: true })
  await withManifest({ 'all.ndjson': [...ONE, old] })
  assert.notEqual(riskOfOne(), without)
  rmSync(output(), { recursive: true })
  const entry = [{ request: { method: 'DELETE', url: `Encounter/${old.id}` } }]
  await withManifest({
    'all.ndjson': [...ONE, old],
    'deleted/1.ndjson': [{ resourceType: 'Bundle', type: 'transaction', entry }],
  })
  assert.equal(riskOfOne(), without)
})

test('of two versions the newest counts; without times there is no risk', async () => {
  const index = ONE[1] as Resource
  const older = { ...index, meta: { lastUpdated: '2026-03-10T00:00:00Z' }, status: 'entered-in-error' }
  const newer = { ...index, meta: { lastUpdated: '2026-03-10T00:00:00.001Z' } }
  const rest = ONE.filter((each) => each !== index)
  await withManifest({ 'all.ndjson': [...rest, index] })
  const expected = riskOfOne()
  assert.ok(expected !== undefined)
  for (const [files, wanted] of [
    [[...rest, older, newer], expected],
    [[...rest, newer, older], expected],
    [[...rest, index, { ...index, status: 'entered-in-error' }], undefined],
  ] as const) {
    rmSync(output(), { recursive: true })
    await withManifest({ 'all.ndjson': files })
    assert.equal(riskOfOne(), wanted)
  }
})

test('a resource of an unknown patient is a doubt for everybody; one of a patient who is not there concerns nobody', async () => {
  const orphan = { ...stay('p1', 'orphan', 'IMP', '2025-11-01', '2025-11-05'), subject: undefined }
  const identified = {
    ...orphan,
    id: 'identified',
    subject: { identifier: { system: 'urn:mrn', value: 'somebody' } },
  }
  for (const resources of [[orphan], [orphan, identified], [identified, orphan]]) {
    await withManifest({ 'all.ndjson': [...ONE, ...resources] })
    assert.equal(riskOfOne(), undefined)
    rmSync(output(), { recursive: true })
  }
  const said = await withManifest({
    'all.ndjson': [...ONE, stay('p999', 'other', 'IMP', '2025-11-01', '2025-11-05')],
  })
  assert.ok(riskOfOne() !== undefined)
  assert.match(said, /1 resources name a Patient that the export does not have/)
})

const IDENTIFIED = { system: 'urn:mrn', value: '17' }
const [OWN, ...REST] = ONE as readonly [Resource, ...Resource[]]
const NUMBERED = { ...OWN, identifier: [IDENTIFIED] }
const EXTRA = stay('p1', 'extra', 'IMP', '2025-11-01', '2025-11-05')
const CLINIC = stay('p1', 'clinic', 'AMB', '2025-11-01', '2025-11-01')
for (const [name, resources] of [
  [
    'a stay of nobody before a clinic visit of nobody',
    [
      { ...EXTRA, subject: {} },
      { ...CLINIC, subject: {} },
    ],
  ],
  [
    'a stay of nobody after a clinic visit of nobody',
    [
      { ...CLINIC, subject: {} },
      { ...EXTRA, subject: {} },
    ],
  ],
  [
    'a stay under an old id with the number of the patient',
    [{ ...EXTRA, subject: { reference: 'Patient/old', identifier: IDENTIFIED } }],
  ],
  [
    'a stay of a record that a Person connects',
    [
      { ...EXTRA, subject: { reference: 'Patient/p8' } },
      { resourceType: 'Patient', id: 'p8' },
      {
        resourceType: 'Person',
        id: 'x',
        link: [{ target: { reference: 'Patient/p1' } }, { target: { reference: 'Patient/p8' } }],
      },
    ],
  ],
  [
    'a record elsewhere that a Linkage connects',
    [
      {
        resourceType: 'Linkage',
        id: 'x',
        item: [{ resource: { reference: 'Patient/p1' } }, { resource: { reference: 'Patient/p9' } }],
      },
    ],
  ],
] as const)
  test(`${name}: no count`, async () => {
    await withManifest({ 'all.ndjson': [NUMBERED, ...REST] })
    assert.ok(riskOfOne() !== undefined)
    rmSync(output(), { recursive: true })
    await withManifest({ 'all.ndjson': [NUMBERED, ...REST, ...resources] })
    assert.equal(riskOfOne(), undefined)
  })

test('200 resources of nobody are read, and more are refused', async () => {
  const orphans = Array.from({ length: 201 }, (_, at) => ({ ...CLINIC, id: `x${at}`, subject: {}, note: at }))
  await withManifest({ 'all.ndjson': [...ONE, ...orphans.slice(1)] })
  rmSync(output(), { recursive: true })
  writeExport({ 'all.ndjson': [...ONE, ...orphans], 'manifest.json': manifestOf() })
  const { code, err } = await score('--history', 'complete')
  assert.equal(code, 1)
  assert.match(err, /more than 200 resources that name no patient/)
})

for (const [name, says] of [
  ['Encounter.3.json', /These files may hold resources and were not read: Encounter\.3\.json\./],
  ['Encounter.3.ndjson.zst', /were not read: Encounter\.3\.ndjson\.zst\./],
  ['3.NDJSON', /were not read: 3\.NDJSON\./],
  ['part/2.ndjson.part', /were not read: part\/2\.ndjson\.part\./],
  ['error/1.ndjson', /The server has written messages about what it did not export: error\/1\.ndjson\./],
  ['small.ndjson', /1 lines are not a resource/],
] as const)
  test(`without a manifest, ${name} makes the export incomplete`, async () => {
    writeExport({ 'all.ndjson': ONE, [name]: [{ ...EXTRA, resourceType: 'encounter' }] })
    const { code, err } = await score('--history', 'complete', '--as-of', AS_OF)
    assert.equal(code, 1)
    assert.match(err, says)
  })

test('without a manifest the moment must be given, and the results name patients by their ids', async () => {
  writeExport({ 'all.ndjson': ONE })
  const refused = await score('--history', 'complete')
  assert.equal(refused.code, 2)
  assert.match(refused.err, /--as-of/)
  const { code, err } = await score('--history', 'complete', '--as-of', AS_OF)
  assert.equal(code, 0, err)
  assert.deepEqual([...risksOf(linesOf('RiskAssessment.1.ndjson')).keys()], ['Patient/p1'])
})

test("a stay of the same id in capitals may be the patient's, as in $score: no count", async () => {
  const [first, ...others] = ONE
  const capitals = { ...stay('P1', 'other', 'IMP', '2025-10-10', '2025-10-12'), id: 'other' }
  await withManifest({ 'all.ndjson': [first as Resource, ...others, capitals] })
  assert.equal(riskOfOne(), undefined)
  assert.match(
    JSON.stringify(linesOf('OperationOutcome.1.ndjson')),
    /ValueMissing for value inpatientAdmissions/,
  )
})

for (const [words, says] of [
  [['--as-of', 'yesterday'], /--as-of takes a date/],
  [['--as-of', '2999-01-01'], /must not lie in the future/],
  [['--history', 'most'], /--history takes complete or partial/],
  [['--history', 'complete', '--accept-incomplete'], /either --history complete or --accept-incomplete/],
  [['--deployment', 'none'], /There is no deployment none/],
] as const) {
  test(`wrong use: ${words.join(' ')}`, async () => {
    writeExport({ 'all.ndjson': ONE })
    const { code, err } = await score('--as-of', AS_OF, ...words)
    assert.equal(code, 2)
    assert.match(err, says)
  })
}

test('a folder of results that is not empty stays as it is', async () => {
  writeExport({ 'all.ndjson': ONE })
  mkdirSync(output())
  writeFileSync(join(output(), 'other.txt'), 'mine')
  const { code, err } = await score('--as-of', AS_OF)
  assert.equal(code, 2)
  assert.match(err, /new or empty/)
  assert.deepEqual(readdirSync(output()), ['other.txt'])
})

test('a folder without lines of resources is refused', async () => {
  mkdirSync(input())
  const { code, err } = await score('--as-of', AS_OF)
  assert.equal(code, 1)
  assert.match(err, /no file that ends in \.ndjson/)
})
