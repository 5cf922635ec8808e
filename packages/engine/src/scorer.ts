/** The scorer of one deployment: compiled definitions that answer a body of records. Every interface uses it. */
import type { ChosenBands } from './definition/band-schemes.ts'
import type { ModelDefinition } from './definition/model.ts'
import {
  type BatchAnswer,
  type BatchOptions,
  type Print,
  AnswerBuilder,
  AnswerTools,
  answerBytes,
} from './answer/answer-builder.ts'
import { Assessor, type RecordResult } from './answer/assess.ts'
import { type ByteReader, makeByteReader } from './bytes/byte-reader.ts'
import { answerArray, readLinesFast } from './bytes/read-records.ts'
import type { NoticeOptions } from './rules/notice-rules.ts'
import { type FindRestsOn, type RestsOn, compileRestsOn } from './explain/rests-on.ts'
import { type LinesAnswer, type LinesPlace, type ReadFast, answerLines } from './answer/lines.ts'
import { compileModel } from './score/model.ts'
import type { Codes } from './plan/codes.ts'
import { type Conversions, type Definitions, makePlan } from './plan/plan.ts'
import type { Slots } from './plan/slots.ts'
import { printProblems } from './judge/problem.ts'
import type { WorkBudget } from './work-meter.ts'
import type { Words } from './words/words.ts'

export type Output = { readonly kind: 'number' } | { readonly kind: 'yes-no'; readonly threshold: number }

export interface ScorerOptions
  extends Omit<BatchOptions, 'today' | 'budget' | 'watch' | 'sample' | 'feed'>, NoticeOptions {
  readonly output: Output
  readonly maxLineBytes: number
  /** Fields that are received in another unit than their own. */
  readonly conversions?: Conversions
  /** What the codes of the sender mean, by field. */
  readonly codes?: Codes | undefined
  /** The schemes of bands in place of the default ones. */
  readonly bands?: ChosenBands | undefined
  /** Whether records are read from their bytes where that is possible. The answers are the same either way. */
  readonly reader?: 'bytes' | 'reference' | undefined
  /** Bytes that the byte reader looks at at once; only tests want another number than its own. */
  readonly window?: number
}

/** What is known of the feed that a body belongs to, and who watches it. */
export type Watching = Pick<BatchOptions, 'watch' | 'sample' | 'feed'>

/** The calls that answer records. */
export type Call = 'score' | 'validate' | 'explain'

/**
 * Answers every line; `place` gives their position in the whole stream or file. The budget may stop the work by throwing, but no
 * AppError, which would count as the fault of a line.
 */
export type LineCall = (
  chunk: Uint8Array,
  today: number,
  place: LinesPlace,
  budget?: WorkBudget,
  watch?: Watching,
) => LinesAnswer

/** Answers a body. The budget, where there is one, may stop the work by throwing. */
export type BodyCall = (body: Uint8Array, today: number, budget?: WorkBudget, watch?: Watching) => BatchAnswer

/**
 * `score` gives the answer of the scoring call, `validate` the same judgement without a risk, `explain` the same results with
 * what they rest on. `today` is YYYYMMDD. They throw an EngineError for a body that cannot be served.
 */
export interface Scorer extends Readonly<Record<Call, BodyCall>> {
  /** The same calls on records that come one per line. They never throw because of their input. */
  readonly lines: Readonly<Record<Call, LineCall>>
  /** The scoring call on lines, each result with these parts of what it rests on, in a language where one is given. */
  readonly linesWith: (parts: readonly (keyof RestsOn)[], words?: Words) => LineCall
  /** The explaining calls with their texts for people in another language. */
  readonly explainIn: (words: Words) => { readonly body: BodyCall; readonly lines: LineCall }
  /** One parsed record, for callers in this process. The result is overwritten by the next call. */
  readonly assess: (record: unknown, today: number) => RecordResult
  /** The values of the record that was assessed last, by the slots of the definitions. */
  readonly slots: Slots
  /** What the answer to the record that was assessed last rests on. */
  readonly restsOn: FindRestsOn<[result: RecordResult, today: number]>
}

