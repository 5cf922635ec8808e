/** Scores tables: every input becomes a part on disk, and the parts become the output when all of them are there. */
import { duckdb } from '../../sql/dialect.ts'
import { NotInSql } from '../../sql/points.ts'
import { selectFor } from '../../sql/select.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { TableEngine, identifier, literal } from '../../tables/engine.ts'
import { type TempFolder, makeTempFolder } from '../../tables/open-input.ts'
import { type Table, openTable } from '../../tables/open-table.ts'
import { notesOf, unitNotes } from './notes.ts'
import { Parts } from './parts.ts'
import { publishResults } from './publish-results.ts'
import { scoreAsLines } from './score-as-lines.ts'
import type { TableInput, TableOutcome, TableRun } from './table-options.ts'
import { ROW_TOKEN, type TableSource, tableSource } from './table-reading.ts'

const PROGRESS_MS = 200

/** Throws a BadFile when an input cannot be read; then nothing has appeared under the output's name. */
export async function scoreTables(run: TableRun): Promise<TableOutcome> {
  const folder = makeTempFolder()
  const parts = await Parts.open(run, folder)
  try {
    const engine = await TableEngine.open({ folder, threads: run.threads })
    try {
      return await scoreBySql(run, engine, folder, parts).catch((error: unknown) => {
        if (error instanceof NotInSql) return scoreAsLines(run, engine, folder)
        throw error
      })
    } finally {
      engine.close()
    }
  } catch (error) {
    if (!parts.hasDone) await parts.remove()
    throw error
  } finally {
    folder.remove()
  }
}

async function scoreBySql(
  run: TableRun,
  engine: TableEngine,
  folder: TempFolder,
  parts: Parts,
): Promise<TableOutcome> {
  for (const [place, input] of run.inputs.entries()) {
    if (parts.isDone(place)) continue
    await inFile(run, input, () => scorePart(run, engine, folder, input, place, parts))
  }
  const outcome = await publishResults(run, engine, parts)
  await parts.remove()
  return outcome
}

/** With several inputs a refused one is named. */
async function inFile<T>(run: TableRun, { path }: TableInput, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BadFile && run.inputs.length > 1) throw new BadFile(`${path}: ${error.message}`)
    throw error
  }
}

async function scorePart(
  run: TableRun,
  engine: TableEngine,
  folder: TempFolder,
  input: TableInput,
  place: number,
  parts: Parts,
): Promise<void> {
  const table = await openTable(engine, folder, input, run.reading)
  const source = tableSource(table, run.reading, run.catalog.domains)
  const path = parts.pathOf(place)
  const timer = setInterval(() => {
    const share = (place + Math.max(0, engine.share)) / run.inputs.length
    run.onProgress({ records: undefined, share: Math.min(1, share) })
  }, PROGRESS_MS)
  try {
    await engine.run(`COPY (${partQuery(run, table, source)}) TO ${literal(path)} (FORMAT parquet)`)
  } finally {
    clearInterval(timer)
  }
  const notes = await notesOf(engine, input.path, table, path, source.carried.includes('cell faults'))
  await parts.finish(place, {
    input: input.path,
    isNumbered: source.isNumbered,
    unknown: source.unknown,
    notes: [...notes, ...(await unitNotes(engine, input.path, run, source))],
  })
}

/** The answers of one table. Positions and repeated identifiers are put in when all rows are written. */
function partQuery(run: TableRun, table: Table, source: TableSource): string {
  const { catalog, deployment } = run
  const { model } = deployment
  const { conversions } = deployment.scorerOptions
  const select = selectFor(catalog.knowledge, model, {
    dialect: duckdb,
    source: source.source,
    columns: source.columns,
    ...(source.id === undefined ? {} : { id: source.id }),
    output: deployment.output,
    ...(conversions === undefined ? {} : { conversions }),
    today: run.today,
    position: literal(ROW_TOKEN),
    isRepeated: 'FALSE',
    keep: source.carried,
  })
  if (table.refused === undefined) return select
  const message = `ValueError for value Record in idx ${ROW_TOKEN} (not an object)`
  const problem = `[{"Field":"record","FieldDate":"","ExtendError":"${message}"}]`
  const kept = source.carried.filter((name) => name !== 'is refused').map(identifier)
  const answer = `CASE WHEN "is refused" THEN ${literal(problem)} ELSE error_message END AS error_message`
  const others = ['idx', 'risk'].map((name) => `CASE WHEN NOT "is refused" THEN ${name} END AS ${name}`)
  return `SELECT ${[...others, answer, ...kept].join(', ')} FROM (${select})`
}
