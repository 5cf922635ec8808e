/** The pieces of an input that come behind what an earlier run has done. */
import { BadFile } from '../tables/bad-file.ts'
import type { Chunk } from '../tables/chunk.ts'

/** Passes over the first `records` records. They must end where a piece ends, or results would be lost or come twice. */
export async function* piecesBehind(records: number, pieces: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
  let end = 0
  for await (const piece of pieces) {
    end = piece.first + piece.count
    if (end <= records) continue
    if (piece.first < records) throw notFound()
    yield piece
  }
  if (end < records) throw notFound()
}

function notFound(): BadFile {
  return new BadFile('the place where the unfinished run stopped is not found in it; start without --resume')
}
