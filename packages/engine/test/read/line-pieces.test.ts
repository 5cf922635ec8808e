/** Lines of every length, blank ones among them: both readers answer the same lines, whatever window and limit they have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { AnswerBuilder, AnswerTools } from '../../src/answer/answer-builder.ts'
import { Assessor } from '../../src/answer/assess.ts'
import { makePlan } from '../../src/plan/plan.ts'
import { answerLines } from '../../src/answer/lines.ts'
import { compileModel } from '../../src/score/model.ts'
import { OPTIONS, TODAY, linear, model, scorerOf } from '../../../../test/support/small-definitions.ts'

const FROM_START = { first: 0, duplicates: new Set<number>() }
const FIELDS = { a: { type: 'integer', from: 0, to: 9, meaning: 'a' } } as const
const MODEL = model({ a: {} }, [linear('a')])
const MAX_LINE = 40
const scorers = [
  { reader: 'reference' as const },
  { reader: 'bytes' as const },
  { reader: 'bytes' as const, window: 30 },
  { reader: 'bytes' as const, window: 64 },
].map((options) =>
  scorerOf({ fields: FIELDS, model: MODEL, options: { ...options, maxLineBytes: MAX_LINE } }),
)

/** A record of exactly so many bytes. */
const record = (idx: number, bytes: number): string => {
  const bare = `{"idx":${idx},"a":1}`
  return bare.replace('}', `${' '.repeat(Math.max(0, bytes - bare.length))}}`)
}
const piece = fc.oneof(
  fc.constantFrom('', '', ' ', '\t', '\r', ' \t\r', '\v', '5', '{"idx":1'),
  fc.constantFrom(0, 0, 29, 30, 31, MAX_LINE - 1, MAX_LINE, MAX_LINE + 1, 64, 90),
)

test('each line that is not blank is answered, in its order, and those that are too long are no records', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (pieces, endsLine) => {
      const lines = pieces.map((each, at) => (typeof each === 'number' ? record(at, each) : each))
      const expected = lines.flatMap((line, at) => {
        if (/^[ \t\r]*$/.test(line)) return []
        return [line.startsWith('{"idx') && line.endsWith('}') && line.length <= MAX_LINE ? at : Number.NaN]
      })
      const chunk = Buffer.from(lines.join('\n') + (endsLine ? '\n' : ''))
      const [reference, ...others] = scorers.map((scorer) => scorer.lines.score(chunk, TODAY, FROM_START))
      assert.deepEqual([...(reference?.idxs ?? [])], expected)
      for (const each of others) assert.deepEqual(each, reference)
    }),
    { numRuns: 300 },
  )
})

test('a failure of the engine is not taken for a fault of the line', () => {
  const plan = makePlan({ fields: new Map(Object.entries(FIELDS)), scales: [] }, MODEL)
  const tools = new AnswerTools(new Assessor(plan, compileModel(MODEL, plan)))
  let calls = 0
  const failOnce = (): string => {
    if (calls++ === 0) throw new RangeError('a failure')
    return '{}'
  }
  const answer = new AnswerBuilder('lines', tools, failOnce, { ...OPTIONS, today: TODAY })
  assert.throws(() => answerLines(Buffer.from(record(1, 0)), FROM_START, answer, MAX_LINE), /a failure/)
})
