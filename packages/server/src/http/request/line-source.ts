/** The lines of a stream: its body, read chunk by chunk while it keeps coming, and the whole lines in it. */
import type { IncomingMessage } from 'node:http'
import { AppError } from '@patient-risk/runtime'
import { withoutMark } from 'patient-risk-engine/read'
import { ByteAccumulator } from './read-body.ts'

export class LineSource {
  private readonly chunks: AsyncIterator<Buffer>
  private end: Error | undefined
  /** Rejects the current wait. */
  private rejectWait: (error: Error) => void = () => undefined

  constructor(message: IncomingMessage) {
    this.chunks = message[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    message.on('error', (error) => {
      if (error instanceof AppError) this.cutOff(error)
    })
  }

  /** The next bytes; undefined at the end. Throws when they come too slowly or the caller is gone. */
  async next(): Promise<Buffer | undefined> {
    const next = await this.orCutOff(this.chunks.next())
    return next.done === true ? undefined : next.value
  }

  /**
   * Waits for something that the caller must do, and no longer than for the body itself. Each wait has its own promise: one
   * shared promise raced against all waits would keep every one of them, and with them the whole body.
   */
  orCutOff<T>(other: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      other.then(resolve, reject)
      this.rejectWait = reject
      if (this.end !== undefined) reject(this.end)
    })
  }

  /** Ends the current wait and every later one with this error. */
  cutOff(error: Error): void {
    this.end ??= error
    this.rejectWait(this.end)
  }
}

const NEWLINE = 0x0a
/** Replaces a line that is too long. It is not a record either, so it gets the same answer. */
const PLACEHOLDER = Buffer.from('0\n')
const NOTHING = Buffer.alloc(0)

/** Splits arriving bytes into whole lines, and never holds more of a line than the longest allowed. */
export class LineFrames {
  private readonly maxLineBytes: number
  /** The beginning of a line whose end has not arrived. */
  private readonly held: ByteAccumulator
  private isSkipping = false
  private isStart = true

  constructor(maxLineBytes: number) {
    this.maxLineBytes = maxLineBytes
    this.held = new ByteAccumulator(maxLineBytes)
  }

  /** The memory held for a line whose end has not arrived. */
  get heldBytes(): number {
    return this.held.capacity
  }

  /** The lines that are complete now, as a copy; empty until a line is complete. Nothing of `arrived` is kept. */
  push(arrived: Buffer): Buffer {
    let chunk = arrived
    if (this.isSkipping) {
      const end = chunk.indexOf(NEWLINE)
      if (end < 0) return NOTHING
      this.isSkipping = false
      chunk = chunk.subarray(end + 1)
    }
    const last = chunk.lastIndexOf(NEWLINE)
    const lines =
      last < 0 ? NOTHING : this.afterMark(Buffer.concat([this.held.take(), chunk.subarray(0, last + 1)]))
    const rest = chunk.subarray(last + 1)
    if (this.held.size + rest.length <= this.maxLineBytes) {
      // The first part of a line would be kept as it is, and with it all that has arrived.
      this.held.add(this.held.size === 0 ? Buffer.from(rest) : rest)
      return lines
    }
    this.held.take()
    this.isSkipping = true
    this.isStart = false
    return Buffer.concat([lines, PLACEHOLDER])
  }

  /** The last line, which may lack its line feed. */
  end(): Buffer {
    return this.afterMark(this.held.take())
  }

  /** The first lines without a byte order mark; all later ones as they are. */
  private afterMark(lines: Buffer): Buffer {
    const isStart = this.isStart
    this.isStart = false
    return isStart ? withoutMark(lines) : lines
  }
}

/** Lines that are answered in one go: the shortest lines cost as much as whole records, and their answers take more bytes. */
export const PIECE_LINES = 2_048

/**
 * Whole lines in pieces of at most so many bytes and lines; a longer line is a piece of its own. Each piece has memory of its own, because
 * a worker takes the memory of a piece with it, and the other lines must still be here.
 */
export function* piecesOf(lines: Buffer, mostBytes: number, mostLines = PIECE_LINES): Generator<Buffer> {
  for (let from = 0; from < lines.length;) {
    const within = lines.lastIndexOf(NEWLINE, from + mostBytes - 1)
    const end = within >= from ? within : lines.indexOf(NEWLINE, from)
    const last = end < 0 || lines.length - from <= mostBytes ? lines.length : end + 1
    const next = Math.min(last, endOfLines(lines, from, mostLines))
    yield from === 0 && next === lines.length ? lines : Buffer.from(lines.subarray(from, next))
    from = next
  }
}

/** Where so many lines end, or else the end of all. */
function endOfLines(lines: Buffer, from: number, count: number): number {
  // A line has one byte at least.
  if (lines.length - from <= count) return lines.length
  let at = from
  for (let line = 0; line < count; line++) {
    const end = lines.indexOf(NEWLINE, at)
    if (end < 0) return lines.length
    at = end + 1
  }
  return at
}

/** Lines that are not blank: each is a record. */
export function countRecords(lines: Buffer): number {
  let records = 0
  for (let start = 0; start < lines.length;) {
    const found = lines.indexOf(NEWLINE, start)
    const end = found < 0 ? lines.length : found
    while (start < end && isSpace(lines[start])) start++
    if (start < end) records++
    start = end + 1
  }
  return records
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d
}
