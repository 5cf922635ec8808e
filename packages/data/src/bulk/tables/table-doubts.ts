/** What the values of a table leave in doubt: its first rows by the same watch as the service, and its codes in all rows. */
import { CODED_FIELDS } from '@patient-risk/monitor'
import type { FeedDoubt, FileFeed } from '@patient-risk/monitor'
import { parseJson } from 'patient-risk-engine/read'
import { type TableEngine, identifier } from '../../tables/engine.ts'
import type { Table } from '../../tables/table.ts'
import { openFileFeed } from '../file-feed.ts'
import type { ScoreRun } from '../run.ts'
import { FILE, FILE_ROW, MEMBERS, type TableSource, tableSource } from './table-source.ts'

/** Rows that are looked at one by one. */
const SAMPLED_ROWS = 10_000
/** Different texts of a field of codes; a column with more holds no codes. */
const MOST_CODES = 100

/** Doubts by the place of their file among those that are read together: a feed is one file. */
export async function tableDoubts(
  run: ScoreRun,
  engine: TableEngine,
  table: Table,
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
  await seeRows(run, engine, sampleOf(table, read), feedOf)
  for (const field of CODED_FIELDS) {
    const column = read.columns.get(field)
    if (column === undefined) continue
    const found = await engine.rows(codesOf(table, read, `CAST(${identifier(column.name)} AS VARCHAR)`))
    for (const { file, code } of found)
      if (typeof code === 'string') feedOf(Number(file)).addText(field, code)
  }
  return new Map([...feeds].map(([file, feed]) => [file, feed.doubts()]))
}

async function seeRows(
  { deployment: { scorer }, today }: ScoreRun,
  engine: TableEngine,
  sample: string,
  feedOf: (file: number) => FileFeed,
): Promise<void> {
  let open: { readonly file: number; readonly feed: FileFeed } | undefined
  const close = (): void => {
    const observed = open?.feed.collector.taken()
    if (observed !== undefined) open?.feed.add(observed)
  }
  for await (const [files, records] of engine.chunks(sample)) {
    for (let at = 0; at < (files?.itemCount ?? 0); at++) {
      const file = Number(files?.getItem(at))
      if (open?.file !== file) {
        close()
        open = { file, feed: feedOf(file) }
      }
      const { collector } = open.feed
      const result = scorer.assess(parseJson(`{"idx":0${String(records?.getItem(at))}}`), today)
      collector.see(scorer.slots, result)
      if (scorer.slots.faulty) collector.seeRefused(scorer.slots)
    }
  }
  close()
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
