/** Why a patient gets no risk at all: two versions of one resource, a merged record, or death by the moment of the assessment. */
import { FHIR_REASONS } from '@patient-risk/catalog'
import type { Chart } from './chart.ts'
import { type Finding, entryOf, missing } from './finding.ts'
import { codingsOf, isIn } from '../codings.ts'
import { type Json, inside, textOf } from 'patient-risk-engine/read'

const DID_NOT_HAPPEN = ['planned', 'cancelled', 'entered-in-error']

export function refusalOf({ subject, submission, timeline, mapping }: Chart): Finding | undefined {
  const { conflict, patient, twin, isReplaced } = subject
  if (conflict !== undefined) return missing(FHIR_REASONS.twiceDifferent, conflict.path, 'duplicate')
  if (patient.unreadable !== undefined) {
    const parts = { why: { phrase: patient.unreadable } }
    return missing({ text: FHIR_REASONS.patientUnreadable, parts }, patient.path, 'not-supported')
  }
  const {
    active = true,
    deceasedBoolean,
    deceasedDateTime,
    _deceasedBoolean,
    _deceasedDateTime,
  } = patient.resource
  if (active !== true) return missing(FHIR_REASONS.notInUse, `${patient.path}.active`, 'business-rule')
  if (twin !== undefined) {
    const why = { text: FHIR_REASONS.sameIdentifier, parts: { place: entryOf(twin.path) } }
    return missing(why, `${patient.path}.identifier`, 'duplicate')
  }
  if (isReplaced) return missing(FHIR_REASONS.merged, `${patient.path}.link`, 'business-rule')
  const deaths: { readonly at: string; readonly isLater: boolean | undefined }[] = []
  // An element with an underscore says why the value itself is absent.
  const isNotSaid = (_deceasedBoolean ?? _deceasedDateTime) !== undefined && deceasedBoolean !== false
  if ((deceasedBoolean ?? false) !== false || deceasedDateTime !== undefined || isNotSaid) {
    const isLater = timeline.isAhead(submission.momentOf(deceasedDateTime))
    deaths.push({ at: `${patient.path}.deceased`, isLater })
  }
  for (const { type, resource, path } of subject.entries) {
    const disposition = codingsOf(inside(resource, 'hospitalization', 'dischargeDisposition'))
    if (type !== 'Encounter' || !isIn(mapping.encounters.died, disposition)) continue
    if (DID_NOT_HAPPEN.includes(textOf(resource['status']) ?? '')) continue
    const { start, end = start } = (resource['period'] ?? {}) as Json
    deaths.push({ at: `${path}.hospitalization`, isLater: timeline.isAhead(submission.momentOf(end)) })
  }
  // Without a date it is not known whether the patient was alive at a moment in the past.
  const death = deaths.find(({ isLater }) => isLater !== true)
  if (death === undefined) return undefined
  const why = death.isLater === false ? FHIR_REASONS.hadDied : FHIR_REASONS.mayHaveDied
  return missing(why, death.at, 'business-rule')
}
