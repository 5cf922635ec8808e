/**
 * The rows of NDJSON, read as `score` and the service read a record: a line that they refuse as a whole is refused for their
 * reason, and every field of a record goes to the engine with the type that it has.
 */
import { statSync } from 'node:fs'
import { limitsWith } from '../../config/config-defaults.ts'
import { REASONS } from '../../engine/judge/problem.ts'
import { parseWithin } from '../../engine/read/body.ts'
import { countKeys, findRepeatedKeys } from '../../engine/read/repeated-keys.ts'
import { AppError } from '../../errors.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { decodeParts, openInput } from '../../tables/open-input.ts'
import { linesIn, splitLines } from '../../tables/split-lines.ts'
import { type Source, type Take, columnsNeeded, requireColumns } from './file-rows.ts'
import { JsonRow } from './json-row.ts'

const CHUNK_BYTES = 1024 * 1024
const MEMORY = { take: (size: number) => new Uint8Array(size), free: () => undefined }
/** As a deployment has them that states none. */
const LIMITS = limitsWith()
const NOT_AN_OBJECT = `record ${REASONS.notAnObject}`
const ANOTHER_FORMAT = 'no line is a JSON object; the file may have another format than its name shows'

export async function visitLines(source: Source, take: Take): Promise<void> {
  const { path, fields, domains, onProgress } = source
  const row = new JsonRow(source)
  const wanted = columnsNeeded(source)
  const names = new Set<string>()
  let unseen = wanted
  let [rows, objects] = [0, 0]
  const takeLine = (line: Uint8Array): void => {
    const read = recordIn(line, wanted)
    rows++
    if (read !== NOT_AN_OBJECT) objects++
    row.given = typeof read === 'string' ? {} : read
    if (unseen.length > 0) {
      for (const name in row.given) names.add(name)
      unseen = unseen.filter((column) => !names.has(column))
    }
    take(row, typeof read === 'string' ? read : undefined)
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
function recordIn(line: Uint8Array, columns: readonly string[]): JsonRow['given'] | string {
  if (line.length > LIMITS.lineBytes) return NOT_AN_OBJECT
  try {
    // A line counts as deep as the same record in an array, as it does there.
    const parsed = parseWithin(line, LIMITS.depth - 1)
    const record = parsed.value
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return NOT_AN_OBJECT
    const keys = Object.keys(record).length + (Object.hasOwn(record, 'idx') ? 0 : 1)
    if (keys > LIMITS.keysPerRecord) return `record ${REASONS.tooManyFields}`
    const repeated = findRepeatedKeys({ ...parsed, text: `[${parsed.text}]` }, countKeys(record)).get(0)
    if (repeated === undefined) return record as JsonRow['given']
    const [twice = ''] = repeated.names
    return `${columns.includes(twice) ? twice : 'a key'} ${REASONS.givenTwice}`
  } catch (error) {
    if (error instanceof AppError) return NOT_AN_OBJECT
    throw error
  }
}
