/** Bodies of several windows, and more records than the reader notes at once: every record is answered once, in its order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerBuilder, AnswerTools } from '../../src/answer/answer-builder.ts'
import { Assessor } from '../../src/answer/assess.ts'
import { makeByteReader } from '../../src/bytes/byte-reader.ts'
import { answerArray } from '../../src/bytes/read-records.ts'
import { makePlan } from '../../src/plan/plan.ts'
import { compileModel } from '../../src/score/model.ts'
import { OPTIONS, TODAY, linear, model } from '../../../../test/support/small-definitions.ts'
import { type Answerer, watchReader } from './watched-reader.ts'

const FIELDS = new Map([['a', { type: 'integer', from: 0, to: 9, meaning: 'a' } as const]])
const definitions = { fields: FIELDS, scales: [] }
const MODEL = model({ a: {} }, [linear('a')])

const TEXTS: Readonly<Record<Answerer, (idx: number) => string>> = {
  reader: (idx) => `{"idx":${idx},"a":${idx % 10}}`,
  engine: (idx) => `{"idx":${idx},"a":10}`,
  reference: (idx) => `{"idx":${idx},"a":1,"\\u0062":2}`,
}

/** Mostly records that the reader answers, and others at the start, at the end and between. */
function mixed(count: number): {
  readonly texts: readonly string[]
  readonly answerers: readonly Answerer[]
} {
  const answerers = Array.from({ length: count }, (_, idx): Answerer =>
    idx % 7 === 0 ? 'engine' : idx % 11 === 10 ? 'reference' : 'reader',
  )
  return { answerers, texts: answerers.map((answerer, idx) => TEXTS[answerer](idx)) }
}

const SIZES: readonly (readonly [records: number, window: number | undefined])[] = [
  [0, undefined],
  [1, undefined],
  [5_000, undefined],
  [1_000, 5_000],
  [300, 40],
  [300, 64],
  [300, 1_000],
]
for (const [records, window] of SIZES) {
  const reader = watchReader(definitions, MODEL, window === undefined ? {} : { window })
  const { texts, answerers } = mixed(records)
  test(`${records} records through a window of ${window ?? 'the usual size'}`, () => {
    assert.deepEqual(reader.whoAnswers(`[${texts.join(',')}]`, TODAY), answerers)
    assert.deepEqual(reader.whoAnswers(` \t\r\n[ ${texts.join(' ,\n')} ] \t\r\n`, TODAY), answerers)
    assert.deepEqual(reader.whoAnswersLines(texts.join('\n'), TODAY), answerers)
    assert.deepEqual(reader.whoAnswersLines(`${texts.join('\r\n')}\n\n`, TODAY), answerers)
  })
}

test('a whole window of the longest answers is answered', () => {
  const texts = Array.from({ length: 5_000 }, (_, at) => TEXTS.reader(999_999_999_990_000 + at))
  const reader = watchReader(definitions, MODEL)
  const answerers = texts.map(() => 'reader')
  assert.deepEqual(reader.whoAnswers(`[${texts.join(',')}]`, TODAY), answerers)
  assert.deepEqual(reader.whoAnswersLines(texts.join('\n'), TODAY), answerers)
})

test('a record that is larger than the window is left to the reference: in a body all of it, in lines this one', () => {
  const reader = watchReader(definitions, MODEL, { window: 64 })
  const large = `{"idx":1,"a":1${' '.repeat(100)}}`
  assert.equal(reader.whoAnswers(`[${TEXTS.reader(0)},${large}]`, TODAY), undefined)
  assert.equal(reader.whoAnswers(`[${large},${TEXTS.reader(0)}]`, TODAY), undefined)
  const lines = [TEXTS.reader(0), large, TEXTS.reader(2), large.replace('1', '3')].join('\n')
  assert.deepEqual(reader.whoAnswersLines(lines, TODAY), ['reader', 'reference', 'reader', 'reference'])
})

/** Bodies that the reference must see as a whole, and their neighbours, which the reader takes. */
const WHOLE: readonly (readonly [string, string, boolean, object?])[] = [
  ['as many records as are permitted', `[${TEXTS.reader(1)},${TEXTS.reader(2)}]`, true, { maxRecords: 2 }],
  ['one more', `[${TEXTS.reader(1)},${TEXTS.reader(2)}]`, false, { maxRecords: 1 }],
  ['a depth of two', `[${TEXTS.reader(1)}]`, true, { maxDepth: 2 }],
  ['a depth of one', `[${TEXTS.reader(1)}]`, false, { maxDepth: 1 }],
  ['a record that is deeper', '[{"idx":1,"a":1,"b":[[]]}]', false, { maxDepth: 3 }],
  ['a record that is as deep as it may be', '[{"idx":1,"a":1,"b":[[]]}]', true, { maxDepth: 4 }],
  ['two records with one idx', `[${TEXTS.reader(1)},${TEXTS.reader(1)}]`, false],
  ['an idx that another record writes twice', `[{"idx":1,"a":1,"idx":2},${TEXTS.reader(2)}]`, false],
  ['an idx that one record writes twice alone', `[{"idx":1,"a":1,"idx":2},${TEXTS.reader(3)}]`, true],
  ['no list', TEXTS.reader(1), false],
  ['a list that does not end', `[${TEXTS.reader(1)}`, false],
  ['something after the list', `[${TEXTS.reader(1)}] x`, false],
  ['spaces around the list', ` [${TEXTS.reader(1)}] `, true],
  ['no records', '[]', true],
]
for (const [name, body, isTaken, options = {}] of WHOLE) {
  test(`${name}: the reference ${isTaken ? 'need not see' : 'sees'} the whole body`, () => {
    assert.equal(watchReader(definitions, MODEL, options).whoAnswers(body, TODAY) !== undefined, isTaken)
  })
}

test('a body with too many records is not read to its end', () => {
  const { texts } = mixed(3_000)
  const plan = makePlan(definitions, MODEL)
  const compiled = compileModel(MODEL, plan)
  const reader = makeByteReader(plan, compiled, { ...OPTIONS, printRisk: String, window: 1_000 })
  assert.ok(reader)
  const options = { ...OPTIONS, today: TODAY, maxRecords: 100 }
  const answer = new AnswerBuilder('array', new AnswerTools(new Assessor(plan, compiled)), String, options)
  assert.equal(answerArray(Buffer.from(`[${texts.join(',')}]`), reader, answer), undefined)
  assert.ok(answer.length > 100 && answer.length < 300, String(answer.length))
})

test('a failure of the engine is not taken for a body that the reference must see', () => {
  const plan = makePlan(definitions, MODEL)
  const compiled = compileModel(MODEL, plan)
  const reader = makeByteReader(plan, compiled, { ...OPTIONS, printRisk: String })
  assert.ok(reader)
  const fail = (): never => {
    throw new RangeError('a failure')
  }
  const tools = new AnswerTools(new Assessor(plan, compiled))
  const answer = new AnswerBuilder('array', tools, fail, { ...OPTIONS, today: TODAY })
  assert.throws(() => answerArray(Buffer.from(`[${TEXTS.reference(1)}]`), reader, answer), /a failure/)
})
