/** Codings of FHIR, and our own code system. */
import { systemName } from '@patient-risk/catalog'
import { inside, textOf } from 'patient-risk-engine/read'
import { allOf } from '../../remote/elements.ts'

export interface Coding {
  readonly system: string
  readonly code: string
}

/** Our own code system: its codes are the names of the fields, so that every field can be sent as an Observation. */
export const FIELD_SYSTEM = 'urn:patient-risk:fields'

/** The codings of a CodeableConcept, or of a Coding; those without a system are ignored. */
export function codingsOf(concept: unknown): readonly Coding[] {
  const codings = inside(concept, 'coding')
  return (codings === undefined ? [concept] : allOf(codings)).flatMap((coding) => {
    const system = textOf(inside(coding, 'system'))
    const code = textOf(inside(coding, 'code'))
    return system === undefined || code === undefined
      ? []
      : [{ system: systemName(system), code: code.trim() }]
  })
}

export function isIn(
  sets: readonly { readonly system: string; readonly codes: readonly string[] }[],
  codings: readonly Coding[],
): boolean {
  return codings.some(({ system, code }) =>
    sets.some((set) => set.system === system && set.codes.includes(code)),
  )
}
