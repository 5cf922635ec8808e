/** What a reader of files gives for each row, and the columns that it must find. */
import type { Domain } from 'patient-risk-engine/definition'
import { BadFile } from '../../tables/bad-file.ts'
import { type FieldRule, columnsOf, type faultsIn } from '../../tables/field-sql.ts'
import { DataError } from '../../tables/data-error.ts'
import type { DataSpecificationType } from './specification.ts'

export type OnProgress = (done: number, of: number) => void

export interface Source {
  readonly path: string
  readonly data: DataSpecificationType
  /** Fields to be filled from the columns. */
  readonly fields: readonly string[]
  readonly domains: ReadonlyMap<string, Domain>
  /** Further columns, for `text`. */
  readonly extra?: readonly string[]
  readonly onProgress?: OnProgress | undefined
}

/** The same object for every row. */
export interface FileRow {
  readonly line: number
  /** The text of a cell; undefined where it is empty. */
  text(column: string): string | undefined
  /** The record for the engine. A field without a value in this row is null. */
  record(): Readonly<Record<string, unknown>>
  faults(): ReturnType<typeof faultsIn>
}

/** Takes one row after the other; `refused` says why a whole row is. */
export type Take = (row: FileRow, refused?: string) => void

export const DAMAGED = '; the file may be cut off or damaged there'

/** What is read of a file: the fields by their rules, and the labels and further columns as texts, each once. */
export interface Columns {
  readonly fields: readonly { readonly field: string; readonly domain: Domain; readonly rule: FieldRule }[]
  readonly texts: readonly string[]
  /** All columns that the file must have. */
  readonly needed: readonly string[]
}

export function columnsIn({ fields: names, domains, data, extra = [] }: Source): Columns {
  const { outcome, patient, exclude = [], columns = {} } = data
  const fields = names.map((field) => {
    const domain = domains.get(field)
    if (domain === undefined) throw new DataError([`the catalogue has no field called ${field}`])
    return { field, domain, rule: columns[field] ?? { column: field } }
  })
  const named = [outcome.column, patient, ...exclude.map(({ column }) => column), ...extra]
  const texts = [...new Set(named)].filter((column) => typeof column === 'string')
  return { fields, texts, needed: [...new Set([...texts, ...fields.flatMap(({ rule }) => columnsOf(rule))])] }
}

/** The file lacks a column that is needed. */
export class MissingColumn extends BadFile {}

export function requireColumns(wanted: readonly string[], known: readonly string[]): void {
  const lost = wanted.filter((column) => !known.includes(column))
  if (lost.length === 0) return
  throw new MissingColumn(
    `there is no column ${lost.join(', ')}; there are ${known.join(', ')}. A specification says which column gives which field`,
  )
}
