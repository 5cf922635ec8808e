/** Puts the parts together: row numbers, repeated identifiers, the summary, and the output in its form. */
import { type TableEngine, fileLiteral, identifier, literal } from '../../tables/engine.ts'
import { copyResults, publish } from '../output/publish.ts'
import { publishFile } from '../output/sink.ts'
import type { ScoreRun } from '../run.ts'
import { type DaysRead, FUTURE_DATE, type RunReport, Summary } from '../summary.ts'
import { INPUT, WITH_PARTS, addRestsOn } from './rests-on-sql.ts'
import { ROW_CELLS, ROW_KEY } from './row-cells.ts'
import { findChanges } from './row-changes.ts'
import { FILE, FILE_ROW, MEMBERS, ROW_TOKEN } from './table-source.ts'

/** The column of the risk behind a Yes or No, where risks are counted. */
export const RISK_NUMBER = 'number'

export function hasNumber({ countsRisks, deployment }: ScoreRun): boolean {
  return countsRisks === true && deployment.output.kind === 'yes-no'
}

/** A scored input. Its answers are in a file next to the output. */
export interface Part extends Pick<RunReport, 'notes' | 'unknown' | 'forms' | 'doubts'> {
  readonly path: string
  /** How many inputs it has the answers of. */
  readonly inputs: number
  readonly rows: number
  readonly isNumbered: boolean
  /** Whether its file has the columns of the output and no others. */
  readonly isBare: boolean
  /** Whether a field that is a date was read. */
  readonly hasDates: boolean
}

/** `printed` is the temporary file for the results if there is no output file. */
export async function publishResults(
  run: ScoreRun,
  engine: TableEngine,
  parts: readonly Part[],
  printed: string,
): Promise<RunReport> {
  // The user's name of a column may be the name of another one in the query.
  const kept = new Map(run.columnOptions.keep.map((name, place) => [name, `"kept ${place}"`]))
  const repeats = await findRepeats(engine, parts)
  const hasParts = run.parts.length > 0
  if (hasParts)
    await addRestsOn(
      engine,
      run,
      parts.flatMap(({ doubts }) => doubts),
    )
  const columns = [
    ...kept.values(),
    ...(hasParts ? [identifier(MEMBERS)] : []),
    ...(run.rowChanges === undefined ? [] : [ROW_KEY, ROW_CELLS].map(identifier)),
    ...(hasNumber(run) ? [identifier(RISK_NUMBER)] : []),
  ]
  await engine.run(`CREATE VIEW results AS ${resultsQuery(parts, columns, repeats > 0)}`)
  const summary = await summarise(run, engine)
  const riskCounts = run.countsRisks === true ? { riskCounts: await countRisks(run, engine) } : {}
  const days = await daysIn(engine, parts)
  const answers = hasParts ? WITH_PARTS : 'results'
  const changes = run.rowChanges && (await findChanges(engine, run, run.rowChanges, answers))
  const shown = { kept, parts: run.parts, source: run.source, hasChange: changes !== undefined }
  const final = run.to === 'parquet' && repeats === 0 ? await finalPart(engine, parts) : undefined
  await publish(run, run.output ?? printed, (form) =>
    final === undefined || form.isErrors
      ? copyResults(engine, changes?.from ?? answers, shown, form)
      : publishFile(final, form.path),
  )
  const unknown = new Set(parts.flatMap((part) => part.unknown))
  const forms = parts.flatMap((part) => part.forms ?? [])
  const [{ path } = { path: '' }] = run.inputs
  const notes = [
    ...parts.flatMap((part) => part.notes),
    ...(changes?.notes ?? []).map((note) => `${path}${note}`),
  ]
  const doubts = parts.flatMap((part) => part.doubts)
  return {
    summary,
    notes,
    unknown: [...unknown],
    forms,
    doubts,
    days,
    rowChanges: changes?.counts,
    ...riskCounts,
  }
}

async function countRisks(run: ScoreRun, engine: TableEngine): Promise<readonly number[]> {
  const isYesNo = hasNumber(run)
  const units = `CAST(round(${isYesNo ? identifier(RISK_NUMBER) : 'risk'} * 10000) AS INTEGER)`
  const bin = isYesNo ? "CASE WHEN risk = 'Yes' THEN -2 ELSE -1 END" : 'units // 10'
  const rows = await engine.rows(
    `SELECT ${bin} AS bin, count(*) AS n, CAST(sum(units) AS BIGINT) AS units FROM (
 SELECT risk, ${units} AS units FROM results WHERE risk IS NOT NULL) GROUP BY 1 ORDER BY 1`,
  )
  return rows.flatMap(({ bin: place, n, units: sum }) => [Number(place), Number(n), Number(sum)])
}

async function daysIn(engine: TableEngine, parts: readonly Part[]): Promise<DaysRead> {
  const hasDates = parts.some((part) => part.hasDates)
  const future = `results WHERE contains(error_message, ${literal(FUTURE_DATE)})`
  return { hasDates, hasFutureDates: hasDates && (await engine.count(future)) > 0 }
}

