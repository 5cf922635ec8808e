/** The scorer of one deployment: compiled definitions that answer a body of records. Every interface uses it. */
import type { ModelDefinition } from '../definition/model.ts'
import { Assessor, type Outcome } from './assess.ts'
import { type ReaderTools, answerArray } from './bytes/answer-array.ts'
import { readLinesFast } from './bytes/answer-lines.ts'
import { AnswerWriter } from './bytes/answer-writer.ts'
import { makeMachine } from './bytes/machine.ts'
import { RecordList } from './bytes/record-list.ts'
import { type BatchAnswer, type BatchOptions, type Print, type WorkBudget, answerBytes } from './batch.ts'
import { explain } from './score/explain.ts'
import { type LinesAnswer, type LinesPlace, answerLines } from './read/lines.ts'
import { type CompiledModel, compileModel } from './score/model.ts'
import { type Conversions, type Knowledge, type Plan, makePlan } from './plan.ts'
import { printProblems } from './judge/problem.ts'

/** The initial size of the answer writer, which grows when needed. */
const WRITER_BYTES = 16_384

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
  const writer = new AnswerWriter(WRITER_BYTES)
  const fast = fastReader(plan, compiled, { assessor, print: printScore, writer }, printRisk, options)
  const score: BodyCall = (body, today, budget) => {
    const tools = fast()
    const answer = tools === undefined ? undefined : answerArray(body, tools, at(today, budget))
    return answer ?? answerBytes(body, assessor, printScore, at(today, budget))
  }
  const byLine =
    (print: Print, isFast = false): LineCall =>
    (chunk, today, place) => {
      const { maxLineBytes } = options
      const when = at(today)
      const machine = isFast ? fast()?.machine : undefined
      const tools = { assessor, print, maxLineBytes, options: when, writer }
      if (machine === undefined) return answerLines(chunk, place, tools)
      const readFast = readLinesFast.bind(undefined, machine, when)
      return answerLines(chunk, place, { ...tools, readFast })
    }
  return {
    score,
    validate: (body, today, budget) => answerBytes(body, assessor, printValidity, at(today, budget)),
    explain: (body, today, budget) => answerBytes(body, assessor, printExplanation, at(today, budget)),
    lines: {
      score: byLine(printScore, true),
      validate: byLine(printValidity),
      explain: byLine(printExplanation),
    },
    assess: (record, today) => assessor.assess(record, 0, at(today)),
  }
}

/** The byte reader, made when it is first needed; undefined where the reference must serve. */
function fastReader(
  plan: Plan,
  model: CompiledModel,
  shared: Pick<ReaderTools, 'assessor' | 'print' | 'writer'>,
  printRisk: (risk: number) => string,
  options: ScorerOptions,
): () => ReaderTools | undefined {
  if (options.reader === 'reference') return () => undefined
  let tools: ReaderTools | null | undefined
  return () => {
    if (tools === undefined) {
      const { maxKeys, window } = options
      const machine = makeMachine(plan, model, {
        ...{ printRisk, maxKeys },
        ...(window === undefined ? {} : { window }),
      })
      tools = machine === undefined ? null : { ...shared, machine, records: new RecordList() }
    }
    return tools ?? undefined
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
