/** Rows of a file as values of fields with outcome and patient, and counts of those that were left out. */
import type { Domain } from '../../definition/domain.ts'
import { isOneOf } from '../../tables/cell-sql.ts'
import { type ResultColumn, literal } from '../../tables/engine.ts'
import { columnNamed, columnsOf, faultsSql, fieldSql, rightSql, textSql } from '../../tables/field-sql.ts'
import type { Table } from '../../tables/table.ts'
import { type DataSpecificationType, MISSING_TEXTS } from './specification.ts'
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
  /** The value of the field at one place. */
  readonly valueAt: (place: number) => FieldValue
  /** The value of a number field at one place. Infinity if the value is missing. */
  readonly numberAt: (place: number) => number
  outcome: 0 | 1
  /** The patient, numbered from 0 in the order of the file. */
  patient: number
  /** The text of one of the further columns, or `missing`. */
  readonly text: (column: string) => string
}

/** How many rows were read, and how many were left out for which reason. */
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
  outcome: 'the outcome is listed neither under `yes` nor under `no`',
}

/** Labels the row as faulty. From FIRST_REASON on, labels are reasons to leave a row out. */
const FAULTY = -1
const FIRST_REASON = 2
/** Stands for a missing number. Testing for null is slow in JavaScript, and no cell can hold infinity. */
const MISSING = `'infinity'::DOUBLE`

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
    return { domain, rule: data.columns?.[field] ?? { column: field }, choices: choicesOf(domain) }
  })
  const named = [outcome.column, patient, ...exclude.map(({ column }) => column), ...extra]
  const wanted = [
    ...named.filter((column) => typeof column === 'string'),
    ...rules.flatMap(({ rule }) => columnsOf(rule)),
  ]
  const reasons = ['no outcome', ...exclude.map(({ reason }) => reason)]
  return useTableFile(path, wanted, async (table, engine) => {
    const intake: Intake = { rows: 0, patients: 0, blankPatients: 0, leftOut: new Map() }
    const leaveOut = (reason: string): void => {
      intake.leftOut.set(reason, (intake.leftOut.get(reason) ?? 0) + 1)
    }
    const faults: string[] = []
    const patients = new Map<string, number>()
    const patientOf = (name: string): number => {
      if (name === '') {
        if (patient !== undefined) intake.blankPatients++
        return intake.patients++
      }
      const known = patients.get(name) ?? intake.patients++
      patients.set(name, known)
      return known
    }
    let columns: readonly ResultColumn[] = []
    let index = 0
    const numberAt = (place: number): number => (columns[place] as ResultColumn).getItem(index) as number
    const valueAt = (place: number): FieldValue => {
      const value = numberAt(place)
      const choices = rules[place]?.choices
      if (choices !== undefined) return choices[value] as FieldValue
      return value === Infinity ? null : value
    }
    const first = fields.length + 2
    const labelled: LabelledRow = {
      get line() {
        return table.lineOf(intake.rows - 1)
      },
      valueAt,
      numberAt,
      outcome: 0,
      patient: 0,
      text: (column) => columns[first + extra.indexOf(column)]?.getItem(index) as string,
    }
    for await (columns of engine.chunks(queryFor(table, source, rules))) {
      const labels = columns[fields.length] as ResultColumn
      const names = columns[first + extra.length]
      for (index = 0; index < labels.itemCount; index++) {
        intake.rows++
        const label = labels.getItem(index) as number
        if (label >= FIRST_REASON) {
          leaveOut(reasons[label - FIRST_REASON] as string)
          continue
        }
        if (label === FAULTY) {
          const refused = columns[first - 1]?.getItem(index) as string
          for (const [, column = '', reason = ''] of refused.matchAll(/(.*)\t(.*)\n/g)) {
            faults.push(`${path}, line ${labelled.line}, column ${column}: ${REASONS[reason] ?? ''}`)
            if (faults.length === MOST_FAULTS) throw new DataError([...faults, 'Reading stopped here.'])
          }
        }
        if (faults.length > 0) continue
        labelled.outcome = label as 0 | 1
        labelled.patient = patientOf((names?.getItem(index) ?? '') as string)
        const why = visit(labelled)
        if (typeof why === 'string') leaveOut(why)
      }
      onProgress(Math.max(0, engine.share), 1)
    }
    if (faults.length > 0) throw new DataError(faults)
    return intake
  })
}

