/** The digest of a deployment changes with everything that decides an answer, and with nothing else. */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeDeployments } from '../src/catalog/deployment.ts'
import { deploymentDigest } from '../src/catalog/deployment-digest.ts'
import { loadCatalog } from '../src/catalog/load.ts'
import { findModel } from '../src/catalog/catalog.ts'
import type { DeploymentSettings } from '../src/config/config-schema.ts'
import { CLINICAL_ROOT, testCatalog } from '../../../test/support/serve.ts'

const catalog = testCatalog()
const ZONE = 'Europe/Madrid'
const ENTRY: DeploymentSettings = { name: 'ward', basePath: '/', model: 'profund', output: 'yes-no' }
const UNITS = { haemoglobin: 'mmol/L' }
const BANDS = { edmonton: 'four bands', pps: 'care phase' }

function digestWith(changes: Partial<DeploymentSettings>, timeZone = ZONE, from = catalog): string {
  const { deployments, faults } = makeDeployments(from, [{ ...ENTRY, threshold: 0.15, ...changes }], timeZone)
  assert.deepEqual(faults, [])
  return deployments[0]?.digest ?? ''
}
const plain = digestWith({})

/** Settings of which each has a digest of its own. */
const DECIDE: readonly Partial<DeploymentSettings>[] = [
  { model: 'readmission30' },
  { output: 'number' },
  { threshold: 0.1500001 },
  { unknownFields: 'report' },
  { limits: { keysPerRecord: 1_023 } },
  { units: UNITS },
  { units: { creatinine: 'µmol/L' } },
  { units: { haemoglobin: 'g/L' } },
  { bands: { edmonton: 'four bands' } },
  { bands: { pps: 'care phase' } },
  { bands: BANDS },
  { assessmentDays: 90 },
  { assessmentDays: null },
]

test('each setting that decides an answer gives another digest', () => {
  const digests = DECIDE.map((changes) => digestWith(changes))
  assert.equal(new Set([plain, ...digests]).size, DECIDE.length + 1)
  assert.match(plain, /^[A-Za-z0-9+/]{43}=$/)
})

test('another time zone gives another digest, another name of the same zone does not', () => {
  assert.notEqual(digestWith({}, 'Atlantic/Canary'), plain)
  assert.equal(digestWith({}, 'europe/madrid'), plain)
  const machine = Intl.DateTimeFormat().resolvedOptions().timeZone
  const [own] = makeDeployments(catalog, [{ ...ENTRY, threshold: 0.15 }]).deployments
  assert.equal(own?.digest, digestWith({}, machine))
})

/** Settings that decide no answer, and other ways to write the same setting. */
const DO_NOT: readonly (readonly [Partial<DeploymentSettings>, Partial<DeploymentSettings>])[] = [
  [{}, { name: 'other' }],
  [{}, { basePath: '/ward/b' }],
  [{}, { model: 'profund@1.0.2' }],
  [{}, { reader: 'reference' }],
  [{}, { unknownFields: 'ignore' }],
  [{}, { units: {}, bands: {} }],
  // The own unit of the field.
  [{}, { units: { haemoglobin: 'g/dL' } }],
  [{ units: { creatinine: 'µmol/L' } }, { units: { creatinine: 'umol/L' } }],
  [{ bands: BANDS }, { bands: { pps: BANDS.pps, edmonton: BANDS.edmonton } }],
  [{}, { limits: { keysPerRecord: 1_024 } }],
  [
    {},
    {
      limits: { bytes: 1, records: 1, depth: 1, lineBytes: 1, requestsPerMinute: null, recordsPerMinute: 1 },
    },
  ],
  [{}, { retirement: { deprecated: '2026-01-31' } }],
  [{}, { cors: { origins: ['https://ward.example.org'] } }],
  [{}, { cdsHooks: { hooks: ['patient-view'], showFrom: 0.5 } }],
  [
    { output: 'number', threshold: 0.15 },
    { output: 'number', threshold: 0.5 },
  ],
]
for (const [one, other] of DO_NOT) {
  test(`the same digest: ${JSON.stringify(one)} and ${JSON.stringify(other)}`, () => {
    assert.equal(digestWith(other), digestWith(one))
  })
}

test("a model's own threshold is the same as the same threshold in the configuration", () => {
  const model = findModel(catalog, 'readmission30')
  assert.ok(model?.definition.threshold)
  const changes: Partial<DeploymentSettings> = { model: 'readmission30' }
  const [own] = makeDeployments(catalog, [{ ...ENTRY, ...changes }], ZONE).deployments
  assert.equal(own?.digest, digestWith({ ...changes, threshold: model.definition.threshold.risk }))
})

