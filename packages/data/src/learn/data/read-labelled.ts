/** Reads the labelled rows of a file, whatever its format, and counts those that are left out. */
import { statSync } from 'node:fs'
import { BadFile } from '../../tables/bad-file.ts'
import { formatOf } from '../../tables/formats.ts'
import { DataError } from '../../tables/data-error.ts'
import { visitLines } from './json-rows.ts'
import { DAMAGED, type FileRow, MissingColumn, type Source, type Take } from './file-rows.ts'
import { type DataSpecificationType, MISSING_TEXTS } from './specification.ts'
import { visitTable } from './table-rows.ts'

/** The same object for every row. */
export interface LabelledRow extends Pick<FileRow, 'line'> {
  readonly outcome: 0 | 1
  /** The patient, numbered from 0 in the order of the file. */
  readonly patient: number
  readonly record: ReturnType<FileRow['record']>
  /** The text of one of the further columns, or `missing`. */
  readonly text: (column: string) => string
}

export interface Intake {
  rows: number
  patients: number
  /** Rows without a patient identifier: each counts as a patient of its own. */
  blankPatients: number
  readonly leftOut: Map<string, number>
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] }

const MOST_FAULTS = 10
const ENDINGS = '.csv, .tsv, .ndjson, .jsonl, .parquet, .xlsx'

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

/**
 * Reads the file and visits each row that counts. A text that `visit` returns says why it leaves the row out. Throws a DataError that
 * lists the cells which cannot be read.
 */
export async function readLabelled(source: Source, visit: (row: LabelledRow) => unknown): Promise<Intake> {
  const { path, data } = source
  const { missing = MISSING_TEXTS } = data
  const intake: Intake = { rows: 0, patients: 0, blankPatients: 0, leftOut: new Map() }
  const faults: string[] = []
  const patients = new Map<string, number>()
  const newPatient = (): number => {
    const number = intake.patients
    intake.patients++
    return number
  }
  const patientOf = (name: string): number => {
    if (name === '') {
      if (data.patient !== undefined) intake.blankPatients++
      return newPatient()
    }
    const known = patients.get(name) ?? newPatient()
    patients.set(name, known)
    return known
  }
  const leaveOut = (reason: unknown): void => {
    if (typeof reason === 'string') intake.leftOut.set(reason, (intake.leftOut.get(reason) ?? 0) + 1)
  }
  let current: FileRow | undefined
  // One object for all rows: an object for each, with a getter, takes longer than the rest of this function.
  const row: Mutable<LabelledRow> = {
    // It is asked for rarely, and may take long to find.
    get line() {
      return current?.line ?? 0
    },
    outcome: 0,
    patient: 0,
    record: {},
    text(column) {
      const found = current?.text(column)
      return found === undefined || missing.includes(found) ? 'missing' : found
    },
  }
  const take: Take = (cells, refused) => {
    intake.rows++
    const label = refused ?? labelOf(data, cells)
    if (typeof label === 'string') {
      leaveOut(label)
      return
    }
    const unlisted = label === undefined ? [[data.outcome.column ?? '', 'outcome'] as const] : []
    for (const [column, reason] of [...unlisted, ...cells.faults()]) {
      faults.push(`${path}, line ${cells.line}, column ${column}: ${REASONS[reason] ?? ''}`)
      if (faults.length === MOST_FAULTS) throw new DataError([...faults, 'Reading stopped here.'])
    }
    if (faults.length > 0 || label === undefined) return
    current = cells
    row.outcome = label
    row.patient = patientOf((data.patient === undefined ? undefined : cells.text(data.patient)) ?? '')
    row.record = cells.record()
    leaveOut(visit(row))
  }
  await refusingByName(path, () => {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
      throw new BadFile('there is no such file')
    const { format } = formatOf(path)
    if (format === undefined || format === 'json')
      throw new BadFile(`the name must end in ${ENDINGS}, or one of them with .gz or .zst`)
    return format === 'ndjson' ? visitLines(source, take) : visitTable(source, format, take)
  })
  if (faults.length > 0) throw new DataError(faults)
  return intake
}

async function refusingByName(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof BadFile) {
      const { message, line } = error
      const kind = error instanceof MissingColumn ? 'missing-column' : undefined
      const reason = line === undefined ? `${path}: ${message}` : `${path}, ${message}${DAMAGED}`
      throw new DataError([reason], kind)
    }
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined || error instanceof DataError) throw error
    throw new DataError([`${path}: cannot be read (${code})`])
  }
}

/** The outcome of a row, or why it is left out; undefined for an outcome that is not listed. */
function labelOf(data: DataSpecificationType, row: FileRow): 0 | 1 | string | undefined {
  const { outcome, exclude = [], missing = MISSING_TEXTS } = data
  const excluded = exclude.find(({ column, values }) => values.includes(row.text(column) ?? ''))
  if (excluded !== undefined) return excluded.reason
  // Rows of data without an outcome count as rows without the event.
  if (outcome.column === null) return 0
  const text = row.text(outcome.column)
  if (text === undefined || missing.includes(text)) return 'no outcome'
  if (outcome.yes.includes(text)) return 1
  return outcome.no.includes(text) ? 0 : undefined
}
