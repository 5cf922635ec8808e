/** Cuts CSV into pieces of whole rows. */
import { BadFile } from './bad-file.ts'
import { LONGEST_RECORD_BYTES, RECORD_TOO_LONG, type TextChunk } from './chunk.ts'
import { RowEnds } from './row-ends.ts'

const ENDS_WITH_RETURNS =
  'the lines end with a carriage return alone; save the file with line feeds (LF, or CR and LF)'
const QUOTED = /"[^"]*("|$)/g
/** More returns than one before a line feed, or at the very end, are taken for one. */
const LONE_RETURN = /\r[^\r\n]/

/** The first row is the header: it comes alone, as a piece without records. */
export async function* splitCsv(input: AsyncIterable<Buffer>, chunkBytes: number): AsyncGenerator<TextChunk> {
  const ends = new RowEnds()
  let held: Buffer[] = []
  let heldBytes = 0
  /** How many of the held bytes lie before the last row end. */
  let boundary = 0
  const seen = { header: false }
  let first = 0
  let line = 1

  const cut = (): TextChunk => {
    const all = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held)
    const count = seen.header ? ends.endRows : 0
    // A copy of its own, so that it can change hands.
    const bytes = new Uint8Array(all.subarray(0, boundary))
    if (!seen.header && hasLoneReturn(bytes)) throw new BadFile(ENDS_WITH_RETURNS, { line })
    const chunk: TextChunk = { kind: 'text', first, count, line, bytes }
    const rest = all.subarray(boundary)
    held = rest.length === 0 ? [] : [rest]
    heldBytes = rest.length
    boundary = 0
    first += count
    line = ends.endLine
    seen.header = true
    ends.cut()
    return chunk
  }
  for await (const part of input) {
    for (let from = 0; from < part.length;) {
      const to = ends.search(part, from, !seen.header)
      held.push(part.subarray(from, to))
      if (ends.end >= 0) boundary = heldBytes + ends.end - from
      heldBytes += to - from
      from = to
      if (!seen.header && ends.rows > 0 && boundary > 0) yield cut()
    }
    if (heldBytes >= chunkBytes && boundary > 0) yield cut()
    else if (heldBytes > LONGEST_RECORD_BYTES) throw new BadFile(RECORD_TOO_LONG, { line })
  }
  if (heldBytes === 0) return
  if (!ends.isBlank) ends.rows++
  boundary = heldBytes
  ends.endRows = ends.rows
  if (ends.rows > 0) yield cut()
}

function hasLoneReturn(header: Uint8Array): boolean {
  return LONE_RETURN.test(Buffer.from(header).toString('latin1').replace(QUOTED, 'x'))
}
