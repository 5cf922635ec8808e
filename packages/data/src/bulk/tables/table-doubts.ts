/** What the values of a table leave in doubt: its first rows by the same watch as the service, and its codes in all rows. */
import { CODED_FIELDS } from '@patient-risk/monitor'
import type { FeedDoubt } from '@patient-risk/monitor'
import { parseJson } from 'patient-risk-engine/read'
import { type TableEngine, identifier } from '../../tables/engine.ts'
import type { Table } from '../../tables/table.ts'
import { openFileFeed } from '../file-feed.ts'
import type { ScoreRun } from '../run.ts'
import { MEMBERS, tableSource } from './table-source.ts'

/** Rows that are looked at one by one. */
const SAMPLED_ROWS = 10_000
/** Different texts of a field of codes; a column with more holds no codes. */
const MOST_CODES = 100

export async function tableDoubts(
  run: ScoreRun,
  engine: TableEngine,
  table: Table,
): Promise<readonly FeedDoubt[]> {
  const { catalog, deployment, columnOptions, today } = run
  const { scorer, scorerOptions } = deployment
  const feed = openFileFeed(run)
  const { collector } = feed
  const { source, columns } = tableSource(
    table,
    columnOptions,
    catalog.domains,
    { hasParts: true },
    scorerOptions.codes,
  )
  const rows = await engine.rows(
    `SELECT ${identifier(MEMBERS)} AS members FROM ${source} LIMIT ${SAMPLED_ROWS}`,
  )
  for (const { members } of rows) {
    const result = scorer.assess(parseJson(`{"idx":0${String(members)}}`), today)
    collector.see(scorer.slots, result)
    if (scorer.slots.faulty) collector.seeRefused(scorer.slots)
  }
  const observed = collector.taken()
  if (observed !== undefined) feed.add(observed)
  for (const field of CODED_FIELDS) {
    const column = columns.get(field)
    if (column === undefined) continue
    const text = `CAST(${identifier(column.name)} AS VARCHAR)`
    const codes = await engine.rows(`SELECT DISTINCT ${text} AS code FROM ${source} LIMIT ${MOST_CODES}`)
    for (const { code } of codes) if (typeof code === 'string') feed.addText(field, code)
  }
  return feed.doubts()
}
