/**
 * Labelled rows of NDJSON, read as `score` and the service read a record: a line that they refuse as a whole is left out for
 * their reason, and every field of a record goes to the engine with the type that it has.
 */
import { statSync } from 'node:fs'
import { limitsWith } from '../../config/config-defaults.ts'
import { REASONS } from '../../engine/judge/problem.ts'
import { parseRecord } from '../../engine/read/parse-record.ts'
import { AppError } from '../../errors.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { decodeParts, openInput } from '../../tables/open-input.ts'
import { linesIn, splitLines } from '../../tables/split-lines.ts'
import { JsonCells, UNLISTED } from './json-cells.ts'
import {
  type LabelledRow,
  NO_OUTCOME,
  type Source,
  type Take,
  type Verdict,
  columnsNeeded,
  fieldSources,
  requireColumns,
} from './labelled-row.ts'

const CHUNK_BYTES = 1024 * 1024
const MEMORY = { take: (size: number) => new Uint8Array(size), free: () => undefined }
/** As a deployment has them that states none. */
const LIMITS = limitsWith()
const NOT_AN_OBJECT = `record ${REASONS.notAnObject}`
const ANOTHER_FORMAT = 'no line is a JSON object; the file may have another format than its name shows'

type JsonObject = Readonly<Record<string, unknown>>

export async function visitLines(source: Source, take: Take): Promise<void> {
  const { path, data, fields, domains, onProgress } = source
  const cells = new JsonCells(data)
  const judge = judgeFor(source, cells)
  const text = (column: string): string => cells.statedText(column) ?? 'missing'
  const row: LabelledRow = { line: 0, outcome: 0, patient: 0, record: {}, text }
  const wanted = columnsNeeded(source)
  const names = new Set<string>()
  let unseen = wanted
  let [rows, objects] = [0, 0]
  const takeLine = (line: Uint8Array): void => {
    rows++
    const record = recordIn(line, wanted)
    if (record !== NOT_AN_OBJECT) objects++
    cells.record = typeof record === 'string' ? {} : record
    if (unseen.length > 0) {
      for (const name in cells.record) names.add(name)
      unseen = unseen.filter((column) => !names.has(column))
    }
    const patient = data.patient === undefined ? undefined : cells.text(data.patient)
    take(row, typeof record === 'string' ? record : judge(row), patient ?? '')
  }
  const { bytes, readBytes } = openInput(path)
  const { size } = statSync(path)
  for await (const chunk of splitLines(decodeParts(bytes, 'utf-8'), CHUNK_BYTES, false, MEMORY)) {
    for (const [line, number] of linesIn(chunk)) {
      row.line = number
      takeLine(line)
    }
    onProgress?.(readBytes() / size, 1)
  }
  if (objects === 0) throw new BadFile(rows === 0 ? 'is empty' : ANOTHER_FORMAT)
  // The total of a scale is computed from its items, as in service.
  const isComputed = (column: string): boolean => {
    const scale = fields.includes(column) ? column.slice(0, column.indexOf('_') + 1) : ''
    return scale !== '' && [...names].some((name) => name.startsWith(scale) && domains.has(name))
  }
  const lost = unseen.filter((column) => !isComputed(column))
  requireColumns(lost, [...names])
}

/** The object of a line, or why `score` refuses it. An idx is not needed; it counts among the keys as it does there. */
function recordIn(line: Uint8Array, columns: readonly string[]): JsonObject | string {
  if (line.length > LIMITS.lineBytes) return NOT_AN_OBJECT
  try {
    const { record, repeated } = parseRecord(line, LIMITS.depth)
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return NOT_AN_OBJECT
    const keys = Object.keys(record).length + (Object.hasOwn(record, 'idx') ? 0 : 1)
    if (keys > LIMITS.keysPerRecord) return `record ${REASONS.tooManyFields}`
    const [twice] = repeated.names
    if (twice === undefined) return record as JsonObject
    return `${columns.includes(twice) ? twice : 'a key'} ${REASONS.givenTwice}`
  } catch (error) {
    if (error instanceof AppError) return NOT_AN_OBJECT
    throw error
  }
}

/** Fills a row with the fields of the present record, and says whether it counts. */
function judgeFor(source: Source, cells: JsonCells): (row: LabelledRow) => Verdict {
  const { data, domains } = source
  const { outcome, exclude = [], columns = {} } = data
  const ruled = fieldSources(source)
    .filter(({ field }) => columns[field] !== undefined)
    .map(({ field, rule, domain }) => ({
      field,
      column: 'column' in rule ? rule.column : '',
      read: cells.readerOf(rule, domain),
    }))
  return (row) => {
    const excluded = exclude.find(({ column, values }) => values.includes(cells.text(column) ?? ''))
    if (excluded !== undefined) return excluded.reason
    const faults: [string, string][] = []
    // Rows of data without an outcome count as rows without the event.
    let label: 0 | 1 = 0
    if (outcome.column !== null) {
      const text = cells.statedText(outcome.column)
      if (text === undefined) return NO_OUTCOME
      if (outcome.yes.includes(text)) label = 1
      else if (!outcome.no.includes(text)) faults.push([outcome.column, 'outcome'])
    }
    const record: Record<string, unknown> = {}
    for (const name in cells.record) if (domains.has(name)) record[name] = cells.value(name)
    for (const { field, column, read } of ruled) {
      const value = read()
      if (value === UNLISTED) faults.push([column, 'map'])
      else record[field] = value
    }
    row.record = record
    return faults.length === 0 ? label : faults
  }
}
