/**
 * A stream: one record per line in, one result per line out, as they come. It holds one chunk at a time, so its memory does
 * not grow, and it reads no faster than the caller takes the results. A complete answer ends properly. In every other case
 * its last line gives the reason, and the connection is cut so that nobody takes the answer for complete.
 */
import { type Hash, createHash, randomInt } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Clock } from '../../clock.ts'
import type { LinesPlace } from '../../engine/read/every-line.ts'
import { SeenIdx, type Spread } from '../../engine/read/seen-idx.ts'
import { Tally } from '../../engine/tally.ts'
import { AppError } from '../../errors.ts'
import { type Log, describeBug } from '../../log/log.ts'
import type { AuditRecorder } from '../audit/audit-recorder.ts'
import type { Lifecycle } from '../connection/lifecycle.ts'
import { sendContinue } from '../connection/node-server.ts'
import { refusalAnswer } from '../request/problem.ts'
import type { Quota } from '../request/quota.ts'
import { LINES_TYPE } from '../request/read-body.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { LinesResult } from '../scoring/worker-job.ts'
import { LineFrames } from './line-frames.ts'
import { LineSource } from './line-source.ts'

/** Pages of 64 numbers that a stream remembers: 16 MB at most. */
const SEEN_PAGES = 1 << 19
const NO_DUPLICATES: ReadonlySet<number> = new Set()

export interface StreamParts {
  readonly audit: AuditRecorder
  readonly quota: Quota
  readonly lifecycle: Lifecycle
  readonly clock: Clock
  readonly log: Log
}

export type AnswerLines = (
  lines: Uint8Array,
  today: number,
  place: LinesPlace,
) => Promise<LinesResult> | LinesResult

class HungUp extends Error {}

/** Answers a stream to its end. It leaves two rows: one before the first result, one after the last. */
export async function answerStream(
  parts: StreamParts,
  context: RequestContext,
  reply: FastifyReply,
  answerLines: AnswerLines,
): Promise<void> {
  const { audit, lifecycle } = parts
  context.beginWork()
  // Results leave long before the last row is written; if the process dies in between, this row remains.
  context.ended = 'begun'
  await recordBegin(audit, context)
  sendContinue(context.raw, context.response)
  if (!reply.hasHeader('content-type')) reply.type(LINES_TYPE)
  reply.hijack()
  const { response, arriving } = context
  response.writeHead(200, reply.getHeaders() as Record<string, string>)
  response.flushHeaders()
  const source = new LineSource(context.raw, (end) => {
    if (arriving !== undefined) arriving.onSlow = end
  })
  lifecycle.streams.add(source)
  const run = new Run(parts, context, reply, source, answerLines)
  let error = await run.answerAll()
  context.ended = error === undefined ? 'complete' : error instanceof HungUp ? 'hung up' : 'cut off'
  if (error instanceof AppError) context.code = error.code
  run.noteResult()
  try {
    await audit.record(context, 200)
  } catch (failure) {
    audit.logFailure(context, failure as Error)
    context.code ??= 'AUDIT_UNAVAILABLE'
    error ??= new AppError('AUDIT_UNAVAILABLE')
  }
  finish(parts.log, context, error)
  lifecycle.streams.delete(source)
  context.finish()
}

async function recordBegin(audit: AuditRecorder, context: RequestContext): Promise<void> {
  try {
    await audit.record(context, 200)
  } catch (error) {
    audit.logFailure(context, error as Error)
    context.ended = undefined
    throw new AppError('AUDIT_UNAVAILABLE')
  }
}

class Run {
  private readonly parts: StreamParts
  private readonly context: RequestContext
  private readonly reply: FastifyReply
  private readonly source: LineSource
  private readonly answerLines: AnswerLines
  private readonly frames: LineFrames
  private readonly seen = new SeenIdx(SEEN_PAGES, secretSpread())
  private readonly tally = new Tally()
  private readonly today: number
  private readonly bodyHash: Hash = createHash('sha256')
  private readonly answerHash: Hash = createHash('sha256')
  private heldBytes = 0

  constructor(
    parts: StreamParts,
    context: RequestContext,
    reply: FastifyReply,
    source: LineSource,
    answerLines: AnswerLines,
  ) {
    this.parts = parts
    this.context = context
    this.reply = reply
    this.source = source
    this.answerLines = answerLines
    this.frames = new LineFrames(context.deployment?.limits.lineBytes ?? 0)
    this.today = parts.clock.today()
  }

  /** The error that cut the stream short, or undefined when it came to its end. */
  async answerAll(): Promise<Error | undefined> {
    const { source } = this
    try {
      for (let chunk = await source.next(); chunk !== undefined; chunk = await source.next()) {
        this.bodyHash.update(chunk)
        await this.answer(this.frames.push(chunk))
        this.countHeld()
      }
      await this.answer(this.frames.end())
      return undefined
    } catch (error) {
      const isKnown = error instanceof AppError || !this.context.response.destroyed
      return isKnown ? (error as Error) : new HungUp()
    }
  }

  /** Notes for the audit and the log how far the stream came. */
  noteResult(): void {
    this.context.tally = this.tally
    this.context.today = this.today
    this.context.bodyDigest = this.bodyHash.digest('base64')
    this.context.answerDigest = this.answerHash.digest('base64')
  }

  /** A line that does not end is counted like a body, at its longest. */
  private countHeld(): void {
    const more = this.frames.heldBytes - this.heldBytes
    if (more <= 0) return
    this.context.hold(more)
    this.heldBytes += more
  }

  private async answer(lines: Buffer): Promise<void> {
    if (lines.length === 0) return
    const first = this.tally.records
    let answer = await this.answerLines(lines, this.today, { first, duplicates: NO_DUPLICATES })
    const duplicates = this.seen.addLines(answer, first)
    if (duplicates.size > 0) answer = await this.answerLines(answer.body, this.today, { first, duplicates })
    await this.parts.quota.takeRecords(this.context, this.reply, answer.tally)
    this.tally.merge(answer.tally)
    this.answerHash.update(answer.bytes)
    await this.send(answer.bytes)
  }

  private async send(bytes: Uint8Array): Promise<void> {
    const { response } = this.context
    if (response.destroyed) throw new HungUp()
    if (!response.write(bytes)) await this.source.orCutOff(drained(response))
  }
}

/** Callers choose the idx, so they must not know how the numbers are spread over the pages. */
function secretSpread(): Spread {
  const odd = (): number => 2 * randomInt(2 ** 31) + 1
  return { high: odd(), low: odd() }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const onDrain = (): void => {
      response.off('close', onClose)
      resolve()
    }
    const onClose = (): void => {
      response.off('drain', onDrain)
      reject(new HungUp())
    }
    response.once('drain', onDrain).once('close', onClose)
  })
}

function finish(log: Log, context: RequestContext, error: Error | undefined): void {
  const { response, id } = context
  if (error === undefined) {
    response.end()
    return
  }
  if (error instanceof HungUp) {
    response.destroy()
    return
  }
  if (!(error instanceof AppError)) log.error({ event: 'bug', requestId: id.logged, ...describeBug(error) })
  const known = error instanceof AppError ? error : new AppError('INTERNAL')
  response.write(`${refusalAnswer(known, context).body}\n`)
  // What was written still leaves; the end of the answer does not.
  response.socket?.destroySoon()
}
