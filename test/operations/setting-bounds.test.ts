/**
 * Every setting of docs/configuration.md at its bounds. Rows of numbers come from the ranges that the page states; other settings
 * have rows here. A setting of the page without rows fails.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Config, readConfig } from '@patient-risk/catalog/config'
import { codesIn, rowsOf } from '../support/document-pages.ts'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-settings-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Every section in which a setting is required, so that any setting can be put into this file. */
const FILE = {
  server: { origins: ['https://risk.example.org'] },
  fhir: {
    servers: [
      {
        url: 'https://fhir.example.org/r4',
        backend: { clientId: 'risk', key: 'key.json', deployments: ['a'] },
      },
    ],
  },
  cdsHooks: {
    issuers: [
      { issuer: 'one', key: 'K1', jwks: 'keys.json' },
      { issuer: 'two', key: 'K2', jwksUrl: 'https://ehr.example.org/keys' },
    ],
  },
  jobs: { folder: 'jobs' },
  deployments: [
    {
      name: 'a',
      basePath: '/a',
      model: 'readmission30',
      output: 'yes-no',
      shadow: { model: 'lace' },
      retirement: { deprecated: '2027-01-31' },
      cors: { origins: ['https://ward.example.org'] },
      cdsHooks: { hooks: ['patient-view'] },
      outcomes: { horizonDays: 30, eta: 1 },
    },
  ],
}

/** A row: what a setting may hold, and what is refused. */
type Row = readonly [permitted: readonly unknown[], refused: readonly unknown[]]

const TEXT: Row = [['a'], ['', 1, null]]
const PATH: Row = [
  ['a.json', 'in/a.json', '/a.json'],
  ['', 1, null],
]
const ORIGINS: Row = [
  [['https://a.example'], ['http://a.example:8080', 'https://b.example']],
  [['https://a.example/'], ['ftp://a.example'], ['https://a.example', 'https://u@b.example'], 'https://a'],
]
const BOOLEAN: Row = [
  [true, false],
  [0, 'true', null],
]
const OBJECT_OF_TEXTS: Row = [
  [{}, { a: 'b' }, { a: 'b', c: 'd' }],
  [{ a: '' }, { a: 'b', c: 1 }, [], 'a'],
]
const LONG_NAME = `a${'b'.repeat(62)}`
const GROUPS = Array.from({ length: 51 }, (_, at) => `ward ${at}`)

/** Every setting that is not a number. */
const OTHERS: Readonly<Record<string, Row>> = {
  $schema: [
    ['', 'config.schema.json'],
    [1, null],
  ],
  clinical: [
    [[], ['a'], ['a', '/b']],
    ['a', [''], ['a', 1]],
  ],
  timeZone: [
    ['UTC', 'Europe/Madrid', 'Asia/Kolkata'],
    ['', 'Mars/North', 1],
  ],
  'audit.anchorFile': PATH,
  'server.origins': ORIGINS,
  'server.trustedProxies': [
    [[], ['10.0.0.7'], ['10.0.0.0/8', '192.168.0.0/32'], ['::1', 'fd00::/1', 'fd00::/128']],
    [['10.0.0.0/33'], ['10.0.0.0/0'], ['10.0.0.7', 'fd00::/129'], ['fd00::/0'], ['proxy'], ['10.0.0.0/8/8']],
  ],
  'server.metrics': [
    ['local', 'open'],
    ['key', '', null],
  ],
  'server.documents': [
    ['open', 'key'],
    ['local', '', null],
  ],
  'fhir.enabled': BOOLEAN,
  'fhir.mapping': PATH,
  'fhir.servers[].url': [
    ['https://fhir.example.org/r4', 'https://a.example/'],
    ['http://fhir.example.org/r4', 'https://u@a.example', 'https://a.example?x', 'fhir.example.org', ''],
  ],
  'fhir.servers[].aliases': [
    [[], ['https://a.example'], ['https://a.example', 'http://b.example/r4']],
    [['https://fhir.example.org/r5', 'https://other?x'], 'https://a.example', ['a.example']],
  ],
  'fhir.servers[].internal': BOOLEAN,
  'fhir.servers[].backend.clientId': TEXT,
  'fhir.servers[].backend.key': PATH,
  'fhir.servers[].backend.scope': TEXT,
  'fhir.servers[].backend.tokenUrl': [['https://a.example/token'], ['http://a.example/token', 'token', '']],
  'fhir.servers[].backend.deployments': [
    [['a'], ['a', 'a']],
    [[], ['b'], ['a', 'b'], 'a'],
  ],
  'cdsHooks.origins': [[[], ...ORIGINS[0]], ORIGINS[1]],
  'cdsHooks.issuers[].issuer': TEXT,
  'cdsHooks.issuers[].key': [
    ['K1', '0aZ'],
    ['', 'a-b', 'a b', 1],
  ],
  'cdsHooks.issuers[].jwks': PATH,
  'cdsHooks.issuers[].jwksUrl': [['https://a.example/jwks'], ['http://a.example/jwks', 'jwks', '']],
  'jobs.folder': PATH,
  'deployments[].name': [
    [LONG_NAME.slice(0, -1), LONG_NAME, 'a', 'a-1'],
    [`${LONG_NAME}c`, '', 'A', '1a', 'a_b', 'admin', 'outcomes'],
  ],
  'deployments[].basePath': [
    ['/', '/a', '/a/b-c_D', '/metric', '/healthy', '/workbench2'],
    ['', 'a', '/a/', '//a', '/a b', '/health', '/docs', '/metrics', '/metrics/a'].concat([
      '/admin',
      '/deployments',
      '/workbench',
      '/cds-services',
      '/openapi.json',
    ]),
  ],
  'deployments[].model': TEXT,
  'deployments[].output': [['yes-no'], ['percent', '', null]],
  'deployments[].unknownFields': [
    ['ignore', 'report'],
    ['refuse', '', null],
  ],
  'deployments[].units': OBJECT_OF_TEXTS,
  'deployments[].codes': [
    [{}, { sex: { H: 'M', M: true, X: null } }],
    [{ sex: 'M' }, { sex: { H: 1 } }, { sex: { H: 'M' }, other: { a: {} } }],
  ],
  'deployments[].bands': OBJECT_OF_TEXTS,
  'deployments[].languages': [
    [['en'], ['en', 'ca']],
    [[], [''], ['en', 'en'], 'en'],
  ],
  'deployments[].shadow.model': TEXT,
  'deployments[].retirement.deprecated': [
    ['2027-01-31', '2027-01-31T10:00:00Z'],
    ['', 'soon', '2027-13-01', 1],
  ],
  'deployments[].retirement.sunset': [['2027-01-31'], ['', 'soon', '2027-13-01', 1]],
  'deployments[].cors.origins': [ORIGINS[0], [[], ...ORIGINS[1]]],
  'deployments[].cdsHooks.hooks': [
    [['patient-view'], ['patient-view', 'encounter-discharge']],
    [[], ['patient-view', 'patient-view'], ['order-sign'], ['patient-view', 'order-sign']],
  ],
  'deployments[].outcomes.groups': [
    [[], GROUPS.slice(0, 49), GROUPS.slice(0, 50), ['a'.repeat(63)], ['a'.repeat(64)]],
    [GROUPS, ['a', 'a'], [''], ['a', 'b\n'], ['\u007f'], ['a'.repeat(65)]],
  ],
  'deployments[].reader': [
    ['bytes', 'reference'],
    ['fast', '', null],
  ],
}

