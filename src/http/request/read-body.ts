/** Reads a body, packed or plain, and never holds more of it than its route allows. */
import type { IncomingMessage } from 'node:http'
import { AppError } from '../../errors.ts'
import { type BufferPool, freeNow } from '../../workers/buffer-pool.ts'
import { sendContinue } from '../connection/node-server.ts'
import { Unpacker } from './decompress.ts'
import { GatheredBytes } from './gathered-bytes.ts'
import type { RequestContext } from './request-context.ts'

export interface BodyBounds {
  /** The most bytes, packed and unpacked. */
  readonly limit: number
  /** Counts bytes that are held; throws when the whole service holds too many. */
  readonly hold: (bytes: number) => void
  /** Registers what is called when the body comes too slowly. */
  readonly onSlow: (end: () => void) => void
  /** Where a body of known size gets its buffer from. */
  readonly pool?: BufferPool
}

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
  const { raw, response, arriving } = context
  const coding = codingOf(raw.headers['content-encoding'])
  if (coding === undefined) throw new AppError('CONTENT_CODING')
  sendContinue(raw, response)
  const body = await readBody(raw, coding, {
    limit,
    hold: (bytes) => context.hold(bytes),
    onSlow: (end) => {
      if (arriving !== undefined) arriving.onSlow = end
    },
    ...(pool === undefined ? {} : { pool }),
  })
  context.body = body
  context.beginWork()
  return body
}

export function readBody(message: IncomingMessage, coding: string, bounds: BodyBounds): Promise<Uint8Array> {
  const declared = Number(message.headers['content-length'] ?? 0)
  if (declared > bounds.limit) return Promise.reject(tooLarge(bounds.limit, `${declared} bytes`))
  if (message.destroyed && !message.readableEnded) {
    return Promise.reject(new AppError('REQUEST_INVALID', NOT_WHOLE))
  }
  return new Promise((resolve, reject) => {
    const unpacker = coding === 'identity' ? undefined : new Unpacker(coding)
    const isExact = unpacker === undefined && declared > 0
    const gathered = isExact ? new ExactBytes(declared, bounds.pool) : new GatheredBytes(bounds.limit)
    let packed = 0

    const fail = (error: AppError): void => {
      message.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
      unpacker?.close()
      message.resume()
      reject(error)
    }
    const take = (chunk: Buffer): void => {
      try {
        const size = gathered.size + chunk.length
        if (size > bounds.limit) throw tooLarge(bounds.limit, `more than ${bounds.limit} bytes`)
        bounds.hold(gathered.capacityWith(chunk.length) - gathered.capacity)
        gathered.add(chunk)
      } catch (error) {
        fail(error as AppError)
      }
    }
    const finish = (): void => {
      message.off('error', onGone).off('close', onGone)
      resolve(gathered.take())
    }
    const onData = (chunk: Buffer): void => {
      packed += chunk.length
      if (unpacker === undefined) take(chunk)
      else if (packed > bounds.limit) fail(tooLarge(bounds.limit, `more than ${bounds.limit} bytes`))
      // The sender waits until the unpacker has room again, so that a zip bomb is counted before it piles up.
      else if (!unpacker.write(chunk)) message.pause()
    }
    const onEnd = (): void => {
      if (unpacker === undefined) finish()
      else unpacker.end()
    }
    const onGone = (): void => {
      if (!message.readableEnded) fail(new AppError('REQUEST_INVALID', NOT_WHOLE))
    }

    unpacker?.start({ take, finish, fail, drained: () => message.resume() })
    bounds.onSlow(() => fail(new AppError('BODY_TOO_SLOW')))
    message.on('data', onData).once('end', onEnd).once('error', onGone).once('close', onGone)
  })
}

function tooLarge(limit: number, size: string): AppError {
  return new AppError(
    'BODY_TOO_LARGE',
    `The body has ${size}; the limit is ${limit} bytes. Send the records in several requests.`,
  )
}

/** A body whose size is known: a single part is kept as it is, several are copied into one buffer. */
class ExactBytes implements Pick<GatheredBytes, 'size' | 'capacity' | 'capacityWith' | 'add' | 'take'> {
  size = 0
  private readonly declared: number
  private readonly pool: BufferPool | undefined
  private room: Uint8Array | undefined

  constructor(declared: number, bodies: BufferPool | undefined) {
    this.declared = declared
    this.pool = bodies
  }

  /** What has arrived: a caller that announces much and sends little is not counted for much. */
  get capacity(): number {
    return this.size
  }

  capacityWith(partBytes: number): number {
    return this.size + partBytes
  }

  add(part: Buffer): void {
    const start = this.size
    this.size += part.length
    if (part.length === this.declared) {
      this.room = part
      return
    }
    this.room ??= this.pool?.take(this.declared) ?? new Uint8Array(this.declared)
    this.room.set(part, start)
    freeNow(part)
  }

  take(): Buffer {
    const { buffer, byteOffset, byteLength } = this.room ?? new Uint8Array(0)
    return Buffer.from(buffer, byteOffset, byteLength)
  }
}
