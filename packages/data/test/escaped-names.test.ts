/** No text changes how the names of a later one are read, in files, in the package for programs, and in answers of FHIR servers. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  type CatalogModel,
  findModel,
  type Deployment,
  type ShadowModel,
  makeDeployments,
} from '@patient-risk/catalog'
import { Shadow } from '@patient-risk/monitor'
import { PROCESS_HOST } from '@patient-risk/server'
import { createScorer } from 'patient-risk'
import { gather, modelRunFor, readXgboost } from '../src/learn/index.ts'
import { type RemoteServer, upTo, fetchResults } from '@patient-risk/server/adapters'
import { scoreFile } from './bulk/score-file.ts'
import { runHere } from '../../../test/support/run-command.ts'
import { MODEL, validFiles, writeFiles } from '../../../test/support/valid-folder.ts'
import { readmissionRecord } from '../../../test/support/records.ts'
import { testCatalog } from '../../../test/support/serve.ts'
import { until } from '../../../test/support/until.ts'
import { holdPair, pairOf } from '../../../test/support/escaped-pair.ts'

const TODAY = 20260601
const folder = mkdtempSync(join(tmpdir(), 'escaped-names-'))
after(() => rmSync(folder, { recursive: true }))
const catalog = testCatalog()

let files = 0
function fileWith(text: string, ending: string): string {
  const path = join(folder, `${files++}.${ending}`)
  writeFileSync(path, text)
  return path
}

/** A record with a member before its age that no other row has. */
const record = (place: string): string => {
  const { idx, ...others } = readmissionRecord(1, 84) as Record<string, unknown>
  return JSON.stringify({ idx, [place]: 0, ...others })
}

const runOn = async (...args: readonly string[]): Promise<unknown> => {
  const { code, out, err } = await runHere(args, { DATA_DIR: folder, LOG_LEVEL: 'silent' })
  return { code, out, err }
}

/** With its names in an order that nothing else has. */
function reversed(value: object): string {
  return JSON.stringify(Object.fromEntries(Object.entries(value).reverse()))
}

const clinicalFiles = validFiles()
const { [MODEL]: model } = clinicalFiles
const modelText = reversed(model as object)

function checkModelFile(text: string): Promise<unknown> {
  const root = mkdtempSync(join(folder, 'clinical-'))
  writeFiles(root, clinicalFiles, { [MODEL]: text })
  return runOn('check', root)
}

function fetched(text: string): Promise<unknown> {
  const server = {
    base: new URL('https://fhir.example.org/'),
    call: () => Promise.resolve(Buffer.from(text)),
  } as unknown as RemoteServer
  const call = { signal: new AbortController().signal, take: upTo(10_000) }
  return fetchResults(server, { patient: 'Patient/p' }, 'p', call)
}

/** What a shadow model counts of a record that the model of the deployment can score. */
async function shadowed(text: string): Promise<unknown> {
  const settings = { name: 'ward', basePath: '/', model: 'readmission30', output: 'number' } as const
  const { deployments } = makeDeployments(catalog, [
    { ...settings, shadow: { model: 'lace', budgetMs: 1_000 } },
  ])
  const deployment = deployments[0] as Deployment & { readonly shadow: ShadowModel }
  const shadow = new Shadow(deployment, deployment.shadow, PROCESS_HOST)
  shadow.add(`[${text}]`, TODAY)
  await until(() => (shadow.report() as { readonly records: number }).records === 1)
  return shadow.report()
}

async function learnedFrom(text: string): Promise<unknown> {
  const setting = { catalog, today: TODAY }
  const { definition } = findModel(catalog, 'readmission30') as CatalogModel
  const data = { outcome: { column: 'died', yes: ['1'], no: ['0'] }, missing: [] }
  const input = { ...setting, path: fileWith(`${text}\n`, 'ndjson'), data }
  let accepted = 0
  await gather(input, modelRunFor(setting, definition), () => {
    accepted++
  })
  return { accepted }
}

const scorer = createScorer()
const TREE = {
  base_weights: [0, 0.5, -0.5],
  left_children: [1, -1, -1],
  right_children: [2, -1, -1],
  split_indices: [0, 0, 0],
  split_conditions: [1.5, 1, 2],
  default_left: [1, 0, 0],
  split_type: [0, 0, 0],
}
const XGBOOST = JSON.stringify({
  version: [3, 2, 0],
  learner: {
    feature_names: ['a', 'b'],
    feature_types: ['float', 'float'],
    learner_model_param: { base_score: '5E-1', num_class: '0', num_feature: '2', num_target: '1' },
    objective: { name: 'binary:logistic' },
    gradient_booster: { name: 'gbtree', model: { trees: [TREE] } },
  },
})
const CONFIG = reversed({
  deployments: [{ name: 'own', basePath: '/', model: 'lace', output: 'number' }],
  timeZone: 'UTC',
})
const FHIR_PATIENT = JSON.stringify({ resourceType: 'Patient', 'fetched place': 0, birthDate: '1940-06-15' })

/** Where a text comes in · the text, the name that is escaped, what reads it, and what a good result has. */
const ROWS: Readonly<Record<string, readonly [string, string, (text: string) => unknown, RegExp]>> = {
  'bytes for createScorer': [
    `[${record('package')}]`,
    'age',
    (text) => Buffer.from(scorer.scoreBytes(Buffer.from(text))).toString(),
    /risk\\":0\.\d/,
  ],
  'lines for learn': [record('learn').replace('{', '{"died":1,'), 'age', learnedFrom, /"accepted":1/],
  'a model of XGBoost': [XGBOOST, 'learner', (text) => readXgboost(text, {}), /"features":\[\{"name":"a"/],
  'a configuration file': [
    CONFIG,
    'deployments',
    (text) => runOn('check', fileWith(text, 'json')),
    /"code":0.*1 deployments/,
  ],
  'a model file': [
    modelText,
    Object.keys(JSON.parse(modelText) as object)[1] ?? '',
    checkModelFile,
    /"code":0/,
  ],
  'a file of names for score': [
    '{"sex":"s","age":"edad"}',
    'age',
    (text) => runOn('sql', '--dialect', 'duckdb', '--map', fileWith(text, 'json')),
    /"code":0.*edad/,
  ],
  'an answer of a FHIR server': [FHIR_PATIENT, 'birthDate', fetched, /1940/],
  'a record for a shadow model': [record('shadow'), 'age', shadowed, /"onlyAnswer":1/],
}
for (const [place, [text, name, read, expected]] of Object.entries(ROWS)) {
  test(`${place}: a name with an escape is read as itself`, () =>
    holdPair(pairOf(text, name), read, expected))
}

test('a file of lines for score: no line changes another', async () => {
  const { first, second, plain } = pairOf(record('bulk'), 'age')
  const lines = [first, second, plain].map((line, at) => line.replace('"idx":1', `"idx":${at + 1}`))
  const output = join(folder, 'out.ndjson')
  await scoreFile({
    input: fileWith(lines.join('\n'), 'ndjson'),
    from: 'ndjson',
    output,
    to: 'ndjson',
    catalog,
    today: TODAY,
    // Keeping a column makes it look at the names too.
    keep: ['age'],
  })
  const results = readFileSync(output, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly risk: number | null; readonly age: number })
  assert.deepEqual(
    results.map(({ risk }) => risk === null),
    [true, false, false],
  )
  assert.deepEqual([results[1]?.risk, results[1]?.age], [results[2]?.risk, 84])
})
