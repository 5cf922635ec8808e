/** What a worker does for the scoring calls: compiles the deployments that it is given, and answers bodies. */
import { type KeyCodes, type PortableDeployments, unpackScorers } from '@patient-risk/catalog'
import type { Words } from 'patient-risk-engine/words'
import { digestOf, type Answered } from '@patient-risk/runtime'
import { type Observed, RecordCollector } from '@patient-risk/monitor'
import {
  type WatchSample,
  type FeedNotice,
  type LinesAnswer as EngineAnswer,
  type LinesPlace,
  type BodyCall,
  type LineCall,
  type OutcomeRules,
  type Scorer,
  type ReadOutcomes,
  readOutcomes,
  type Call,
  type TallyCounts,
} from 'patient-risk-engine'
import { type PackedCells, type PackedOutcomes, packOutcomes } from '../../store/outcomes/packed-cells.ts'
import { PART_CELLS } from '../../store/outcomes/outcome-queue.ts'
import { type PackedShadow, packShadow } from '../../store/outcomes/packed-shadow.ts'
import { type ReceiptRules, receiptOpener } from '../receipts/receipt.ts'
import { LinesBudget, RequestBudget } from './request-budget.ts'

/** Outcomes to be read. */
export interface OutcomeJob {
  readonly rules: Omit<OutcomeRules, 'openReceipt'>
  readonly receipts: ReceiptRules
  readonly body: Uint8Array
}

/** The answer to a body of outcomes, and its cells as the store takes them. */
export interface CountableOutcomes extends Omit<ReadOutcomes, 'cells' | 'shadowCells'> {
  readonly cells: PackedOutcomes
  readonly shadowCells: PackedShadow
}

export function readCountable({ body, rules, receipts }: OutcomeJob): CountableOutcomes {
  const { cells, shadowCells, ...read } = readOutcomes(body, {
    ...rules,
    openReceipt: receiptOpener(receipts),
  })
  return { ...read, cells: packOutcomes(cells), shadowCells: packShadow(shadowCells, PART_CELLS) }
}

/** What a worker is sent: a body, or some lines of a stream with their place in it. */
export interface ScoringJob {
  readonly deployment: string
  readonly call: Call
  readonly body: Uint8Array
  readonly today: number
  readonly place?: LinesPlace
  /** The codes of the caller's key, where it has its own. */
  readonly codes?: KeyCodes | undefined
  /** Whether its records are watched. */
  readonly isWatched: boolean
  /** Which of them are seen; those that a body of its length has, where absent. */
  readonly sample?: WatchSample | undefined
  /** The open doubts about the caller's feed. */
  readonly feed?: readonly FeedNotice[] | undefined
  /** The tag of the language of its texts for people; English where absent. */
  readonly language?: string | undefined
}

export interface BodyAnswer {
  readonly bytes: Uint8Array
  readonly tally: TallyCounts
  /** The buffer of the body, given back by the worker that read it. */
  readonly returnedBuffer?: ArrayBufferLike
  /** SHA-256 of the bytes, where a worker has answered. */
  readonly digest?: string
  /** What was taken of its records, where they are watched. */
  readonly observed?: Observed | undefined
  /** The risk of each record in ten-thousandths; −1 where it is null. */
  readonly risks: Iterable<number>
}

export interface LinesAnswer extends Pick<
  EngineAnswer,
  'bytes' | 'idxs' | 'ambiguousIdxs' | 'risks' | 'malformedAt'
> {
  readonly tally: TallyCounts
  /** The lines, given back: a worker may have had them. */
  readonly body: Uint8Array
  /** Whether a worker has given the bytes and the lines, so that nobody else has their memory. */
  readonly isFromWorker: boolean
  readonly observed?: Observed | undefined
}

export function scoringJobs(
  deployments: PortableDeployments,
): (job: ScoringJob | OutcomeJob, isAbandoned: () => boolean) => Answered {
  const scorerOf = unpackScorers(deployments)
  const collectorOf = unpackCollectors(deployments)
  return (job, isAbandoned) => {
    if ('rules' in job) {
      const answer = readCountable(job)
      const transfer = Object.values(answer.cells).map(({ numbers }: PackedCells) => numbers.buffer)
      return { answer, transfer: transfer as ArrayBuffer[] }
    }
    const { deployment, call, body, today, place, codes, isWatched, sample, feed, language } = job
    const words = language === undefined ? undefined : deployments.words[language]
    const calls = callsOf(scorerOf(deployment, codes), call, words)
    const collector = isWatched ? collectorOf(deployment) : undefined
    const watching = { watch: collector, sample, feed }
    if (place !== undefined) {
      const budget = new LinesBudget(isAbandoned)
      const given = calls.lines(body, today, place, budget, watching)
      const { bytes, tally, idxs, ambiguousIdxs, risks, malformedAt } = given
      const answer: LinesAnswer = {
        bytes: owned(bytes),
        tally,
        idxs,
        ambiguousIdxs,
        risks,
        malformedAt,
        body,
        isFromWorker: true,
        observed: collector?.taken(),
      }
      return { answer, transfer: [answer.bytes.buffer, answer.idxs.buffer, body.buffer] as ArrayBuffer[] }
    }
    const answered = calls.body(body, today, new RequestBudget(isAbandoned), watching)
    const bytes = owned(answered.bytes)
    const returnedBuffer = body.buffer
    const { tally, risks } = answered
    const digest = digestOf(bytes)
    const answer: BodyAnswer = { bytes, tally, risks, digest, returnedBuffer, observed: collector?.taken() }
    return { answer, transfer: [bytes.buffer, returnedBuffer] as ArrayBuffer[] }
  }
}

/** Who watches the records of each deployment in this thread. */
export function unpackCollectors({
  definitions,
  deployments,
}: PortableDeployments): (name: string) => RecordCollector | undefined {
  const made = new Map<string, RecordCollector>()
  return (name) => {
    const entry = deployments.find((each) => each.name === name)
    if (entry === undefined) return undefined
    const { model, options } = entry
    const collector =
      made.get(name) ?? new RecordCollector({ definitions, model, conversions: options.conversions })
    made.set(name, collector)
    return collector
  }
}

interface Calls {
  readonly body: BodyCall
  readonly lines: LineCall
}

const explaining = new WeakMap<Scorer, Map<Words, Calls>>()

/** The calls of a scorer in a language. Only what is explained has texts for people. */
export function callsOf(scorer: Scorer, call: Call, words: Words | undefined): Calls {
  if (call !== 'explain' || words === undefined) return { body: scorer[call], lines: scorer.lines[call] }
  const made = explaining.get(scorer) ?? new Map<Words, Calls>()
  explaining.set(scorer, made)
  const calls = made.get(words) ?? scorer.explainIn(words)
  made.set(words, calls)
  return calls
}

/** Only a buffer that holds nothing else may be transferred. */
function owned(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice()
}
