/**
 * The walk of a scoring call: look at its headers, check its key, read its body, answer it, record it, send it, log it.
 * Each stage stands here once, in its order.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Deployment } from '../../catalog/deployment.ts'
import type { Call } from '../../engine/scorer.ts'
import { AppError } from '../../errors.ts'
import { authenticate } from '../request/authenticate.ts'
import type { BufferPool } from '../../workers/buffer-pool.ts'
import type { Connections } from '../connection/connections.ts'
import { allowOrigin } from '../request/cors.ts'
import { Exchange } from './exchange.ts'
import { toAppError } from '../request/fail.ts'
import type { Figures } from '../../metrics/metrics.ts'
import { type Guards, canGoOn, hasBody } from '../connection/guards.ts'
import { takeRecords, takeRequest } from '../request/quota.ts'
import { letSend } from '../connection/node-server.ts'
import { noteExchange } from '../audit/note-exchange.ts'
import { problemAnswer } from '../request/problem.ts'
import { codingOf, readBody } from '../request/read-body.ts'
import { digestOfBytes, recordOrReplace } from '../audit/record-audit.ts'
import type { StoredKey } from '../../store/store.ts'
import type { Service } from '../service.ts'
import { answerStream } from '../stream/answer-stream.ts'
import { LINES_TYPE, LineSource, mediaType } from '../stream/line-source.ts'

/** Answers of at least this size may fill the buffers of a caller who does not read. */
const LARGE_ANSWER_BYTES = 65_536

export interface DoorParts {
  readonly service: Service
  readonly guards: Guards
  readonly figures: Figures
  readonly connections: Connections
  readonly pool: BufferPool
}

export class Door {
  private readonly parts: DoorParts
  private readonly deployment: Deployment
  private readonly call: Call
  private readonly route: string
  private readonly source: Readonly<Record<string, string>>

  constructor(parts: DoorParts, deployment: Deployment, call: Call, route: string) {
    this.parts = parts
    this.deployment = deployment
    this.call = call
    this.route = route
    this.source = sourceHeaders(deployment)
  }

  enter(message: IncomingMessage, response: ServerResponse): void {
    const exchange = new Exchange(message, response, this.deployment, this.call)
    this.parts.guards.lifecycle.walks++
    response.once('close', () => this.leave(exchange))
    void this.walk(exchange)
  }

  private async walk(exchange: Exchange): Promise<void> {
    try {
      const { guards } = this.parts
      const { raw } = exchange
      const isLines = mediaType(raw.headers['content-type']) === LINES_TYPE
      if (hasBody(raw)) exchange.watched = guards.pace.watchBody(raw, isLines)
      allowOrigin(exchange, this.deployment)
      const refusal = guards.refuse(raw)
      if (refusal !== undefined) throw refusal
      const admitting = this.admit(exchange)
      if (admitting !== undefined) await admitting
      letSend(raw, exchange.response)
      if (isLines) await this.answerLines(exchange)
      else await this.answer(exchange, await this.body(exchange))
    } catch (error) {
      await this.fail(exchange, error as Error)
    } finally {
      this.end(exchange)
    }
  }

  /** Everything that can be refused before a byte of the body is read. A promise where the store must be asked. */
  private admit(exchange: Exchange): Promise<void> | undefined {
    const caller = authenticate(exchange, exchange, this.parts.service, this.deployment.name)
    return caller instanceof Promise
      ? caller.then((key) => this.admitCaller(exchange, key))
      : this.admitCaller(exchange, caller)
  }

  private admitCaller(exchange: Exchange, key: StoredKey): Promise<void> | undefined {
    exchange.caller = key
    const taking = takeRequest(exchange, this.parts.service)
    if (taking !== undefined) return taking.then(() => this.admitBody(exchange))
    this.admitBody(exchange)
    return undefined
  }

  private admitBody({ raw: { headers } }: Exchange): void {
    if (this.deployment.model.trouble.length > 0) throw new AppError('MODEL_NOT_READY')
    const coding = codingOf(headers['content-encoding'])
    const type = mediaType(headers['content-type'])
    // A packed stream could not be answered as it comes.
    if (coding === undefined || (type === LINES_TYPE && coding !== 'identity')) {
      throw new AppError('CONTENT_CODING')
    }
    if (type !== 'application/json' && type !== LINES_TYPE) throw new AppError('MEDIA_TYPE')
  }

  private async body(exchange: Exchange): Promise<Uint8Array> {
    const { raw } = exchange
    const body = await readBody(raw, codingOf(raw.headers['content-encoding']) ?? 'identity', {
      limit: this.deployment.limits.bytes,
      hold: (bytes) => this.hold(exchange, bytes),
      onSlow: (tell) => exchange.onSlowBody(tell),
      pool: this.parts.pool,
    })
    exchange.body = body
    this.begin(exchange)
    if (body.length > 0) return body
    throw new AppError('BODY_MALFORMED', 'The body is empty. Send a JSON array of patient records.')
  }

