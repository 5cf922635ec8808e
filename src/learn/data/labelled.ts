/** Rows of a file as values of fields with their outcome and patient, and the account of those that were left out. */
import type { Domain } from '../../definition/domain.ts'
import { isOneOf } from '../../tables/cell-sql.ts'
import { type ResultColumn, literal } from '../../tables/engine.ts'
import { columnNamed, columnsOf, faultsSql, fieldSql, textSql } from '../../tables/field-sql.ts'
import type { Table } from '../../tables/table.ts'
import { type DataSpecificationType, MISSING_TEXTS } from '../specification.ts'
import { DataError } from './data-error.ts'
import { useTableFile } from './table.ts'

/** A field's value: null if the cell is empty. */
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
export interface LabelledRow {
  readonly line: number
  /** The value of each field of the source, in their order. */
  readonly values: readonly FieldValue[]
  outcome: 0 | 1
  /** The patient, numbered from 0 as they come. */
  patient: number
  /** What one of the further columns says, or `missing`. */
  readonly text: (column: string) => string
}

/** How many rows came in, and how many stayed out for which reason. */
export interface Intake {
  rows: number
  patients: number
  /** Rows without a patient identifier: each counts as a patient of its own. */
  blankPatients: number
  readonly leftOut: Map<string, number>
}

const MOST_FAULTS = 10

/** Why a cell cannot be read; the value itself is never part of it. */
const REASONS: Readonly<Record<string, string>> = {
  notANumber:
    'is not a number; list a text that stands for no value under `missing` in `data`; where a comma marks the decimals, say "decimalComma": true in `data`, or --decimal-comma',
  ambiguous: 'may be one or a thousand, as 1.000 may: say "decimalComma": true or false in `data`',
  tooManyDigits: 'has too many digits to be kept exactly',
  map: 'has a value that `map` does not list',
  yesNo: 'must be true, false, yes, no, 1 or 0',
}

/** The number of a row that cannot be used: its outcome is listed nowhere, or there is a reason to leave it out. */
const UNLISTED = -1
const FIRST_REASON = 2

/**
 * Reads the file and visits each row that counts. A text that `visit` returns says why it leaves the row out. Throws a DataError that
 * lists the cells which cannot be read.
 */
export async function readLabelled(source: Source, visit: (row: LabelledRow) => unknown): Promise<Intake> {
  const { path, data, fields, domains, extra = [], onProgress = () => undefined } = source
  const { outcome, patient, exclude = [] } = data
  const rules = fields.map((field) => {
    const domain = domains.get(field)
    if (domain === undefined) throw new DataError([`the catalogue has no field called ${field}`])
    return { domain, rule: data.columns?.[field] ?? { column: field } }
  })
  const named = [outcome.column, patient, ...exclude.map(({ column }) => column), ...extra]
  const wanted = [
    ...named.filter((column) => typeof column === 'string'),
    ...rules.flatMap(({ rule }) => columnsOf(rule)),
  ]
  const reasons = ['no outcome', ...exclude.map(({ reason }) => reason)]
  /** What the number of a choice stands for; undefined for a number and a date, which are what they are. */
  const choices = rules.map(({ domain }): readonly FieldValue[] | undefined => {
    if (domain.kind === 'yesNo') return [true, false, '']
    return domain.kind === 'code' ? [...domain.codes.keys(), ''] : undefined
  })
  return useTableFile(path, wanted, async (table, engine) => {
    const intake: Intake = { rows: 0, patients: 0, blankPatients: 0, leftOut: new Map() }
    const leaveOut = (reason: string): void => {
      intake.leftOut.set(reason, (intake.leftOut.get(reason) ?? 0) + 1)
    }
    const faults: string[] = []
    const fault = (column: string, reason: string): void => {
      faults.push(`${path}, line ${labelled.line}, column ${column}: ${reason}`)
      if (faults.length === MOST_FAULTS) throw new DataError([...faults, 'Reading stopped here.'])
    }
    const patients = new Map<string, number>()
    const patientOf = (name: string | null): number => {
      if (name === null) {
        if (patient !== undefined) intake.blankPatients++
        return intake.patients++
      }
      const known = patients.get(name) ?? intake.patients++
      patients.set(name, known)
      return known
    }
    let columns: readonly ResultColumn[] = []
    let index = 0
    let before = 0
    const values = new Array<FieldValue>(fields.length).fill(null)
    const first = fields.length + 3
    const labelled: LabelledRow = {
      get line() {
        return table.lineOf(before + index)
      },
      values,
      outcome: 0,
      patient: 0,
      text: (column) => columns[first + extra.indexOf(column)]?.getItem(index) as string,
    }
    for await (columns of engine.chunks(queryFor(table, source, rules, choices))) {
      const [labels, faulty, names] = columns.slice(fields.length) as [
        ResultColumn,
        ResultColumn,
        ResultColumn,
      ]
      for (index = 0; index < labels.itemCount; index++) {
        intake.rows++
        const label = labels.getItem(index) as number
        if (label >= FIRST_REASON) {
          leaveOut(reasons[label - FIRST_REASON] as string)
          continue
        }
        if (label === UNLISTED)
          fault(outcome.column ?? '', 'the outcome is listed neither under `yes` nor under `no`')
        const refused = faulty.getItem(index) as string | null
        for (const [, column = '', reason = ''] of refused?.matchAll(/(.*)\t(.*)\n/g) ?? [])
          fault(column, REASONS[reason] as string)
        if (faults.length > 0) continue
        for (let field = 0; field < values.length; field++) {
          const value = columns[field]?.getItem(index) as FieldValue
          const chosen = choices[field]
          values[field] =
            chosen === undefined || value === null ? value : (chosen[value as number] as FieldValue)
        }
        labelled.outcome = label as 0 | 1
        labelled.patient = patientOf(names.getItem(index) as string | null)
        const why = visit(labelled)
        if (typeof why === 'string') leaveOut(why)
      }
      before += labels.itemCount
      onProgress(Math.max(0, engine.share), 1)
    }
    if (faults.length > 0) throw new DataError(faults)
    return intake
  })
}

