/** Parts of stays that say so by their level, and name no whole. */
import { FHIR_REASONS } from '@patient-risk/catalog'
import type { Visit } from './visit.ts'

/**
 * A part that lies in a stay of the patient is a part of it; the stay of another one was not sent. In one pass, because there may be a
 * hundred thousand.
 */
export function withWholes(visits: readonly Visit[]): readonly Visit[] {
  const isOpen = ({ isPart, parent }: Visit): boolean => isPart && parent === undefined
  const startOf = ({ start }: Visit): number => start?.day ?? Infinity
  if (!visits.some(isOpen)) return visits
  const stays = visits.filter(({ kind, isPart }) => kind === 'inpatient' && !isPart)
  const sorted = stays.toSorted((a, b) => startOf(a) - startOf(b))
  const withoutStay = new Set<Visit>()
  let at = 0
  let last = -Infinity
  for (const part of visits.filter(isOpen).toSorted((a, b) => startOf(a) - startOf(b))) {
    for (let stay = sorted[at]; stay !== undefined && startOf(stay) <= startOf(part); stay = sorted[++at])
      last = Math.max(last, stay.end?.day ?? Infinity)
    if (part.start === undefined || (part.end?.day ?? part.start.day) > last) withoutStay.add(part)
  }
  return visits.map((visit) =>
    withoutStay.has(visit) ? { ...visit, isPart: false, partFault: FHIR_REASONS.partOfUnclear } : visit,
  )
}
