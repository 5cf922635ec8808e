/** Reads the body of a request, bounded in bytes and in time, and decompressed where its header says so. */
import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { AppError } from '../../errors.ts'
import type { BufferPool } from '../../workers/buffer-pool.ts'
import { GatheredBytes } from './gathered-bytes.ts'
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

/** The media type in lower case, or undefined for a charset other than UTF-8, which would be misread. */
export function mediaType(contentType: string | undefined): string | undefined {
  // The usual spelling.
  if (contentType === 'application/json') return contentType
  const [type = '', ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const isUtf8 = parameters.every((each) => !each.startsWith('charset=') || /^charset="?utf-8"?$/.test(each))
  return isUtf8 ? type : undefined
}

/** Reads the body of a request. From its last byte on, the request counts as being answered. */
export async function readRequestBody(
  context: RequestContext,
  limit: number,
  pool?: BufferPool,
): Promise<Uint8Array> {
  const coding = codingOf(context.raw.headers['content-encoding'])
  if (coding === undefined) throw new AppError('CONTENT_CODING')
  context.sendContinue()
  const body = await readBody(context, coding, limit, pool)
  context.body = body
  context.beginWork()
  return body
}

/** `limit` bounds the bytes, packed and unpacked. A body of known size gets its buffer from the pool. */
export function readBody(
  context: Pick<RequestContext, 'raw' | 'hold'>,
  coding: string,
  limit: number,
  pool?: BufferPool,
): Promise<Uint8Array> {
  const { raw: message } = context
  const declared = Number(message.headers['content-length'] ?? 0)
  if (declared > limit) return Promise.reject(tooLarge(limit, `${declared} bytes`))
  if (message.destroyed && !message.readableEnded) {
    return Promise.reject(new AppError('REQUEST_INVALID', NOT_WHOLE))
  }
  return new Promise((resolve, reject) => {
    const isPacked = coding !== 'identity'
    const gathered = isPacked ? new GatheredBytes(limit) : new GatheredBytes(limit, declared, pool)

    const fail = (error: AppError): void => {
      message.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
      unpacker?.close()
      message.resume()
      reject(error)
    }
    const take = (chunk: Buffer): void => {
      try {
        const size = gathered.size + chunk.length
        if (size > limit) throw tooLarge(limit, `more than ${limit} bytes`)
        context.hold(gathered.capacityWith(chunk.length) - gathered.capacity)
        gathered.add(chunk)
      } catch (error) {
        fail(error as AppError)
      }
    }
    const finish = (): void => {
      message.off('error', onGone).off('close', onGone)
      resolve(gathered.take())
    }
    const unpacker = isPacked ? new Unpacker(coding, message, { take, finish, fail }) : undefined
    const onData = (chunk: Buffer): void => {
      if (unpacker === undefined) take(chunk)
      else if (unpacker.given + chunk.length > limit) fail(tooLarge(limit, `more than ${limit} bytes`))
      else unpacker.write(chunk)
    }
    const onEnd = (): void => (unpacker === undefined ? finish() : unpacker.end())
    const onGone = (error?: Error): void => {
      if (error instanceof AppError) fail(error)
      else if (!message.readableEnded) fail(new AppError('REQUEST_INVALID', NOT_WHOLE))
    }

    message.on('data', onData).once('end', onEnd).once('error', onGone).once('close', onGone)
  })
}

function tooLarge(limit: number, size: string): AppError {
  return new AppError(
    'BODY_TOO_LARGE',
    `The body has ${size}; the limit is ${limit} bytes. Send the records in several requests.`,
  )
}

interface Receiver {
  readonly take: (chunk: Buffer) => void
  readonly finish: () => void
  readonly fail: (error: AppError) => void
}

/** Decompresses a body piece by piece. A body that is incomplete, or followed by other bytes, is refused. */
class Unpacker {
  /** Packed bytes so far. */
  given = 0
  private readonly coding: string
  private readonly message: IncomingMessage
  private readonly receiver: Receiver
  private stream: Transform | undefined
  private head: Buffer = Buffer.alloc(0)

  constructor(coding: string, message: IncomingMessage, receiver: Receiver) {
    this.coding = coding
    this.message = message
    this.receiver = receiver
  }

  write(chunk: Buffer): void {
    this.given += chunk.length
    let next = chunk
    if (this.stream === undefined) {
      this.head = Buffer.concat([this.head, chunk])
      if (this.head.length < 2) return
      next = this.head
    }
    // The sender waits until there is room again, so that a zip bomb is counted before it piles up.
    if (!(this.stream ?? this.open()).write(next)) this.message.pause()
  }

  end(): void {
    if (this.stream === undefined) this.open().write(this.head)
    this.stream?.end()
  }

  close(): void {
    this.stream?.removeAllListeners().on('error', () => undefined)
    this.stream?.destroy()
  }

  private open(): Transform {
    const { take, finish, fail } = this.receiver
    const refuse = (): void =>
      fail(
        new AppError('BODY_MALFORMED', 'The body is not compressed as its header "Content-Encoding" says.'),
      )
    const stream = this.decoder()
    this.stream = stream
    stream.on('data', take)
    stream.on('drain', () => this.message.resume())
    stream.on('error', refuse)
    stream.on('end', () => {
      // Bytes after the packed body would be ignored: two different bodies must not be read as the same.
      const used = (stream as Transform & { bytesWritten: number }).bytesWritten
      if (used === this.given) finish()
      else refuse()
    })
    return stream
  }

  private decoder(): Transform {
    if (this.coding === 'br') return createBrotliDecompress()
    if (this.coding !== 'deflate') return createGunzip()
    // In the standard "deflate" means zlib; some senders omit its two-byte header.
    const first = this.head[0] ?? 0
    const isZlib = (first & 0x0f) === 8 && this.head.length > 1 && this.head.readUInt16BE(0) % 31 === 0
    return isZlib ? createInflate() : createInflateRaw()
  }
}