  private async answer(exchange: Exchange, body: Uint8Array): Promise<void> {
    const { service, guards, pool } = this.parts
    const { facts, trace, response } = exchange
    const { name } = this.deployment
    const today = service.clock.today()
    // A large body is given away to a thread, so its sample is taken before.
    const sample = this.call === 'score' ? service.drift.sampleOf(name, body) : undefined
    const answering = service.lane.answer(this.deployment, this.call, body, today)
    const { bytes, tally, digests, spent } = answering instanceof Promise ? await answering : answering
    if (spent !== undefined) pool.adopt(spent)
    const taking = takeRecords(exchange, service, tally.records)
    if (taking !== undefined) await taking
    trace.tally = tally
    trace.today = today
    if (digests !== undefined) {
      trace.bodyDigest = digests.body
      trace.answerDigest = digests.answer
    }
    if (sample !== undefined) service.drift.count(name, sample, today)
    facts['records'] = tally.records
    facts['scored'] = tally.scored
    Object.assign(exchange.headers, this.source)
    exchange.header('content-type', 'application/json; charset=utf-8')
    if (bytes.length >= LARGE_ANSWER_BYTES && !exchange.isOver) {
      guards.pace.watchAnswer(response)
      guards.hold(exchange, bytes.length)
    }
    await this.finish(exchange, 200, bytes, spent === undefined ? body : undefined)
    // Nobody looks into the body any more: it was read, and its digest is taken.
    exchange.body = undefined
    if (spent === undefined) pool.give(body.buffer)
  }

  private async answerLines(exchange: Exchange): Promise<void> {
    const { service, guards } = this.parts
    this.begin(exchange)
    const source = new LineSource(exchange.raw, (tell) => exchange.onSlowBody(tell))
    Object.assign(exchange.headers, this.source)
    guards.lifecycle.streams.add(source)
    try {
      await answerStream(exchange, service, source, (bytes) => this.hold(exchange, bytes))
    } finally {
      guards.lifecycle.streams.remove(source)
    }
  }

  private async fail(exchange: Exchange, error: Error): Promise<void> {
    const { raw, facts, trace, requestId } = exchange
    // Of an answer that is not given after all.
    delete trace.answerDigest
    delete trace.tally
    // The row of a refusal says what was refused, unless a thread has the body.
    if (exchange.body !== undefined && exchange.body.byteLength > 0) {
      trace.bodyDigest ??= digestOfBytes(exchange.body)
    }
    const appError = toAppError(this.parts.service, error, requestId)
    facts['code'] = appError.code
    const { status, headers, body } = problemAnswer(appError, requestId.shown)
    if (!canGoOn(raw, appError)) exchange.header('connection', 'close')
    Object.assign(exchange.headers, headers)
    await this.finish(exchange, status, body)
  }

  /** Records the answer, then sends it. */
  private async finish(
    exchange: Exchange,
    status: number,
    answer: Uint8Array | string,
    body?: Uint8Array,
  ): Promise<void> {
    const { service, guards } = this.parts
    // Also for a request that came before the stop: its connection must not outlive its answer.
    if (guards.lifecycle.state === 'draining') exchange.header('connection', 'close')
    const instead = await recordOrReplace(service, exchange, status, body, answer)
    if (instead === undefined) exchange.send(status, answer)
    else exchange.sendInstead(instead)
  }

  private begin(exchange: Exchange): void {
    if (exchange.isOver) return
    this.parts.guards.load.begin()
    exchange.isCounted = true
  }

  /** Counts what is held for an exchange, as long as there is somebody to let it go again. */
  private hold(exchange: Exchange, bytes: number): void {
    if (!exchange.isOver) this.parts.guards.hold(exchange, bytes)
  }

  /** When nothing more will be known of the exchange. */
  private end(exchange: Exchange): void {
    this.parts.guards.lifecycle.walks--
    exchange.isWalked = true
    if (exchange.isOver) this.note(exchange)
  }

  /** When the answer is out or the caller is gone. */
  private leave(exchange: Exchange): void {
    const { guards, connections } = this.parts
    exchange.isOver = true
    connections.answered(exchange.raw)
    guards.pace.answered(exchange.watched)
    guards.load.release(exchange.heldBytes)
    if (exchange.isCounted) guards.load.end()
    if (exchange.isWalked) this.note(exchange)
  }

  /** Once, when both have come, in whichever order: who hangs up leaves before his walk is at its end. */
  private note(exchange: Exchange): void {
    const { service, figures } = this.parts
    noteExchange(service, figures, exchange, 'POST', this.route, exchange.status)
  }
}

/** Every answer names what produced it. */
function sourceHeaders({ name, model, retirement }: Deployment): Readonly<Record<string, string>> {
  const { definition, digest } = model
  const headers: Record<string, string> = {
    'risk-deployment': name,
    'risk-model': `${definition.id}@${definition.version}`,
    'risk-model-digest': `sha-256=:${digest}:`,
  }
  if (retirement === undefined) return headers
  headers['deprecation'] = `@${Math.floor(Date.parse(retirement.deprecated) / 1000)}`
  if (retirement.sunset !== undefined) headers['sunset'] = new Date(retirement.sunset).toUTCString()
  return headers
}
