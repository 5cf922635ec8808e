/** Decompresses a body piece by piece. A body that is incomplete, or followed by other bytes, is refused. */
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { AppError } from '../../errors.ts'

export interface Receiver {
  readonly take: (chunk: Buffer) => void
  readonly finish: () => void
  readonly fail: (error: AppError) => void
  readonly drained: () => void
}

export class Unpacker {
  private readonly coding: string
  private receiver: Receiver | undefined
  private stream: Transform | undefined
  private head: Buffer = Buffer.alloc(0)
  private given = 0

  constructor(coding: string) {
    this.coding = coding
  }

  start(receiver: Receiver): void {
    this.receiver = receiver
  }

  /** Returns false when the sender must wait. */
  write(chunk: Buffer): boolean {
    this.given += chunk.length
    if (this.stream !== undefined) return this.stream.write(chunk)
    this.head = Buffer.concat([this.head, chunk])
    return this.head.length < 2 || this.open().write(this.head)
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
    const { receiver } = this
    const stream = this.decoder()
    this.stream = stream
    stream.on('data', (chunk: Buffer) => receiver?.take(chunk))
    stream.on('drain', () => receiver?.drained())
    stream.on('error', () => receiver?.fail(malformed()))
    stream.on('end', () => {
      // Bytes after the packed body would be ignored: two different bodies must not be read as the same.
      const used = (stream as Transform & { bytesWritten: number }).bytesWritten
      if (used === this.given) receiver?.finish()
      else receiver?.fail(malformed())
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

function malformed(): AppError {
  return new AppError('BODY_MALFORMED', 'The body is not compressed as its header "Content-Encoding" says.')
}
