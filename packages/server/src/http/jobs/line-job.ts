/**
 * Scores a body of lines, piece by piece, as a stream does. The pieces of its results have fixed names and the same bytes whoever writes
 * them, so a job goes on after its last checkpoint and what was written twice is there once. Repeated `idx` are refused when all
 * records are known, as in files. An answer may be many times as long as its line: results have pieces of their own, so that this thread is
 * busy with none of them for long.
 */
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Deployment } from '@patient-risk/catalog'
import { AppError, freeNow } from '@patient-risk/runtime'
import { type LinesPlace, Tally, type TallyCounts } from 'patient-risk-engine'
import type { LinesAnswer } from '../scoring/scoring-jobs.ts'
import { countRecords, piecesOf } from '../request/line-source.ts'
import { seenIdxOfCaller } from '../request/seen-idx-of-caller.ts'
import type { ScoredRisks } from '../../store/outcomes/scored-risks.ts'
import type { Service } from '../service.ts'
import { type JobFacts, type JobFile, RESULT_TYPES } from './job-facts.ts'
import { type JobFolder, pieceName } from './job-folder.ts'

/** What a worker of the service, or its main thread, does in one go. */
const STEP_BYTES = 128 * 1024
/** A piece of results ends with the first step that brings it to so many bytes. */
const RESULT_BYTES = 1024 * 1024
const CLEAN = /^.{0,60}"error_message":null[,}]/
const NONE: ReadonlySet<number> = new Set()

/** How far a job has come that waits for the quota of its key. */
export interface WaitingCheckpoint {
  /** Records that are answered. */
  readonly first: number
  /** Records of what comes next that the quota has counted already: of a piece of lines, or of a table. */
  readonly taken: number
}

export interface LineCheckpoint extends WaitingCheckpoint {
  /** Pieces of the body whose results are there, and the pieces of these results. */
  readonly next: number
  readonly results: number
  readonly tally: SavedTally
  readonly bytesOnDisk: number
  /** The counts of the risks, where they are counted. */
  readonly riskCounts?: readonly number[]
}

/** Records that the quota has counted. */
export interface Taken {
  readonly records: number
  readonly waitMs: number
}

/** The key has no records left: the job goes on later, and others meanwhile. */
export class JobWaits extends Error {
  readonly checkpoint: WaitingCheckpoint
  readonly waitMs: number

  constructor(checkpoint: WaitingCheckpoint, waitMs: number) {
    super('the job waits for the quota of its key')
    this.checkpoint = checkpoint
    this.waitMs = waitMs
  }
}

/** A tally as JSON. */
interface SavedTally {
  readonly records: number
  readonly scored: number
  readonly problems: readonly (readonly [field: string, kinds: readonly (readonly [string, number])[]])[]
}

export interface LineResult {
  readonly tally: TallyCounts
  readonly output: JobFile
  readonly errors: JobFile
  readonly bytesOnDisk: number
}

export interface LineJobParts {
  readonly service: Pick<Service, 'dispatcher' | 'load' | 'feeds'>
  readonly deployment: Deployment
  readonly folder: JobFolder
  readonly id: string
  readonly key: Uint8Array
  readonly keyId: string
  readonly facts: JobFacts
  readonly signal: AbortSignal
  /** Where the risks are counted; undefined where they are not. */
  readonly scored: ScoredRisks | undefined
  /** The most bytes that the results may take. */
  readonly mostBytes: number
  /**
   * Counts records against the quota of the key, before they are answered. Returns how many of them are counted, and how long to wait
   * where these are not all.
   */
  readonly take: (records: number) => Promise<Taken>
  /** Notes how far the job has come. */
  readonly keep: (checkpoint: LineCheckpoint) => Promise<void>
}

/** What is known of the records of a piece: the place of the first one in the body, and the pieces of its results. */
interface PieceIdxs {
  readonly first: number
  readonly results: readonly string[]
  readonly idxs: Float64Array
  readonly ambiguous: ReadonlyMap<number, readonly number[]>
}

export async function scoreLineJob(
  parts: LineJobParts,
  from: LineCheckpoint | undefined,
): Promise<LineResult> {
  const { facts, scored } = parts
  const run = new LineRun(parts)
  const tally = new Tally()
  if (from !== undefined) tally.merge(tallyOf(from.tally))
  scored?.addCounts(from?.riskCounts ?? [])
  let first = from?.first ?? 0
  let results = from?.results ?? 0
  let bytesOnDisk = from?.bytesOnDisk ?? 0
  let takenBefore = from?.taken ?? 0
  const reached = (next: number, taken = 0): LineCheckpoint => {
    const riskCounts = scored === undefined ? {} : { riskCounts: scored.counts() }
    return { next, first, results, taken, tally: savedTally(tally), bytesOnDisk, ...riskCounts }
  }
  for (let piece = from?.next ?? 0; piece < facts.pieces; piece++) {
    const lines = await run.read(pieceName('in', piece))
    const taken = await parts.take(countRecords(lines) - takenBefore)
    if (taken.waitMs > 0) throw new JobWaits(reached(piece, takenBefore + taken.records), taken.waitMs)
    takenBefore = 0
    const nameOf: NameOfPart = (part) => pieceName('out', results + part)
    const answer = await run.answer(lines, { first, duplicates: NONE }, nameOf)
    freeNow(lines)
    bytesOnDisk += answer.bytesOnDisk
    await run.writeIdxs(piece, answer)
    tally.merge(answer.tally)
    answer.countRisks(1)
    first += answer.tally.records
    results += answer.results.length
    await parts.keep(reached(piece + 1))
  }
  const names = await markRepeated(run, tally)
  return { tally, ...(await publishLines(run, names)), bytesOnDisk }
}

