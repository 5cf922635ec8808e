/** Reads a body, packed or plain, and never holds more of it than its deployment allows. */
import type { IncomingMessage } from 'node:http'
import { AppError } from '../../errors.ts'
import { type BufferPool, freeNow } from '../../workers/buffer-pool.ts'
import { GatheredBytes } from './gathered-bytes.ts'
import { Unpacker } from './decompress.ts'

export interface BodyBounds {
  /** The most bytes, packed and unpacked. */
  readonly limit: number
  /** Counts bytes that are held; throws when the whole service holds too many. */
  readonly hold: (bytes: number) => void
  /** Says who is told when the body comes too slowly. */
  readonly onSlow: (tell: () => void) => void
  /** Where room for a body comes from whose size is known. */
  readonly pool?: BufferPool
}

const NOT_WHOLE = 'The body was not sent to its end.'
const CODINGS: ReadonlySet<string> = new Set(['identity', 'gzip', 'x-gzip', 'deflate', 'br'])

/** The content coding of a request: one that is understood, or undefined. */
export function codingOf(header: string | undefined): string | undefined {
  if (header === undefined) return 'identity'
  const coding = header.trim().toLowerCase()
  return CODINGS.has(coding) ? coding : undefined
}

export function readBody(message: IncomingMessage, coding: string, bounds: BodyBounds): Promise<Uint8Array> {
  const declared = Number(message.headers['content-length'] ?? 0)
  if (declared > bounds.limit) return Promise.reject(new AppError('BODY_TOO_LARGE'))
  if (message.destroyed && !message.readableEnded) {
    return Promise.reject(new AppError('REQUEST_INVALID', NOT_WHOLE))
  }
  return coding === 'identity' && declared > 0
    ? readDeclared(message, declared, bounds)
    : readToEnd(message, coding, bounds)
}

/** A plain body whose length was said before. It is whole with its last byte. */
function readDeclared(message: IncomingMessage, declared: number, bounds: BodyBounds): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let room: Uint8Array | undefined
    let received = 0
    const fail = (error: AppError): void => {
      message.off('data', onData).off('close', onClose)
      message.resume()
      reject(error)
    }
    const onData = (chunk: Buffer): void => {
      try {
        bounds.hold(chunk.length)
      } catch (error) {
        fail(error as AppError)
        return
      }
      received += chunk.length
      // A body that comes in one piece is that piece.
      if (chunk.length === declared) resolve(chunk)
      else {
        room ??= bounds.pool?.take(declared) ?? new Uint8Array(declared)
        room.set(chunk, received - chunk.length)
        freeNow(chunk)
        if (received === declared) resolve(room)
      }
    }
    // Comes also after a body that was read to its end, when nobody waits for it any more.
    const onClose = (): void => {
      if (received < declared) fail(new AppError('REQUEST_INVALID', NOT_WHOLE))
    }
    bounds.onSlow(() => fail(new AppError('BODY_TOO_SLOW')))
    message.on('data', onData).once('close', onClose)
  })
}

/** A body that is packed, or that comes in parts of which nobody knows how many. */
function readToEnd(message: IncomingMessage, coding: string, bounds: BodyBounds): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const unpacker = coding === 'identity' ? undefined : new Unpacker(coding)
    const gathered = new GatheredBytes(bounds.limit)
    let packed = 0

    const fail = (error: AppError): void => {
      message.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
      unpacker?.close()
      message.resume()
      reject(error)
    }
    const take = (chunk: Buffer): void => {
      try {
        if (gathered.size + chunk.length > bounds.limit) throw new AppError('BODY_TOO_LARGE')
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
      else if (packed > bounds.limit) fail(new AppError('BODY_TOO_LARGE'))
      // The sender waits until the unpacker has room again, so a bomb cannot pile up before it is counted.
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
