/** Rows of a file as values of fields with their outcome and patient, and the account of those that were left out. */
import type { ColumnReader, FieldValue } from './column-rule.ts'
import { DataError } from './data-error.ts'
import { type Source, layOut } from './layout.ts'
import type { Cell, Row } from './row.ts'
import { readTable } from './table.ts'

/** The same object for every row: what it says holds until the next one. */
export interface LabelledRow {
  readonly line: number
  /** The value of each field of the source, in their order. */
  readonly values: readonly FieldValue[]
  readonly outcome: 0 | 1
  /** The patient, numbered from 0 as they come. */
  readonly patient: number
  /** What the columns of `groups` say, in their order. */
  readonly groups: readonly string[]
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

export function newIntake(): Intake {
  return { rows: 0, patients: 0, blankPatients: 0, leftOut: new Map() }
}

/** Reads the file and visits each row that counts. Throws a DataError that lists the cells which cannot be read. */
export async function readLabelled(
  source: Source,
  intake: Intake,
  visit: (row: LabelledRow) => void,
): Promise<void> {
  const layout = layOut(source)
  const { isMissing, outcomePlace, patientPlace, groupPlaces, readers } = layout
  const patients = new Map<string, number>()
  const values = new Array<FieldValue>(readers.length).fill(null)
  const labelled = { line: 0, values, outcome: 0 as 0 | 1, patient: 0, groups: [] as readonly string[] }
  const faults: string[] = []
  const fault = (line: number, column: string, reason: string): void => {
    faults.push(`${source.path}, line ${line}, column ${column}: ${reason}`)
    if (faults.length === MOST_FAULTS) throw new DataError([...faults, 'Reading stopped here.'])
  }
  const take = (row: Row): void => {
    intake.rows++
    const reason = layout.whyExcluded(row)
    if (reason !== undefined) {
      leaveOut(intake, reason)
      return
    }
    const outcome = outcomePlace < 0 ? 0 : layout.outcomes.get(String(row.cell(outcomePlace)))
    if (outcome === undefined) {
      fault(
        row.line,
        source.data.outcome.column ?? '',
        'the outcome is listed neither under `yes` nor under `no`',
      )
    }
    for (let index = 0; index < readers.length; index++) {
      const value = (readers[index] as ColumnReader).read(row)
      if (typeof value === 'object' && value !== null) fault(row.line, value.column, value.reason)
      else values[index] = value
    }
    if (faults.length > 0 || outcome === undefined) return
    labelled.line = row.line
    labelled.outcome = outcome
    labelled.patient =
      patientPlace < 0 ? intake.patients++ : patientNumber(patients, row.cell(patientPlace), intake)
    if (groupPlaces.length > 0) {
      labelled.groups = groupPlaces.map((place) => {
        const cell = row.cell(place)
        return isMissing(cell) ? 'missing' : String(cell)
      })
    }
    visit(labelled)
  }
  await readTable(source.path, layout.wanted, take, source.onProgress)
  if (faults.length > 0) throw new DataError(faults)
}

export function leaveOut(intake: Intake, reason: string): void {
  intake.leftOut.set(reason, (intake.leftOut.get(reason) ?? 0) + 1)
}

/** A row that names no patient counts as a patient of its own. */
function patientNumber(patients: Map<string, number>, cell: Cell, intake: Intake): number {
  if (cell === null || cell === undefined || String(cell).trim() === '') {
    intake.blankPatients++
    return intake.patients++
  }
  const name = String(cell)
  const known = patients.get(name)
  if (known !== undefined) return known
  patients.set(name, intake.patients)
  return intake.patients++
}
