/** Scores tables: every input becomes a part on disk, and the parts become the output when all of them are there. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { duckdb } from '../../sql/dialect.ts'
import { selectFor } from '../../sql/select.ts'
import { sql } from '../../sql/expression.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { TableEngine, identifier, literal } from '../../tables/engine.ts'
import { type TempFolder, makeTempFolder } from '../../tables/open-input.ts'
import { type Table, useTable } from '../../tables/open-table.ts'
import { openCheckpoint } from '../checkpoint.ts'
import { asideName, writing } from '../output/sink.ts'
import type { Outcome, ScoreRun, TableInput } from '../run.ts'
import { notesOf, unitNotes } from './notes.ts'
import { type Part, publishResults } from './publish-results.ts'
import { ROW_TOKEN, type TableSource, tableSource } from './table-reading.ts'

const PROGRESS_MS = 200
/** Engines differ from V8 in the last place of a logarithm, so DuckDB gets V8's. */
const LOGARITHM = 'v8_ln'

/** A resumed run keeps the parts that are whole, and judges all of them by the day of the run that made the first. */
interface PartsState {
  readonly today: number
  /** In the order of their inputs. */
  readonly done: readonly Part[]
}

/** Throws a BadFile when an input cannot be read; then nothing has appeared under the output's name. */
export async function scoreTables(given: ScoreRun): Promise<Outcome> {
  const folder = makeTempFolder()
  const checkpoint = await openCheckpoint<PartsState>(given)
  const { from } = checkpoint
  const run = { ...given, today: from?.today ?? given.today }
  const { today, inputs, output } = run
  const partsFolder = output === undefined ? join(folder.path, 'parts') : `${asideName(output)}.parts`
  if (from === undefined) await rm(partsFolder, { recursive: true, force: true })
  await writing(output ?? partsFolder, () => mkdir(partsFolder, { recursive: true, mode: 0o700 }))
  const done = [...(from?.done ?? [])]
  let isPublished = false
  const engine = await TableEngine.open({ folder, threads: run.threads })
  try {
    await engine.addFunction(LOGARITHM, Math.log)
    for (const [place, input] of (inputs as readonly TableInput[]).entries()) {
      if (place < done.length) continue
      const path = join(partsFolder, `part-${String(place).padStart(6, '0')}.parquet`)
      const part = await scorePart(run, engine, folder, input, path).catch((error: unknown) => {
        // With several inputs a refused one is named.
        if (!(error instanceof BadFile) || inputs.length === 1) throw error
        throw new BadFile(`${input.path}: ${error.message}`)
      })
      done.push(part)
      await checkpoint.write({ today, done })
    }
    const outcome = await publishResults(run, engine, done, join(partsFolder, 'results'))
    isPublished = true
    return outcome
  } finally {
    engine.close()
    if (isPublished || done.length === 0) {
      await rm(partsFolder, { recursive: true, force: true })
      await checkpoint.remove()
    }
    folder.remove()
  }
}

async function scorePart(
  run: ScoreRun,
  engine: TableEngine,
  folder: TempFolder,
  input: TableInput,
  path: string,
): Promise<Part> {
  return useTable(engine, folder, input, run.reading, (table) => scoreTable(run, engine, table, input, path))
}

async function scoreTable(
  run: ScoreRun,
  engine: TableEngine,
  table: Table,
  input: TableInput,
  path: string,
): Promise<Part> {
  const source = tableSource(table, run.reading, run.catalog.domains)
  const place = run.inputs.indexOf(input)
  const timer = setInterval(() => {
    const share = (place + Math.max(0, engine.share)) / run.inputs.length
    run.onProgress({ records: undefined, share: Math.min(1, share) })
  }, PROGRESS_MS)
  try {
    await engine.run(`COPY (${partQuery(run, table, source)}) TO ${literal(path)} (FORMAT parquet)`)
  } finally {
    clearInterval(timer)
  }
  const [count] = await engine.rows(`SELECT count(*) AS n FROM read_parquet(${literal(path)})`)
  const { isNumbered, unknown, carried } = source
  const notes = [
    ...(await notesOf(engine, input.path, table, path, carried.includes('cell faults'))),
    ...(await unitNotes(engine, input.path, run, source)),
  ]
  return { path, rows: Number(count?.['n']), isNumbered, isBare: carried.length === 0, unknown, notes }
}

/** The answers of one table. Positions and repeated identifiers are put in when all rows are written. */
function partQuery({ catalog, deployment, today }: ScoreRun, table: Table, source: TableSource): string {
  const { conversions } = deployment.scorerOptions
  const select = selectFor(catalog.knowledge, deployment.model, {
    dialect: { ...duckdb, logarithm: (value) => sql`${LOGARITHM}(${value})` },
    source: source.source,
    columns: source.columns,
    id: source.id,
    output: deployment.output,
    conversions,
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
