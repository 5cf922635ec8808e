/** Encounters in the form of FHIR R5, whose elements mean something else. */
import { type Json, textOf } from 'patient-risk-engine/read'

const STATUSES = ['completed', 'on-hold', 'discharged', 'discontinued']
const ELEMENTS = ['actualPeriod', 'admission', 'plannedStartDate']

export function isR5(encounter: Json): boolean {
  const isNew = ELEMENTS.some((name) => Object.hasOwn(encounter, name))
  return isNew || Array.isArray(encounter['class']) || STATUSES.includes(textOf(encounter['status']) ?? '')
}
