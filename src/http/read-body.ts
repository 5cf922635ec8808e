/** Reads a body, packed or plain, and never holds more of it than its deployment allows. */
import type { IncomingMessage } from 'node:http'
import { AppError } from '../errors.ts'
import { type BufferPool, freeNow } from '../threads/buffer-pool.ts'
import { Unpacker } from './unpacker.ts'

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
  return new Promise((resolve, reject) => {
    const declared = Number(message.headers['content-length'] ?? 0)
    if (declared > bounds.limit) {
      reject(new AppError('BODY_TOO_LARGE'))
      return
    }
    if (message.destroyed && !message.readableEnded) {
      reject(new AppError('REQUEST_INVALID', NOT_WHOLE))
      return
    }
    const unpacker = coding === 'identity' ? undefined : new Unpacker(coding)
    let room: Uint8Array | undefined
    const chunks: Buffer[] = []
    let packed = 0
    let unpacked = 0

    const fail = (error: AppError): void => {
      message.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
      unpacker?.close()
      message.resume()
      reject(error)
    }
    const take = (chunk: Buffer): void => {
      unpacked += chunk.length
      try {
        if (unpacked > bounds.limit) throw new AppError('BODY_TOO_LARGE')
        bounds.hold(chunk.length)
        // A body that comes in one piece is that piece.
        if (unpacker === undefined && chunk.length < declared) room ??= bounds.pool?.take(declared)
        if (room === undefined) chunks.push(chunk)
        else {
          room.set(chunk, unpacked - chunk.length)
          freeNow(chunk)
        }
      } catch (error) {
        fail(error as AppError)
      }
    }
    const finish = (): void => {
      message.off('error', onGone).off('close', onGone)
      const [only] = chunks
      // Old bytes of a buffer that others had before are never taken for a body.
      if (room !== undefined && unpacked !== declared) reject(new AppError('REQUEST_INVALID', NOT_WHOLE))
      else if (room !== undefined) resolve(room)
      else resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, unpacked))
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