/** Answers the pieces with repeated identifiers again. Returns the pieces of all results; the tally counts the refused records. */
async function markRepeated(run: LineRun, tally: Tally): Promise<readonly string[]> {
  const { pieces } = run.parts.facts
  const names: string[] = []
  const seen = seenIdxOfCaller()
  const repeated = seenIdxOfCaller()
  for (let piece = 0; piece < pieces; piece++) {
    const start = performance.now()
    const { idxs, ambiguous } = await run.readIdxs(piece)
    idxs.forEach((idx, place) => {
      const own = Number.isNaN(idx) ? (ambiguous.get(place) ?? []) : [idx]
      for (const each of own) if (!seen.add(each)) repeated.add(each)
    })
    await run.yield(performance.now() - start)
  }
  for (let piece = 0; piece < pieces; piece++) {
    const { idxs, first, results } = await run.readIdxs(piece)
    const duplicates = new Set<number>()
    idxs.forEach((idx, place) => {
      if (!Number.isNaN(idx) && repeated.has(idx)) duplicates.add(first + place)
    })
    if (duplicates.size === 0) {
      names.push(...results)
      continue
    }
    const lines = await run.read(pieceName('in', piece))
    const before = await run.answer(Buffer.from(lines), { first, duplicates: NONE })
    const markedBefore = names.length
    const after = await run.answer(lines, { first, duplicates }, (part) =>
      pieceName('marked', markedBefore + part),
    )
    tally.merge(before.tally, -1)
    tally.merge(after.tally)
    before.countRisks(-1)
    after.countRisks(1)
    names.push(...after.results)
  }
  return names
}

/** Describes the results as one file, and the results with problems as another. */
async function publishLines(
  run: LineRun,
  names: readonly string[],
): Promise<Pick<LineResult, 'output' | 'errors'>> {
  const type = RESULT_TYPES.ndjson
  const all = { count: 0, bytes: 0, hash: createHash('sha256') }
  const bad = { count: 0, bytes: 0, hash: createHash('sha256'), pieces: [] as string[] }
  for (const [piece, name] of names.entries()) {
    const start = performance.now()
    const results = await run.read(name)
    all.bytes += results.length
    all.hash.update(results)
    const lines = results.toString().split('\n').slice(0, -1)
    freeNow(results)
    all.count += lines.length
    const faulty = lines.filter((line) => !CLEAN.test(line))
    await run.yield(performance.now() - start)
    if (faulty.length === 0) continue
    const text = Buffer.from(`${faulty.join('\n')}\n`)
    bad.count += faulty.length
    bad.bytes += text.length
    bad.hash.update(text)
    bad.pieces.push(pieceName('errors', piece))
    await run.write(pieceName('errors', piece), text)
  }
  const output = { name: 'results.ndjson', type, count: all.count, bytes: all.bytes, pieces: names }
  const errors = { name: 'errors.ndjson', type, count: bad.count, bytes: bad.bytes, pieces: bad.pieces }
  return {
    output: { ...output, digest: all.hash.digest('base64') },
    errors: { ...errors, digest: bad.hash.digest('base64') },
  }
}

/** The answer to a whole piece. */
interface PieceAnswer extends PieceIdxs {
  readonly tally: Tally
  readonly bytesOnDisk: number
  /** Counts its risks, or takes them away again, where they are counted. */
  readonly countRisks: (times: 1 | -1) => void
}

/** The name of a piece of the results of one piece of the body, by its number from 0. */
type NameOfPart = (part: number) => string

class LineRun {
  readonly parts: LineJobParts
  private writtenBytes = 0

  constructor(parts: LineJobParts) {
    this.parts = parts
  }

  read(name: string): Promise<Buffer> {
    const { folder, id, key, signal } = this.parts
    signal.throwIfAborted()
    return folder.read(id, name, key)
  }

  write(name: string, bytes: Uint8Array): Promise<number> {
    const { folder, id, key, signal, mostBytes } = this.parts
    signal.throwIfAborted()
    this.writtenBytes += bytes.length
    if (this.writtenBytes > mostBytes)
      throw new AppError(
        'JOB_FAILED',
        'The results would take more room than the key has for jobs. Most of its records have problems; send fewer of them.',
      )
    return folder.write(id, name, key, bytes)
  }

