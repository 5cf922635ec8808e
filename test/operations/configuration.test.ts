/** The configuration: its page is current, faults are reported together with a near name, and secrets come from files. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os, { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import {
  CONFIGURATION_PAGE,
  type Schema,
  configurationPage,
  settingRows,
} from '../../scripts/configuration.ts'
import { loadConfigured } from 'patient-risk/cli'
import { readConfig } from '@patient-risk/catalog/config'

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-config-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const deployment = { name: 'a', basePath: '/a', model: 'readmission30', output: 'number' }

test('the page of the configuration is made from its schema', async () => {
  assert.equal(
    readFileSync(CONFIGURATION_PAGE, 'utf8'),
    await configurationPage(),
    'run: node scripts/configuration.ts',
  )
})

/** What a schema says of a setting, and what the page says then. */
const SETTINGS: readonly (readonly [schema: Schema, value: string, meaning: string])[] = [
  [{ type: 'string', description: 'A name.' }, 'string', 'A name.'],
  [{ type: 'integer', minimum: 1, maximum: 36_500 }, 'integer from 1 to 36,500', ''],
  [{ type: 'integer', minimum: 0, maximum: 0 }, 'integer from 0 to 0', ''],
  [{ type: 'integer', minimum: 1 }, 'integer of at least 1', ''],
  [{ type: 'number', maximum: 0.5 }, 'number of at most 0.5', ''],
  [{ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] }, 'integer of at least 1 or null', ''],
  [{ type: 'string', enum: ['local', 'open'], default: 'local' }, '`local` or `open`', '(local)'],
  [{ type: 'array', items: { type: 'string' }, default: [] }, 'list of string', '(none)'],
  [{ type: 'integer', description: 'Bytes.', default: 1_024 }, 'integer', 'Bytes. (1,024)'],
  [{}, 'any', ''],
]

for (const [schema, value, meaning] of SETTINGS) {
  test(`the page shows the setting ${JSON.stringify(schema)} as ${value}`, () => {
    assert.deepEqual(settingRows({ properties: { a: schema } }), [['`a`', value, meaning]])
  })
}

test('the page names settings by their place, and marks those that are required', () => {
  const inner: Schema = { properties: { url: { type: 'string' }, size: {} }, required: ['url'] }
  assert.deepEqual(settingRows({ properties: { one: inner, many: { type: 'array', items: inner } } }), [
    ['`one.url`', 'string', 'Required.'],
    ['`one.size`', 'any', ''],
    ['`many[].url`', 'string', 'Required.'],
    ['`many[].size`', 'any', ''],
  ])
})

test('all faults are reported at once, with the near name of a mistyped one', () => {
  const path = join(folder, 'faulty.json')
  writeFileSync(
    path,
    JSON.stringify({
      sever: {},
      timeZone: 'Mars/North',
      audit: { retentionDay: 3 },
      deployments: [
        deployment,
        { ...deployment, name: 'b' },
        { ...deployment, name: 'c', basePath: '/c', tresholds: 1 },
        // Faults of the shape hide neither the double base path nor the unknown model of the same entry.
        { ...deployment, name: 'D', model: 'readmision30' },
        { ...deployment, name: 'e', basePath: '/e', model: 'missing' },
      ],
    }),
  )
  const { faults } = loadConfigured({ CONFIG: path, PORT: 'x' })
  const text = faults.map(({ path: place, message }) => `${place} ${message}`).join('\n')
  for (const expected of [
    /^PORT must be a port number/m,
    /^\/sever is not known; did you mean "server"\?/m,
    /^\/audit\/retentionDay is not known; did you mean "retentionDays"\?/m,
    /^\/timeZone is not a known time zone/m,
    /^\/deployments\/1\/basePath is the same as in \/deployments\/0/m,
    /^\/deployments\/3\/basePath is the same as in \/deployments\/0/m,
    /^\/deployments\/3\/name /m,
    /^\/deployments\/3\/model there is no model readmision30; there are .*readmission30/m,
    /^\/deployments\/4\/model there is no model missing/m,
    /^\/deployments\/2\/tresholds is not known; did you mean "threshold"\?/m,
  ]) {
    assert.match(text, expected)
  }
})

/** Addresses of the service itself, which a deployment must not cover, and those that only begin with the same letters. */
const BASE_PATHS: readonly (readonly [basePath: string, isTaken: boolean])[] = [
  ...[
    '/health',
    '/docs',
    '/metrics',
    '/admin',
    '/deployments',
    '/workbench',
    '/cds-services',
    '/admin/ward',
  ].map((path) => [path, true] as const),
  ...['/', '/healthy', '/metrics2', '/ward/admin', '/cds'].map((path) => [path, false] as const),
]

for (const [basePath, isTaken] of BASE_PATHS) {
  test(`a deployment at ${basePath} is ${isTaken ? 'refused' : 'permitted'}`, () => {
    const path = join(folder, 'base-path.json')
    writeFileSync(path, JSON.stringify({ deployments: [{ ...deployment, basePath }] }))
    const rules = readConfig({}, { CONFIG: path }).faults.map((fault) => fault.rule)
    assert.deepEqual(rules, isTaken ? ['base-path'] : [])
  })
}