/** Settings that name a file or folder: a relative one starts at the folder of the configuration file. */
const PATHS = [
  'audit.anchorFile',
  'fhir.mapping',
  'fhir.servers[].backend.key',
  'cdsHooks.issuers[].jwks',
  'jobs.folder',
]
/** What is kept under another name, or not at all. */
const NOT_AS_WRITTEN = ['$schema', 'clinical']

const SETTINGS = rowsOf('docs/configuration.md').filter((cells) => cells.length === 3)

interface Range {
  readonly step: number
  readonly lowest: number
  readonly highest: number | undefined
  readonly isNullable: boolean
}

/** `integer from 1 to 36,500 or null`, `number from 0 to 1`, `integer of at least 1`. */
function rangeOf(value: string): Range | undefined {
  const figure = (text: string | undefined): number => Number(text?.replaceAll(',', ''))
  const [, kind, lowest, highest, least] =
    /^(integer|number) (?:from ([\d.,]+) to ([\d.,]+)|of at least ([\d.,]+))/.exec(value) ?? []
  if (kind === undefined) return undefined
  return {
    step: kind === 'integer' ? 1 : 1e-6,
    lowest: figure(lowest ?? least),
    highest: highest === undefined ? undefined : figure(highest),
    isNullable: value.endsWith(' or null'),
  }
}

function rowOf({ step, lowest, highest, isNullable }: Range): Row {
  const isWhole = step === 1
  const numbers = [lowest, lowest + step, ...(highest === undefined ? [] : [highest - step, highest])]
  const permitted = numbers.filter((each) => highest === undefined || each <= highest)
  return [
    isNullable ? [...permitted, null] : permitted,
    [
      lowest - step,
      ...(highest === undefined ? [] : [highest + step]),
      ...(isWhole ? [lowest + 0.5] : []),
      ...(isNullable ? [] : [null]),
      String(lowest),
    ],
  ]
}

type Parts = Record<string, unknown>

/** The section that holds a setting, and the name of it there; of a list the entry that has the setting, else the first. */
function sectionOf(file: unknown, setting: string): readonly [section: Parts, name: string] {
  const names = setting.split('.')
  const last = names.pop() ?? ''
  let section = file as Parts
  for (const name of names) {
    const key = name.replace('[]', '')
    section[key] ??= {}
    const inner = section[key]
    const entries = Array.isArray(inner) ? (inner as Parts[]) : [inner as Parts]
    section = entries.find((each) => last in each) ?? entries[0] ?? {}
  }
  return [section, last]
}

const path = join(folder, 'config.json')

