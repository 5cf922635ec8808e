/** What an input leaves in doubt, before the first of its results is written: a notice of a doubt belongs to every row it is about. */
import type { FeedDoubt } from '@patient-risk/monitor'
import { openInput } from '../../tables/open-input.ts'
import { openFileFeed } from '../file-feed.ts'
import type { ScoreRun } from '../run.ts'
import { ChunkPool } from './chunk-pool.ts'

/** Scores the input as a run does, and keeps nothing but the counts of the watch. `path` is where the input can be read again. */
export async function watchLines(run: ScoreRun, path: string): Promise<readonly FeedDoubt[]> {
  const feed = openFileFeed(run)
  const plain: ScoreRun = { ...run, parts: [], source: undefined }
  const pool = new ChunkPool(plain, run.inputs[0]?.format === 'json', feed, [])
  try {
    for await (const result of pool.results(pool.chunks(openInput(path).bytes))) {
      if (result.observed !== undefined) feed.add(result.observed)
      pool.reuse(result)
    }
    return feed.doubts()
  } finally {
    await pool.close()
  }
}
