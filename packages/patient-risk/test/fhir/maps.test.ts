/** `patient-risk fhir maps`: maps of codes from a terminology server that behaves as R4 says, and what is done with them. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { runHere, type Ran } from '../../../../test/support/run-command.ts'

const SNOMED = 'http://snomed.info/sct'
const ICD = 'http://hl7.org/fhir/sid/icd-10'
const ICD_MAP = 'http://snomed.info/sct?fhir_cm=447562003'
type Resource = Readonly<Record<string, unknown>>

/** The translations of the server: equivalence and code. */
const TRANSLATIONS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  '52448006': [['equivalent', 'F03']],
  '84114007': [['wider', 'I50.9']],
  '195967001': [
    ['equivalent', 'J45.9'],
    ['relatedto', 'J45.0'],
  ],
  '271737000': [['relatedto', 'D64.9']],
  '404684003': [],
  '5': [['equivalent', 'M54.1?']],
}
const VALUE_SET = 'https://tx.example/ValueSet/dementia'

let server: Server
let base = ''
let calls: { readonly url: URL; readonly token: string | undefined }[] = []
/** The codes of the value set, and what the server does differently. */
let codes: readonly string[] = []
let misbehave: (url: URL, response: ServerResponse) => boolean = () => false

function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '', base)
  calls.push({ url, token: request.headers.authorization })
  if (misbehave(url, response)) return
  const send = (status: number, body: Resource): void => {
    response.writeHead(status, { 'content-type': 'application/fhir+json' }).end(JSON.stringify(body))
  }
  if (url.pathname.endsWith('/ConceptMap/$translate')) send(...translate(url.searchParams))
  else if (url.pathname.endsWith('/ValueSet/$expand')) send(...expand(url.searchParams))
  else send(404, { resourceType: 'OperationOutcome', issue: [] })
}

function translate(query: URLSearchParams): readonly [number, Resource] {
  const matches = TRANSLATIONS[query.get('code') ?? '']
  const isAsked = query.get('system') === SNOMED && query.get('targetsystem') === ICD
  if (matches === undefined || !isAsked) return [404, { resourceType: 'OperationOutcome', issue: [] }]
  const match = matches.map(([equivalence, code]) => ({
    name: 'match',
    part: [
      { name: 'equivalence', valueCode: equivalence },
      { name: 'concept', valueCoding: { system: ICD, code, display: `display of ${code}` } },
      { name: 'source', valueUri: ICD_MAP },
    ],
  }))
  const result = { name: 'result', valueBoolean: matches.length > 0 }
  return [200, { resourceType: 'Parameters', parameter: [result, ...match] }]
}

function expand(query: URLSearchParams): readonly [number, Resource] {
  if (query.get('url')?.startsWith(VALUE_SET) !== true)
    return [404, { resourceType: 'OperationOutcome', issue: [] }]
  const offset = Number(query.get('offset') ?? 0)
  const contains = codes
    .slice(offset, offset + Number(query.get('count') ?? Infinity))
    .map((code) => ({ system: SNOMED, code, display: `display of ${code}` }))
  const expansion = { timestamp: new Date().toISOString(), total: codes.length, offset, contains }
  return [200, { resourceType: 'ValueSet', status: 'active', url: VALUE_SET, expansion }]
}

