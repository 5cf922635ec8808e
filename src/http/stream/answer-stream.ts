/**
 * A stream: a record a line in, a result a line out, as they come. It holds one piece at a time, so its memory does
 * not grow; the caller is read no faster than it takes its results. When all is answered and recorded, the answer
 * ends properly; in every other case its last line says why, and the connection is cut so that nobody takes it for whole.
 */
import { type Hash, createHash, randomInt } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { SeenIdx, type Spread } from '../../engine/read/seen-idx.ts'
import { Tally } from '../../engine/tally.ts'
import { AppError } from '../../errors.ts'
import type { Exchange } from '../scoring/exchange.ts'
import { takeRecords } from '../request/quota.ts'
import { describeBug } from '../../log/log.ts'
import { problemAnswer } from '../request/problem.ts'
import { recordAudit, recordOrReplace } from '../audit/record-audit.ts'
import type { Service } from '../service.ts'
import { LineFrames } from './line-frames.ts'
import { LINES_TYPE, type LineSource } from './line-source.ts'

/** Pages of 64 numbers that a stream remembers: 16 MB at most. */
const SEEN_PAGES = 1 << 19
const NO_DUPLICATES: ReadonlySet<number> = new Set()

/** Callers choose the idx, so they must not know how these are spread. */
function secretSpread(): Spread {
  const odd = (): number => 2 * randomInt(2 ** 31) + 1
  return { high: odd(), low: odd() }
}

class HungUp extends Error {}

interface Stream {
  readonly exchange: Exchange
  readonly service: Service
  readonly source: LineSource
  /** Counts bytes that are held; throws when the whole service holds too many. */
  readonly hold: (bytes: number) => void
}

/** Answers to the end of the stream. Once it has begun it never rejects: what goes wrong is said in the answer. Two rows: before it and after. */
export async function answerStream(
  exchange: Exchange,
  service: Service,
  source: LineSource,
  hold: Stream['hold'],
): Promise<void> {
  const { trace, facts, requestId } = exchange
  service.lane.refuseWhenFull()
  // Numbers leave long before the last row is written: a service that dies in the midst of them has left this one.
  trace.ended = 'begun'
  const instead = await recordOrReplace(service, exchange, 200)
  if (instead !== undefined) {
    // Its body will be read by nobody.
    exchange.header('connection', 'close')
    exchange.sendInstead(instead)
    return
  }
  exchange.header('content-type', LINES_TYPE)
  exchange.begin(200)
  const stream: Stream = { exchange, service, source, hold }
  const run = new Run(stream)
  let error = await run.answerAll()
  trace.ended = error === undefined ? 'complete' : error instanceof HungUp ? 'hung up' : 'cut off'
  if (error instanceof AppError) facts['code'] = error.code
  run.note()
  try {
    await recordAudit(service, exchange, 200)
  } catch (failure) {
    const reason = (failure as Error).message
    service.log.error({ event: 'audit-failed', requestId: requestId.logged, reason })
    facts['code'] ??= 'AUDIT_UNAVAILABLE'
    error ??= new AppError('AUDIT_UNAVAILABLE')
  }
  finish(stream, error)
}

class Run {
  private readonly stream: Stream
  private readonly frames: LineFrames
  private readonly seen = new SeenIdx(SEEN_PAGES, secretSpread())
  private readonly tally = new Tally()
  private readonly today: number
  private readonly bodyHash: Hash = createHash('sha256')
  private readonly answerHash: Hash = createHash('sha256')

  constructor(stream: Stream) {
    this.stream = stream
    this.frames = new LineFrames(stream.exchange.deployment.limits.lineBytes)
    this.today = stream.service.clock.today()
  }

  /** What cut the stream short, or undefined when it came to its end. */
  async answerAll(): Promise<Error | undefined> {
    const { source, exchange } = this.stream
    try {
      for (let chunk = await source.next(); chunk !== undefined; chunk = await source.next()) {
        this.bodyHash.update(chunk)
        await this.answer(this.frames.push(chunk))
        this.countHeld()
      }
      await this.answer(this.frames.end())
      return undefined
    } catch (error) {
      return error instanceof AppError || !exchange.response.destroyed ? (error as Error) : new HungUp()
    }
  }

  /** Tells the audit and the log how far the stream came. */
  note(): void {
    const { trace, facts } = this.stream.exchange
    Object.assign(trace, {
      tally: this.tally,
      today: this.today,
      bodyDigest: this.bodyHash.digest('base64'),
      answerDigest: this.answerHash.digest('base64'),
    })
    Object.assign(facts, {
      records: this.tally.records,
      scored: this.tally.scored,
      ended: trace.ended ?? '',
    })
  }

  /** A line that does not end is counted like a body, at its longest. */
  private countHeld(): void {
    const { exchange, hold } = this.stream
    const more = this.frames.heldBytes - exchange.heldBytes
    if (more > 0) hold(more)
  }

  private async answer(lines: Buffer): Promise<void> {
    if (lines.length === 0) return
    const { service, exchange } = this.stream
    const { deployment, call } = exchange
    const first = this.tally.records
    const ask = (
      body: Uint8Array,
      duplicates: ReadonlySet<number>,
    ): ReturnType<typeof service.lane.answerLines> =>
      service.lane.answerLines(deployment, call, body, this.today, { first, duplicates })
    let answer = await ask(lines, NO_DUPLICATES)
    const duplicates = this.repeated(answer.idxs, first)
    if (duplicates.size > 0) answer = await ask(answer.body, duplicates)
    await takeRecords(exchange, service, answer.tally.records)
    this.tally.merge(answer.tally)
    this.answerHash.update(answer.bytes)
    await this.send(answer.bytes)
  }

  /** Positions of records whose idx an earlier record of the stream has. */
  private repeated(idxs: Float64Array, first: number): ReadonlySet<number> {
    const found = new Set<number>()
    idxs.forEach((idx, index) => {
      if (!Number.isNaN(idx) && !this.seen.add(idx)) found.add(first + index)
    })
    return found
  }

  private async send(bytes: Uint8Array): Promise<void> {
    const { response } = this.stream.exchange
    if (response.destroyed) throw new HungUp()
    if (!response.write(bytes)) await this.stream.source.orCutOff(drained(response))
  }
}

function drained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const onDrain = (): void => {
      raw.off('close', onClose)
      resolve()
    }
    const onClose = (): void => {
      raw.off('drain', onDrain)
      reject(new HungUp())
    }
    raw.once('drain', onDrain).once('close', onClose)
  })
}

function finish({ exchange, service }: Stream, error: Error | undefined): void {
  const { response: raw, requestId } = exchange
  if (error === undefined) {
    raw.end()
    return
  }
  if (error instanceof HungUp) {
    raw.destroy()
    return
  }
  if (!(error instanceof AppError)) {
    service.log.error({ event: 'bug', requestId: requestId.logged, ...describeBug(error) })
  }
  const known = error instanceof AppError ? error : new AppError('INTERNAL')
  raw.write(`${problemAnswer(known, requestId.shown).body}\n`)
  // What was written still leaves; the end of the answer never does.
  raw.socket?.destroySoon()
}
