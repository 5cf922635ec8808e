/** Codes of statuses, by system and code. A code of another system is not compared: it may mean something else. */
import { systemName } from '@patient-risk/catalog'
import { inside, textOf } from 'patient-risk-engine/read'
import { allOf } from '../../../remote/elements.ts'

const SYSTEMS = {
  clinical: [
    'http://terminology.hl7.org/CodeSystem/condition-clinical',
    'http://hl7.org/fhir/condition-clinical',
  ],
  verification: [
    'http://terminology.hl7.org/CodeSystem/condition-ver-status',
    'http://hl7.org/fhir/condition-ver-status',
  ],
  absence: [
    'http://terminology.hl7.org/CodeSystem/data-absent-reason',
    'http://hl7.org/fhir/data-absent-reason',
  ],
}

/** How certain a diagnosis of ICD-10-GM is, in an extension of its coding: excluded (A), suspected (V), past (Z) or confirmed (G). */
const CERTAINTY = 'http://fhir.de/StructureDefinition/icd-10-gm-diagnosesicherheit'

/** The codes of a CodeableConcept in the code systems of HL7 for a kind of status. */
export function statusCodesIn(concept: unknown, kind: keyof typeof SYSTEMS): readonly string[] {
  return allOf(inside(concept, 'coding')).flatMap((coding) => {
    const isOfSystem = SYSTEMS[kind].includes(systemName(textOf(inside(coding, 'system')) ?? ''))
    return isOfSystem ? [String(inside(coding, 'code')).trim()] : []
  })
}

/** The certainties that the codings of a diagnosis state. */
export function certaintiesIn(code: unknown): readonly string[] {
  return allOf(inside(code, 'coding')).flatMap((coding) =>
    allOf(inside(coding, 'extension'))
      .filter((each) => inside(each, 'url') === CERTAINTY)
      .map((each) => textOf(inside(each, 'valueCoding', 'code')) ?? ''),
  )
}
