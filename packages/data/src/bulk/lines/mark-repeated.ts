/** Refuses the records whose idx repeats, when all of them are known: only these are scored again, the other rows are copied. */
import { createWriteStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BadFile } from '../../tables/bad-file.ts'
import { type Chunk, NEWLINE, linesIn } from '../../tables/split-lines.ts'
import { markedName, tempName, writing } from '../output/sink.ts'
import type { Summary } from '../summary.ts'
import type { ChunkJob, ChunkResult } from './score-chunk.ts'

const READ_BYTES = 1024 * 1024
/** What stands before the idx in a row. */
const HEAD_LENGTH = '{"idx":'.length
const ZERO = 0x30
const MINUS = 0x2d
const NONE: ReadonlySet<number> = new Set()

/** `chunks` are those whose rows are in the temp file of `path`. The summary counts the records as they are refused. */
export async function markRepeated(
  chunks: AsyncIterable<Chunk>,
  path: string,
  repeated: ReadonlySet<number>,
  score: (job: ChunkJob) => ChunkResult,
  summary: Summary,
): Promise<void> {
  await using file = await open(tempName(path))
  const take = rowsOf(file)
  async function* marked(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      const rows = await take(chunk.count)
      const places = placesOf(rows, repeated)
      yield places.length === 0 ? rows : Buffer.concat(withMarks(chunk, rows, places))
    }
  }
  const withMarks = (chunk: Chunk, rows: Buffer, places: readonly RowPlace[]): readonly Uint8Array[] => {
    const parts: Uint8Array[] = []
    const wanted = new Map(places.map((place) => [place.index, place]))
    let copied = 0
    let index = 0
    for (const [bytes, line] of linesIn(chunk)) {
      const place = wanted.get(index)
      const first = chunk.first + index
      index++
      if (place === undefined) continue
      const alone: Chunk = { bytes, first, count: 1, place: { line, column: 1 } }
      const refused = score({ chunk: alone, duplicates: new Set([first]) })
      summary.add(score({ chunk: alone, duplicates: NONE }), -1)
      summary.add(refused)
      parts.push(rows.subarray(copied, place.start), refused.output)
      copied = place.end
    }
    return [...parts, rows.subarray(copied)]
  }
  const target = createWriteStream(markedName(path), { mode: 0o600, flush: true })
  await writing(path, () => pipeline(Readable.from(marked(), { objectMode: true }), target))
}

interface RowPlace {
  /** Among the rows, from 0. */
  readonly index: number
  readonly start: number
  readonly end: number
}

/** The rows whose idx is one of these. */
function placesOf(rows: Buffer, repeated: ReadonlySet<number>): readonly RowPlace[] {
  const places: RowPlace[] = []
  for (let start = 0, index = 0; start < rows.length; index++) {
    const end = rows.indexOf(NEWLINE, start) + 1
    if (repeated.has(idxAt(rows, start + HEAD_LENGTH))) places.push({ index, start, end })
    start = end
  }
  return places
}

/** NaN for an idx that is null. */
function idxAt(rows: Buffer, start: number): number {
  const isNegative = rows[start] === MINUS
  let at = isNegative ? start + 1 : start
  const first = at
  let idx = 0
  let digit = digitAt(rows, at)
  while (digit >= 0 && digit <= 9) {
    idx = 10 * idx + digit
    at++
    digit = digitAt(rows, at)
  }
  if (at === first) return Number.NaN
  return isNegative ? -idx : idx
}

function digitAt(rows: Buffer, at: number): number {
  return (rows[at] ?? 0) - ZERO
}

/** Gives the next so many rows of a file each time. */
function rowsOf(file: FileHandle): (count: number) => Promise<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  return async (count) => {
    let end = 0
    for (let rows = 0; rows < count; rows++) {
      let newline = rest.indexOf(NEWLINE, end)
      while (newline < 0) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES)
        if (bytesRead === 0) throw new BadFile('has changed while it was read; start again when it is whole')
        const searched = rest.length
        rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)])
        newline = rest.indexOf(NEWLINE, searched)
      }
      end = newline + 1
    }
    const taken = rest.subarray(0, end)
    rest = rest.subarray(end)
    return taken
  }
}
