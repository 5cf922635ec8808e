/** Scores tables: every input becomes a part on disk, and complete parts become the output. */
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { type Domain, fieldsOfTrees } from 'patient-risk-engine/definition'
import { type FieldPlan, makePlan, hintOf, hintText, compileTrees, createScorer } from 'patient-risk-engine'
import { duckdb, selectFor, join, sql } from 'patient-risk-engine/sql'
import { BadFile } from '../../tables/bad-file.ts'
import { TableEngine, fileLiteral, identifier, literal } from '../../tables/engine.ts'
import { faultsIn } from '../../tables/field-sql.ts'
import { identitiesOf } from '../../tables/open-input.ts'
import { type TableFile, joinAlike, refuseDamaged, useTable } from '../../tables/open-table.ts'
import { FEWEST_TAKEN, describeForm } from '../../tables/readings.ts'
import { type Table, rowReason } from '../../tables/table.ts'
import { openCheckpoint } from '../checkpoint.ts'
import { tempName, writing } from '../output/sink.ts'
import type { ScoreRun } from '../run.ts'
import { type RunReport, unitFieldsOf } from '../summary.ts'
import { WrittenOtherwise, findReadings, findingText } from './other-readings.ts'
import { tableDoubts } from './table-doubts.ts'
import { type Part, RISK_NUMBER, hasNumber, publishResults } from './publish-results.ts'
import { ROW_KEY } from './row-cells.ts'
import { isIdentifier } from './row-changes.ts'
import {
  FAULTY_CELLS,
  FILE,
  FILE_ROW,
  MEMBERS,
  ROW_TOKEN,
  type FaultyRows,
  type TableSource,
  faultyRows,
  tableSource,
} from './table-source.ts'

const PROGRESS_MS = 200
/** Engines differ from V8 in the last place of a logarithm, so DuckDB gets V8's. */
const LOGARITHM = 'v8_ln'
const TREES = 'trees'
const MOST_LINES = 10
/** Rows of a file whose units are checked. */
const SAMPLED_ROWS = 10_000

const CELL_REASONS: Readonly<Record<string, string>> = {
  ambiguous: '1.000 may be one or a thousand; use --decimal-point or --decimal-comma',
  tooManyDigits: 'the number has too many digits to be kept exactly',
}

/** Throws a BadFile when an input cannot be read; then nothing has appeared under the output's name. */
export async function scoreTables(given: ScoreRun): Promise<RunReport> {
  // A resumed run keeps the parts that are whole, in the order of their inputs.
  const checkpoint = await openCheckpoint<readonly Part[]>(given)
  const run = withKey(withOwnMeanings(checkpoint.run))
  const { inputs, output } = run
  const identities = await identitiesOf(inputs)
  const engine = await TableEngine.open(run.threads)
  const partsFolder = output === undefined ? joinPath(engine.folder, 'parts') : `${tempName(output)}.parts`
  const saved = checkpoint.from ?? []
  // A part whose file is gone is scored again: a run that ended while it published had renamed it to the output.
  const lost = saved.findIndex(({ path }) => !existsSync(path))
  const done = lost < 0 ? [...saved] : saved.slice(0, lost)
  try {
    if (done.length === 0) {
      await rm(partsFolder, { recursive: true, force: true })
      await writing(output ?? partsFolder, () => mkdir(partsFolder, { mode: 0o700 }))
    }
    await engine.addFunction(LOGARITHM, 'DOUBLE', Math.log)
    await addTrees(engine, run)
    const files = inputs as readonly TableFile[]
    /** The inputs before this place are scored one by one: something is wrong with them together. */
    let aloneBefore = 0
    for (let place = countInputs(done); place < files.length; place = countInputs(done)) {
      const path = joinPath(partsFolder, `part-${String(place).padStart(6, '0')}.parquet`)
      const joined = place < aloneBefore ? undefined : await joinAlike(engine, files.slice(place))
      const taken = files.slice(place, place + (joined?.count ?? 1))
      const score = (table: Table): Promise<Part> => scoreTable(run, engine, table, taken, path)
      try {
        const [input] = taken as [TableFile]
        done.push(await (joined ? score(joined.table) : useTable(engine, input, run.columnOptions, score)))
      } catch (error) {
        if (joined !== undefined) {
          await refuseDamaged(taken)
          aloneBefore = place + taken.length
          continue
        }
        // With several inputs a refused one is named.
        if (!(error instanceof BadFile) || inputs.length === 1) throw error
        throw new BadFile(`${taken[0]?.path ?? ''}: ${error.message}`)
      }
      await checkpoint.write(done)
    }
    await refuseChanged(inputs, identities).catch(async (error: unknown) => {
      // Nothing could go on from here.
      await checkpoint.remove()
      throw error
    })
    const report = await publishResults(run, engine, done, joinPath(partsFolder, 'results'))
    await checkpoint.remove()
    return report
  } finally {
    engine[Symbol.dispose]()
    // What a resumed run continues from is kept.
    if (!checkpoint.exists()) await rm(partsFolder, { recursive: true, force: true })
  }
}

