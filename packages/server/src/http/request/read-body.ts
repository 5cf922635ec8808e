/** Reads the body of a request, bounded in bytes and in time, and decompressed where its header says so. */
import { isAscii } from 'node:buffer'
import { type Hash, createHash } from 'node:crypto'
import type { Transform } from 'node:stream'
import { type Zlib, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { withoutMark } from 'patient-risk-engine/read'
import { AppError, digestOf, type BufferPool, POOLED_BYTES, freeNow } from '@patient-risk/runtime'
import type { Held, Load } from '../connection/load.ts'
import type { Turns } from '../connection/turns.ts'
import { type Lease, renewLease } from './authenticate.ts'
import type { RequestContext } from './request-context.ts'

export const LINES_TYPE = 'application/x-ndjson'
const NOT_WHOLE = 'The body was not sent to its end.'
const CODINGS: ReadonlySet<string> = new Set(['identity', 'gzip', 'x-gzip', 'deflate', 'br'])

/** The content coding of a request, or undefined for one that is not supported. */
export function codingOf(header: string | undefined): string | undefined {
  if (header === undefined) return 'identity'
  const coding = header.trim().toLowerCase()
  return CODINGS.has(coding) ? coding : undefined
}

/** The media type in lower case, without its parameters. */
export function mediaType(contentType: string | undefined): string {
  // The usual spelling.
  if (contentType === 'application/json') return contentType
  const [type = ''] = (contentType ?? '').toLowerCase().split(';')
  return type.trim()
}

const CHARSET = /;\s*charset\s*=\s*("?)([^";]*)\1\s*(?=;|$)/gi

/**
 * The refusal of a body that its header declares in another charset than UTF-8; undefined where there is no such header. JSON defines no
 * charset (RFC 8259, section 11), and many senders add one that means nothing: in ASCII the bytes are the same.
 */
export function charsetRefusal(contentType: string | undefined): ((bytes: Uint8Array) => void) | undefined {
  // The usual spelling.
  if (contentType === undefined || contentType === 'application/json') return undefined
  const charsets = [...contentType.matchAll(CHARSET)].map(([, , name = '']) => name.trim().toLowerCase())
  const other = charsets.find((name) => name !== 'utf-8' && name !== 'utf8')
  if (other === undefined) return undefined
  return (bytes) => {
    // A text in UTF-16 without a mark has only bytes of ASCII too, every second of them 0.
    if (isAscii(withoutMark(bytes)) && !bytes.includes(0)) return
    throw new AppError(
      'MEDIA_TYPE',
      `The body is declared as charset ${nameOfCharset(other)}, and JSON is sent in UTF-8. Convert the body, and leave out the charset.`,
    )
  }
}

/** A caller may write anything into a header, so only names that the runtime knows are repeated. */
function nameOfCharset(name: string): string {
  try {
    new TextDecoder(name)
    return `"${name}"`
  } catch {
    return 'of a name that is not known'
  }
}

/** Reads the body of a request. From its last byte on, the request counts as being answered. */
export async function readRequestBody(
  service: { readonly load: Load; readonly turns: Turns } & Lease,
  context: RequestContext,
  limit: number,
  pool?: BufferPool,
): Promise<Uint8Array> {
  const { load, turns } = service
  const coding = codingOf(context.raw.headers['content-encoding'])
  if (coding === undefined) throw new AppError('CONTENT_CODING')
  context.sendContinue()
  const isPacked = coding !== 'identity'
  const sent = await readBytes({ load, turns }, context, limit, isPacked ? undefined : pool)
  const body = isPacked ? await unpack(load, context, sent, coding, limit) : sent
  charsetRefusal(context.raw.headers['content-type'])?.(body)
  if (body.length >= POOLED_BYTES) context.pooledBody = body
  // The key may have ended while the body arrived.
  await renewLease(service, context)
  load.begin(context)
  return body
}