/** One row for each of the table: the fields, the label, the faults, the patient, and the further columns. */
function queryFor(
  table: Table,
  { data, extra = [] }: Source,
  rules: readonly { readonly domain: Domain; readonly rule: Parameters<typeof columnsOf>[0] }[],
  choices: readonly (readonly FieldValue[] | undefined)[],
): string {
  const { outcome, patient, exclude = [], decimalComma, missing = MISSING_TEXTS } = data
  const decimal = decimalComma === undefined ? undefined : decimalComma ? 'comma' : 'point'
  const text = (column: string, usual: readonly string[] = []): string =>
    textSql(columnNamed(table, column), usual)
  const cells = rules.map(({ rule, domain }, place) => {
    return {
      value: `v${place}`,
      raw: `r${place}`,
      field: fieldSql(table, rule, domain, { missing, decimal }),
    }
  })
  const inner = [
    ...cells.map(({ value, field }) => `${field.value} AS ${value}`),
    ...cells.map(({ raw, field }) => `${field.cell?.raw ?? 'NULL'} AS ${raw}`),
    `${outcome.column === null ? 'NULL' : text(outcome.column, [...outcome.yes, ...outcome.no])} AS said`,
    ...exclude.map(({ column }, place) => `coalesce(${text(column)}, '') AS x${place}`),
    `${patient === undefined ? 'CAST(NULL AS VARCHAR)' : text(patient)} AS patient`,
    ...extra.map((column, place) => `${text(column)} AS e${place}`),
  ]
  const outer = [
    ...cells.map(({ value }, place) => choiceSql(value, choices[place])),
    labelSql(data, missing),
    `CAST(${faultsSql(cells, { decimal }, "'notANumber'")} AS VARCHAR)`,
    'patient',
    ...extra.map((_column, place) => {
      return `CASE WHEN e${place} IS NULL OR ${isOneOf(`e${place}`, missing)} THEN 'missing' ELSE e${place} END`
    }),
  ]
  return `SELECT ${outer.join(', ')} FROM (SELECT ${inner.join(', ')} FROM ${table.from})`
}

/** The place of a text among the choices; the last one stands for every other text. */
function choiceSql(value: string, choices: readonly FieldValue[] | undefined): string {
  if (choices === undefined) return value
  const places = choices.slice(0, -1).map((choice, place) => `WHEN ${literal(String(choice))} THEN ${place}`)
  return `CASE WHEN ${value} IS NULL THEN NULL ELSE CASE ${value} ${places.join(' ')} ELSE ${choices.length - 1} END END`
}

/** The outcome of a row, 0 or 1; or why it has none. Rows of data without an outcome count as rows without the event. */
function labelSql({ outcome, exclude = [] }: DataSpecificationType, missing: readonly string[]): string {
  const excluded = exclude.map(({ values }, place) => {
    return `WHEN ${isOneOf(`x${place}`, values)} THEN ${FIRST_REASON + 1 + place}`
  })
  const { yes = [], no = [] } = outcome.column === null ? {} : outcome
  const isListed = (texts: readonly string[]): string =>
    isOneOf(
      'said',
      texts.filter((text) => !missing.includes(text)),
    )
  const known = `WHEN ${isListed(yes)} THEN 1 WHEN ${isListed(no)} THEN 0`
  const none = `WHEN said IS NULL OR ${isOneOf('said', missing)} THEN ${outcome.column === null ? 0 : FIRST_REASON}`
  return `CASE ${excluded.join(' ')} ${known} ${none} ELSE ${UNLISTED} END`
}
