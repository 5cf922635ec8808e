/** Rows of a file as records with their outcome and patient, and the account of those that were left out. */
import { CellFault } from './column-rule.ts'
import { DataError } from './data-error.ts'
import { type Source, layOut } from './layout.ts'
import type { Cell } from './row.ts'
import { readTable } from './table.ts'

export interface LabelledRow {
  readonly line: number
  /** Overwritten by the next row. */
  readonly record: Readonly<Record<string, unknown>>
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
  readonly leftOut: Map<string, number>
}

const MOST_FAULTS = 10

export function newIntake(): Intake {
  return { rows: 0, patients: 0, leftOut: new Map() }
}

/** Reads the file and visits each row that counts. Throws a DataError that lists the cells which cannot be read. */
export async function readLabelled(
  source: Source,
  intake: Intake,
  visit: (row: LabelledRow) => void,
): Promise<void> {
  const layout = layOut(source)
  const { data } = source
  const { isMissing, outcomePlace, patientPlace } = layout
  const patients = new Map<string, number>()
  const record: Record<string, unknown> = { idx: 0 }
  for (const { field } of layout.readers) record[field] = null
  const faults: string[] = []
  const leaveOut = (reason: string): void => {
    intake.leftOut.set(reason, (intake.leftOut.get(reason) ?? 0) + 1)
  }
  const fault = (line: number, column: string, reason: string): void => {
    faults.push(`${source.path}, line ${line}, column ${column}: ${reason}`)
    if (faults.length === MOST_FAULTS) throw new DataError([...faults, 'Reading stopped here.'])
  }
  for await (const rows of readTable(source.path, layout.wanted, source.onProgress)) {
    for (const { line, cells } of rows) {
      intake.rows++
      const reason = layout.whyExcluded(cells)
      if (reason !== undefined) {
        leaveOut(reason)
        continue
      }
      const outcome = layout.outcomes.get(String(cells[outcomePlace]))
      if (outcome === undefined) {
        fault(line, data.outcome.column ?? '', 'the outcome is listed neither under `yes` nor under `no`')
      }
      for (const reader of layout.readers) {
        const value = reader.read(cells)
        if (value instanceof CellFault) fault(line, value.column, value.reason)
        else record[reader.field] = value
      }
      if (faults.length > 0 || outcome === undefined) continue
      const patient =
        patientPlace < 0 ? intake.patients++ : patientNumber(patients, cells[patientPlace], intake)
      const groups = layout.groupPlaces.map((place) =>
        isMissing(cells[place]) ? 'missing' : String(cells[place]),
      )
      visit({ line, record, outcome, patient, groups })
    }
  }
  if (faults.length > 0) throw new DataError(faults)
}

/** A row that names no patient counts as a patient of its own. */
function patientNumber(patients: Map<string, number>, cell: Cell, intake: Intake): number {
  if (cell === null || cell === undefined || cell === '') return intake.patients++
  const name = String(cell)
  const known = patients.get(name)
  if (known !== undefined) return known
  patients.set(name, intake.patients)
  return intake.patients++
}
