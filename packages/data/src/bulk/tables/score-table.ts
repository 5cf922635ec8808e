/** Scores one table, or several that are read as one, into a part on disk, with what is to be said of its files. */
import { type TableEngine, fileLiteral, literal } from '../../tables/engine.ts'
import type { TableFile } from '../../tables/open-table.ts'
import { FEWEST_TAKEN, describeForm } from '../../tables/readings.ts'
import type { Table } from '../../tables/table.ts'
import type { ScoreRun } from '../run.ts'
import { WrittenOtherwise, findReadings, findingText } from './other-readings.ts'
import { partQuery } from './part-query.ts'
import { type Part, hasNumber } from './publish-results.ts'
import { tableDoubts } from './table-doubts.ts'
import { cellNotes, tableNotes, unitNotes } from './table-notes.ts'
import { type FaultyRows, faultyRows, tableSource } from './table-source.ts'

const PROGRESS_MS = 200

export async function scoreTable(
  run: ScoreRun,
  engine: TableEngine,
  table: Table,
  files: readonly TableFile[],
  path: string,
): Promise<Part> {
  const { codes } = run.deployment.scorerOptions
  const extras = { hasParts: run.parts.length > 0, key: run.rowChanges?.key }
  const source = tableSource(table, run.columnOptions, run.catalog.domains, extras, codes)
  // A Parquet file of some kilobytes may have a billion rows.
  if (run.onCounted !== undefined) await run.onCounted(await engine.count(table.from))
  const place = run.inputs.indexOf(files[0] as TableFile)
  const timer = setInterval(() => {
    const share = (place + Math.max(0, engine.share) * files.length) / run.inputs.length
    run.onProgress({ records: undefined, share: Math.min(1, share) })
  }, PROGRESS_MS)
  try {
    await engine.run(`COPY (${partQuery(run, table, source)}) TO ${literal(path)} (FORMAT parquet)`)
  } finally {
    clearInterval(timer)
  }
  const rows = await engine.count(`read_parquet(${fileLiteral(path)})`)
  const { isNumbered, unknown, keep } = source
  const cells = keep.includes('cell faults') ? await cellNotes(engine, table, path) : []
  const faulty = source.written.length > 0 ? await faultyRows(engine, path, source) : undefined
  const others = await otherReadings(run, engine, table, faulty)
  const units = await unitNotes(run, engine, table, source)
  const notes = files.flatMap(({ path: name }, file) =>
    [...tableNotes(table), ...others, ...cells, ...(units.get(file) ?? [])].map((note) => `${name}${note}`),
  )
  const forms = table.isText
    ? files.map(({ path: name }) => `${name}: ${describeForm(table, run.columnOptions)}.`)
    : []
  const hasDates = [...source.columns.keys()].some((name) => run.catalog.domains.get(name)?.kind === 'date')
  const isBare = keep.length === 0 && run.source === undefined && !hasNumber(run)
  const found = await tableDoubts(run, engine, table, faulty)
  const doubts = files.flatMap(({ path: file }, at) =>
    (found.get(at) ?? []).map((doubt) => ({ ...doubt, file })),
  )
  return { path, inputs: files.length, rows, isNumbered, isBare, hasDates, unknown, notes, forms, doubts }
}

/**
 * Throws where a column that the model uses is written in another form than it is read: only the cells that look alike in both
 * forms would be scored, and perhaps wrongly. Returns notes on other columns. A refused cell is a
 * problem of its row, so that the file itself is not read again.
 */
async function otherReadings(
  run: ScoreRun,
  engine: TableEngine,
  table: Table,
  faulty: FaultyRows | undefined,
): Promise<readonly string[]> {
  if (faulty === undefined || (await engine.count(faulty.from)) < FEWEST_TAKEN) return []
  const all = await findReadings(run, engine, { ...table, from: faulty.from }, faulty)
  const found = all.filter(({ proposed }) => proposed.length > 0)
  const used = found.filter(({ isUsed }) => isUsed)
  if (used.length === 0)
    return found.map((finding) => `, ${findingText(finding)}; the model does not use this column.`)
  throw new WrittenOtherwise(used)
}
