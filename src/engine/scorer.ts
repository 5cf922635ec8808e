/** The scorer of one deployment: compiled definitions that answer a body of records. Every interface uses it. */
import type { ModelDefinition } from '../definition/model.ts'
import {
  AnswerBuilder,
  AnswerTools,
  type BatchAnswer,
  type BatchOptions,
  type Print,
  type WorkBudget,
} from './answer-builder.ts'
import { Assessor, type Outcome } from './assess.ts'
import { answerBytes } from './batch.ts'
import { type Machine, makeMachine } from './bytes/machine.ts'
import { answerArray, readLinesFast } from './bytes/read-records.ts'
import { explain } from './score/explain.ts'
import { type LinesAnswer, type LinesPlace, type ReadFast, answerLines } from './read/lines.ts'
import { compileModel } from './score/model.ts'
import { type Conversions, type Knowledge, makePlan } from './plan.ts'
import { printProblems } from './judge/problem.ts'

export type Output = { readonly kind: 'number' } | { readonly kind: 'yes-no'; readonly threshold: number }

export interface ScorerOptions {
  readonly output: Output
  readonly reportUnknown: boolean
  readonly maxRecords: number
  readonly maxDepth: number
  readonly maxKeys: number
  readonly maxLineBytes: number
  /** Fields that are received in another unit than their own. */
  readonly conversions?: Conversions
  /** Whether records are read from their bytes where that is possible. The answers are the same either way. */
  readonly reader?: 'bytes' | 'reference'
  /** Bytes that the byte reader looks at at once; only tests want another number than its own. */
  readonly window?: number
}

/** The calls that answer records. */
export type Call = 'score' | 'validate' | 'explain'

/** Answers every line; `place` gives their position in the whole stream or file. */
export type LineCall = (chunk: Uint8Array, today: number, place: LinesPlace) => LinesAnswer

/** Answers a body. The budget, where there is one, may stop the work by throwing. */
export type BodyCall = (body: Uint8Array, today: number, budget?: WorkBudget) => BatchAnswer

export interface Scorer {
  /** The answer of the scoring call. `today` is YYYYMMDD. Throws an AppError for a body that cannot be served. */
  readonly score: BodyCall
  /** The same judgement without a risk. */
  readonly validate: BodyCall
  /** The same results with each term's contribution. */
  readonly explain: BodyCall
  /** The same calls on records that come one per line. They never throw because of their input. */
  readonly lines: Readonly<Record<Call, LineCall>>
  /** One parsed record, for callers in this process. The outcome is overwritten by the next call. */
  readonly assess: (record: unknown, today: number) => Outcome
}

export function createScorer(knowledge: Knowledge, model: ModelDefinition, options: ScorerOptions): Scorer {
  const plan = makePlan(knowledge, model, options.conversions)
  const compiled = compileModel(model, plan)
  const assessor = new Assessor(plan, compiled)
  const printRisk = riskPrinter(options.output)

  const printScore = (outcome: Outcome): string => `{${head(outcome, printRisk)}}`
  const printValidity = (outcome: Outcome): string =>
    `{"idx":${outcome.idx},"valid":${!outcome.blocked},"error_message":${printProblems(outcome.problems)}}`
  const printExplanation = (outcome: Outcome): string => {
    const explanation = outcome.blocked ? null : explain(plan, compiled, model, assessor.slots, outcome)
    return `{${head(outcome, printRisk)},"explanation":${JSON.stringify(explanation)}}`
  }
  const at = (today: number, budget?: WorkBudget): BatchOptions => ({
    ...options,
    today,
    ...(budget === undefined ? {} : { budget }),
  })
  const tools = new AnswerTools(assessor)
  let machine: Machine | undefined
  let isMade = options.reader === 'reference'
  /** The byte reader, made when it is first needed; undefined where the reference must serve. */
  const byteReader = (): Machine | undefined => {
    if (!isMade) machine = makeMachine(plan, compiled, { ...options, printRisk })
    isMade = true
    return machine
  }
  const byBody =
    (print: Print): BodyCall =>
    (body, today, budget) =>
      answerBytes(body, tools, print, at(today, budget))
  const byLine =
    (print: Print, isFast = false): LineCall =>
    (chunk, today, place) => {
      const answer = new AnswerBuilder('lines', tools, print, at(today))
      const reader = isFast ? byteReader() : undefined
      const readFast: ReadFast | undefined =
        reader === undefined ? undefined : (lines, judge) => readLinesFast(lines, reader, answer, judge)
      return answerLines(chunk, place, answer, options.maxLineBytes, readFast)
    }
  return {
    score(body, today, budget) {
      const reader = byteReader()
      const answer = new AnswerBuilder('array', tools, printScore, at(today, budget))
      const fast = reader === undefined ? undefined : answerArray(body, reader, answer)
      return fast ?? answerBytes(body, tools, printScore, answer.options)
    },
    validate: byBody(printValidity),
    explain: byBody(printExplanation),
    lines: {
      score: byLine(printScore, true),
      validate: byLine(printValidity),
      explain: byLine(printExplanation),
    },
    assess: (record, today) => assessor.assess(record, 0, at(today)),
  }
}

function head(outcome: Outcome, printRisk: (risk: number) => string): string {
  const risk = outcome.blocked ? 'null' : printRisk(outcome.risk)
  return `"idx":${outcome.idx},"risk":${risk},"error_message":${printProblems(outcome.problems)}`
}

function riskPrinter(output: Output): (risk: number) => string {
  if (output.kind === 'number') return String
  // The rounded number decides, so that both kinds of deployment always agree.
  return (risk) => (risk >= output.threshold ? '"Yes"' : '"No"')
}