const folder = mkdtempSync(join(tmpdir(), 'patient-risk-digest-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Changed file · whether the digest changes. The change is one of spaces: what counts is the file that was released. */
const FILES: readonly (readonly [string, boolean])[] = [
  ['fields.json', true],
  ['contradictions.json', true],
  ['scales/barthel/barthel.json', true],
  // Every deployment judges every field, also of scales that its model does not use.
  ['scales/tinetti/tinetti.json', true],
  ['models/profund/profund.json', true],
  ['models/readmission30/readmission30.json', false],
  ['scales/barthel/cases.json', false],
  ['models/profund/cases.json', false],
  ['released.json', false],
]
for (const [index, [file, isChanged]] of FILES.entries()) {
  test(`a change in ${file} ${isChanged ? 'changes' : 'does not change'} the digest`, () => {
    const root = join(folder, String(index))
    cpSync(CLINICAL_ROOT, root, { recursive: true })
    const load = (): typeof catalog => {
      const { catalog: loaded, faults } = loadCatalog([root])
      assert.ok(loaded, JSON.stringify(faults.slice(0, 3)))
      return loaded
    }
    if (index === 0) assert.equal(digestWith({}, ZONE, load()), plain, 'the place of the folder')
    const path = join(root, file)
    writeFileSync(path, `${readFileSync(path, 'utf8')}\n`)
    assert.equal(digestWith({}, ZONE, load()) !== plain, isChanged)
  })
}

test('the digest of given parts never changes, and the order of keys does not matter', () => {
  const settings = { output: 'yes-no', threshold: 0.15, keysPerRecord: 1_024 } as const
  const digest = deploymentDigest({ model: 'm', shared: ['a', 'b'], settings, timeZone: 'UTC' })
  // As `openssl dgst -sha256 -binary | base64` gives it for the JSON text with sorted keys.
  assert.equal(digest, '9wdXA7GhxVrpqOuny1JlWJJIPH7Vjb/NRWNsAFrzlDI=')
  const { output, threshold, keysPerRecord } = settings
  const other = {
    timeZone: 'UTC',
    settings: { keysPerRecord, threshold, output },
    shared: ['a', 'b'],
    model: 'm',
  }
  assert.equal(deploymentDigest(other), digest)
  assert.notEqual(deploymentDigest({ ...other, shared: ['b', 'a'] }), digest)
})

/** Settings and changes of files · whether the number of an answer follows from them. */
const NUMBERS: readonly (readonly [string, Partial<DeploymentSettings>, boolean])[] = [
  ['another model', { model: 'readmission30' }, true],
  ['another output', { output: 'number' }, true],
  ['another threshold', { threshold: 0.16 }, true],
  ['another unit of an input', { units: UNITS }, true],
  ['reported names', { unknownFields: 'report' }, false],
  ['fewer keys', { limits: { keysPerRecord: 1_023 } }, false],
  ['other bands', { bands: BANDS }, false],
  ['the age of an assessment', { assessmentDays: 90 }, false],
]
const riskDigestWith = (changes: Partial<DeploymentSettings>, from = catalog, zone = ZONE): string => {
  const { deployments, faults } = makeDeployments(from, [{ ...ENTRY, threshold: 0.15, ...changes }], zone)
  assert.deepEqual(faults, [])
  return deployments[0]?.riskDigest ?? ''
}
for (const [name, settings, isNumber] of NUMBERS) {
  test(`${name}: the digest of the numbers ${isNumber ? 'changes' : 'stays'}`, () => {
    assert.equal(riskDigestWith(settings) !== riskDigestWith({}), isNumber)
  })
}

test('another time zone does not change the digest of the numbers', () => {
  assert.equal(riskDigestWith({}, catalog, 'UTC'), riskDigestWith({}))
})

/** A file · a text in it · what takes its place · whether the numbers of profund follow from it. */
const CHANGED_FILES: readonly (readonly [string, string, string, boolean])[] = [
  ['models/profund/profund.json', '"competing": "impossible"', '"competing": "unstated"', false],
  ['models/profund/profund.json', '"version": "', '"version": "1', false],
  ['models/profund/profund.json', '"title": "', '"title": "New ', false],
  ['models/profund/profund.json', '"label": "', '"label": "New ', false],
  ['models/profund/profund.json', '"points": 3', '"points": 2', true],
  ['models/profund/profund.json', '"risk": 0.', '"risk": 0.0', true],
  ['scales/barthel/barthel.json', '"label": "', '"label": "New ', false],
  ['scales/barthel/barthel.json', '"scheme": "Shah 1989"', '"scheme": "Shah"', false],
  ['scales/phq9/phq9.json', '"from": 1,\n      "text"', '"from": 2,\n      "text"', false],
  ['scales/tug/tug.json', '"step": 0.001', '"step": 0.01', false],
  ['fields.json', '"meaning": "', '"meaning": "New: ', false],
  ['fields.json', '"from": 0,\n      "to": 120', '"from": 0,\n      "to": 121', true],
]
const folders = mkdtempSync(join(tmpdir(), 'risk-digest-'))
after(() => rmSync(folders, { recursive: true }))
for (const [at, [file, before, now, isNumber]] of CHANGED_FILES.entries()) {
  test(`${file} with ${now}: the digest of the numbers ${isNumber ? 'changes' : 'stays'}`, () => {
    const root = join(folders, String(at))
    cpSync(CLINICAL_ROOT, root, { recursive: true })
    const path = join(root, file)
    const text = readFileSync(path, 'utf8')
    assert.ok(text.includes(before))
    writeFileSync(path, text.replace(before, now))
    const { catalog: changed, faults } = loadCatalog([root])
    assert.ok(changed !== undefined, JSON.stringify(faults))
    assert.equal(riskDigestWith({}, changed) !== riskDigestWith({}), isNumber)
    assert.notEqual(digestWith({}, ZONE, changed), plain)
  })
}
