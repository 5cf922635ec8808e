/** What the values of a table leave in doubt: its first rows by the same watch as the service, and the codes of all rows. */
import { type FeedDoubt, FileFeed, type SeenCode, SeenRecordsBuffer } from '@patient-risk/monitor'
import { type TableEngine, identifier } from '../../tables/engine.ts'
import type { Table } from '../../tables/table.ts'
import { openFileFeed } from '../file-feed.ts'
import type { ScoreRun } from '../run.ts'
import {
  FILE,
  FILE_ROW,
  type FaultyRows,
  MEMBERS,
  type TableSource,
  codedColumns,
  tableSource,
} from './table-source.ts'

/** Rows that are looked at one by one. */
const SAMPLED_ROWS = 10_000
/** Different texts of a field of codes; a column with more holds no codes. */
const MOST_CODES = 100

const encoder = new TextEncoder()
/** Of lines whose answers are not read. */
const NO_PLACE = { first: 0, duplicates: new Set<number>() }

type DoubtRun = Pick<ScoreRun, 'catalog' | 'deployment' | 'columnOptions' | 'today' | 'onWatched'>

/**
 * Doubts by the place of their file among those that are read together: a feed is one file. A code of
 * another convention is a problem of its row, so that the faulty rows are enough where they are known.
 */
export async function tableDoubts(
  run: DoubtRun,
  engine: TableEngine,
  table: Table,
  faulty: FaultyRows | undefined,
): Promise<ReadonlyMap<number, readonly FeedDoubt[]>> {
  const { catalog, deployment, columnOptions } = run
  const extras = { hasParts: true }
  const { codes } = deployment.scorerOptions
  const read = tableSource(table, columnOptions, catalog.domains, extras, codes)
  const feeds = new Map<number, FileFeed>()
  const feedOf = (file: number): FileFeed => {
    const feed = feeds.get(file) ?? openFileFeed(run)
    feeds.set(file, feed)
    return feed
  }
  const codesSeen: SeenCode[] = []
  await seeRows(run, engine, sampleOf(table, read), feedOf)
  for (const [place, [field, { name }]] of codedColumns(read.columns).entries()) {
    const found = await engine.rows(
      faulty === undefined
        ? codesOf(table, read, `CAST(${identifier(name)} AS VARCHAR)`)
        : `SELECT DISTINCT 0 AS file, ${faulty.codes[place]} AS code FROM ${faulty.from} LIMIT ${MOST_CODES}`,
    )
    for (const { file, code } of found)
      if (typeof code === 'string') codesSeen.push(...feedOf(Number(file)).addText(field, code))
  }
  if (codesSeen.length > 0)
    run.onWatched?.({ seen: new SeenRecordsBuffer(), units: [], places: [], codes: codesSeen })
  return new Map([...feeds].map(([file, feed]) => [file, feed.doubts()]))
}

/** Hands the rows to the reader of lines, as those of a file of lines: some thousand records together. */
async function seeRows(
  { deployment: { scorer }, today, onWatched }: DoubtRun,
  engine: TableEngine,
  sample: string,
  feedOf: (file: number) => FileFeed,
): Promise<void> {
  const seen = new Map<number, number>()
  for await (const [files, records] of engine.chunks(sample)) {
    const lines = new Map<number, string[]>()
    for (let at = 0; at < (files?.itemCount ?? 0); at++) {
      const file = Number(files?.getItem(at))
      const own = lines.get(file) ?? []
      own.push(`{"idx":${at}${String(records?.getItem(at))}}\n`)
      lines.set(file, own)
    }
    for (const [file, own] of lines) {
      const feed = feedOf(file)
      const before = seen.get(file) ?? 0
      seen.set(file, before + own.length)
      const watched = { watch: feed.collector, sample: FileFeed.sample(before) }
      scorer.lines.score(encoder.encode(own.join('')), today, NO_PLACE, undefined, watched)
      const observed = feed.collector.taken()
      if (observed === undefined) continue
      onWatched?.(observed)
      feed.add(observed)
    }
  }
}

/** The first rows of each file, file by file. */
function sampleOf({ isJoined = false }: Table, { source }: TableSource): string {
  const members = identifier(MEMBERS)
  if (!isJoined) return `SELECT 0 AS file, ${members} FROM ${source} LIMIT ${SAMPLED_ROWS}`
  const file = identifier(FILE)
  const row = identifier(FILE_ROW)
  return `SELECT ${file}, ${members} FROM ${source} WHERE ${row} < ${SAMPLED_ROWS} ORDER BY ${file}, ${row}`
}

function codesOf({ isJoined = false }: Table, { source }: TableSource, text: string): string {
  if (!isJoined) return `SELECT DISTINCT 0 AS file, ${text} AS code FROM ${source} LIMIT ${MOST_CODES}`
  const each = `SELECT DISTINCT ${identifier(FILE)} AS file, ${text} AS code FROM ${source}`
  return `SELECT * FROM (${each}) QUALIFY row_number() OVER (PARTITION BY file) <= ${MOST_CODES}`
}
