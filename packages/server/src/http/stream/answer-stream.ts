/**
 * A stream: one record per line in, one result per line out, as they come. It holds one chunk at a time, so its memory does
 * not grow, and it reads no faster than the caller takes the results. A complete answer ends properly. In every other case
 * its last line gives the reason, and the connection is cut so that nobody takes the answer for complete.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { type LinesPlace, Tally } from 'patient-risk-engine'
import { AppError, CallerLeft, appErrorOf, freeNow } from '@patient-risk/runtime'
import { watchLease } from '../request/authenticate.ts'
import { refusalAnswer, toAppError } from '../request/problem.ts'
import { writeLimits } from '../request/quota.ts'
import { LINES_TYPE, charsetRefusal } from '../request/read-body.ts'
import type { RequestContext } from '../request/request-context.ts'
import { countScores } from '../scoring/counted-scores.ts'
import type { LinesAnswer } from '../scoring/scoring-jobs.ts'
import type { Service } from '../service.ts'
import { LineFrames, LineSource, piecesOf } from '../request/line-source.ts'
import { seenIdxOfCaller } from '../request/seen-idx-of-caller.ts'

const NO_DUPLICATES: ReadonlySet<number> = new Set()

type AnswerLines = (lines: Uint8Array, today: number, place: LinesPlace) => LinesAnswer | Promise<LinesAnswer>

/** How lines get receipts. */
export interface LineReceipts {
  /** The risks of the shadow; undefined where there is none. It takes the lines. */
  readonly shadowRisks: (
    lines: Uint8Array,
    today: number,
    place: LinesPlace,
  ) => Promise<Iterable<number> | undefined>
  readonly add: (
    given: LinesAnswer,
    today: number,
    shadow: Iterable<number> | undefined,
  ) => Promise<Uint8Array>
}

interface StreamOptions {
  /** The longest line; that of the deployment where absent. */
  readonly maxLineBytes?: number
  /** The most bytes of lines that are answered in one go, where lines may take much work; as many as have arrived where absent. */
  readonly pieceBytes?: number
  /** None where absent. */
  readonly receipts?: LineReceipts
}

const HUNG_UP = 'hung up'

/** Answers a stream to its end. It leaves two rows: one before the first result, one after the last. */
export async function answerStream(
  service: Service,
  context: RequestContext,
  reply: FastifyReply,
  answerLines: AnswerLines,
  options: StreamOptions = {},
): Promise<void> {
  const { recorder, lifecycle, load } = service
  const { raw, response } = context
  load.begin(context)
  // Results leave long before the last row is written; if the process dies in between, this row remains.
  context.ended = 'begun'
  if (!(await recorder.record(context, 200))) {
    context.ended = undefined
    throw new AppError('AUDIT_UNAVAILABLE')
  }
  context.sendContinue()
  if (!reply.hasHeader('content-type')) reply.type(LINES_TYPE)
  writeLimits(context, reply)
  reply.hijack()
  response.writeHead(200, reply.getHeaders() as Record<string, string>)
  response.flushHeaders()
  const source = new LineSource(raw)
  lifecycle.streams.add(source)
  response.once('close', () => source.cutOff(new Error(HUNG_UP)))
  const endWatch = watchLease(service, context, (error) => source.cutOff(error))
  let error = await answerAll(service, context, reply, source, answerLines, options)
  endWatch()
  context.ended = endOf(error)
  if (error instanceof AppError) context.code = error.code
  if (!(await recorder.record(context, 200))) {
    context.code ??= 'AUDIT_UNAVAILABLE'
    error ??= new AppError('AUDIT_UNAVAILABLE')
  }
  finish(context, error)
  lifecycle.streams.delete(source)
  recorder.finish(context)
}

/** Answers the lines as they come. Returns the error that cut the stream short, and notes in the context how far it came. */
async function answerAll(
  service: Service,
  context: RequestContext,
  reply: FastifyReply,
  source: LineSource,
  answerLines: AnswerLines,
  {
    maxLineBytes = context.deployment?.limits.lineBytes ?? 0,
    pieceBytes = Infinity,
    receipts,
  }: StreamOptions,
): Promise<AppError | typeof HUNG_UP | undefined> {
  const { quota, clock, load, turns, log } = service
  const { response } = context
  const frames = new LineFrames(maxLineBytes)
  const seen = seenIdxOfCaller()
  const tally = new Tally()
  const today = clock.today()
  const bodyHash = createHash('sha256')
  const answerHash = createHash('sha256')
  const refuseCharset = charsetRefusal(context.raw.headers['content-type'])
  let heldBytes = 0
  const answer = async (lines: Buffer): Promise<void> => {
    const first = tally.records
    let given = await answerLines(lines, today, { first, duplicates: NO_DUPLICATES })
    const duplicates = seen.addLines(given, first)
    if (duplicates.size > 0) given = await answerLines(given.body, today, { first, duplicates })
    await quota.takeRecords(context, reply, given.tally)
    tally.merge(given.tally)
    if (context.deployment !== undefined) countScores(context, context.deployment, today, given.risks, true)
    // Without its receipts: these differ whenever the same lines are scored.
    answerHash.update(given.bytes)
    const shadow = await receipts?.shadowRisks(given.body, today, { first, duplicates })
    const bytes = receipts === undefined ? given.bytes : await receipts.add(given, today, shadow)
    if (response.destroyed) throw new Error(HUNG_UP)
    // Left to the garbage collector, such memory makes it stop every call ten times a second.
    if (given.isFromWorker) freeNow(given.body)
    const free = given.isFromWorker ? (): void => freeNow(bytes) : undefined
    if (!response.write(bytes, free)) await source.orCutOff(once(response, 'drain'))
  }
  const answerPieces = async (lines: Buffer): Promise<void> => {
    for (const piece of piecesOf(lines, pieceBytes)) {
      await answer(piece)
      // Other callers get their turn here, also where there are no workers.
      if (piece.length < lines.length) await setImmediate()
    }
  }
  try {
    for (let chunk = await source.next(); chunk !== undefined; chunk = await source.next()) {
      const turn = turns.take(chunk.length)
      if (turn !== undefined) await source.orCutOff(turn)
      bodyHash.update(chunk)
      refuseCharset?.(chunk)
      const lines = frames.push(chunk)
      freeNow(chunk)
      await answerPieces(lines)
      // A line that does not end is counted like a body, at its longest.
      const more = Math.max(0, frames.heldBytes - heldBytes)
      load.hold(context, more)
      heldBytes += more
    }
    await answerPieces(frames.end())
    return undefined
  } catch (error) {
    const isHungUp = error instanceof CallerLeft || (response.destroyed && appErrorOf(error) === undefined)
    return isHungUp ? HUNG_UP : toAppError(error as Error, log, context.id)
  } finally {
    context.bodyDigest = bodyHash.digest('base64')
    context.noteAnswer(today, tally, answerHash.digest('base64'))
  }
}

function endOf(error: AppError | typeof HUNG_UP | undefined): string {
  if (error === undefined) return 'complete'
  return error === HUNG_UP ? HUNG_UP : 'cut off'
}

function finish(context: RequestContext, error: AppError | typeof HUNG_UP | undefined): void {
  const { response } = context
  if (error === undefined) {
    response.end()
    return
  }
  if (error === HUNG_UP) {
    response.destroy()
    return
  }
  response.write(`${refusalAnswer(error, context).body}\n`)
  // What was written still leaves; the end of the answer does not.
  response.socket?.destroySoon()
}