/** Where a body goes: it is counted as held, and digested. */
type BodySink = Pick<RequestContext, 'raw' | 'bodyDigest'> & Held

/** Bodies up to this size are read as they come. */
const SMALL_BODY = 65_536

/** The body as it is sent. One of known size gets its buffer from the pool. A large one is read in turn with others. */
export function readBytes(
  { load, turns }: { readonly load: Load; readonly turns: Turns },
  sink: BodySink,
  limit: number,
  pool?: BufferPool,
): Promise<Buffer> {
  const { raw: message } = sink
  const declared = Number(message.headers['content-length'] ?? 0)
  if (declared > limit) return Promise.reject(tooLarge(limit, `${declared} bytes`))
  if (message.destroyed && !message.readableEnded) {
    return Promise.reject(new AppError('REQUEST_INVALID', NOT_WHOLE))
  }
  return new Promise((resolve, reject) => {
    const body = new HeldBody(load, sink, limit, declared, pool)
    let isOver = false
    /** A part that waits for its turn. The end of the message may come before it. */
    let waiting: Promise<void> | undefined
    const fail = (error: AppError): void => {
      isOver = true
      message.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
      message.resume()
      reject(error)
    }
    const add = (chunk: Buffer): void => {
      if (isOver) return
      try {
        body.add(chunk)
      } catch (error) {
        fail(error as AppError)
      }
    }
    const onData = (chunk: Buffer): void => {
      const turn = body.size + chunk.length <= SMALL_BODY ? undefined : turns.take(chunk.length)
      if (turn === undefined) {
        add(chunk)
        return
      }
      // Nothing more is read from the connection meanwhile.
      message.pause()
      waiting = turn.then(() => {
        waiting = undefined
        add(chunk)
        message.resume()
      })
    }
    const take = (): void => {
      if (!isOver) resolve(body.take())
    }
    const onEnd = (): void => {
      if (waiting === undefined) take()
      else void waiting.then(take)
    }
    const onGone = (error?: Error): void => {
      if (error instanceof AppError) fail(error)
      else if (!message.readableEnded) fail(new AppError('REQUEST_INVALID', NOT_WHOLE))
    }

    message.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone)
  })
}

/** Decompresses a body. One that is incomplete, or followed by other bytes, is refused. */
async function unpack(
  load: Load,
  sink: BodySink,
  packed: Buffer,
  coding: string,
  limit: number,
): Promise<Buffer> {
  const decoder = decoderOf(coding, packed)
  // The audit is about the decoded body.
  sink.bodyDigest = undefined
  const body = new HeldBody(load, sink, limit)
  decoder.end(packed)
  try {
    for await (const part of decoder) body.add(part as Buffer)
    // Bytes after the packed body would be ignored: two different bodies must not be read as the same.
    if (decoder.bytesWritten === packed.length) return body.take()
  } catch (error) {
    if (error instanceof AppError) throw error
  }
  throw new AppError('BODY_MALFORMED', 'The body is not compressed as its header "Content-Encoding" says.')
}

function decoderOf(coding: string, packed: Buffer): Transform & Zlib {
  if (coding === 'br') return createBrotliDecompress()
  if (coding !== 'deflate') return createGunzip()
  // In the standard "deflate" means zlib; some senders omit its two-byte header.
  const isZlib = packed.length > 1 && (packed.readUInt8(0) & 0x0f) === 8 && packed.readUInt16BE(0) % 31 === 0
  return isZlib ? createInflate() : createInflateRaw()
}

/** A body while it arrives: within its limit, counted by the load as held, and digested. */
class HeldBody {
  private readonly load: Load
  private readonly sink: BodySink
  private readonly gathered: ByteAccumulator
  private readonly digest = new BodyDigest()
  private readonly isReserved: boolean

