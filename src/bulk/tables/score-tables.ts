/** Scores tables: every input becomes a part on disk, and the parts become the output when all of them are there. */
import { duckdb } from '../../sql/dialect.ts'
import { NotInSql } from '../../sql/points.ts'
import { selectFor } from '../../sql/select.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { TableEngine, identifier, literal } from '../../tables/engine.ts'
import { type TempFolder, makeTempFolder } from '../../tables/open-input.ts'
import { type Table, openTable } from '../../tables/open-table.ts'
import type { Outcome, ScoreRun, TableInput } from '../run.ts'
import { notesOf, unitNotes } from './notes.ts'
import { Parts } from './parts.ts'
import { publishResults } from './publish-results.ts'
import { scoreAsLines } from './score-as-lines.ts'
import { ROW_TOKEN, type TableSource, tableSource } from './table-reading.ts'

const PROGRESS_MS = 200

/** Throws a BadFile when an input cannot be read; then nothing has appeared under the output's name. */
export async function scoreTables(given: ScoreRun): Promise<Outcome> {
  const folder = makeTempFolder()
  const parts = await Parts.open(given, folder)
  const run = { ...given, today: parts.state.today }
  let outcome: Outcome | undefined
  try {
    const engine = await TableEngine.open({ folder, threads: run.threads })
    try {
      outcome = await scoreBySql(run, engine, folder, parts)
    } catch (error) {
      if (!(error instanceof NotInSql)) throw error
      outcome = await scoreAsLines(run, engine, folder)
    } finally {
      engine.close()
    }
    return outcome
  } finally {
    if (outcome !== undefined || parts.state.done.length === 0) await parts.remove()
    folder.remove()
  }
}

async function scoreBySql(
  run: ScoreRun,
  engine: TableEngine,
  folder: TempFolder,
  parts: Parts,
): Promise<Outcome> {
  for (const [place, input] of (run.inputs as readonly TableInput[]).entries()) {
    if (place < parts.state.done.length) continue
    await scorePart(run, engine, folder, input, place, parts).catch((error: unknown) => {
      // With several inputs a refused one is named.
      if (!(error instanceof BadFile) || run.inputs.length === 1) throw error
      throw new BadFile(`${input.path}: ${error.message}`)
    })
  }
  return publishResults(run, engine, parts)
}

async function scorePart(
  run: ScoreRun,
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
  const [count] = await engine.rows(`SELECT count(*) AS n FROM read_parquet(${literal(path)})`)
  await parts.add({
    rows: Number(count?.['n']),
    isNumbered: source.isNumbered,
    unknown: source.unknown,
    notes: [...notes, ...(await unitNotes(engine, input.path, run, source))],
  })
}

/** The answers of one table. Positions and repeated identifiers are put in when all rows are written. */
function partQuery({ catalog, deployment, today }: ScoreRun, table: Table, source: TableSource): string {
  const { conversions } = deployment.scorerOptions
  const select = selectFor(catalog.knowledge, deployment.model, {
    dialect: duckdb,
    source: source.source,
    columns: source.columns,
    ...(source.id === undefined ? {} : { id: source.id }),
    output: deployment.output,
    ...(conversions === undefined ? {} : { conversions }),
    today,
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
