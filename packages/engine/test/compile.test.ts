/** `compile`: a packed deployment answers as the scorer that it was made from; anything else is refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDeployments, packDeployment } from '@patient-risk/catalog'
import { compile } from '../src/compile.ts'
import { PackError, type PackedDeployment } from '../src/packed.ts'
import { testCatalog } from '../../../test/support/serve.ts'

const TODAY = 20_260_131
const catalog = testCatalog()
const { deployments } = makeDeployments(catalog, [
  { name: 'ward', basePath: '/', model: 'readmission30', output: 'number' },
])
const [deployment] = deployments
assert.ok(deployment !== undefined)
const text = JSON.stringify(packDeployment(catalog, deployment))
const packed = JSON.parse(text) as PackedDeployment

const PATIENT = { idx: 1, age: 84, sex: 'F', inpatientAdmissions: 2, emergencyAdmissions: 1, stayDays: 7 }

test('a record gets its risk, its validity and what they rest on', () => {
  const ward = compile(packed)
  assert.equal(ward.model, 'readmission30@1.0.4')
  assert.deepEqual(ward.score([PATIENT], TODAY), [{ idx: 1, risk: 0.2294, error_message: null }])
  assert.deepEqual(ward.validate([PATIENT], TODAY), [{ idx: 1, valid: true, error_message: null }])
  assert.equal(ward.explain([PATIENT], TODAY)[0]?.risk, 0.2294)
})

for (const call of ['score', 'validate', 'explain'] as const) {
  test(`${call} of bytes gives the bytes of the scorer that was packed`, () => {
    const body = Buffer.from('[{"idx":1,"age":84,"age":85},{"idx":2,"age":"x"},7]')
    assert.deepEqual(
      Buffer.from(compile(packed).bytes[call](body, TODAY)).toString(),
      Buffer.from(deployment.scorer[call](body, TODAY).bytes).toString(),
    )
  })
}

test('a number that JSON cannot write is a problem and no absent value', () => {
  const [result] = compile(packed).score([{ ...PATIENT, stayDays: Number.NaN }], TODAY)
  assert.equal(result?.risk, null)
  assert.match(result.error_message?.[0]?.ExtendError ?? '', /^ValueError for value StayDays/)
})

test('a body that is not a list of records is refused with a code', () => {
  assert.throws(() => compile(packed).bytes.score(Buffer.from('{}'), TODAY), { code: 'BODY_NOT_ARRAY' })
})

/** What is not a packed deployment · what the error says. */
const REFUSED: readonly (readonly [name: string, value: unknown, message: RegExp])[] = [
  ['nothing', undefined, /not a packed deployment/],
  ['null', null, /not a packed deployment/],
  ['the text of the JSON', text, /not a packed deployment/],
  ['a list', [packed], /not a packed deployment/],
  ['a model file', packed.model, /not a packed deployment/],
  ['another format', { ...packed, format: 'patient-risk-model' }, /not a packed deployment/],
  ['a newer format version', { ...packed, formatVersion: 2 }, /another format version than 1/],
  ['an older format version', { ...packed, formatVersion: 0 }, /another format version than 1/],
  ['no format version', { ...packed, formatVersion: undefined }, /another format version than 1/],
  ['no checksum', { ...packed, checksum: undefined }, /checksum does not fit/],
  ['another digest', { ...packed, digest: 'x' }, /checksum does not fit/],
  ['no scales', { ...packed, definitions: { ...packed.definitions, scales: [] } }, /checksum does not fit/],
  ['one more key', { ...packed, note: '' }, /checksum does not fit/],
  [
    'another intercept',
    { ...packed, model: { ...packed.model, link: { kind: 'logistic', intercept: -2 } } },
    /checksum/,
  ],
]
for (const [name, value, message] of REFUSED) {
  test(`${name} is refused: ${message.source}`, () => {
    assert.throws(
      () => compile(value),
      (error) => error instanceof PackError && message.test(error.message),
    )
  })
}

/** A day · whether it is one. */
const DAYS: readonly (readonly [unknown, boolean])[] = [
  [20_240_229, true],
  [20_250_228, true],
  [20_250_229, false],
  [20_251_231, true],
  [20_251_301, false],
  [20_250_100, false],
  [20_250_101, true],
  [20_250_101.5, false],
  [Number.NaN, false],
  [undefined, false],
  ['20250101', false],
  [new Date(0), false],
  [1_738_000_000_000, false],
]
for (const [today, isDay] of DAYS) {
  test(`${String(today)} ${isDay ? 'is' : 'is not'} taken as today`, () => {
    const score = (): unknown => compile(packed).score([PATIENT], today as number)
    if (isDay) assert.doesNotThrow(score)
    else assert.throws(score, /`today` must be a day as the number YYYYMMDD/)
  })
}
