/** The codes of a deployment: what is refused, what is doubtful, the digest, and the fields as they are described. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Codes } from 'patient-risk-engine'
import { FaultList } from 'patient-risk-engine/definition'
import { testCatalog } from '../../../test/support/serve.ts'
import { checkCodes } from '../src/catalog/check-codes.ts'
import { codesDigest } from '../src/catalog/deployment-digest.ts'
import { type Deployment, makeDeployments } from '../src/catalog/deployment.ts'
import { fieldsForKey, fieldsOf } from '../src/catalog/describe-fields.ts'
import type { DeploymentSettings } from '../src/config/config-schema.ts'

const catalog = testCatalog()
const SETTINGS: DeploymentSettings = { name: 'walter', basePath: '/', model: 'walter', output: 'number' }
const deployment = (codes?: Codes): Deployment => {
  const entry = codes === undefined ? SETTINGS : { ...SETTINGS, codes }
  return makeDeployments(catalog, [entry]).deployments[0] as Deployment
}

/** Codes, and the place and the words of the fault. */
const REFUSED: readonly (readonly [Codes, string, RegExp])[] = [
  [{ sexo: { H: 'M' } }, '/codes/sexo', /is not a field; did you mean "sex"\?/],
  [{ age: { old: '99' } }, '/codes/age', /takes no codes/],
  [{ barthel_feeding: { A: '10' } }, '/codes/barthel_feeding', /takes no codes/],
  [{ barthel_date: { A: '10' } }, '/codes/barthel_date', /takes no codes/],
  [{ sex: { H: 'male' } }, '/codes/sex/H', /does not have; it has "F", "M", "X", or null/],
  [{ sex: { H: true } }, '/codes/sex/H', /does not have/],
  [{ dementia: { S: 'true' } }, '/codes/dementia/S', /does not have; it has true, false, or null/],
  [{ sex: { '': 'M' } }, '/codes/sex', /1 to 64 characters/],
  [{ sex: { ['c'.repeat(65)]: 'M' } }, '/codes/sex', /1 to 64 characters/],
  [
    { sex: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`c${at}`, 'M'])) },
    '/codes/sex',
    /100 codes/,
  ],
]
for (const [codes, path, message] of REFUSED) {
  test(`${JSON.stringify(codes).slice(0, 60)} is refused at ${path}`, () => {
    const { faults } = makeDeployments(catalog, [{ ...SETTINGS, codes }])
    const fault = faults.find((each) => each.path.endsWith(path))
    assert.match(fault?.message ?? '', message)
  })
}

const LONGEST: Codes = {
  sex: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${at}`.padStart(64, 'c'), null])),
}

/** Codes, and what is doubtful about them. */
const DOUBTFUL: readonly (readonly [Codes, readonly RegExp[]])[] = [
  [{}, []],
  [{ sex: {} }, []],
  [{ sex: { H: 'M', M: 'F', X: 'X' } }, []],
  [{ dementia: { S: true, N: false, '?': null } }, []],
  [{ sex: { H: 'M', M: 'F' } }, [/^sex: no code stands for "X", so it is taken as it is written$/]],
  [{ sex: { F: 'M', X: 'X' } }, [/no code stands for "F", so it cannot be sent/]],
  [{ sex: { H: 'M', V: 'M', M: 'F', X: 'X' } }, [/the codes "H" and "V" both stand for "M"/]],
  [{ dementia: { S: true } }, [/no code stands for false/]],
  [LONGEST, [/no code stands for "F"/, /no code stands for "M"/, /no code stands for "X"/]],
]
for (const [codes, warnings] of DOUBTFUL) {
  test(`${JSON.stringify(codes).slice(0, 60)} has ${warnings.length} warnings and no fault`, () => {
    const faults = new FaultList('test')
    const found = checkCodes(catalog.domains, codes, faults)
    assert.deepEqual(faults.faults, [])
    assert.equal(found.length, warnings.length)
    warnings.forEach((warning, at) => assert.match(found[at] ?? '', warning))
    assert.deepEqual(deployment(codes).warnings, found)
  })
}

test('codes are part of the digest, in any order; none are as no codes', () => {
  const plain = deployment().digest
  assert.equal(deployment({}).digest, plain)
  const coded = deployment({ sex: { H: 'M', M: 'F' }, cancer: { 0: 'none' } }).digest
  assert.notEqual(coded, plain)
  assert.equal(deployment({ cancer: { 0: 'none' }, sex: { M: 'F', H: 'M' } }).digest, coded)
  assert.notEqual(deployment({ sex: { H: 'M' } }).digest, coded)
  assert.notEqual(codesDigest({ sex: { H: 'M' } }), codesDigest({ sex: { H: 'F' } }))
  assert.equal(codesDigest({ sex: { H: 'M', M: 'F' } }), codesDigest({ sex: { M: 'F', H: 'M' } }))
})

test('the fields list the codes of the deployment, and for a key its own in their place', () => {
  const made = deployment({ sex: { H: 'M', M: 'F' }, cancer: { 0: 'none' } })
  const codesIn = (catalogue: ReturnType<typeof fieldsOf>, name: string): unknown =>
    catalogue.fields.find((field) => field.name === name)?.codes
  assert.deepEqual(codesIn(fieldsOf(catalog, made), 'sex'), { H: 'M', M: 'F' })
  const forKey = fieldsForKey(catalog, made, { sex: { V: 'M' } })
  assert.deepEqual(codesIn(forKey, 'sex'), { V: 'M' })
  assert.deepEqual(codesIn(forKey, 'cancer'), { 0: 'none' })
  assert.equal(codesIn(fieldsForKey(catalog, made, { sex: {} }), 'sex'), undefined)
  assert.equal(codesIn(fieldsOf(catalog, deployment()), 'sex'), undefined)
})
