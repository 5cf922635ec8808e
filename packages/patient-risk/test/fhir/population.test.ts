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

interface ManifestJson {
  readonly output: readonly { readonly type: string; readonly url: string; readonly count: number }[]
  readonly error: readonly { readonly count: number }[]
  readonly extension: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}
const readManifest = (): ManifestJson =>
  JSON.parse(readFileSync(join(output(), 'manifest.json'), 'utf8')) as ManifestJson

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

test('every patient has the number that $score gives for its Bundle, the others their reasons; the manifest counts them', async () => {
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

  const { output: files, error, extension } = readManifest()
  assert.equal(files[0]?.count, assessments.length)
  assert.equal(error[0]?.count, linesOf('OperationOutcome.1.ndjson').length)
  assert.match(files[0].url, /^file:\/\/.*RiskAssessment\.1\.ndjson$/)
  const { patients, scored, model, incomplete } = extension['urn:patient-risk:run'] ?? {}
  assert.deepEqual([patients, scored, model, incomplete], [PATIENTS, assessments.length, 'readmission30', []])

  rmSync(output(), { recursive: true })
  await score('--history', 'complete')
  assert.deepEqual(linesOf('RiskAssessment.1.ndjson'), assessments, 'a second run gives the same ids')
})

/** What is wrong with an export, and what is said of it. */
const INCOMPLETE: readonly (readonly [
  string,
  object,
  Readonly<Record<string, readonly object[] | string>>,
  readonly RegExp[],
])[] = [
  [
    'messages of the server',
    { error: [{ type: 'OperationOutcome', url: `${BASE}e.ndjson` }] },
    {},
    [/messages of the server/],
  ],
  [
    'a next manifest, a part of the data and of the types, files and resources that are not there, and lines that are no resource',
    {
      link: [{ relation: 'next', url: `${BASE}2` }],
      request: `${BASE}$export?_since=2026-01-01T00:00:00Z&_type=Patient,Encounter`,
      output: [
        { type: 'Encounter', url: `${BASE}Encounter.3.ndjson` },
        { type: 'Patient', url: `${BASE}Patient.1.ndjson`, count: PATIENTS + 1 },
      ],
    },
    {
      'Condition.1.ndjson': '{"resourceType":"Condition","id":"c1","sub',
      'Condition.2.ndjson': [{ resourceType: 'Condition' }],
    },
    [
      /next manifest/,
      /asked for with _since/,
      /without Observation, Condition/,
      /Encounter\.3\.ndjson/,
      /counts 61 resources Patient, and the files have 60/,
      /Condition\.1\.ndjson:1/,
      /Condition\.2\.ndjson:1/,
    ],
  ],
  [
    'messages among the resources, and lines that may hold resources or have no type',
    { request: `${BASE}$export?_outputFormat=ndjson&_elements=id&_until=2026-01-01` },
    {
      'messages.ndjson': [
        { resourceType: 'OperationOutcome', issue: [{ severity: 'information', code: 'informational' }] },
        { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code: 'exception' }] },
      ],
      'others.ndjson': [
        { resourceType: 'Bundle', type: 'collection' },
        { id: 'x' },
        { resourceType: 'person' },
      ],
    },
    [
      /asked for with _elements/,
      /asked for with _until/,
      /among the resources: \S*messages\.ndjson:2\./,
      /others\.ndjson:1, \S*others\.ndjson:2, \S*others\.ndjson:3/,
    ],
  ],
]

for (const [what, manifest, files, says] of INCOMPLETE) {
  test(`an export with ${what} is not complete: nothing is written`, async () => {
    writeExport({ ...exported(), ...files, 'manifest.json': manifestOf(manifest) })
    const refused = await score('--history', 'complete')
    assert.equal(refused.code, 1)
    for (const each of says) assert.match(refused.err, each)
    assert.deepEqual(readdirSync(output()), [])
  })
}