export function createScorer(
  definitions: Definitions,
  model: ModelDefinition,
  options: ScorerOptions,
): Scorer {
  const plan = makePlan(definitions, model, options.conversions, options.codes)
  const compiled = compileModel(model, plan)
  const assessor = new Assessor(plan, compiled)
  const { output } = options
  // The rounded number decides between Yes and No, so that both kinds of deployment always agree.
  const printRisk = (risk: number): string =>
    output.kind === 'number' ? String(risk) : risk >= output.threshold ? '"Yes"' : '"No"'

  const threshold = output.kind === 'yes-no' ? output.threshold : undefined
  let explainer: ReturnType<typeof compileRestsOn> | undefined
  const restsOn: Scorer['restsOn'] = (result, today, parts, budget, feed, words) => {
    // Most deployments never need it.
    explainer ??= compileRestsOn(definitions, plan, model, compiled, { ...options, threshold })
    return explainer(assessor.slots, result, today, parts, budget, feed, words)
  }
  const printResult = ({ idx, blocked, risk, problems }: RecordResult, words?: Words): string =>
    `"idx":${idx},"risk":${blocked ? 'null' : printRisk(risk)},"error_message":${printProblems(problems, words)}`
  const printWith =
    (parts?: readonly (keyof RestsOn)[], words?: Words): Print =>
    (result, { today, budget, feed }) =>
      `{${printResult(result, words)},${JSON.stringify(restsOn(result, today, parts, budget, feed, words)).slice(1)}`
  const prints: Readonly<Record<Call, Print>> = {
    score: (result) => `{${printResult(result)}}`,
    validate: ({ idx, blocked, problems }) =>
      `{"idx":${idx},"valid":${!blocked},"error_message":${printProblems(problems)}}`,
    explain: printWith(),
  }
  const at = (today: number, budget?: WorkBudget, watching?: Watching): BatchOptions => ({
    ...options,
    ...watching,
    today,
    budget,
  })
  const tools = new AnswerTools(assessor)
  let made: ByteReader | undefined
  let isMade = options.reader === 'reference'
  /** The byte reader, made when it is first needed; undefined where the reference must serve. */
  const readerFor = (call: Call): ByteReader | undefined => {
    if (call !== 'score') return undefined
    if (!isMade) made = makeByteReader(plan, compiled, { ...options, printRisk })
    isMade = true
    return made
  }
  const byBody = (call: Call, print = prints[call]): BodyCall => {
    return (body, today, budget, watch) => {
      const reader = readerFor(call)
      const settings = at(today, budget, watch)
      const fast = reader && answerArray(body, reader, new AnswerBuilder('array', tools, print, settings))
      return fast ?? answerBytes(body, tools, print, settings)
    }
  }
  const byLine = (call: Call, print = prints[call]): LineCall => {
    return (chunk, today, place, budget, watch) => {
      const settings = at(today, budget, watch)
      const answer = new AnswerBuilder('lines', tools, print, settings)
      const reader = readerFor(call)
      const readFast: ReadFast | undefined =
        reader && ((lines, judge) => readLinesFast(lines, reader, answer, judge))
      return answerLines(chunk, place, answer, options.maxLineBytes, readFast)
    }
  }
  const lines = { score: byLine('score'), validate: byLine('validate'), explain: byLine('explain') }
  return {
    ...{ score: byBody('score'), validate: byBody('validate'), explain: byBody('explain') },
    lines,
    linesWith(parts, words) {
      if (parts.length === 0) return lines.score
      return byLine('explain', printWith(parts, words))
    },
    explainIn: (words) => ({
      body: byBody('explain', printWith(undefined, words)),
      lines: byLine('explain', printWith(undefined, words)),
    }),
    slots: assessor.slots,
    assess: (record, today) => assessor.assess(record, 0, at(today)),
    restsOn,
  }
}
