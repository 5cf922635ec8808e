/** Codes of a sender: what each value means, by both readers, in all calls, as an array and as lines. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldDefinition } from '../src/definition/field.ts'
import type { ModelDefinition } from '../src/definition/model.ts'
import { type Codes, codesWith, writtenCode } from '../src/plan/codes.ts'
import { type ScorerOptions, createScorer } from '../src/scorer.ts'
import type { Result } from '../../../test/support/contract-records.ts'
import { OPTIONS, TODAY, model } from '../../../test/support/small-definitions.ts'
import { type Answerer, watchReader } from './read/watched-reader.ts'

const FIELDS: Readonly<Record<string, FieldDefinition>> = {
  sex: { type: 'code', values: { F: 'female', M: 'male', X: 'other' }, meaning: 'sex' },
  flag: { type: 'yesNo', meaning: 'flag' },
}
const DEFINITIONS = { fields: new Map(Object.entries(FIELDS)), scales: [] }
/** Each value has points of its own, so that the risk shows which one was read. */
const BY_SEX = model({ sex: {} }, [{ kind: 'category', field: 'sex', points: { F: 1, M: 2, X: 3 } }])
const BY_FLAG = model({ flag: {} }, [{ kind: 'flag', field: 'flag', points: 1 }])

const answerTo = (of: ModelDefinition, value: string, options: Partial<ScorerOptions>): Result => {
  const field = of === BY_SEX ? 'sex' : 'flag'
  const body = new TextEncoder().encode(`[{"idx":1,"${field}":${value}}]`)
  const { bytes } = createScorer(DEFINITIONS, of, { ...OPTIONS, ...options }).score(body, TODAY)
  return (JSON.parse(new TextDecoder().decode(bytes)) as Result[])[0] as Result
}
const reasonOf = ({ error_message: problems }: Result): string | undefined => problems?.[0]?.ExtendError

const NOT_PERMITTED = /not a permitted value/
const MISSING = /^ValueMissing/
const SPANISH: Codes = {
  sex: { H: 'M', M: 'F', 1: 'M', 2: 'F', 9: null, Varón: 'M' },
  flag: { S: true, 9: null },
}
const NUMBERED: Codes = { flag: { 1: true, 2: false } }

/** The codes, the model, what a record writes, the value that it means or why it means none, and who answers. */
const MEANINGS: readonly (readonly [Codes, ModelDefinition, string, string | RegExp, Answerer])[] = [
  [SPANISH, BY_SEX, '"H"', '"M"', 'reader'],
  [SPANISH, BY_SEX, '"M"', '"F"', 'reader'],
  [SPANISH, BY_SEX, '"X"', '"X"', 'reader'],
  [SPANISH, BY_SEX, '"Varón"', '"M"', 'reference'],
  // Another code stands for it.
  [SPANISH, BY_SEX, '"F"', NOT_PERMITTED, 'engine'],
  [SPANISH, BY_SEX, '"h"', NOT_PERMITTED, 'engine'],
  [SPANISH, BY_SEX, '"H "', NOT_PERMITTED, 'engine'],
  [SPANISH, BY_SEX, 'true', NOT_PERMITTED, 'engine'],
  [SPANISH, BY_SEX, 'null', MISSING, 'engine'],
  [SPANISH, BY_SEX, '"9"', MISSING, 'engine'],
  [SPANISH, BY_SEX, '9', MISSING, 'engine'],
  // A number by its shortest text, and the same text.
  [SPANISH, BY_SEX, '1', '"M"', 'engine'],
  [SPANISH, BY_SEX, '1.0', '"M"', 'engine'],
  [SPANISH, BY_SEX, '10e-1', '"M"', 'engine'],
  [SPANISH, BY_SEX, '"1"', '"M"', 'reader'],
  [SPANISH, BY_SEX, '"1.0"', NOT_PERMITTED, 'engine'],
  [SPANISH, BY_SEX, '2', '"F"', 'engine'],
  [SPANISH, BY_SEX, '3', NOT_PERMITTED, 'engine'],
  [{ sex: { Infinity: 'M' } }, BY_SEX, '1e400', NOT_PERMITTED, 'engine'],
  [{ sex: { 0: 'M' } }, BY_SEX, '-0', '"M"', 'engine'],
  [SPANISH, BY_FLAG, '"S"', 'true', 'reader'],
  [SPANISH, BY_FLAG, 'true', NOT_PERMITTED, 'engine'],
  [SPANISH, BY_FLAG, 'false', 'false', 'engine'],
  [SPANISH, BY_FLAG, '"N"', NOT_PERMITTED, 'engine'],
  [SPANISH, BY_FLAG, '"9"', MISSING, 'engine'],
  [NUMBERED, BY_FLAG, '1', 'true', 'engine'],
  [NUMBERED, BY_FLAG, '2', 'false', 'engine'],
  [NUMBERED, BY_FLAG, '"2"', 'false', 'reader'],
  [NUMBERED, BY_FLAG, 'false', NOT_PERMITTED, 'engine'],
  // A name that every object has is no code, and one may be called so.
  [SPANISH, BY_SEX, '"constructor"', NOT_PERMITTED, 'engine'],
  [{ sex: { constructor: 'M' } }, BY_SEX, '"constructor"', '"M"', 'reader'],
  // Without a mapping of the field nothing changes.
  [{ sex: {} }, BY_SEX, '"F"', '"F"', 'reader'],
  [NUMBERED, BY_SEX, '1', NOT_PERMITTED, 'engine'],
]
for (const [codes, of, value, expected, answerer] of MEANINGS) {
  test(`${value} with ${JSON.stringify(codes)}: ${String(expected)}, by the ${answerer}`, () => {
    const answer = answerTo(of, value, { codes })
    if (typeof expected === 'string') {
      assert.deepEqual(answer, answerTo(of, expected, {}))
      assert.notEqual(answer.risk, null)
    } else assert.match(reasonOf(answer) ?? '', expected)
    const field = of === BY_SEX ? 'sex' : 'flag'
    const watched = watchReader(DEFINITIONS, of, { codes })
    assert.deepEqual(watched.whoAnswers(`[{"idx":1,"${field}":${value}}]`, TODAY), [answerer])
    assert.deepEqual(watched.whoAnswersLines(`{"idx":1,"${field}":${value}}\n`, TODAY), [answerer])
  })
}

