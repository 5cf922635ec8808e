/** The lines of a file of an export, as resources. */
import { type Json, isObject, parseBody } from 'patient-risk-engine/read'
import { openInput } from '../tables/open-input.ts'
import { NEWLINE, splitLines } from '../tables/split-lines.ts'

const CHUNK_BYTES = 1024 * 1024
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

export interface ResourceLine {
  readonly resource: Json
  /** From 1. */
  readonly line: number
  readonly text: string
}

/** Lines that are no object are left out. `onUnreadable` gets their numbers. */
export async function* resourceLines(
  file: string,
  onUnreadable: (line: number) => void,
): AsyncGenerator<ResourceLine> {
  const memory = { take: (size: number) => new Uint8Array(size), free: () => undefined }
  const { bytes } = openInput(file)
  for await (const chunk of splitLines(bytes, CHUNK_BYTES, false, memory)) {
    let { line } = chunk.place
    for (let from = 0, end = 0; from < chunk.bytes.length; from = end + 1, line++) {
      const at = chunk.bytes.indexOf(NEWLINE, from)
      end = at < 0 ? chunk.bytes.length : at
      const given = withoutMark(chunk.bytes.subarray(from, end))
      if (given.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09)) continue
      const resource = resourceIn(given)
      if (resource === undefined) onUnreadable(line)
      else yield { resource, line, text: Buffer.from(given).toString().trim() }
    }
  }
}

function withoutMark(line: Uint8Array): Uint8Array {
  return BYTE_ORDER_MARK.every((byte, at) => line[at] === byte) ? line.subarray(BYTE_ORDER_MARK.length) : line
}

function resourceIn(line: Uint8Array): Json | undefined {
  try {
    const value = parseBody(line)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