test('an export that is not complete is refused as a partial history too, until its gaps are accepted', async () => {
  const gap = 'The manifest lists messages of the server about what it did not export.'
  // As the list is called in newer servers.
  const manifestWith = manifestOf({ outcome: [{ url: `${BASE}e.ndjson` }] })
  writeExport({ 'all.ndjson': ONE, 'manifest.json': manifestWith })
  assert.equal((await score()).code, 1)
  const { code, err } = await score('--accept-incomplete')
  assert.equal(code, 0, err)
  assert.ok(err.includes(gap))
  const { history, incomplete } = readManifest().extension['urn:patient-risk:run'] ?? {}
  assert.deepEqual([history, incomplete], ['partial', [gap]])
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

/** The resources of the patient ONE under another id. */
function onesOf(id: string, resources: readonly Resource[] = ONE): readonly Resource[] {
  return JSON.parse(JSON.stringify(resources).replaceAll(/\bp1\b/g, id)) as readonly Resource[]
}

const [OWN, INDEX, ...REST] = ONE as readonly [Resource, Resource, ...Resource[]]
const IDENTIFIED = { system: 'urn:mrn', value: 'p1' }
const NUMBERED = { ...OWN, identifier: [IDENTIFIED] }
const EXTRA = stay('p1', 'extra', 'IMP', '2025-11-01', '2025-11-05')
const CLINIC = stay('p1', 'clinic', 'AMB', '2025-11-01', '2025-11-01')
const OLDER = { ...INDEX, meta: { lastUpdated: '2026-03-10T00:00:00Z' }, status: 'entered-in-error' }
const NEWER = { ...INDEX, meta: { lastUpdated: '2026-03-10T00:00:00.001Z' } }

/** The resources of a patient who is written as p1 here, and what comes of them. */
const PATIENT_CASES: readonly (readonly [string, readonly Resource[], 'as before' | 'more' | 'none'])[] = [
  ['a stay more counts', [...ONE, EXTRA], 'more'],
  ['a deleted stay does not count', [...ONE, { ...EXTRA, id: 'p1-deleted' }], 'as before'],
  ['of two versions the newest counts, if it comes last', [OWN, ...REST, OLDER, NEWER], 'as before'],
  ['of two versions the newest counts, if it comes first', [OWN, ...REST, NEWER, OLDER], 'as before'],
  ['two versions without times: no risk', [...ONE, { ...INDEX, status: 'entered-in-error' }], 'none'],
  ['a number changes nothing', [NUMBERED, INDEX, ...REST], 'as before'],
  [
    'a stay under an old id with the number of the patient: no count',
    [
      ...[NUMBERED, INDEX, ...REST],
      { ...EXTRA, subject: { reference: 'Patient/old', identifier: IDENTIFIED } },
    ],
    'none',
  ],
  [
    'a stay of a record that a Person connects: no count',
    [
      ...ONE,
      { ...EXTRA, subject: { reference: 'Patient/p1-8' } },
      { resourceType: 'Patient', id: 'p1-8' },
      {
        resourceType: 'Person',
        id: 'p1-x',
        link: [{ target: { reference: 'Patient/p1' } }, { target: { reference: 'Patient/p1-8' } }],
      },
    ],
    'none',
  ],
  [
    'a stay of a record that a Person connects, by its id and by the number of the patient: no count',
    [
      ...[NUMBERED, INDEX, ...REST],
      { ...EXTRA, subject: { reference: 'Patient/p1-7' } },
      { resourceType: 'Patient', id: 'p1-7' },
      {
        resourceType: 'Person',
        id: 'p1-y',
        link: [{ target: { identifier: IDENTIFIED } }, { target: { reference: 'Patient/p1-7' } }],
      },
    ],
    'none',
  ],
  [
    'a stay of a record that a Person connects by two numbers: no count',
    [
      ...[NUMBERED, INDEX, ...REST],
      { ...EXTRA, subject: { reference: 'Patient/p1-6' } },
      { resourceType: 'Patient', id: 'p1-6', identifier: [{ system: 'urn:mrn', value: ' p1-6 ' }] },
      {
        resourceType: 'Person',
        id: 'p1-z',
        link: [IDENTIFIED, { system: 'urn:mrn', value: 'p1-6' }].map((identifier) => ({
          target: { identifier },
        })),
      },
    ],
    'none',
  ],
  [
    'a stay of a record that names the patient by its number in a link: no count',
    [
      ...[NUMBERED, INDEX, ...REST],
      { ...EXTRA, subject: { reference: 'Patient/p1-5' } },
      {
        resourceType: 'Patient',
        id: 'p1-5',
        link: [{ type: 'seealso', other: { identifier: IDENTIFIED } }],
      },
    ],
    'none',
  ],
  [
    'a second record with the number of the patient, without its system: no risk',
    [
      ...[NUMBERED, INDEX, ...REST],
      { ...EXTRA, subject: { reference: 'Patient/p1-4' } },
      { resourceType: 'Patient', id: 'p1-4', identifier: [{ value: 'p1' }] },
    ],
    'none',
  ],
  [
    'a second record with the number of the patient as another one, and a number of its own',
    [
      ...[NUMBERED, INDEX, ...REST],
      { ...EXTRA, subject: { reference: 'Patient/p1-3' } },
      {
        resourceType: 'Patient',
        id: 'p1-3',
        identifier: [{ value: 'p1' }, { system: 'urn:mrn', value: 'p1-3' }],
      },
    ],
    'as before',
  ],
  [
    'a record elsewhere that a Linkage connects: no count',
    [
      ...ONE,
      {
        resourceType: 'Linkage',
        id: 'p1-x',
        item: [{ resource: { reference: 'Patient/p1' } }, { resource: { reference: 'Patient/p1-9' } }],
      },
    ],
    'none',
  ],
  [
    "a stay of the same id in capitals may be the patient's, as in $score: no count",
    [...ONE, { ...EXTRA, subject: { reference: 'Patient/P1' } }],
    'none',
  ],
]

test('what belongs to a patient counts for that patient', async () => {
  const ids = PATIENT_CASES.map((_each, at) => `case${at}`)
  const resources = PATIENT_CASES.flatMap(([, own], at) =>
    onesOf(ids[at] as string, own).map((each) => {
      const { reference = '' } = (each['subject'] ?? {}) as { readonly reference?: string }
      return reference === `Patient/P1` ? { ...each, subject: { reference: `Patient/CASE${at}` } } : each
    }),
  )
  const deleted = resources.filter(({ id }) => id.endsWith('-deleted'))
  const entry = deleted.map(({ id }) => ({ request: { method: 'DELETE', url: `Encounter/${id}` } }))
  // As many resources as counted are complete.
  const count = resources.filter(({ resourceType }) => resourceType === 'Patient').length + 1
  const counted = { output: [{ type: 'Patient', url: `${BASE}all.ndjson`, count }] }
  writeExport({
    'all.ndjson': [...ONE, ...resources],
    'deleted/1.ndjson': [{ resourceType: 'Bundle', type: 'transaction', entry }],
    'manifest.json': manifestOf(counted),
  })
  const { code, err } = await score('--history', 'complete')
  assert.equal(code, 0, err)
  const risks = risksOf(linesOf('RiskAssessment.1.ndjson'))
  const before = risks.get(`${BASE}Patient/p1`)
  assert.ok(before !== undefined)
  const reasons = linesOf('OperationOutcome.1.ndjson').map((each) => JSON.stringify(each))
  for (const [at, [name, , expected]] of PATIENT_CASES.entries()) {
    const reference = `${BASE}Patient/case${at}`
    const risk = risks.get(reference)
    const said = reasons.filter((each) => each.includes(`"${reference}"`)).join()
    if (expected === 'as before') assert.equal(risk, before, name)
    else if (expected === 'more') assert.ok(risk !== undefined && risk > before, name)
    else {
      assert.equal(risk, undefined, name)
      assert.notEqual(said, '', name)
    }
    if (name.endsWith('no count')) assert.match(said, /ValueMissing for value inpatientAdmissions/, name)
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

for (const [name, resources] of [
  [
    'before',
    [
      { ...EXTRA, subject: {} },
      { ...CLINIC, subject: {} },
    ],
  ],
  [
    'after',
    [
      { ...CLINIC, subject: {} },
      { ...EXTRA, subject: {} },
    ],
  ],
] as const)
  test(`a stay of nobody ${name} a clinic visit of nobody: no count`, async () => {
    await withManifest({ 'all.ndjson': [...ONE, ...resources] })
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

test('without a manifest, files that may hold more make the export incomplete', async () => {
  const unread = ['3.NDJSON', 'Encounter.3.json', 'Encounter.3.ndjson.zst', 'part/2.ndjson.part']
  const written = [...unread, 'error/1.ndjson', 'small.ndjson']
  const lines = [{ ...EXTRA, resourceType: 'encounter' }]
  writeExport({ 'all.ndjson': ONE, ...Object.fromEntries(written.map((name) => [name, lines])) })
  const { code, err } = await score('--history', 'complete', '--as-of', AS_OF)
  assert.equal(code, 1)
  const [, named = ''] = /^These files may hold resources and were not read: (.*?)\. Give /m.exec(err) ?? []
  assert.deepEqual(named.split(', ').toSorted(), unread)
  assert.match(err, /The server has written messages about what it did not export: error\/1\.ndjson\./)
  assert.match(err, /1 lines are not a resource/)
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

test('results are in the language that is asked for, with the same numbers and codes', async () => {
  writeExport({ 'all.ndjson': ONE })
  const resultsIn = async (language: string): Promise<string> => {
    const { code, err } = await score('--history', 'complete', '--as-of', AS_OF, '--language', language)
    assert.equal(code, 0, err)
    const [assessment = assert.fail()] = linesOf('RiskAssessment.1.ndjson')
    rmSync(output(), { recursive: true })
    assert.equal(risksOf([assessment]).size, 1)
    return JSON.stringify(assessment)
  }
  const inCatalan = await resultsIn('ca')
  assert.match(inCatalan, /"text":"Reingrés en 30 dies 1\.0\.\d+"/)
  const numbersOf = (text: string): readonly string[] =>
    text.match(/"probabilityDecimal":[\d.]+|"code":"[^"]+"/g) ?? []
  assert.deepEqual(numbersOf(inCatalan), numbersOf(await resultsIn('en')))
})

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
