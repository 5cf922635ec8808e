/** Cuts text with a record a line into pieces of whole lines. */
import { BadFile } from '../../tables/bad-file.ts'
import { LONGEST_RECORD_BYTES, RECORD_TOO_LONG, type Chunk } from './chunk.ts'
import { BufferPool, freeNow } from '../../workers/buffer-pool.ts'
import { countLines } from './count-lines.ts'

const NEWLINE = 0x0a

/** The pieces lie in buffers of the pool; the code that has used one may release it. */
export async function* splitNdjson(
  input: AsyncIterable<Buffer>,
  chunkBytes: number,
  pool: BufferPool = new BufferPool(),
): AsyncGenerator<Chunk> {
  let held: Buffer[] = []
  let heldBytes = 0
  let first = 0
  let line = 1
  const cut = (): Chunk => {
    const bytes = gather(held, pool.take(heldBytes))
    const { lines, records } = countLines(bytes)
    const chunk: Chunk = { bytes, first, count: records, line }
    first += records
    line += lines
    return chunk
  }
  for await (const part of input) {
    held.push(part)
    heldBytes += part.length
    if (heldBytes < chunkBytes) continue
    const last = part.lastIndexOf(NEWLINE)
    if (last < 0) {
      if (heldBytes > LONGEST_RECORD_BYTES) throw new BadFile(RECORD_TOO_LONG, { line })
      continue
    }
    // A copy: the memory of the part itself is given back when its lines are cut.
    const rest = Buffer.from(part.subarray(last + 1))
    heldBytes -= rest.length
    held[held.length - 1] = part.subarray(0, last + 1)
    const chunk = cut()
    freeNow(part)
    held = rest.length === 0 ? [] : [rest]
    heldBytes = rest.length
    yield chunk
  }
  if (heldBytes > 0) yield cut()
}

/** One buffer of its own, so that it can change hands. */
export function whole(parts: readonly Buffer[]): Uint8Array {
  return gather(parts, new Uint8Array(parts.reduce((length, part) => length + part.length, 0)))
}

function gather(parts: readonly Buffer[], room: Uint8Array): Uint8Array {
  let at = 0
  for (const part of parts) {
    room.set(part, at)
    at += part.length
  }
  return room
}
