/** The public face of the package: what it gives when it runs, and what the compiler makes of it. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { AppError, ScorerError, createScorer } from '../../src/index.ts'
import { patient, scored, valueError } from '../../../../test/support/contract-records.ts'

test('a number, a word, a judgement and an explanation', () => {
  const number = createScorer()
  const records = [patient(1), patient(2, { barthel_total: 1 })] as { idx: number }[]
  const results = [scored(1), scored(2, valueError('barthel_total', 'Total', 2, 'out of range'))]
  assert.deepEqual(number.score(records), results)
  assert.deepEqual(
    number.validate(records).map(({ valid }) => valid),
    [true, true],
  )
  assert.equal(number.explain(records)[0]?.explanation?.probability, 0.2294)
  assert.equal(number.model, 'readmission30@1.0.4')
  const unset = { output: undefined, model: undefined, maxRecords: undefined, timeZone: undefined }
  assert.equal(createScorer(unset as object).model, number.model)
  const flag = createScorer({ output: 'yes-no', threshold: 0.23 })
  assert.equal(flag.score(records)[0]?.risk, 'No')
  assert.equal(Buffer.from(number.scoreBytes(Buffer.from('[]'))).toString(), '[]')
})

const STRANGE: readonly (readonly [string, unknown, string])[] = [
  ['NaN', Number.NaN, 'not an integer'],
  ['a number without end', Infinity, 'not an integer'],
  ['a number without end below', -Infinity, 'not an integer'],
  ['a whole number of any size', 10n ** 400n, 'not an integer'],
  ['a whole number that is too large', 2n ** 60n, 'out of range'],
]
for (const [what, value, reason] of STRANGE) {
  test(`${what}, which JSON cannot hold, is a problem of its field, not a missing value`, () => {
    const [result] = createScorer().score([patient(1, { barthel_total: value }) as { idx: number }])
    assert.deepEqual(result?.error_message, [valueError('barthel_total', 'Total', 1, reason)])
    const [required] = createScorer().score([patient(1, { age: value }) as { idx: number }])
    assert.equal(required?.risk, null)
  })
}

test('a refused request throws its error code; an invalid deployment throws its faults', () => {
  assert.throws(
    () => createScorer().scoreBytes(Buffer.from('{')),
    (error) => error instanceof AppError && error.code === 'BODY_MALFORMED',
  )
  assert.throws(
    () => createScorer({ model: 'crystal-ball' }),
    (error) => error instanceof ScorerError && error.faults[0]?.rule === 'unknown-model',
  )
  assert.throws(() => createScorer({ clinical: ['/no/such/folder'] }), ScorerError)
  const small = createScorer({ maxRecords: 1 })
  assert.throws(
    () => small.score([{ idx: 1 }, { idx: 2 }]),
    /^AppError: TOO_MANY_RECORDS: The body holds 2 records; the limit is 1/,
  )
})

const WRONG_SETTINGS: readonly (readonly [object, RegExp])[] = [
  [{ maxRecords: 0 }, /^settings at \/maxRecords: /],
  [{ model: 'crystal-ball' }, /^settings at \/model: there is no model crystal-ball; there are /],
  [{ output: 'yes-no', threshold: 3 }, /^settings at \/threshold: /],
  [{ output: 'number', threshold: 0.2 }, /^settings at \/threshold: only a yes-no deployment/],
  [{ timeZone: 'Europe/Atlantis' }, /^settings at \/timeZone: is not a known time zone/],
  [{ unknownfields: 'report' }, /^settings at \/unknownfields: .*did you mean "unknownFields"/],
]
for (const [settings, message] of WRONG_SETTINGS) {
  test(`the settings ${JSON.stringify(settings)} are refused with a sentence`, () => {
    assert.throws(
      () => createScorer(settings),
      (error) => error instanceof ScorerError && message.test(error.message) && error.faults.length > 0,
    )
  })
}

test('the types take what they should take, and refuse what they should refuse', () => {
  const root = fileURLToPath(new URL('../../../..', import.meta.url))
  const { config } = ts.readConfigFile(`${root}/tsconfig.json`, (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object }
  }
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const program = ts.createProgram([`${root}/packages/patient-risk/test/types/public-face.ts`], options)
  const found = ts.getPreEmitDiagnostics(program)
  assert.deepEqual(
    found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
    [],
  )
})
