/** Records of invented patients as FHIR resources, for the fields that one model reads. */
import type { PatientRecord } from './patients.ts'

export type Resource = Readonly<Record<string, unknown>>

/** The day on which every stay ends. */
export const DISCHARGE = '2026-11-17'
const DISCHARGED_AT = Date.UTC(2026, 10, 17, 11)
const DAY_MS = 86_400_000
const GENDERS: Readonly<Record<string, string>> = { F: 'female', M: 'male', X: 'other' }
const OWN_CODES = 'urn:patient-risk:fields'
const LOINC = 'http://loinc.org'

/** Measurements with a standard code, and the unit that the sender states. */
const MEASURED: Readonly<Record<string, readonly [code: string, unit: string]>> = {
  haemoglobin: ['718-7', 'g/dL'],
  sodium: ['2951-2', 'mmol/L'],
  creatinine: ['2160-0', 'mg/dL'],
  albumin: ['1751-7', 'g/dL'],
}

/**
 * The resources of one patient. Undefined where a value cannot be written in FHIR: a gender by another letter, a number as a text, a
 * field without its name.
 */
export function resourcesOf(
  record: PatientRecord,
  fields: readonly string[],
): readonly Resource[] | undefined {
  const id = `p${String(record['idx'])}`
  const subject = { reference: `Patient/${id}` }
  const { sex, stayDays } = record
  const gender = typeof sex === 'string' ? GENDERS[sex] : undefined
  if (sex !== undefined && gender === undefined) return undefined
  const encounter = { reference: `Encounter/${id}` }
  const observations: Resource[] = []
  for (const field of fields) {
    const value = record[field]
    if (value === undefined || field === 'sex' || field === 'stayDays') continue
    const written = valueOf(field, value)
    if (written === undefined) return undefined
    observations.push({
      resourceType: 'Observation',
      id: `${id}-${field.replaceAll('_', '-')}`,
      status: 'final',
      subject,
      encounter,
      effectiveDateTime: `${DISCHARGE}T09:00:00Z`,
      ...written,
    })
  }
  return [
    { resourceType: 'Patient', id, birthDate: '1940-06-15', ...(gender === undefined ? {} : { gender }) },
    {
      resourceType: 'Encounter',
      id,
      status: 'finished',
      class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'IMP' },
      subject,
      period: { start: dayBefore(Number(stayDays ?? 0)), end: `${DISCHARGE}T11:00:00Z` },
    },
    ...observations,
  ]
}

function valueOf(field: string, value: unknown): Resource | undefined {
  const measured = MEASURED[field]
  const isNumber = typeof value === 'number'
  if (measured !== undefined) {
    const [code, unit] = measured
    const quantity = { value, unit, system: 'http://unitsofmeasure.org', code: unit }
    return isNumber ? { code: { coding: [{ system: LOINC, code }] }, valueQuantity: quantity } : undefined
  }
  const code = { coding: [{ system: OWN_CODES, code: field }] }
  if (isNumber)
    return Number.isInteger(value) ? { code, valueInteger: value } : { code, valueQuantity: { value } }
  if (typeof value === 'boolean') return { code, valueBoolean: value }
  // A number or a truth value as a text is no value of such an Observation.
  if (typeof value !== 'string' || !/^[a-z]+$/.test(value)) return undefined
  return { code, valueCodeableConcept: { coding: [{ system: OWN_CODES, code: value }] } }
}

function dayBefore(days: number): string {
  return new Date(DISCHARGED_AT - days * DAY_MS).toISOString().replace('.000', '')
}