  /** Throws when the service cannot hold a body of the declared size. */
  constructor(load: Load, sink: BodySink, limit: number, declared = 0, pool?: BufferPool) {
    this.load = load
    this.sink = sink
    this.gathered = new ByteAccumulator(limit, declared, pool)
    // Counted at once: of many large bodies that arrive together some are answered, and not all of them refused half-way.
    this.isReserved = sink.isForAdapter === true && declared > 0
    if (this.isReserved) load.hold(sink, declared)
  }

  get size(): number {
    return this.gathered.size
  }

  /** Throws when the body is too large, or the service cannot hold it. */
  add(part: Buffer): void {
    const { size, capacity, most } = this.gathered
    if (size + part.length > most) throw tooLarge(most, `more than ${most} bytes`)
    if (!this.isReserved) this.load.hold(this.sink, this.gathered.capacityWith(part.length) - capacity)
    // Before the part is added, which may free it.
    this.digest.add(part)
    this.gathered.add(part)
  }

  /** All of it. Its digest is noted with the request. */
  take(): Buffer {
    this.sink.bodyDigest = this.digest.take()
    return this.gathered.take()
  }
}

/** SHA-256 of a body, taken while it arrives: the thread that scores a large body is not kept busy with it. */
class BodyDigest {
  private first: Buffer | undefined
  private hash: Hash | undefined

  add(part: Buffer): void {
    if (this.first === undefined) {
      this.first = part
      return
    }
    this.hash ??= createHash('sha256').update(this.first)
    this.hash.update(part)
  }

  /** Undefined for an empty body. One that came in a single part is digested in one call, which is faster. */
  take(): string | undefined {
    return this.hash?.digest('base64') ?? (this.first && digestOf(this.first))
  }
}

function tooLarge(limit: number, size: string): AppError {
  return new AppError(
    'BODY_TOO_LARGE',
    `The body has ${size}; the limit is ${limit} bytes. Send the records in several requests.`,
  )
}

const NONE = Buffer.alloc(0)

/**
 * Bytes that arrive in parts, gathered in one buffer. A list of the parts would cost some hundred bytes of memory for each of
 * them, and a caller may send parts of one byte. A single part is kept as it is, without a copy.
 */
export class ByteAccumulator {
  size = 0
  private room: Uint8Array = NONE
  readonly most: number
  private readonly declared: number
  private readonly pool: BufferPool | undefined

  /** `most` bytes are ever gathered, so that the last doubling does not overshoot. A declared size needs no doubling. */
  constructor(most: number, declared = 0, pool?: BufferPool) {
    this.most = most
    this.declared = declared
    this.pool = pool
  }

  /** The memory that is taken for them. Of a declared size only what has arrived is counted: a caller may announce much and send little. */
  get capacity(): number {
    return this.declared > 0 ? this.size : this.room.length
  }

  /** The memory that would be taken with a part of this size. */
  capacityWith(partBytes: number): number {
    const needed = this.size + partBytes
    if (this.declared > 0) return needed
    if (needed <= this.room.length) return this.room.length
    return Math.max(needed, Math.min(this.room.length * 2, this.most))
  }

  add(part: Buffer): void {
    if (part.length === 0) return
    if (this.size === 0) {
      this.room = part
      this.size = part.length
      return
    }
    const capacity = this.declared > 0 ? this.declared : this.capacityWith(part.length)
    if (capacity > this.room.length) {
      const wider = this.pool?.take(capacity) ?? Buffer.allocUnsafeSlow(capacity)
      wider.set(this.room.subarray(0, this.size))
      if (this.declared > 0) freeNow(this.room)
      this.room = wider
    }
    this.room.set(part, this.size)
    this.size += part.length
    if (this.declared > 0) freeNow(part)
  }

  /** All of them. Nothing is held afterwards. */
  take(): Buffer {
    const all = Buffer.from(this.room.buffer, this.room.byteOffset, this.size)
    this.room = NONE
    this.size = 0
    return all
  }
}