/** The values that choice numbers stand for; the last two are any other text, and no value. Undefined for numbers and dates. */
function choicesOf(domain: Domain): readonly FieldValue[] | undefined {
  if (domain.kind === 'yesNo') return [false, true, '', null]
  return domain.kind === 'code' ? [...domain.codes.keys(), '', null] : undefined
}

interface Rule {
  readonly domain: Domain
  readonly rule: Parameters<typeof columnsOf>[0]
  readonly choices: readonly FieldValue[] | undefined
}

/** One row for each of the table: the fields, the label, the faults, the further columns, and the patient. */
function queryFor(table: Table, { data, extra = [] }: Source, rules: readonly Rule[]): string {
  const { outcome, patient, exclude = [], decimalComma, missing = MISSING_TEXTS } = data
  const decimal = decimalComma === undefined ? undefined : decimalComma ? 'comma' : 'point'
  const text = (column: string, usual: readonly string[] = []): string =>
    textSql(columnNamed(table, column), usual)
  const cells = rules.map(({ rule, domain }, place) => {
    return {
      value: `v${place}`,
      raw: `r${place}`,
      field: fieldSql(table, rule, domain, { missing, decimal, none: MISSING }),
    }
  })
  const inner = [
    ...cells.map(({ value, field }) => `${field.value} AS ${value}`),
    ...cells.map(({ raw, field }) => `${field.cell?.raw ?? 'NULL'} AS ${raw}`),
    `${outcome.column === null ? 'NULL' : text(outcome.column, [...outcome.yes, ...outcome.no])} AS said`,
    ...exclude.map(({ column }, place) => `coalesce(${text(column)}, '') AS x${place}`),
    ...extra.map((column, place) => `${text(column)} AS e${place}`),
    ...(patient === undefined ? [] : [`coalesce(${text(patient)}, '') AS patient`]),
  ]
  const { yes = [], no = [] } = outcome.column === null ? {} : outcome
  const listed = (texts: readonly string[]): string[] => texts.filter((each) => !missing.includes(each))
  const isYes = isOneOf('said', listed(yes))
  const isKnown =
    outcome.column === null ? 'true' : `coalesce(${isOneOf('said', listed([...yes, ...no]))}, false)`
  const isNone = `(said IS NULL OR ${isOneOf('said', missing)})`
  // Rows of data without an outcome count as rows without the event.
  const label = [
    ...exclude.map(({ values }, place) => [isOneOf(`x${place}`, values), FIRST_REASON + 1 + place]),
    ...(outcome.column === null ? [] : [[`NOT ${isKnown} AND ${isNone}`, FIRST_REASON]]),
    [`NOT (${isKnown} AND ${rightSql(cells)})`, FAULTY],
    [isYes, 1],
  ].map(([holds, number]) => `WHEN ${holds} THEN ${number}`)
  const outer = [
    ...cells.map(({ value }, place) => choiceSql(value, rules[place]?.choices)),
    `CASE ${label.join(' ')} ELSE 0 END`,
    faultsSql(cells, { decimal }, "'notANumber'", [isKnown, literal(`${outcome.column ?? ''}\toutcome\n`)]),
    ...extra.map((_column, place) => {
      return `CASE WHEN e${place} IS NULL OR ${isOneOf(`e${place}`, missing)} THEN 'missing' ELSE e${place} END`
    }),
    ...(patient === undefined ? [] : ['patient']),
  ]
  return `SELECT ${outer.join(', ')} FROM (SELECT ${inner.join(', ')} FROM ${table.from})`
}

/** The place of a text among the choices. */
function choiceSql(value: string, choices: readonly FieldValue[] | undefined): string {
  if (choices === undefined) return value
  const [other, none] = [choices.length - 2, choices.length - 1]
  const places = choices
    .slice(0, other)
    .map((choice, place) => `WHEN ${literal(String(choice))} THEN ${place}`)
  return `CASE WHEN ${value} IS NULL THEN ${none} ELSE CASE ${value} ${places.join(' ')} ELSE ${other} END END`
}