const FIRST = { url: 'https://fhir.example.org/r4', aliases: ['https://a.example/r4'] }
/** The second of two FHIR servers · where it is at fault, and why. */
const SECOND_SERVERS: readonly (readonly [server: object, faults: readonly (readonly [string, string])[]])[] =
  [
    [{ url: 'https://b.example/r4', aliases: ['http://b.example/r4', 'https://c.example'] }, []],
    [{ url: 'http://b.example/r4', internal: true }, []],
    [{ url: 'http://b.example/r4' }, [['url', 'https']]],
    [{ url: 'https://fhir.example.org/r4/' }, [['url', 'taken']]],
    [{ url: 'https://a.example/r4' }, [['url', 'taken']]],
    [
      { url: 'https://b.example/r4', aliases: ['https://c.example', 'https://a.example/r4'] },
      [['aliases/1', 'taken']],
    ],
    [
      {
        url: 'https://b.example/r4',
        backend: { clientId: 'c', key: 'k', tokenUrl: 'http://b.example/token', deployments: ['a', 'b'] },
      },
      [
        ['backend/tokenUrl', 'https'],
        ['backend/deployments/1', 'unknown'],
      ],
    ],
  ]
for (const [server, expected] of SECOND_SERVERS) {
  test(`a second FHIR server ${JSON.stringify(server)} has ${expected.length} faults`, () => {
    const path = join(folder, 'servers.json')
    writeFileSync(path, JSON.stringify({ fhir: { servers: [FIRST, server] }, deployments: [deployment] }))
    assert.deepEqual(
      readConfig({}, { CONFIG: path }).faults.map(({ path: place, rule }) => [place, rule]),
      expected.map(([place, rule]) => [`/fhir/servers/1/${place}`, rule]),
    )
  })
}

/** Cores · processes · the threads for large bodies where nothing says how many. */
for (const [cores, processes, workers] of [
  [1, 1, 1],
  [2, 1, 1],
  [8, 1, 7],
  [8, 2, 1],
  [8, 8, 1],
] as const) {
  test(`${processes} processes on ${cores} cores have ${workers} workers each`, (t) => {
    const { mock } = t.mock.method(os, 'availableParallelism', () => cores)
    syncBuiltinESMExports()
    t.after(() => {
      mock.restore()
      syncBuiltinESMExports()
    })
    assert.equal(readConfig({}, { PROCESSES: String(processes) }).config?.workers, workers)
  })
}

test('every wrong setting is reported once, however many there are', () => {
  const times = { headersMs: 'a', requestMs: 'b', streamMs: 'c', stallMs: 'd', idleMs: 'e', noticeMs: 'f' }
  const load = { requests: 'a', bytes: 'b', answerBytes: 'c', colour: 'd' }
  const path = join(folder, 'many.json')
  writeFileSync(path, JSON.stringify({ server: { times, load }, deployments: [deployment] }))
  const places = loadConfigured({ CONFIG: path }).faults.map(({ path: place, message }) =>
    place === '/server/load' ? message : place,
  )
  assert.deepEqual(places.sort(), [
    ...Object.keys(load)
      .slice(0, 3)
      .map((name) => `/server/load/${name}`)
      .sort(),
    ...Object.keys(times)
      .map((name) => `/server/times/${name}`)
      .sort(),
    'has unknown properties: colour',
  ])
})

test('a setting that takes one of several words lists them', () => {
  const path = join(folder, 'words.json')
  writeFileSync(path, JSON.stringify({ deployments: [{ ...deployment, output: 'percent' }] }))
  assert.deepEqual(
    loadConfigured({ CONFIG: path }).faults.map(({ path: place, message }) => [place, message]),
    [['/deployments/0/output', 'must be one of number, yes-no']],
  )
})

test('every example configuration is valid for the schema and names it for the editor', () => {
  const validate = new Ajv2020({ strict: false }).compile(
    JSON.parse(readFileSync('clinical/schema/config.schema.json', 'utf8')) as object,
  )
  // Recorded answers of the service hold lists of deployments, but no configuration.
  const files = ['README.md', ...['docs', 'examples', 'ops'].flatMap(filesBelow)].filter(
    (file) => file !== 'examples/calls.json',
  )
  const examples = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    if (file.endsWith('.md'))
      return [...text.matchAll(/```json[^\n]*\n(.*?)```/gs)].map(([, json = '']) => [file, json])
    if (file.endsWith('.json')) return [[file, text]]
    return [...text.matchAll(/config\.json: \|\n((?: {4}.*\n)+)/g)].map(([, json = '']) => [file, json])
  })
  let found = 0
  for (const [file = '', json = ''] of examples) {
    const deployments = /^\s*\{.*"deployments": *\[\s*(?:\{\s*"name"|\])/s.test(json)
    if (!deployments || !json.includes('"basePath"')) continue
    found++
    const value = JSON.parse(json) as { $schema?: string }
    assert.ok(validate(value), `${file}: ${JSON.stringify(validate.errors)}`)
    assert.match(value.$schema ?? '', /clinical\/schema\/config\.schema\.json$/, file)
    assert.equal(Object.keys(value)[0], '$schema', file)
  }
  assert.ok(found >= 6, `${found} examples`)
})

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(md|json|yaml)$/.test(name))
    .map((name) => join(folder, name))
}

test('secrets come from files', () => {
  const file = join(folder, 'secret')
  writeFileSync(file, 'from a file\n')
  const { config } = readConfig({ KEY_SECRET_FILE: file, DATABASE_URL_FILE: file }, {})
  assert.deepEqual([config?.keySecret, config?.databaseUrl], ['from a file', 'from a file'])
  for (const env of [{ KEY_SECRET_FILE: join(folder, 'none') }, { KEY_SECRET_FILE: file, KEY_SECRET: 'x' }]) {
    assert.equal(readConfig(env, {}).faults.length, 1)
  }
})
