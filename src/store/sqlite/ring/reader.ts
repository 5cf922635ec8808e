/** Reads what stands in a ring from a place on, up to where nothing whole follows. */
import { closeSync, openSync, readSync } from 'node:fs'
import { RING_BYTES } from './claim.ts'
import { type FramePlace, HEAD_BYTES, isWhole, readHead } from './frame.ts'

export interface RingContent {
  readonly texts: readonly string[]
  /** Where the next frame will stand. */
  readonly offset: number
}

/** Throws where there is no such file. */
export function readRing(path: string, from: FramePlace, mostBytes: number): RingContent {
  const file = openSync(path, 'r')
  try {
    return readFrames(file, from, mostBytes)
  } finally {
    closeSync(file)
  }
}

function readFrames(file: number, { era, offset: from }: FramePlace, mostBytes: number): RingContent {
  const texts: string[] = []
  const head = Buffer.alloc(HEAD_BYTES)
  let offset = from
  // The rest of a lap is no content: whoever asks for little gets at least one frame.
  while (texts.length === 0 || offset - from < mostBytes) {
    const place = offset % RING_BYTES
    const rest = RING_BYTES - place
    if (rest < HEAD_BYTES) {
      offset += rest
      continue
    }
    readSync(file, head, 0, HEAD_BYTES, place)
    const announced = readHead(head, { era, offset })
    if (announced === undefined) break
    if (announced.kind === 'lap end') {
      offset += rest
      continue
    }
    const bytes = HEAD_BYTES + announced.length
    if (bytes > rest) break
    const frame = Buffer.alloc(bytes)
    if (readSync(file, frame, 0, bytes, place) !== bytes || !isWhole(frame)) break
    texts.push(frame.toString('utf8', HEAD_BYTES))
    offset += bytes
  }
  return { texts, offset }
}
