/** Takes the body of a job to disk while it arrives, piece by piece: no more of it is held than a piece and a line. */
import { createHash } from 'node:crypto'
import { AppError, freeNow } from '@patient-risk/runtime'
import { ArrayFault, ArrayLines, withoutMark } from 'patient-risk-engine/read'
import { charsetRefusal } from '../request/read-body.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { Service } from '../service.ts'
import { LineFrames, LineSource, countRecords } from '../request/line-source.ts'
import { type BodyForm, isTable } from './job-facts.ts'

/** A piece ends with the first chunk that brings it to so many bytes or lines: none of them keeps a thread busy for long. */
const PIECE_BYTES = 1024 * 1024
const PIECE_LINES = 16_384
const MARK_BYTES = 3
const NEWLINE = 0x0a
const NO_BODY = Buffer.alloc(0)

export interface ReceivedBody {
  readonly pieces: number
  /** Records of lines; null for tables, which are counted when they are read. */
  readonly records: number | null
  /** SHA-256 of the bytes as they came, in base64. */
  readonly digest: string
  /** On disk. */
  readonly bytes: number
}

interface Limits {
  readonly bytes: number
  readonly records: number
  readonly lineBytes: number
}

export async function receiveBody(
  { load, turns, lifecycle }: Pick<Service, 'load' | 'turns' | 'lifecycle'>,
  context: RequestContext,
  form: BodyForm,
  limits: Limits,
  write: (bytes: Uint8Array, number: number) => Promise<number>,
): Promise<ReceivedBody> {
  const { raw } = context
  const { headers } = raw
  refuseLarge(Number(headers['content-length'] ?? 0), limits.bytes)
  load.hold(context, PIECE_BYTES)
  const source = new LineSource(raw)
  lifecycle.streams.add(source)
  context.response.once('close', () =>
    source.cutOff(new AppError('REQUEST_INVALID', 'The body was not sent to its end.')),
  )
  context.sendContinue()
  const hash = createHash('sha256')
  const refuseCharset = form === 'parquet' ? undefined : charsetRefusal(headers['content-type'])
  const cutter = new PieceCutter(form, limits.lineBytes)
  let size = 0
  let pieces = 0
  let bytes = 0
  const store = async (piece: Buffer | undefined): Promise<void> => {
    if (cutter.records > limits.records)
      throw new AppError(
        'TOO_MANY_RECORDS',
        `The body holds more records than a job may have: ${limits.records}. Send them in several jobs.`,
      )
    if (piece === undefined || piece.length === 0) return
    bytes += await write(piece, pieces)
    freeNow(piece)
    pieces++
  }
  try {
    for (let chunk = await source.next(); chunk !== undefined; chunk = await source.next()) {
      const turn = turns.take(chunk.length)
      if (turn !== undefined) await source.orCutOff(turn)
      size += chunk.length
      refuseLarge(size, limits.bytes)
      hash.update(chunk)
      refuseCharset?.(chunk)
      await store(cutter.push(chunk))
    }
    // Node ends the stream of a message that was cut off, too.
    if (!raw.complete) throw new AppError('REQUEST_INVALID', 'The body was not sent to its end.')
    if (size === 0) throw new AppError('BODY_MALFORMED', 'The body is empty.')
    await store(cutter.end())
  } finally {
    lifecycle.streams.delete(source)
  }
  return { pieces, records: isTable(form) ? null : cutter.records, digest: hash.digest('base64'), bytes }
}

function refuseLarge(size: number, limit: number): void {
  if (size <= limit) return
  throw new AppError('BODY_TOO_LARGE', `The body is larger than a job may be: ${limit} bytes.`)
}

/** Cuts a body into pieces: of whole lines where it has records a line, or an array of them. */
class PieceCutter {
  /** Records so far; 0 for tables, which are counted when they are read. */
  records = 0
  private readonly frames: LineFrames | undefined
  private readonly array: ArrayLines | undefined
  private parts: Buffer[] = []
  private size = 0
  /** The records before this piece. */
  private recordsBefore = 0
  /** The first bytes, until it is known whether they are a byte order mark. */
  private start: Buffer | undefined = NO_BODY
  private line = 1

  constructor(form: BodyForm, lineBytes: number) {
    this.frames = isTable(form) ? undefined : new LineFrames(lineBytes)
    this.array = form === 'json' ? new ArrayLines() : undefined
  }

  /**
   * Returns a piece when there is one. The chunk belongs to the cutter from here on: what was copied from it is freed, because otherwise
   * the garbage collector would stop every call ten times a second.
   */
  push(chunk: Buffer): Buffer | undefined {
    const bytes = this.array === undefined ? chunk : this.toLines(this.afterMark(chunk))
    this.add(this.linesOf(bytes))
    if (bytes !== chunk) freeNow(chunk)
    const isWhole = this.size >= PIECE_BYTES || this.records - this.recordsBefore >= PIECE_LINES
    return isWhole ? this.take() : undefined
  }

  end(): Buffer {
    if (this.array !== undefined) {
      const rest = this.start
      this.start = undefined
      if (rest !== undefined) this.add(this.frames?.push(this.toLines(rest)) ?? NO_BODY)
      this.located(NO_BODY, (array) => array.end())
    }
    if (this.frames !== undefined) this.add(this.frames.end())
    return this.take()
  }

  private add(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.parts.push(bytes)
    this.size += bytes.length
    if (this.frames !== undefined) this.records += countRecords(bytes)
  }

  /** The whole lines in these bytes; a table is kept as it is. */
  private linesOf(bytes: Buffer): Buffer {
    if (this.frames === undefined) return bytes
    const lines = this.frames.push(bytes)
    freeNow(bytes)
    return lines
  }

  private take(): Buffer {
    const piece = Buffer.concat(this.parts)
    for (const part of this.parts) freeNow(part)
    this.parts = []
    this.size = 0
    this.recordsBefore = this.records
    return piece
  }

  private afterMark(chunk: Buffer): Buffer {
    if (this.start === undefined) return chunk
    const start = Buffer.concat([this.start, chunk])
    if (start.length < MARK_BYTES) {
      this.start = start
      return NO_BODY
    }
    this.start = undefined
    return Buffer.from(withoutMark(start))
  }

  /** The elements of an array, a line each. */
  private toLines(bytes: Buffer): Buffer {
    if (bytes.length === 0) return bytes
    // The message still has its own bytes.
    const own = Buffer.from(bytes)
    this.located(bytes, (array) => array.replace(own))
    this.line += count(bytes, NEWLINE)
    return own
  }

  private located(bytes: Buffer, work: (array: ArrayLines) => void): void {
    try {
      if (this.array !== undefined) work(this.array)
    } catch (error) {
      if (!(error instanceof ArrayFault)) throw error
      const line = this.line + count(bytes.subarray(0, error.at), NEWLINE)
      throw new AppError(
        'BODY_MALFORMED',
        `The body is not a well-formed JSON array: line ${line}: ${error.message}.`,
      )
    }
  }
}

function count(bytes: Buffer, byte: number): number {
  let found = 0
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) found++
  return found
}
