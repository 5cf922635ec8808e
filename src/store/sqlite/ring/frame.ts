/**
 * One group of rows in a ring: a head that says what it is and where it belongs, and the rows as text. A frame counts only
 * when all of it is there: a process that dies while it writes leaves nothing that could be taken for rows.
 */
import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Where a frame belongs: the owner that wrote it, and its place counted from the start of that owner's time. */
export interface FramePlace {
  readonly era: bigint
  readonly offset: number
}

export const HEAD_BYTES = 32
const MAGIC = 0x50524146
const AT_SUM = 4
const AT_LENGTH = 8
const AT_ERA = 16
const AT_OFFSET = 24
/** In place of a length: the rest of this lap is not used. */
const REST_OF_LAP = 0xffffffff

export function newEra(): bigint {
  return randomBytes(8).readBigUInt64BE()
}

export function printEra(era: bigint): string {
  return era.toString(16)
}

export function parseEra(text: string): bigint {
  return BigInt(`0x${text}`)
}

export function makeFrame(place: FramePlace, text: string): Buffer {
  const length = Buffer.byteLength(text)
  const frame = Buffer.alloc(HEAD_BYTES + length)
  frame.write(text, HEAD_BYTES)
  return sealed(frame, place, length)
}

/** Says that the next frame stands at the start of the next lap. */
export function makeLapEnd(place: FramePlace): Buffer {
  return sealed(Buffer.alloc(HEAD_BYTES), place, REST_OF_LAP)
}

export type Head = { readonly kind: 'rows'; readonly length: number } | { readonly kind: 'lap end' }

/** What a head announces; undefined where no frame of that place begins. */
export function readHead(head: Buffer, place: FramePlace): Head | undefined {
  if (head.readUInt32BE(0) !== MAGIC || head.readBigUInt64BE(AT_ERA) !== place.era) return undefined
  if (head.readBigUInt64BE(AT_OFFSET) !== BigInt(place.offset)) return undefined
  const length = head.readUInt32BE(AT_LENGTH)
  if (length !== REST_OF_LAP) return { kind: 'rows', length }
  return isWhole(head.subarray(0, HEAD_BYTES)) ? { kind: 'lap end' } : undefined
}

/** Whether a frame, head and rows, is as it was written. */
export function isWhole(frame: Buffer): boolean {
  return frame.readUInt32BE(AT_SUM) === sumOf(frame)
}

function sealed(frame: Buffer, { era, offset }: FramePlace, length: number): Buffer {
  frame.writeUInt32BE(MAGIC, 0)
  frame.writeUInt32BE(length, AT_LENGTH)
  frame.writeBigUInt64BE(era, AT_ERA)
  frame.writeBigUInt64BE(BigInt(offset), AT_OFFSET)
  frame.writeUInt32BE(sumOf(frame), AT_SUM)
  return frame
}

function sumOf(frame: Buffer): number {
  return crc32(frame.subarray(AT_LENGTH))
}
