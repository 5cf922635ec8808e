/** Requests of a calling system, as the tests of CDS Hooks send them. */
import { type Resource, STAY, bundle, encounter, patient } from '../fhir/source.ts'

export const INSTANCE = 'd1577c69-dfbe-44ad-ba6d-3e05e953b2ea'
export const OLD = encounter('old', 'IMP', '2025-09-10T09:00:00+02:00', '2025-09-15T11:00:00+02:00')
const context = { userId: 'Practitioner/1', patientId: 'p', encounterId: 'index' }
export const searchset = (...resources: readonly Resource[]): Resource => ({
  ...bundle(...resources),
  type: 'searchset',
})
export const request = (prefetch: Resource, more: Resource = {}): Resource => ({
  hook: 'encounter-discharge',
  hookInstance: INSTANCE,
  context,
  prefetch: { patient: patient(), encounters: searchset(STAY, OLD), ...prefetch },
  ...more,
})
