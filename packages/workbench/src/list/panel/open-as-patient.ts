/** Opens a row of a list in the form of one patient, with the deployment that scored it. */
import { openPatient } from '../../patient/change-patient.ts'
import { isOwnWork, patient } from '../../patient/patient-state.ts'
import { chooseDeployment } from '../../session.ts'
import type { PatientRecord } from '../../shapes/answers.ts'
import type { FieldCatalogue } from '../../shapes/fields.ts'
import { meaningOfCode } from '../../shapes/sent-code.ts'
import { confirmFirst } from '../../ui/confirm.tsx'
import { list, namedIdentifier, type ScoredBy } from '../list-state.ts'
import { recordOfRow, sentColumns } from '../score/row-text.ts'

/** Asks first where a patient who was typed in would be lost. */
export function openAsPatient(row: number, scoredBy: ScoredBy): void {
  if (isOwnWork(patient.get())) {
    const onGo = (): void => open(row, scoredBy)
    confirmFirst({ title: 'work.replaceTitle', text: 'work.replaceText', go: 'work.replaceGo', onGo })
  } else open(row, scoredBy)
}

function open(row: number, { deployment, catalogue }: ScoredBy): void {
  void chooseDeployment(deployment.name)
  openPatient(patientOf(row, catalogue), catalogue.fields, namedIdentifier(list.get(), row))
  list.patch({ openRow: undefined })
  location.hash = '#/patient'
}

/** The values of a row as the form shows them, without the number that the page gave the record. */
function patientOf(row: number, { fields }: FieldCatalogue): PatientRecord {
  const { sheet } = list.get()
  if (sheet === undefined) return {}
  const shown = Object.entries(recordOfRow(sheet, row, sentColumns(list.get(), fields)))
    .filter(([name]) => name !== 'idx')
    .flatMap(([name, value]) => {
      const field = fields.find((each) => each.name === name)
      const meaning = field && typeof value === 'string' ? meaningOfCode(field, value) : undefined
      return meaning === null ? [] : [[name, meaning ?? value]]
    })
  return Object.fromEntries(shown) as PatientRecord
}
