/** A labelled row, whatever file it comes from: values of fields, outcome and patient. */
import type { Domain } from '../../definition/domain.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { type FieldRule, columnsOf } from '../../tables/field-sql.ts'
import { DataError } from './data-error.ts'
import type { DataSpecificationType } from './specification.ts'

/** A field's value: null if there is none. */
export type FieldValue = number | string | boolean | null

/** Reports how far a long piece of work has come. */
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
interface Row {
  readonly line: number
  outcome: 0 | 1
  /** The patient, numbered from 0 in the order of the file. */
  patient: number
  /** The text of one of the further columns, or `missing`. */
  readonly text: (column: string) => string
  /** The value of the field at one place. In JSON it may have any type. */
  readonly valueAt: (place: number) => FieldValue
}

export interface TableRow extends Row {
  readonly record?: never
  /** The value of a number field at one place. Infinity if the value is missing. */
  readonly numberAt: (place: number) => number
}

export interface JsonRow extends Row {
  /** All fields of the record, for the engine to judge as in service. */
  readonly record: Readonly<Record<string, unknown>>
}

export type LabelledRow = TableRow | JsonRow

/** What a reader of files says of a row: its outcome, why it is left out, or the cells that cannot be read and why. */
export type Verdict = 0 | 1 | string | readonly (readonly [column: string, reason: string])[]
export type Take = (row: LabelledRow, verdict: Verdict, patient: string) => void

export const NO_OUTCOME = 'no outcome'
export const DAMAGED = '; the file may be cut off or damaged there'

/** A field that is filled from the columns of a file. */
export interface FieldSource {
  readonly field: string
  readonly domain: Domain
  readonly rule: FieldRule
}

export function fieldSources({ fields, domains, data }: Source): readonly FieldSource[] {
  return fields.map((field) => {
    const domain = domains.get(field)
    if (domain === undefined) throw new DataError([`the catalogue has no field called ${field}`])
    return { field, domain, rule: data.columns?.[field] ?? { column: field } }
  })
}

/** The columns that a source needs, each once. */
export function columnsNeeded(source: Source): readonly string[] {
  const { data, extra = [] } = source
  const { outcome, patient, exclude = [] } = data
  const named = [outcome.column, patient, ...exclude.map(({ column }) => column), ...extra]
  const ofFields = fieldSources(source).flatMap(({ rule }) => columnsOf(rule))
  return [...new Set([...named.filter((column) => typeof column === 'string'), ...ofFields])]
}

/** Refuses a file that lacks some of the columns. */
export function requireColumns(wanted: readonly string[], known: readonly string[]): void {
  const lost = wanted.filter((column) => !known.includes(column))
  if (lost.length === 0) return
  throw new BadFile(
    `there is no column ${lost.join(', ')}; there are ${known.join(', ')}. A specification says which column gives which field`,
  )
}
