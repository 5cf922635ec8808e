/** A labelled row, whatever file it comes from: its record, outcome and patient. */
import type { Domain } from '../../definition/domain.ts'
import { BadFile } from '../../tables/bad-file.ts'
import { type FieldRule, columnsOf } from '../../tables/field-sql.ts'
import { DataError } from './data-error.ts'
import type { DataSpecificationType } from './specification.ts'

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
export interface LabelledRow {
  line: number
  outcome: 0 | 1
  /** The patient, numbered from 0 in the order of the file. */
  patient: number
  /** The values of the fields, for the engine to judge; null where there is none. */
  record: Readonly<Record<string, unknown>>
  /** The text of one of the further columns, or `missing`. */
  readonly text: (column: string) => string
}

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
  const { outcome, patient, exclude = [] } = source.data
  const named = [outcome.column, patient, ...exclude.map(({ column }) => column), ...(source.extra ?? [])]
  const ofFields = fieldSources(source).flatMap(({ rule }) => columnsOf(rule))
  return [...new Set([...named, ...ofFields])].filter((column) => typeof column === 'string')
}

/** Refuses a file that lacks some of the columns. */
export function requireColumns(wanted: readonly string[], known: readonly string[]): void {
  const lost = wanted.filter((column) => !known.includes(column))
  if (lost.length === 0) return
  throw new BadFile(
    `there is no column ${lost.join(', ')}; there are ${known.join(', ')}. A specification says which column gives which field`,
  )
}
