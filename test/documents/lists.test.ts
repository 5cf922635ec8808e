/** Lists that documents copy from the code: settings, codes, names. Each agrees with the code. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CHUNKS_WITHOUT_THREADS, CHUNK_BYTES } from '@patient-risk/data/bulk'
import { DEFAULT_FILE, DEFAULT_SERVER_SETTINGS, limitsWith } from '@patient-risk/catalog/config'
import { REASONS } from 'patient-risk-engine'
import { STATUS, DEFAULT_FAILED_KEYS_PER_MINUTE } from '@patient-risk/server'
import { LOG_FIELDS } from '@patient-risk/server/log'
import { DOCUMENTS, codesIn, readPage, rowsOf } from '../support/document-pages.ts'

const readJson = (path: string): unknown => JSON.parse(readPage(path))
const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const ALL_PAGES = DOCUMENTS.map(([, text]) => text).join('\n')

test('docs/api.md lists every error code with its status, and no other', () => {
  const page = readPage('docs/api.md')
  const inTable = rowsOf('docs/api.md')
    .filter(([status = '']) => /^[45]\d\d$/.test(status))
    .flatMap(([status, codes]) => codesIn(codes).map((code) => [code, Number(status)]))
  // Codes of one adapter are in the text: `BODY_NOT_FHIR` and `FHIR_VERSION` (400).
  const inText = [...page.matchAll(/((?:`[A-Z_]+`(?:,\s| and )?)+)\s\((\d+)\)/g)].flatMap(
    ([, codes, status]) => codesIn(codes).map((code) => [code, Number(status)]),
  )
  assert.deepEqual(Object.fromEntries([...inTable, ...inText]), { ...STATUS })
})

test('docs/api.md lists every reason of a problem, and no other', () => {
  const page = readPage('docs/api.md')
  const [, table = ''] = /\n\| reason .*?\n((?:\|.*\n)+)/.exec(page) ?? []
  const listed = table.split('\n').flatMap((row) => codesIn(row.split(' | ')[0]))
  const sum = listed.filter((reason) => reason.startsWith('the sum of '))
  assert.deepEqual([...listed].sort(), [...Object.values(REASONS), ...sum].sort())
  assert.equal(sum.length, 1)
})

test('every call of the OpenAPI document is in a page', () => {
  const { paths } = readJson('api/openapi.json') as { readonly paths: object }
  const missing = Object.keys(paths).filter(
    (path) =>
      !ALL_PAGES.includes(path) &&
      !ALL_PAGES.includes(path.replace('/risk/api/do', '…')) &&
      !ALL_PAGES.includes(path.replace('{deployment}', 'readmission')),
  )
  assert.deepEqual(missing, [])
})

const UNITS: Readonly<Record<string, number>> = { s: 1_000, h: 3_600_000, MiB: 2 ** 20 }
function figureOf(text: string): number {
  const [, figure = '', unit = ''] = /^([\d,.]+)(?: (\w+))?$/.exec(text) ?? []
  return Number(figure.replaceAll(',', '')) * (UNITS[unit] ?? 1)
}

test('docs/limits.md has every limit of a deployment, each with its default', () => {
  const { times, connections, load } = DEFAULT_SERVER_SETTINGS
  const known: Readonly<Record<string, unknown>> = {
    ...limitsWith(),
    failedKeysPerMinute: DEFAULT_FAILED_KEYS_PER_MINUTE,
    headersMs: times.headersMs,
    requestMs: times.requestMs,
    streamMs: times.streamMs,
    connectionsPerAddress: connections.perAddress,
    adapterBytes: load.adapterBytes,
    answerBytes: load.answerBytes,
  }
  const stated = rowsOf('docs/limits.md').flatMap(([limit, values = '']) =>
    codesIn(limit).map((name, at) => [name, figureOf(values.split(/, (?!\d{3})/)[at] ?? '')]),
  )
  assert.deepEqual(Object.fromEntries(stated), known)
})

test('docs/api.md lists the default deployments, and the units of fields', () => {
  const rows = rowsOf('docs/api.md').map((cells) => cells.slice(0, 3).map((cell) => cell.replaceAll('`', '')))
  for (const { name, basePath, model } of DEFAULT_FILE.deployments) {
    assert.ok(
      rows.some((row) => row.join(' ') === [name, basePath, model].join(' ')),
      name,
    )
  }
  const { units } = readJson('clinical/fields.json') as {
    readonly units: Readonly<Record<string, FieldUnits>>
  }
  const page = readPage('docs/api.md').replaceAll('\n', ' ')
  for (const [field, { unit, others }] of Object.entries(units)) {
    const stated = `\`${field}\` (${[unit, ...Object.keys(others)].join(', ')})`
    assert.ok(page.includes(stated), stated)
  }
})

interface FieldUnits {
  readonly unit: string
  readonly others: object
}

test('docs/operations.md lists the fields of a log line, and no others', () => {
  const [, list = ''] =
    /with the fields (.*?) and no others/s.exec(readPage('docs/operations.md').replaceAll('\n', ' ')) ?? []
  assert.deepEqual(codesIn(list), ['level', 'time', ...LOG_FIELDS])
})

test('docs/create-scorer.md has every setting of createScorer', () => {
  const [, members = ''] =
    /interface ScorerSettings \{(.*?)\n\}/s.exec(readPage('packages/patient-risk/src/index.ts')) ?? []
  const settings = [...members.matchAll(/readonly (\w+)\?:/g)].map(([, name = '']) => name)
  const listed = rowsOf('docs/create-scorer.md').flatMap(([setting]) => codesIn(setting))
  assert.ok(settings.length >= 6)
  assert.deepEqual(
    settings.filter((name) => !listed.includes(name)),
    [],
  )
})

test('docs/configuration.md lists the environment variables that the service reads, and no others', () => {
  const source = readPage('packages/catalog/src/config/config.ts')
  const single = [...source.matchAll(/(?:env\[|number\()'([A-Z_]+)'/g)].map(([, name = '']) => name)
  const secrets = [...source.matchAll(/readSecret\(env, '([A-Z_]+)'/g)].flatMap(([, name = '']) => [
    name,
    `${name}_FILE`,
  ])
  const listed = rowsOf('docs/configuration.md')
    .flatMap(([variable]) => codesIn(variable))
    .filter((name) => /^[A-Z_]+$/.test(name))
  assert.deepEqual([...listed].sort(), [...new Set([...single, ...secrets])].sort())
})

test('docs/scaling.md states up to which size a file is scored without a thread', () => {
  const chunks = NUMBERS[CHUNKS_WITHOUT_THREADS] ?? CHUNKS_WITHOUT_THREADS
  const most = (CHUNKS_WITHOUT_THREADS * CHUNK_BYTES) / 2 ** 20
  const page = readPage('docs/scaling.md').replaceAll('\n', ' ')
  assert.ok(
    page.includes(`in chunks of ${CHUNK_BYTES / 1024} KiB; a file of up to ${chunks} chunks (${most} MiB)`),
  )
})

test('documents agree on the oldest version of PostgreSQL', () => {
  const stated = DOCUMENTS.flatMap(([path, text]) =>
    [...text.replaceAll('\n', ' ').matchAll(/PostgreSQL (\d+)(?: or newer| and newer)?(?=[ .,;])/g)]
      // "16, 250 and 2,000 seeds" are no version.
      .filter(() => path !== 'docs/decisions/39-proof-by-seed.md')
      .map(([words]) => `${path}: ${words}`),
  )
  assert.deepEqual(stated, [
    'docs/operations.md: PostgreSQL 15 or newer',
    'docs/storage.md: PostgreSQL 15 or newer',
  ])
})

test('decision 1 has every dependency', () => {
  const { dependencies, optionalDependencies, devDependencies } = readJson('package.json') as Readonly<
    Record<string, object>
  >
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies })
  // `spectral-core, -rulesets` is short for two packages with the same start.
  const page = readPage('docs/decisions/01-dependencies.md').replaceAll(
    /(\S+[-/])(\w+), -(\w+)/g,
    '$1$2, $1$3',
  )
  // Types belong to the package that they describe.
  const missing = names.filter((name) => !name.startsWith('@types/') && !page.includes(name))
  assert.deepEqual(missing, [])
})

test('README.md has fewer than 700 words, and its two commands come before everything that can be left out', () => {
  const page = readPage('README.md')
  const words = page.split(/\s+/).filter((word) => word !== '').length
  assert.ok(words < 700, `${words} words`)
  const order = [
    'npm ci && npm start',
    'npm ci && npm test',
    '```sh run',
    '```json answer',
    '![',
    '<!-- bench',
    '## Further',
  ]
  const places = order.map((text) => page.indexOf(text))
  assert.ok(!places.includes(-1), places.join(' '))
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
  )
  assert.ok(page.includes('**The default model is a working example**'))
})

test('README.md counts the scales and models', () => {
  const countOf = (kind: string): number =>
    new Set(readdirSync(join('clinical', kind)).map((name) => name.split('@')[0])).size
  const scales = countOf('scales')
  const models = countOf('models')
  assert.ok(
    readPage('README.md').includes(
      `${scales} geriatric scales and ${NUMBERS[models] ?? models} models are files`,
    ),
  )
})