/** Throws where an input is another one than when the run began: its rows might not belong together. */
async function refuseChanged(
  inputs: ScoreRun['inputs'],
  identities: readonly (string | null)[],
): Promise<void> {
  const now = await identitiesOf(inputs)
  const changed = inputs.find((_each, place) => identities[place] !== now[place])
  if (changed === undefined) return
  const where = inputs.length === 1 ? '' : `${changed.path}: `
  throw new BadFile(`${where}has changed while it was read; start again when it is whole`)
}

/** A specification that says what a column means gives values of ours: codes of the deployment are not applied to them again. */
function withOwnMeanings(run: ScoreRun): ScoreRun {
  const { catalog, deployment, columnOptions } = run
  const { codes = {}, ...options } = deployment.scorerOptions
  const isPlain = ([name]: readonly [string, unknown]): boolean => {
    const rule = Object.hasOwn(columnOptions.rules, name) ? columnOptions.rules[name] : undefined
    return rule === undefined || ('column' in rule && rule.map === undefined)
  }
  const left = Object.entries(codes).filter(isPlain)
  if (left.length === Object.keys(codes).length) return run
  const scorerOptions = { ...options, codes: Object.fromEntries(left) }
  const scorer = createScorer(catalog.definitions, deployment.model.definition, scorerOptions)
  return { ...run, deployment: { ...deployment, scorerOptions, scorer } }
}

/** A row that is gone is known by its key alone, so the results have it. */
function withKey(run: ScoreRun): ScoreRun {
  const { columnOptions, rowChanges } = run
  const { keep } = columnOptions
  if (rowChanges === undefined || keep.includes(rowChanges.key)) return run
  if (isIdentifier(rowChanges.key, columnOptions)) return run
  return { ...run, columnOptions: { ...columnOptions, keep: [...keep, rowChanges.key] } }
}

function countInputs(parts: readonly Part[]): number {
  return parts.reduce((sum, { inputs }) => sum + inputs, 0)
}