test('all calls read the same codes, and say what was meant', () => {
  const body = new TextEncoder().encode('[{"idx":1,"sex":"M"},{"idx":2,"sex":"F"}]')
  const scorer = createScorer(DEFINITIONS, BY_SEX, { ...OPTIONS, codes: SPANISH })
  const answers = (call: 'validate' | 'explain'): readonly Record<string, unknown>[] =>
    JSON.parse(new TextDecoder().decode(scorer[call](body, TODAY).bytes)) as Record<string, unknown>[]
  assert.deepEqual(
    answers('validate').map(({ valid }) => valid),
    [true, false],
  )
  const [explained, refused] = answers('explain')
  assert.match(JSON.stringify(explained?.['explanation']), /"sex":"F"|"value":"F"/)
  assert.equal(refused?.['risk'], null)
})

test('a model that does not permit what a code stands for refuses it', () => {
  const narrow = model({ sex: { values: ['F', 'M'] } }, BY_SEX.terms)
  const scorer = createScorer(DEFINITIONS, narrow, { ...OPTIONS, codes: { sex: { O: 'X', H: 'M' } } })
  const body = new TextEncoder().encode('[{"idx":1,"sex":"O"},{"idx":2,"sex":"H"},{"idx":3,"sex":"F"}]')
  const results = JSON.parse(new TextDecoder().decode(scorer.score(body, TODAY).bytes)) as Result[]
  assert.match(reasonOf(results[0] as Result) ?? '', NOT_PERMITTED)
  assert.deepEqual(
    results.map(({ risk }) => risk !== null),
    [false, true, true],
  )
})

test("a key's mapping of a field takes the place of the deployment's, as a whole", () => {
  const ofDeployment: Codes = { sex: { H: 'M', M: 'F' }, flag: { S: true } }
  const both = codesWith(ofDeployment, { sex: { V: 'M' } })
  assert.deepEqual(both, { sex: { V: 'M' }, flag: { S: true } })
  assert.match(reasonOf(answerTo(BY_SEX, '"H"', { codes: both })) ?? '', NOT_PERMITTED)
  const none = codesWith(ofDeployment, { sex: {} })
  assert.deepEqual(answerTo(BY_SEX, '"M"', { codes: none }), answerTo(BY_SEX, '"M"', {}))
})

/** The codes, a value, and how it is written. */
const WRITTEN = [
  [undefined, 'M', 'M'],
  [SPANISH['sex'], 'M', '1'],
  [{ H: 'M', M: 'F' }, 'M', 'H'],
  [{ H: 'M', M: 'F' }, 'F', 'M'],
  [{ H: 'M', M: 'F' }, 'X', 'X'],
  // F means M, and nothing means F.
  [{ F: 'M' }, 'F', undefined],
  [{ S: true }, true, 'S'],
  [{ S: true }, false, false],
  [{ true: false }, true, true],
] as const
for (const [codes, value, written] of WRITTEN) {
  test(`${JSON.stringify(codes ?? null)} writes ${String(value)} as ${String(written)}, and it is read again`, () => {
    assert.equal(writtenCode(codes, value), written)
    if (written === undefined) return
    const of = typeof value === 'string' ? BY_SEX : BY_FLAG
    const field = of === BY_SEX ? 'sex' : 'flag'
    const options = codes === undefined ? {} : { codes: { [field]: codes } }
    assert.deepEqual(answerTo(of, JSON.stringify(written), options), answerTo(of, JSON.stringify(value), {}))
  })
}