function readWith(setting: string, value: unknown): ReturnType<typeof readConfig> {
  const { deployments, ...sections } = FILE
  // Other sections do not matter, and take time to check.
  const needed = Object.entries(sections).filter(([name]) => name === 'server' || setting.startsWith(name))
  const file: Partial<typeof FILE> = structuredClone({ ...Object.fromEntries(needed), deployments })
  const [section, name] = sectionOf(file, setting)
  section[name] = value
  writeFileSync(path, JSON.stringify(file))
  return readConfig({ CONFIG: path }, {})
}

function valueIn(config: Config | undefined, setting: string): unknown {
  const [section, name] = sectionOf(structuredClone(config), setting)
  return section[name]
}

/** `/server/times/headersMs` for `server.times.headersMs`, also within a list and for an entry of the value. */
function isAbout(place: string, setting: string): boolean {
  const names = `/${setting.replaceAll('[]', '.0').replaceAll('.', '/')}`
  return place.replace('/issuers/1/', '/issuers/0/').startsWith(names)
}

for (const [cell = '', value = ''] of SETTINGS) {
  const [setting = ''] = codesIn(cell)
  if (setting === '') continue
  const range = rangeOf(value)
  const row = range === undefined ? OTHERS[setting] : rowOf(range)
  test(`${setting}: ${value}, and nothing else`, () => {
    assert.ok(row !== undefined, 'no rows: add them to OTHERS')
    const [permitted, refused] = row
    for (const given of permitted) {
      const { config, faults } = readWith(setting, given)
      assert.deepEqual(faults, [], JSON.stringify(given))
      if (NOT_AS_WRITTEN.includes(setting)) continue
      const expected = PATHS.includes(setting) ? absolute(String(given)) : given
      assert.deepEqual(valueIn(config, setting), expected)
    }
    for (const given of refused) {
      const { config, faults } = readWith(setting, given)
      assert.equal(config, undefined, JSON.stringify(given))
      assert.ok(
        faults.some(({ path: place }) => isAbout(place, setting)),
        `${JSON.stringify(given)}: ${JSON.stringify(faults)}`,
      )
    }
  })
}

function absolute(name: string): string {
  return name.startsWith('/') ? name : join(folder, name)
}

test('folders with clinical files start at the folder of the configuration file', () => {
  assert.deepEqual(readWith('clinical', ['a', '/b']).config?.clinicalFolders, [absolute('a'), '/b'])
})

test('rows are of settings that the page has', () => {
  const named = SETTINGS.flatMap(([cell]) => codesIn(cell))
  assert.deepEqual(
    Object.keys(OTHERS).filter((setting) => !named.includes(setting)),
    [],
  )
  const numbers = SETTINGS.filter(([, value = '']) => /^(integer|number)/.test(value))
  assert.ok(numbers.length >= 43, `${numbers.length} numbers`)
  assert.deepEqual(
    numbers.filter(([, value = '']) => rangeOf(value) === undefined),
    [],
  )
})

const stated = SETTINGS.flatMap(([cell, , meaning = '']) => {
  const [, preset] = /\(([^()]+)\)$/.exec(meaning) ?? []
  return preset === undefined || meaning.includes('such as')
    ? []
    : codesIn(cell).map((name) => [name, preset])
})

for (const [setting = '', preset = ''] of stated) {
  // Limits of a deployment get their defaults where they are used: test/documents/lists.test.ts compares them.
  if (setting.startsWith('deployments[]')) continue
  test(`${setting} is ${preset} where the file does not have it`, () => {
    writeFileSync(path, JSON.stringify({ ...FILE, server: {}, cdsHooks: {} }))
    const { config, faults } = readConfig({ CONFIG: path }, {})
    assert.deepEqual(faults, [])
    const value = valueIn(config, setting)
    const text = typeof value === 'number' ? value.toLocaleString('en') : String(value)
    assert.equal(text === '' ? 'none' : text, preset)
  })
}

/** Environment variables with a number or a word: [name, member of the configuration, permitted, refused]. */
const VARIABLES = [
  [
    'PORT',
    'port',
    [
      ['0', 0],
      ['1', 1],
      ['65534', 65_534],
      ['65535', 65_535],
    ],
    ['65536', '-1', '1.5', ''],
  ],
  [
    'PROCESSES',
    'processes',
    [
      ['0', 1],
      ['1', 1],
      ['2', 2],
      ['256', 256],
    ],
    ['257', '-1', 'two'],
  ],
  [
    'WORKERS',
    'workers',
    [
      ['0', 0],
      ['1', 1],
      ['255', 255],
      ['256', 256],
    ],
    ['257', '-1', '1e1'],
  ],
  [
    'LOG_LEVEL',
    'logLevel',
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].map((each) => [each, each]),
    ['INFO', 'verbose', ''],
  ],
] as const

for (const [name, member, permitted, refused] of VARIABLES) {
  test(`${name} takes ${permitted.map(([text]) => text).join(', ')}, and not ${refused.join(', ')}`, () => {
    for (const [text, value] of permitted) {
      assert.equal(readConfig({}, { [name]: text }).config?.[member], value, text)
    }
    for (const text of refused) {
      assert.deepEqual(
        readConfig({}, { [name]: text }).faults.map(({ path: place }) => place),
        [name],
        text,
      )
    }
  })
}
