/**
 * Writes groups of rows to a ring, a file of fixed size that is filled over and over. The file is written through to the
 * disk, and its room was made before: one such write costs a fraction of a commit, and is as safe from a power cut.
 */
import { closeSync, constants, openSync, write } from 'node:fs'
import { StoreError } from '../../store.ts'
import { RING_BYTES, type RingClaim } from './claim.ts'
import { type FramePlace, HEAD_BYTES, makeFrame, makeLapEnd } from './frame.ts'

export class RingWriter {
  readonly era: bigint
  private readonly file: number
  /** Where the next frame belongs, counted from the start of this era. */
  private offset = 0
  private isWriting = false
  private isClosed = false
  /** Up to where the rows stand in the chain, so that their room is free. */
  private taken = 0

  constructor({ era, path }: RingClaim) {
    this.era = era
    this.file = openSync(path, constants.O_WRONLY | constants.O_DSYNC)
  }

  /** Bytes of rows that are not in the chain yet. */
  get waitingBytes(): number {
    return this.offset - this.taken
  }

  /**
   * Whether a write has failed. Somebody may have read what seemed to fail, and would miss what is written over it: this
   * writer must not be used again.
   */
  get isSpoilt(): boolean {
    return this.isWriting
  }

  /** Says up to where the rows were taken into the chain. */
  release(taken: number): void {
    this.taken = Math.max(this.taken, taken)
  }

  hasRoomFor(text: string): boolean {
    const bytes = bytesOf(text)
    return this.startFor(bytes) + bytes - this.taken <= RING_BYTES
  }

  /** Writes the rows, all or none; resolves when they are on the disk. One at a time. */
  async append(text: string): Promise<void> {
    if (!this.hasRoomFor(text)) throw new StoreError('the audit has no room for more rows')
    const start = this.startFor(bytesOf(text))
    this.isWriting = true
    if (start !== this.offset && RING_BYTES - (this.offset % RING_BYTES) >= HEAD_BYTES) {
      await this.write(makeLapEnd(this.place(this.offset)), this.offset)
    }
    const frame = makeFrame(this.place(start), text)
    await this.write(frame, start)
    this.offset = start + frame.length
    this.isWriting = false
  }

  /** Once: the number of a closed file may be that of another one soon. */
  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    closeSync(this.file)
  }

  private place(offset: number): FramePlace {
    return { era: this.era, offset }
  }

  /** A frame is never cut in two: where the rest of a lap is too short, it begins the next. */
  private startFor(bytes: number): number {
    const rest = RING_BYTES - (this.offset % RING_BYTES)
    return bytes <= rest ? this.offset : this.offset + rest
  }

  private write(bytes: Buffer, offset: number): Promise<void> {
    return new Promise((resolve, reject) => {
      write(this.file, bytes, 0, bytes.length, offset % RING_BYTES, (error, written) => {
        if (error === null && written === bytes.length) resolve()
        // The code alone: it names what is wrong with the disk.
        else reject(new StoreError(`the audit could not be written (${error?.code ?? 'in part'})`))
      })
    })
  }
}

function bytesOf(text: string): number {
  return HEAD_BYTES + Buffer.byteLength(text)
}
