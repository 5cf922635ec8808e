/**
 * The rows of NDJSON, read as `score` and the service read a record: a line that they refuse as a whole is refused for their
 * reason, and every field of a record goes to the engine with the type that it has.
 */
import { statSync } from 'node:fs'
import { limitsWith } from '@patient-risk/catalog/config'
import type { Domain } from 'patient-risk-engine/definition'
import { REASONS } from 'patient-risk-engine'
import { EngineError, jsonIn, parseWithin, countKeys, findRepeatedKeys } from 'patient-risk-engine/read'
import { BadFile } from '../../tables/bad-file.ts'
import type { FieldRule, Value } from '../../tables/field-sql.ts'
import { decodeParts, openInput } from '../../tables/open-input.ts'
import { linesIn, splitLines } from '../../tables/split-lines.ts'
import { type FileRow, type Source, type Take, columnsIn, requireColumns } from './file-rows.ts'
import { MISSING_TEXTS } from './specification.ts'

const CHUNK_BYTES = 1024 * 1024
const MEMORY = { take: (size: number) => new Uint8Array(size), free: () => undefined }
/** As a deployment has them that states none. */
const LIMITS = limitsWith()
const NOT_AN_OBJECT = `record ${REASONS.notAnObject}`
const ANOTHER_FORMAT = 'no line is a JSON object; the file may have another format than its name shows'

type Given = ReturnType<FileRow['record']>

export async function visitLines(source: Source, take: Take): Promise<void> {
  const { path, fields, domains, onProgress } = source
  const row = jsonRow(source)
  const { needed } = columnsIn(source)
  const names = new Set<string>()
  let unseen = needed
  let rows = 0
  let objects = 0
  const { bytes, readBytes } = openInput(path)
  const { size } = statSync(path)
  for await (const chunk of splitLines(decodeParts(bytes, 'utf-8'), CHUNK_BYTES, false, MEMORY)) {
    for (const [text, line] of linesIn(chunk)) {
      const read = recordIn(text, needed)
      rows++
      if (read !== NOT_AN_OBJECT) objects++
      row.line = line
      row.given = typeof read === 'string' ? {} : read
      if (unseen.length > 0) {
        for (const name in row.given) names.add(name)
        unseen = unseen.filter((column) => !names.has(column))
      }
      take(row, typeof read === 'string' ? read : undefined)
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
function recordIn(line: Uint8Array, columns: readonly string[]): Given | string {
  if (line.length > LIMITS.lineBytes) return NOT_AN_OBJECT
  try {
    // A line counts as deep as the same record in an array, as it does there.
    const parsed = parseWithin(line, LIMITS.depth - 1)
    const record = parsed.value
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return NOT_AN_OBJECT
    const keys = Object.keys(record).length + (Object.hasOwn(record, 'idx') ? 0 : 1)
    if (keys > LIMITS.keysPerRecord) return `record ${REASONS.tooManyFields}`
    const repeated = findRepeatedKeys({ ...parsed, text: `[${parsed.text}]` }, countKeys(record)).get(0)
    if (repeated === undefined) return record as Given
    const [twice = ''] = repeated.names
    return `${columns.includes(twice) ? twice : 'a key'} ${REASONS.givenTwice}`
  } catch (error) {
    if (error instanceof EngineError) return NOT_AN_OBJECT
    throw error
  }
}

/** A record of JSON as a row: its cells by their texts, and its fields with the types that they have. */
function jsonRow(source: Source): FileRow & { line: number; given: Given } {
  const { data, domains } = source
  const missing: readonly string[] = data.missing ?? MISSING_TEXTS
  // Turning every number into a text would be slow.
  const missingNumbers = new Set(missing.map(Number).filter((number) => missing.includes(String(number))))
  const valueOf = (column: string): unknown => (Object.hasOwn(row.given, column) ? row.given[column] : null)
  const text = (column: string): string | undefined => {
    const value = valueOf(column)
    return value === null ? undefined : textOf(value)
  }
  /** The value with its type; null where it stands for no value. */
  const present = (column: string): unknown => {
    const value = valueOf(column)
    const isMissing = typeof value === 'number' ? missingNumbers.has(value) : missing.includes(textOf(value))
    return isMissing ? null : value
  }
  /** What reads a field by its rule; undefined for a text that its map does not list. */
  const readerOf = (rule: FieldRule, { kind }: Domain): (() => unknown) => {
    // A specification may write "75" for 75 and "true" for true.
    const typed = (value: Value): unknown => {
      if (value !== null && (kind === 'code' || kind === 'date')) return String(value)
      return typeof value === 'string' ? (jsonIn(value) ?? value) : value
    }
    if ('constant' in rule) return () => typed(rule.constant)
    if ('columns' in rule) {
      const { columns, startsWith, equals = [] } = rule
      const isMeant = (code = ''): boolean =>
        equals.includes(code) || startsWith.some((start) => code.startsWith(start))
      return () => typed(columns.some((column) => isMeant(text(column))) ? rule.yes : rule.no)
    }
    const { column, map } = rule
    if (map === undefined) return () => present(column)
    return () => {
      const cell = text(column)
      if (cell !== undefined && Object.hasOwn(map, cell)) return typed(map[cell] ?? null)
      return cell === undefined || missing.includes(cell) ? null : undefined
    }
  }
  // A field without a rule has its own key.
  const ruled = columnsIn(source).fields.filter(({ field }) => data.columns?.[field] !== undefined)
  const rules = ruled.map(({ field, rule, domain }) => ({ field, rule, read: readerOf(rule, domain) }))
  const row = {
    line: 0,
    given: {} as Given,
    text,
    record() {
      const record: Record<string, unknown> = {}
      for (const name in row.given) if (domains.has(name)) record[name] = present(name)
      for (const { field, read } of rules) record[field] = read()
      return record
    },
    faults() {
      const unlisted = rules.filter(({ read }) => read() === undefined)
      return unlisted.map(({ rule }) => ['column' in rule ? rule.column : '', 'map'] as const)
    },
  }
  return row
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