/** The file of a part that can be the output as it is: the only part, and no message needs the number of its row. */
async function finalPart(engine: TableEngine, parts: readonly Part[]): Promise<string | undefined> {
  const [part] = parts
  if (part === undefined || parts.length > 1 || part.isNumbered || !part.isBare) return undefined
  const unnumbered = await engine.count(`read_parquet(${fileLiteral(part.path)}) WHERE idx IS NULL`)
  return unnumbered === 0 ? part.path : undefined
}

/** Finds the identifiers that several rows have, and counts them. Numbered rows have none. */
async function findRepeats(engine: TableEngine, parts: readonly Part[]): Promise<number> {
  const files = parts.flatMap(({ isNumbered, path }) => (isNumbered ? [] : [fileLiteral(path)]))
  if (files.length === 0) return 0
  const given = `SELECT idx FROM read_parquet([${files.join(', ')}]) WHERE idx IS NOT NULL`
  // Many files are sorted by unique identifiers. Checking for that takes an eighth of the time of grouping.
  const [order] = await engine.rows(
    `SELECT bool_and(idx > before) AS ascends FROM (SELECT idx, lag(idx) OVER () AS before FROM (${given}))`,
  )
  if (order?.['ascends'] !== false) return 0
  await engine.run(`CREATE TEMP TABLE repeats AS ${given} GROUP BY idx HAVING count(*) > 1`)
  return engine.count('repeats')
}

function resultsQuery(parts: readonly Part[], kept: readonly string[], hasRepeats: boolean): string {
  let rowsBefore = 0
  let inputsBefore = 0
  const each = parts.map(({ isNumbered, rows, path, inputs }) => {
    const number = `file_row_number + ${rowsBefore + 1}`
    rowsBefore += rows
    const input = inputs > 1 ? `${inputsBefore} + ${identifier(FILE)}` : String(inputsBefore)
    inputsBefore += inputs
    const inFile = inputs > 1 ? identifier(FILE_ROW) : 'file_row_number'
    const position = `CAST(${isNumbered ? number : inFile} AS VARCHAR)`
    const message = `CASE WHEN contains(error_message, ${literal(ROW_TOKEN)})
 THEN replace(error_message, ${literal(ROW_TOKEN)}, ${position}) ELSE error_message END`
    const from = `read_parquet(${fileLiteral(path)}, file_row_number = true)`
    const mayRepeat = hasRepeats && !isNumbered
    const hasIdx = isNumbered ? 'true' : 'idx IS NOT NULL'
    const columns = [
      `${isNumbered ? number : 'idx'} AS idx`,
      mayRepeat ? 'CASE WHEN NOT is_repeated THEN risk END AS risk' : 'risk',
      `${mayRepeat ? repeatedMessage(message) : message} AS error_message`,
      `${mayRepeat ? `${hasIdx} AND NOT is_repeated` : hasIdx} AS is_usable`,
      `${input} AS ${INPUT}`,
      ...kept,
    ]
    if (!mayRepeat) return `SELECT ${columns.join(', ')} FROM ${from}`
    // The join that IN becomes does not keep the order.
    return `(SELECT ${columns.join(', ')}
 FROM (SELECT *, coalesce(idx IN (SELECT idx FROM repeats), false) AS is_repeated FROM ${from}) ORDER BY file_row_number)`
  })
  return each.join('\nUNION ALL\n')
}

/** A repeated identifier is the first problem of its row. */
function repeatedMessage(message: string): string {
  const label = `replace(replace(CAST(idx AS VARCHAR), '\\', '\\\\'), '"', '\\"')`
  const item = `'[{"Field":"idx","FieldDate":"","ExtendError":"ValueError for value Idx in idx ' || ${label} || ' (duplicate)"}'`
  return `CASE WHEN is_repeated THEN ${item} || CASE WHEN error_message IS NULL THEN ']' ELSE ',' || substr(${message}, 2) END
 ELSE ${message} END`
}

async function summarise(run: ScoreRun, engine: TableEngine): Promise<Summary> {
  const summary = new Summary(run.deployment.output)
  const { tally, histogram } = summary
  const isNumber = run.deployment.output.kind === 'number'
  // A risk of 1 belongs to the last bar. Null is not scored.
  const bar = isNumber ? 'CAST(floor(risk * 10) - floor(risk) AS INTEGER)' : "CAST(risk = 'Yes' AS INTEGER)"
  const bars = await engine.rows(`SELECT ${bar} AS bar, count(*) AS n FROM results GROUP BY ALL`)
  const problems = await engine.rows(`SELECT field, kind, count(*) AS n FROM (
 SELECT problem->>'Field' AS field, split_part(problem->>'ExtendError', ' ', 1) AS kind FROM (
 SELECT unnest(CAST(error_message AS JSON[])) AS problem FROM results WHERE error_message IS NOT NULL)) GROUP BY ALL ORDER BY ALL`)
  for (const { bar: place, n } of bars) {
    tally.records += Number(n)
    if (place === null) continue
    tally.scored += Number(n)
    if (isNumber) histogram[Number(place)] = Number(n)
    else summary.yes += Number(place) * Number(n)
  }
  for (const { field, kind, n } of problems) {
    const kinds = new Map([[String(kind), Number(n)]])
    tally.merge({ records: 0, scored: 0, problems: new Map([[String(field), kinds]]) })
  }
  return summary
}
