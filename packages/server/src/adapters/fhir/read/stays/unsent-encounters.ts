/** Encounters that the body does not hold, by what names them. */
import { inside } from 'patient-risk-engine/read'
import type { Entry } from '../body/entry.ts'
import type { Submission } from '../body/submission.ts'
import type { Moment } from '../moment.ts'

export interface Naming {
  readonly entry: Entry
  readonly moment: Moment | undefined
}

/** Facts that name an Encounter as their own, which the body does not hold. A mistake says nothing of a visit. */
export function namingUnsent(entries: readonly Entry[], { linked, momentOf }: Submission): readonly Naming[] {
  return entries.flatMap((entry) => {
    const { resource } = entry
    const isNamed = inside(resource, 'encounter', 'reference') !== undefined
    if (!isNamed || resource['status'] === 'entered-in-error') return []
    if (linked(entry, 'encounter') !== undefined) return []
    const time =
      resource['effectiveDateTime'] ??
      resource['effectiveInstant'] ??
      inside(resource['effectivePeriod'], 'start') ??
      resource['performedDateTime'] ??
      inside(resource['performedPeriod'], 'start') ??
      resource['authored'] ??
      resource['recordedDate']
    return [{ entry, moment: momentOf(time) }]
  })
}
