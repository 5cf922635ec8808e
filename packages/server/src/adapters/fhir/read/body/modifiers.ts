/** What FHIR calls a modifier, and labels for a part: what can change the meaning of a whole resource. */
import { systemName } from '@patient-risk/catalog'
import { type Json, inside, isObject, textOf } from 'patient-risk-engine/read'
import { allOf } from '../../../../remote/elements.ts'

/** Labels of a resource that was not sent as a whole: what it does not say may be so all the same. */
const PARTIAL_LABELS = ['SUBSETTED', 'REDACTED', 'MASKED']
const LABEL_SYSTEMS = [
  'http://terminology.hl7.org/CodeSystem/v3-ObservationValue',
  'http://hl7.org/fhir/v3/ObservationValue',
]

/** With an underscore: there are some, and which is not said. */
export function hasImplicitRules(resource: Json): boolean {
  return resource['implicitRules'] !== undefined || resource['_implicitRules'] !== undefined
}

/** Whether a label of `meta` says that parts were left out. */
export function isPart({ meta }: Json): boolean {
  const labels = [...allOf(inside(meta, 'tag')), ...allOf(inside(meta, 'security'))]
  return labels.some(
    (label) =>
      LABEL_SYSTEMS.includes(systemName(textOf(inside(label, 'system')) ?? '')) &&
      PARTIAL_LABELS.includes(String(inside(label, 'code'))),
  )
}

/** Anywhere in the resource, but not in those that it contains, which are not read. */
export function hasModifier(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(hasModifier)
  if (!isObject(node)) return false
  return Object.keys(node).some(
    (key) => key === 'modifierExtension' || (key !== 'contained' && hasModifier(node[key])),
  )
}