before(async () => {
  server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/r4`
})
after(() => {
  server.closeAllConnections()
  server.close()
})

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'maps-'))
  codes = ['52448006', '26929004']
  calls = []
  misbehave = () => false
})
afterEach(() => rmSync(folder, { recursive: true }))

const site = (): string => join(folder, 'site')
const mapsIn = (): string => join(site(), 'fhir', 'maps')
const filesOf = (): readonly string[] => (existsSync(mapsIn()) ? readdirSync(mapsIn()).sort() : [])
const readMap = (name: string): Resource => JSON.parse(readFileSync(join(mapsIn(), name), 'utf8')) as Resource
function codesFile(...lines: readonly string[]): string {
  const path = join(folder, 'codes.txt')
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}
const maps = (words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  runHere(['fhir', 'maps', '--from', base, '--quiet', '--output', site(), ...words], env)

test('codes are translated one by one into a ConceptMap, sorted, with the words of the server', async () => {
  const path = codesFile(
    '84114007',
    '# a comment',
    '52448006',
    '52448006',
    '195967001 # asthma',
    '404684003',
    '5',
  )
  const { code, err } = await maps(['--codes', path])
  assert.equal(code, 0, err)
  assert.deepEqual(filesOf(), ['conceptmap-snomed-info-sct.json'])
  const target = (equivalence: string, icd: string): Resource => ({
    code: icd,
    display: `display of ${icd}`,
    equivalence,
  })
  assert.deepEqual(readMap('conceptmap-snomed-info-sct.json'), {
    resourceType: 'ConceptMap',
    status: 'active',
    group: [
      {
        source: SNOMED,
        target: ICD,
        element: [
          { code: '195967001', target: [target('equivalent', 'J45.9'), target('relatedto', 'J45.0')] },
          { code: '404684003', target: [{ equivalence: 'unmatched' }] },
          {
            code: '5',
            target: [{ equivalence: 'unmatched', comment: 'The server gave "M54.1?".' }],
          },
          { code: '52448006', target: [target('equivalent', 'F03')] },
          { code: '84114007', target: [target('wider', 'I50.9')] },
        ],
      },
    ],
  })
  assert.match(err, /3 of 5 codes have a translation that is certain\. Without one: 404684003, 5\./)
  assert.equal(calls.length, 5)
  const before = readFileSync(join(mapsIn(), 'conceptmap-snomed-info-sct.json'), 'utf8')
  assert.equal((await maps(['--codes', path])).code, 0)
  assert.equal(readFileSync(join(mapsIn(), 'conceptmap-snomed-info-sct.json'), 'utf8'), before)
})

test('the ConceptMap to use is named to the server, and so is the token, which nothing prints', async () => {
  const { code, err, out } = await maps(['--codes', codesFile('52448006'), '--map', ICD_MAP], {
    TERMINOLOGY_TOKEN: 'secret-token',
  })
  assert.equal(code, 0, err)
  assert.deepEqual(
    calls.map(({ url, token }) => [url.searchParams.get('url'), token]),
    [[ICD_MAP, 'Bearer secret-token']],
  )
  const written = readFileSync(join(mapsIn(), 'conceptmap-snomed-info-sct.json'), 'utf8')
  assert.ok(!(err + out + written).includes('secret-token'))
})

test('codes that the server refuses are named and stay out; where it refuses all, nothing is written', async () => {
  const { code, err } = await maps(['--codes', codesFile('52448006', '999')])
  assert.equal(code, 0, err)
  assert.match(err, /refused 1 codes, which stay unclear: 999\./)
  rmSync(mapsIn(), { recursive: true })
  const all = await maps(['--codes', codesFile('999', '998')])
  assert.equal(all.code, 1)
  assert.match(all.err, /refused all codes/)
  assert.deepEqual(filesOf(), [])
})

/** How many codes a value set has, how many pages that takes, and its group. */
const PAGES: readonly (readonly [number, number, string])[] = [
  [1, 1, 'dementia'],
  [999, 1, 'myocardialInfarction'],
  [1_000, 1, 'cerebrovascular'],
  [1_001, 2, 'peripheralVascular'],
  [2_500, 3, 'pepticUlcer'],
]
test('a value set is read in pages of 1,000 codes', async () => {
  const codesOf = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, at) => String(100_000 + at))
  misbehave = (url) => {
    // The codes of the set that is asked for.
    codes = codesOf(Number(url.searchParams.get('url')?.split('-').at(-1)))
    return false
  }
  const sets = PAGES.flatMap(([count, , group]) => ['--value-set', `${group}=${VALUE_SET}-${count}`])
  const { code, err } = await maps(sets)
  assert.equal(code, 0, err)
  for (const [count, pages, group] of PAGES) {
    const asked = calls.filter(({ url }) => url.searchParams.get('url') === `${VALUE_SET}-${count}`)
    assert.equal(asked.length, pages, group)
    const { compose, identifier } = readMap(`valueset-${group}.json`) as {
      readonly compose: { readonly include: readonly { readonly concept: readonly Resource[] }[] }
      readonly identifier: unknown
    }
    assert.deepEqual(
      compose.include[0]?.concept.map(({ code: each }) => each),
      codesOf(count),
    )
    assert.deepEqual(identifier, [{ system: 'urn:patient-risk:diagnosis-groups', value: group }])
  }
})

const expansionWith =
  (change: (expansion: Resource, url: URL) => Resource) =>
  (url: URL, response: ServerResponse): boolean => {
    const [, body] = expand(url.searchParams)
    const expansion = change(body['expansion'] as Resource, url)
    response
      .writeHead(200, { 'content-type': 'application/fhir+json' })
      .end(JSON.stringify({ ...body, expansion }))
    return true
  }
const plain =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
  (_url: URL, response: ServerResponse): boolean => {
    response.writeHead(status, { 'content-type': 'application/fhir+json', ...headers }).end(body)
    return true
  }
test('without a total the pages end with an empty one, also where pages are shorter than asked for', async () => {
  codes = Array.from({ length: 250 }, (_, at) => String(at))
  misbehave = expansionWith(({ contains, ...expansion }) => ({
    ...expansion,
    total: undefined,
    contains: (contains as readonly Resource[]).slice(0, 100),
  }))
  const { code, err } = await maps(['--value-set', `dementia=${VALUE_SET}`])
  assert.equal(code, 0, err)
  assert.match(err, /dementia: 250 codes\./)
  assert.equal(calls.length, 4)
})

/** How a server says of a code, which is the place of the row, that it is F03, and the equivalence that is written. */
const TOLD: readonly (readonly [readonly Resource[], boolean, string])[] = [
  [[{ name: 'relationship', valueCode: 'equivalent' }], true, 'equivalent'],
  [[{ name: 'relationship', valueCode: 'source-is-narrower-than-target' }], true, 'wider'],
  [[{ name: 'relationship', valueCode: 'source-is-broader-than-target' }], true, 'narrower'],
  [[{ name: 'relationship', valueCode: 'related-to' }], true, 'relatedto'],
  [[{ name: 'relationship', valueCode: 'not-related-to' }], true, 'disjoint'],
  [[{ name: 'equivalence', valueCode: 'wider' }], true, 'wider'],
  [[{ name: 'equivalence', valueString: 'equal' }], true, 'equal'],
  [[], true, 'relatedto'],
  [
    [
      { name: 'equivalence', valueCode: 'equivalent' },
      { name: 'dependsOn', part: [] },
    ],
    true,
    'relatedto',
  ],
  [
    [
      { name: 'equivalence', valueCode: 'equivalent' },
      { name: 'product', part: [] },
    ],
    true,
    'relatedto',
  ],
  [[{ name: 'equivalence', valueCode: 'equivalent' }], false, 'unmatched'],
]
test('what a server says of a match is written as one of the equivalences', async () => {
  misbehave = (url, response) => {
    const [parts, result] = TOLD[Number(url.searchParams.get('code'))] as (typeof TOLD)[number]
    const concept = { name: 'concept', valueCoding: { system: ICD, code: 'F03' } }
    const parameter = [
      { name: 'result', valueBoolean: result },
      { name: 'match', part: [...parts, concept] },
    ]
    return plain(200, JSON.stringify({ resourceType: 'Parameters', parameter }))(url, response)
  }
  const { code, err } = await maps(['--codes', codesFile(...TOLD.map((_each, at) => String(at)))])
  assert.equal(code, 0, err)
  const [group] = readMap('conceptmap-snomed-info-sct.json')['group'] as readonly {
    readonly element: readonly { readonly code: string; readonly target: readonly Resource[] }[]
  }[]
  for (const [at, [parts, result, equivalence]] of TOLD.entries()) {
    const told = group?.element.find((each) => each.code === String(at))
    assert.equal(told?.target[0]?.['equivalence'], equivalence, `${JSON.stringify(parts)}, ${result}`)
  }
})

/** What a server does wrong with a value set of 1,500 codes, and what the command says. */
const WRONG: readonly (readonly [string, typeof misbehave, RegExp])[] = [
  ['an error', plain(500, '{}'), /status 500/],
  ['no JSON', plain(200, '<html>', { 'content-type': 'text/html' }), /something other than plain JSON/],
  ['broken JSON', plain(200, '{"a"'), /did not answer ValueSet\/\$expand with ValueSet/],
  ['another resource', plain(200, '{"resourceType":"OperationOutcome"}'), /did not answer .* with ValueSet/],
  ['a redirect', plain(302, '', { location: 'http://elsewhere.example' }), /status 302/],
  [
    'the first page again',
    expansionWith((expansion) => ({ ...expansion, offset: undefined, contains: contained(0) })),
    /gave a code twice/,
  ],
  ['another offset', expansionWith((expansion) => ({ ...expansion, offset: 7 })), /another page/],
  [
    'fewer codes than its total',
    expansionWith((expansion) => ({ ...expansion, total: 1_600 })),
    /fewer codes than the total/,
  ],
  [
    'another total on the second page',
    expansionWith((expansion, url) => ({
      ...expansion,
      total: 1_500 + Number(url.searchParams.get('offset')),
    })),
    /changed while it was read/,
  ],
  [
    'an expansion that it has cut',
    expansionWith((expansion) => ({
      ...expansion,
      parameter: [{ name: 'limitedExpansion', valueBoolean: true }],
    })),
    /a part of the value set only/,
  ],
  [
    'an expansion that was too costly',
    expansionWith((expansion) => ({
      ...expansion,
      extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/valueset-toocostly', valueBoolean: true }],
    })),
    /a part of the value set only/,
  ],
  ['no codes', expansionWith((expansion) => ({ ...expansion, total: 0, contains: [] })), /has no codes/],
]
function contained(from: number): readonly Resource[] {
  return codes.slice(from, from + 1_000).map((code) => ({ system: SNOMED, code }))
}
for (const [name, wrong, message] of WRONG) {
  test(`a server that gives ${name} is refused, and nothing is written`, async () => {
    codes = Array.from({ length: 1_500 }, (_, at) => String(at))
    misbehave = wrong
    const { code, err } = await maps(['--value-set', `dementia=${VALUE_SET}`])
    assert.equal(code, 1)
    assert.match(err, message)
    assert.deepEqual(filesOf(), [])
  })
}

test('a busy server is waited for', async () => {
  let isBusy = true
  misbehave = (_url, response) => {
    if (!isBusy) return false
    isBusy = false
    response.writeHead(429, { 'retry-after': '1' }).end()
    return true
  }
  const { code, err } = await maps(['--codes', codesFile('52448006')])
  assert.equal(code, 0, err)
})

test('what would contradict a file that is there is refused, and nothing is written', async () => {
  mkdirSync(mapsIn(), { recursive: true })
  const element = [{ code: '52448006', target: [{ code: 'F05', equivalence: 'equivalent' }] }]
  const own = {
    resourceType: 'ConceptMap',
    status: 'active',
    group: [{ source: SNOMED, target: ICD, element }],
  }
  writeFileSync(join(mapsIn(), 'own.json'), JSON.stringify(own))
  const { code, err } = await maps(['--codes', codesFile('52448006')])
  assert.equal(code, 1)
  assert.match(err, /52448006 is translated in another way in .*own\.json/)
  assert.deepEqual(filesOf(), ['own.json'])
})

/** Words of the command, and what is wrong with them. */
const USAGE: readonly (readonly [readonly string[], RegExp, Record<string, string>?])[] = [
  [[], /--codes, or value sets with --value-set/],
  [['--value-set', 'dementia'], /GROUP=URL/],
  [['--value-set', 'dementai=http://x.example'], /no group dementai\. There are known, myocardialInfarction/],
  [['--codes', '/does/not/exist'], /cannot be read/],
  [['--codes', 'x', '--from', 'ftp://x.example'], /--from takes/],
  [['--codes', 'x', '--from', 'http://tx.example'], /https only/, { TERMINOLOGY_TOKEN: 'x' }],
]
for (const [words, message, env] of USAGE) {
  test(`fhir maps ${words.join(' ')} is wrong usage`, async () => {
    const { code, err } = await maps(words, env)
    assert.equal(code, 2)
    assert.match(err, message)
    assert.equal(calls.length, 0)
  })
}

test('the folder of the configuration is the default, and the files are checked and used from there', async () => {
  const config = join(folder, 'config.json')
  const deployments = [{ name: 'charlson', basePath: '/', model: 'charlson10y', output: 'number' }]
  writeFileSync(config, JSON.stringify({ clinical: ['site'], deployments }))
  const words = ['fhir', 'maps', '--from', base, '--quiet', '--codes', codesFile('52448006', '271737000')]
  const { code, err } = await runHere(words, { CONFIG: config })
  assert.equal(code, 0, err)
  assert.deepEqual(filesOf(), ['conceptmap-snomed-info-sct.json'])
  const checked = await runHere(['check', site()], {})
  assert.equal(checked.code, 0, checked.err)
  const one = await runHere(['check', join(mapsIn(), 'conceptmap-snomed-info-sct.json')], {})
  assert.match(one.out, /Valid: codes translated: 2, codes listed: 0\./)
  const risks = await population(config)
  assert.deepEqual(risks, ['Patient/dementia'])
  writeFileSync(join(mapsIn(), 'broken.json'), '{"resourceType":"ConceptMap","group":[{}]}')
  for (const args of [['check', site()], ['check']]) {
    const faulty = await runHere(args, { CONFIG: config, DATA_DIR: folder })
    assert.equal(faulty.code, 1)
    assert.match(faulty.err, /broken\.json at \/group\/0\/source: must name the system/)
  }
})

/** The patients with a risk in an export of three: one with a mapped code, one with an unclear one, one with none. */
async function population(config: string): Promise<readonly string[]> {
  const input = join(folder, 'export')
  const output = join(folder, 'results')
  mkdirSync(input)
  const patients = ['dementia', 'anaemia', 'unmapped'].map((id) => {
    return { resourceType: 'Patient', id, gender: 'female', birthDate: '1940-06-15' }
  })
  const codesOf = { dementia: '52448006', anaemia: '271737000', unmapped: '999' }
  const conditions = Object.entries(codesOf).map(([id, code]) => ({
    resourceType: 'Condition',
    id: `c-${id}`,
    subject: { reference: `Patient/${id}` },
    recordedDate: '2025-01-01',
    code: { coding: [{ system: SNOMED, code }] },
  }))
  const lines = (resources: readonly object[]): string =>
    resources.map((each) => `${JSON.stringify(each)}\n`).join('')
  writeFileSync(join(input, 'Patient.ndjson'), lines(patients))
  writeFileSync(join(input, 'Condition.ndjson'), lines(conditions))
  const words = ['fhir', input, '--output', output, '--quiet', '--threads', '1']
  const { code, err } = await runHere([...words, '--history', 'complete', '--as-of', '2026-03-09'], {
    CONFIG: config,
  })
  assert.equal(code, 0, err)
  const manifest = JSON.parse(readFileSync(join(output, 'manifest.json'), 'utf8')) as Resource
  assert.match(JSON.stringify(manifest), /"mappingDigest":"sha-256=:[^"]{44}:"/)
  const outcomes = readFileSync(join(output, 'OperationOutcome.1.ndjson'), 'utf8')
  assert.match(outcomes, /the maps leave open what its code 271737000 is/)
  assert.match(outcomes, /the maps leave open what its code 999 is/)
  const text = readFileSync(join(output, 'RiskAssessment.1.ndjson'), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map(
      (line) => (JSON.parse(line) as { readonly subject: { readonly reference: string } }).subject.reference,
    )
}