async function scoreTable(
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

/** The trees of the model, as the engine walks them: several times as fast as nested CASEs, and of any size. */
async function addTrees(engine: TableEngine, { catalog, deployment }: ScoreRun): Promise<void> {
  const { definition } = deployment.model
  const { fields, slotByName } = makePlan(catalog.definitions, definition)
  const domainOf = (field: string): Domain => (fields[slotByName.get(field) as number] as FieldPlan).domain
  for (const [place, term] of definition.terms.entries()) {
    if (term.kind !== 'trees') continue
    const names = fieldsOfTrees(term)
    if (names.length === 0) continue
    const { points } = compileTrees(term, { slotOf: (field) => names.indexOf(field), domainOf })
    await engine.addNumberFunction(`${TREES}${place}`, names.length, points)
  }
}

/** The answers of one table. Positions and repeated identifiers are put in when all rows are written. */
function partQuery(run: ScoreRun, table: Table, source: TableSource): string {
  const { catalog, deployment, today } = run
  const select = selectFor(catalog.definitions, deployment.model, {
    dialect: {
      ...duckdb,
      logarithm: (value) => sql`${LOGARITHM}(${value})`,
      trees: (place, values) => sql`${TREES}${place}(${join(values, ', ')})`,
    },
    ...source,
    output: deployment.output,
    hasNumber: hasNumber(run),
    conversions: deployment.scorerOptions.conversions,
    codes: deployment.scorerOptions.codes,
    today,
    position: literal(ROW_TOKEN),
    isRepeated: 'FALSE',
  })
  if (table.refused === undefined) return withFaultyCells(source, select)
  const message = `ValueError for value Record in idx ${ROW_TOKEN} (not an object)`
  const problem = `[{"Field":"record","FieldDate":"","ExtendError":"${message}"}]`
  const answer = `CASE WHEN "is refused" THEN ${literal(problem)} ELSE error_message END AS error_message`
  const empty = source.keep.filter((name) => name === MEMBERS || name === ROW_KEY)
  const others = ['idx', 'risk', ...(hasNumber(run) ? [RISK_NUMBER] : []), ...empty].map((name) => {
    return `CASE WHEN NOT "is refused" THEN ${identifier(name)} END AS ${identifier(name)}`
  })
  return withFaultyCells(
    source,
    `SELECT * EXCLUDE ("is refused") REPLACE (${[answer, ...others].join(', ')}) FROM (${select})`,
  )
}

/** The cells of a row without a problem are not kept: a part would hold the whole table a second time. */
function withFaultyCells({ written }: TableSource, select: string): string {
  if (written.length === 0) return select
  const names = written.map(identifier).join(', ')
  const cells = `CASE WHEN error_message IS NOT NULL THEN [${names}] END AS ${identifier(FAULTY_CELLS)}`
  return `SELECT * EXCLUDE (${names}), ${cells} FROM (${select})`
}

/** Notes on a table, for lines that begin with its name. */
function tableNotes({ encoding, faults, faultCount }: Table): readonly string[] {
  const notes = faults.slice(0, MOST_LINES).map(({ line, reason }) => {
    return `, line ${line}: ${rowReason(reason)}; it is not scored.`
  })
  return [...(encoding === 'utf-8' ? [] : [`: read as ${encoding}.`]), ...notes, ...more('rows', faultCount)]
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

/** The cells that are refused. `part` holds the answers of the table, in its order. */
async function cellNotes(engine: TableEngine, table: Table, part: string): Promise<readonly string[]> {
  const from = `read_parquet(${fileLiteral(part)}, file_row_number = true) WHERE "cell faults" IS NOT NULL`
  const rows = await engine.rows(
    `SELECT file_row_number AS n, "cell faults" AS faults FROM ${from} ORDER BY ALL LIMIT ${MOST_LINES}`,
  )
  const notes = rows.flatMap(({ n, faults }) => {
    return faultsIn(faults).map(([column, reason]) => {
      const why = CELL_REASONS[reason] ?? 'is not a number'
      return `, line ${table.lineOf(Number(n))}, column ${column}: ${why}.`
    })
  })
  const count = rows.length < MOST_LINES ? 0 : await engine.count(from)
  return [...notes, ...more('rows with such cells', count)]
}

/** What the median of a field's values above 0 says of its unit, by file. Joined files are read once for each field. */
async function unitNotes(
  run: ScoreRun,
  engine: TableEngine,
  { isJoined = false }: Table,
  { source, columns }: TableSource,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const notes = new Map<number, readonly string[]>()
  const place = isJoined ? identifier(FILE) : '0'
  const first = isJoined ? `WHERE ${identifier(FILE_ROW)} < ${SAMPLED_ROWS}` : `LIMIT ${SAMPLED_ROWS}`
  for (const each of unitFieldsOf(run).filter(({ field }) => columns.has(field))) {
    const value = `TRY_CAST(${identifier(each.field)} AS DOUBLE)`
    const rows = await engine.rows(
      `SELECT file, count(*) AS n, median(value) AS median FROM (SELECT ${place} AS file, ${value} AS value FROM ${source} ${first})
 WHERE value > 0 AND isfinite(value) GROUP BY file`,
    )
    for (const { file, n, median } of rows) {
      const hints = hintOf(each, Number(n), Number(median)).map((hint) => `: ${hintText(hint)}`)
      notes.set(Number(file), [...(notes.get(Number(file)) ?? []), ...hints])
    }
  }
  return notes
}

function more(what: string, count: number): readonly string[] {
  return count > MOST_LINES ? [`: ${(count - MOST_LINES).toLocaleString('en')} more ${what}.`] : []
}
