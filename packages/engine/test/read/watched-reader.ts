/** A byte reader that says who answered each record, and compares its answers with those of the reference. */
import assert from 'node:assert/strict'
import type { ModelDefinition } from '../../src/definition/model.ts'
import { AnswerBuilder, AnswerTools, type BatchOptions } from '../../src/answer/answer-builder.ts'
import { Assessor, type RecordResult } from '../../src/answer/assess.ts'
import { makeByteReader } from '../../src/bytes/byte-reader.ts'
import { answerArray, readLinesFast } from '../../src/bytes/read-records.ts'
import { printProblems } from '../../src/judge/problem.ts'
import { type Definitions, makePlan } from '../../src/plan/plan.ts'
import { answerLines } from '../../src/answer/lines.ts'
import { compileModel } from '../../src/score/model.ts'
import { type ScorerOptions, createScorer } from '../../src/scorer.ts'
import { OPTIONS } from '../../../../test/support/small-definitions.ts'

/** Who answers a record: the reader itself, the engine from what the reader has read, or the reference from its bytes. */
export type Answerer = 'reader' | 'engine' | 'reference'

/** What the reader asked the engine while it answered: how often for the rules of a scale, and for the points of a term. */
export interface Asked {
  readonly rules: number
  readonly points: number
}

export interface WatchedReader {
  /** Who answers each record of a body; undefined where the reference must see the body as a whole. */
  readonly whoAnswers: (body: string | Uint8Array, today: number) => readonly Answerer[] | undefined
  /** The same for a record a line. */
  readonly whoAnswersLines: (lines: string | Uint8Array, today: number) => readonly Answerer[]
  /** Since it was made or asked for last. */
  readonly asked: () => Asked
}

const encode = (text: string | Uint8Array): Uint8Array =>
  typeof text === 'string' ? new TextEncoder().encode(text) : text
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const print = ({ idx, blocked, risk, problems }: RecordResult): string =>
  `{"idx":${idx},"risk":${blocked ? 'null' : risk},"error_message":${printProblems(problems)}}`
const FROM_START = { first: 0, duplicates: new Set<number>() }

export function watchReader(
  definitions: Definitions,
  model: ModelDefinition,
  options: Partial<ScorerOptions> = {},
): WatchedReader {
  const all = { ...OPTIONS, ...options }
  const plan = makePlan(definitions, model, all.conversions, all.codes)
  const compiled = compileModel(model, plan)
  let asked = { rules: 0, points: 0 }
  const seenPlan = {
    ...plan,
    get scales() {
      asked.rules++
      return plan.scales
    },
  }
  const terms = compiled.terms.map((term) => ({
    ...term,
    points: (...slots: Parameters<typeof term.points>): number => {
      asked.points++
      return term.points(...slots)
    },
  }))
  const reader = makeByteReader(seenPlan, { ...compiled, terms }, { ...all, printRisk: String })
  assert.ok(reader)
  asked = { rules: 0, points: 0 }
  const slow = createScorer(definitions, model, { ...all, reader: 'reference' })
  const assessor = new Assessor(plan, compiled)
  const tools = new AnswerTools(assessor)
  const assess = assessor.assess.bind(assessor)
  let isSeen = false
  assessor.assess = (...record) => {
    isSeen = true
    return assess(...record)
  }
  let others: (Answerer | undefined)[] = []
  const builder = (form: 'array' | 'lines', today: number): AnswerBuilder => {
    others = []
    const options: BatchOptions = { ...all, today }
    const note = (outcome: RecordResult): string => {
      others[tools.idxs.length] = isSeen ? 'reference' : 'engine'
      isSeen = false
      return print(outcome)
    }
    return new AnswerBuilder(form, tools, note, options)
  }
  const answerers = (records: number): readonly Answerer[] =>
    Array.from({ length: records }, (_, position) => others[position] ?? 'reader')
  return {
    asked: () => {
      const before = asked
      asked = { rules: 0, points: 0 }
      return before
    },
    whoAnswers(body, today) {
      const fast = answerArray(encode(body), reader, builder('array', today))
      if (fast === undefined) return undefined
      const reference = slow.score(encode(body), today)
      assert.equal(decode(fast.bytes), decode(reference.bytes))
      assert.deepEqual(fast.tally, reference.tally)
      return answerers(fast.tally.records)
    },
    whoAnswersLines(lines, today) {
      const answer = builder('lines', today)
      const fast = answerLines(encode(lines), FROM_START, answer, all.maxLineBytes, (piece, judge) =>
        readLinesFast(piece, reader, answer, judge),
      )
      const reference = slow.lines.score(encode(lines), today, FROM_START)
      assert.equal(decode(fast.bytes), decode(reference.bytes))
      assert.deepEqual({ ...fast, bytes: 0 }, { ...reference, bytes: 0 })
      return answerers(fast.tally.records)
    },
  }
}