  /**
   * Answers a piece, and writes its results where they have names. The first time no record is known as a duplicate: then the values are
   * watched, and an element of an array that is no JSON makes the body malformed.
   */
  async answer(lines: Buffer, { first, duplicates }: LinesPlace, nameOf?: NameOfPart): Promise<PieceAnswer> {
    const { service, deployment, facts, keyId, scored } = this.parts
    const isFirst = nameOf !== undefined && duplicates.size === 0
    const tally = new Tally()
    let outputs: LinesAnswer[] = []
    let outputBytes = 0
    let bytesOnDisk = 0
    const results: string[] = []
    const risks: Iterable<number>[] = []
    const idxs: Float64Array[] = []
    const ambiguous = new Map<number, readonly number[]>()
    const writeResults = async (): Promise<void> => {
      if (nameOf === undefined || outputBytes === 0) return
      const name = nameOf(results.length)
      const piece = Buffer.concat(outputs.map(({ bytes }) => bytes))
      for (const { bytes, isFromWorker } of outputs) if (isFromWorker) freeNow(bytes)
      bytesOnDisk += await this.write(name, piece)
      freeNow(piece)
      results.push(name)
      outputs = []
      outputBytes = 0
    }
    for (const step of piecesOf(lines, STEP_BYTES)) {
      const start = performance.now()
      const watch = isFirst ? service.feeds.get(deployment.name) : undefined
      // A copy: a worker takes the buffer with it.
      const own = Buffer.from(step)
      const place = { first: first + tally.records, duplicates }
      const answered: LinesAnswer = await service.dispatcher.answerLines(
        deployment,
        'score',
        own,
        facts.today,
        place,
        undefined,
        facts.codes ?? undefined,
        { collector: watch?.collector, sample: watch?.sampleOf(keyId, own.length) },
      )
      if (answered.observed !== undefined) watch?.count(keyId, answered.observed)
      if (isFirst && facts.from === 'json' && answered.malformedAt !== undefined)
        throw new AppError(
          'BODY_MALFORMED',
          `Element ${place.first + elementsBefore(step, answered.malformedAt)} of the array, counted from 0, is not well-formed JSON in UTF-8.`,
        )
      for (const [at, numbers] of answered.ambiguousIdxs) ambiguous.set(tally.records + at, numbers)
      idxs.push(answered.idxs)
      if (answered.isFromWorker) freeNow(answered.body)
      if (nameOf !== undefined) outputs.push(answered)
      outputBytes += answered.bytes.length
      risks.push(answered.risks)
      tally.merge(answered.tally)
      if (outputBytes >= RESULT_BYTES) await writeResults()
      await this.yield(performance.now() - start)
    }
    await writeResults()
    const countRisks = (times: 1 | -1): void => {
      for (const each of risks) scored?.addAll(each, times)
    }
    return { results, bytesOnDisk, tally, first, idxs: joined(idxs), ambiguous, countRisks }
  }

  /** Interactive calls come first: while there are any, a job rests as long as it has worked. */
  async yield(workedMs = 0): Promise<void> {
    const { service, signal } = this.parts
    await (service.load.requests > 0 && workedMs >= 1 ? sleep(workedMs) : nextTurn())
    signal.throwIfAborted()
  }

  async writeIdxs(piece: number, { first, results, idxs, ambiguous }: PieceIdxs): Promise<void> {
    const head = Buffer.from(JSON.stringify({ first, results, ambiguous: [...ambiguous] }))
    const length = Buffer.alloc(8)
    length.writeDoubleLE(head.length)
    const numbers = Buffer.from(idxs.buffer, idxs.byteOffset, idxs.byteLength)
    await this.write(pieceName('idx', piece), Buffer.concat([length, head, numbers]))
  }

  async readIdxs(piece: number): Promise<PieceIdxs> {
    const bytes = await this.read(pieceName('idx', piece))
    const end = 8 + bytes.readDoubleLE(0)
    // eslint-disable-next-line no-restricted-properties -- Our own text, whose names have no escapes.
    const { first, results, ambiguous } = JSON.parse(bytes.toString('utf8', 8, end)) as {
      readonly first: number
      readonly results: readonly string[]
      readonly ambiguous: readonly (readonly [number, readonly number[]])[]
    }
    const idxs = new Float64Array(new Uint8Array(bytes.subarray(end)).buffer)
    return { first, results, idxs, ambiguous: new Map(ambiguous) }
  }
}

function elementsBefore(lines: Buffer, offset: number): number {
  let elements = 0
  for (let at = lines.indexOf(0x0a); at >= 0 && at < offset; at = lines.indexOf(0x0a, at + 1)) elements++
  return elements
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function savedTally({ records, scored, problems }: TallyCounts): SavedTally {
  return { records, scored, problems: [...problems].map(([field, kinds]) => [field, [...kinds]]) }
}

function tallyOf({ records, scored, problems }: SavedTally): TallyCounts {
  return { records, scored, problems: new Map(problems.map(([field, kinds]) => [field, new Map(kinds)])) }
}
