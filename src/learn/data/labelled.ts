/** Rows of a file as values of fields with their outcome and patient, and the account of those that were left out. */
import type { Domain } from '../../definition/domain.ts'
import { readNumber } from '../../tables/read-cell.ts'
import { type ColumnReader, type FieldValue, columnsOf, compileRule, isNumeric } from './column-rule.ts'
import { DataError } from './data-error.ts'
import { type DataSpecificationType, MISSING_TEXTS } from '../specification.ts'
import type { Cell, OnProgress, Row } from './row.ts'
import { readTable } from './table.ts'

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

/**
 * Reads the file and visits each row that counts. A text that `visit` returns says why it leaves the row out. Throws a DataError that
 * lists the cells which cannot be read.
 */
export async function readLabelled(source: Source, visit: (row: LabelledRow) => unknown): Promise<Intake> {
  const { path, data, fields, domains, extra = [] } = source
  const { outcome, patient, exclude = [], decimalComma, missing = MISSING_TEXTS } = data
  const rules = fields.map((field) => {
    const domain = domains.get(field)
    if (domain === undefined) throw new DataError([`the catalogue has no field called ${field}`])
    return { domain, rule: data.columns?.[field] ?? { column: field } }
  })
  const named = [outcome.column, patient, ...exclude.map(({ column }) => column), ...extra]
  const ruled = rules.flatMap(({ rule }) => columnsOf(rule))
  const columns = [...new Set([...named.filter((column) => typeof column === 'string'), ...ruled])]
  const placeOf = (column: string | null | undefined): number => columns.indexOf(column ?? '')
  const missingTexts = new Set(missing)
  const isMissing = (cell: Cell): boolean =>
    cell === null || cell === undefined || missingTexts.has(String(cell))
  const decimal = decimalComma === undefined ? undefined : decimalComma ? 'comma' : 'point'
  const numberMayBeMissing = missing.some((text) => typeof readNumber(text, {}) === 'number')
  const reading = { placeOf, isMissing, numberMayBeMissing, decimal } as const
  const readers = rules.map(({ rule, domain }) => compileRule(rule, domain, reading))
  const numbers = new Map<string, readonly string[] | undefined>()
  for (const { rule, domain } of numberMayBeMissing ? [] : rules)
    if (isNumeric(domain) && 'column' in rule && rule.map === undefined) numbers.set(rule.column, undefined)
  const exclusions = exclude.map(({ column, values, reason }) => ({
    place: placeOf(column),
    texts: new Set(values),
    reason,
  }))
  const outcomePlace = placeOf(outcome.column)
  const { yes = [], no = [] } = outcome.column === null ? {} : outcome
  const outcomes = new Map([
    ...no.map((text) => [text, 0] as const),
    ...yes.map((text) => [text, 1] as const),
  ])
  const outcomeTexts = [...outcomes.keys()].filter((text) => !missingTexts.has(text))
  const knownOutcomes = outcomeTexts.map((text) => outcomes.get(text))
  if (outcome.column !== null) numbers.set(outcome.column, outcomeTexts)
  // A column that is read in two ways is read as text.
  const uses = [...named, ...ruled]
  for (const column of numbers.keys())
    if (uses.indexOf(column) !== uses.lastIndexOf(column)) numbers.delete(column)
  const whyExcluded = (row: Row, known: 0 | 1 | undefined): string | undefined => {
    for (const { place, texts, reason } of exclusions) {
      if (texts.has(String(row.cell(place) ?? ''))) return reason
    }
    return known === undefined && isMissing(row.cell(outcomePlace)) ? 'no outcome' : undefined
  }
  const patientPlace = placeOf(patient)
  const patients = new Map<string, number>()
  const patientOf = (row: Row): number => {
    if (patientPlace < 0) return intake.patients++
    const name = String(row.cell(patientPlace) ?? '')
    if (name.trim() === '') {
      intake.blankPatients++
      return intake.patients++
    }
    const known = patients.get(name) ?? intake.patients++
    patients.set(name, known)
    return known
  }
  const intake: Intake = { rows: 0, patients: 0, blankPatients: 0, leftOut: new Map() }
  const leaveOut = (reason: string): void => {
    intake.leftOut.set(reason, (intake.leftOut.get(reason) ?? 0) + 1)
  }
  const faults: string[] = []
  const fault = (line: number, column: string, reason: string): void => {
    faults.push(`${path}, line ${line}, column ${column}: ${reason}`)
    if (faults.length === MOST_FAULTS) throw new DataError([...faults, 'Reading stopped here.'])
  }
  let current: Row
  const values = new Array<FieldValue>(readers.length).fill(null)
  const text = (column: string): string => {
    const cell = current.cell(placeOf(column))
    return isMissing(cell) ? 'missing' : String(cell)
  }
  const labelled: LabelledRow = {
    get line() {
      return current.line
    },
    values,
    outcome: 0,
    patient: 0,
    text,
  }
  const take = (row: Row): void => {
    intake.rows++
    // Rows without a column for the outcome count as rows without the event.
    const known = outcomePlace < 0 ? 0 : knownOutcomes[row.number(outcomePlace)]
    const reason = whyExcluded(row, known)
    if (reason !== undefined) {
      leaveOut(reason)
      return
    }
    const found = known ?? outcomes.get(String(row.cell(outcomePlace)))
    if (found === undefined)
      fault(row.line, outcome.column ?? '', 'the outcome is listed neither under `yes` nor under `no`')
    for (let index = 0; index < readers.length; index++) {
      const value = (readers[index] as ColumnReader)(row)
      if (typeof value === 'object' && value !== null) fault(row.line, value.column, value.reason)
      else values[index] = value
    }
    if (faults.length > 0 || found === undefined) return
    current = row
    labelled.outcome = found
    labelled.patient = patientOf(row)
    const why = visit(labelled)
    if (typeof why === 'string') leaveOut(why)
  }
  await readTable(path, { columns, numbers, decimal }, take, source.onProgress)
  if (faults.length > 0) throw new DataError(faults)
  return intake
}
