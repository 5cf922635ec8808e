/** What says that a patient has died: the Patient, or a stay with that discharge. */
import { type Json, inside, textOf } from 'patient-risk-engine/read'
import { codingsOf, isIn } from '../codings.ts'
import type { Chart } from './chart.ts'
import { DID_NOT_HAPPEN, type Death } from './rules.ts'

export function deathsOf({ subject, submission, timeline, mapping }: Chart): readonly Death[] {
  const { patient, entries } = subject
  const { deceasedBoolean, deceasedDateTime, _deceasedBoolean, _deceasedDateTime } = patient.resource
  const deaths: Death[] = []
  // An element with an underscore says why the value itself is absent.
  const isNotSaid = (_deceasedBoolean ?? _deceasedDateTime) !== undefined && deceasedBoolean !== false
  if ((deceasedBoolean ?? false) !== false || deceasedDateTime !== undefined || isNotSaid) {
    const isLater = timeline.isAhead(submission.momentOf(deceasedDateTime))
    deaths.push({ at: `${patient.path}.deceased`, isLater })
  }
  for (const { type, resource, path } of entries) {
    const disposition = codingsOf(inside(resource, 'hospitalization', 'dischargeDisposition'))
    if (type !== 'Encounter' || !isIn(mapping.encounters.died, disposition)) continue
    if (DID_NOT_HAPPEN.includes(textOf(resource['status']) ?? '')) continue
    const { start, end = start } = (resource['period'] ?? {}) as Json
    deaths.push({ at: `${path}.hospitalization`, isLater: timeline.isAhead(submission.momentOf(end)) })
  }
  return deaths
}
