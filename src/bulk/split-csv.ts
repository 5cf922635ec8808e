/** Cuts CSV into pieces of whole rows. A line feed inside quotes ends no row. */
import { BadFile } from './bad-file.ts'
import { LONGEST_RECORD_BYTES, RECORD_TOO_LONG, type TextChunk } from './chunk.ts'
import { whole } from './split-ndjson.ts'

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const QUOTE = 0x22

/** The first row is the header: it comes alone, as a piece without records. */
export async function* splitCsv(input: AsyncIterable<Buffer>, chunkBytes: number): AsyncGenerator<TextChunk> {
  let held: Buffer[] = []
  let heldBytes = 0
  let isQuoted = false
  let isBlankRow = true
  const seen = { header: false }
  let first = 0
  let rows = 0
  let line = 1
  let chunkLine = 1
  /** What lies before the last row end, in bytes, rows and lines. */
  let boundary = 0
  let boundaryRows = 0
  let boundaryLine = 1

  const cut = (): TextChunk => {
    const all = Buffer.from(whole(held))
    const count = seen.header ? boundaryRows : 0
    const chunk: TextChunk = {
      ...{ kind: 'text', first, count, line: chunkLine },
      bytes: new Uint8Array(all.subarray(0, boundary)),
    }
    const rest = all.subarray(boundary)
    held = [rest]
    heldBytes = rest.length
    first += count
    rows -= boundaryRows
    chunkLine = boundaryLine
    boundary = 0
    boundaryRows = 0
    seen.header = true
    return chunk
  }
  for await (const part of input) {
    let from = 0
    for (let at = 0; at < part.length; at++) {
      const byte = part[at]
      if (byte === QUOTE) isQuoted = !isQuoted
      if (byte !== NEWLINE) {
        if (byte !== CARRIAGE_RETURN) isBlankRow = false
        continue
      }
      line++
      if (isQuoted) continue
      if (!isBlankRow) rows++
      isBlankRow = true
      boundary = heldBytes + at + 1 - from
      boundaryRows = rows
      boundaryLine = line
      if (seen.header || rows === 0) continue
      held.push(part.subarray(from, at + 1))
      heldBytes += at + 1 - from
      from = at + 1
      yield cut()
    }
    held.push(part.subarray(from))
    heldBytes += part.length - from
    if (heldBytes >= chunkBytes && boundary > 0) yield cut()
    else if (heldBytes > LONGEST_RECORD_BYTES) throw new BadFile(RECORD_TOO_LONG, { line: chunkLine })
  }
  if (heldBytes === 0) return
  if (!isBlankRow) rows++
  boundary = heldBytes
  boundaryRows = rows
  if (rows > 0) yield cut()
}
