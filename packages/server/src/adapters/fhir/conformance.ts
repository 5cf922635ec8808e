/** What the FHIR interface says of itself: the CapabilityStatement and the definition of its one operation. */
import type { Deployment } from '@patient-risk/catalog'
import { packageVersion } from '@patient-risk/runtime'
import type { Json } from 'patient-risk-engine/read'
import { narrative } from './reasons.ts'

/** When this interface last changed. */
export const DATE = '2026-11-18'

export function capabilityStatement({ name, model }: Deployment, base: string): Json {
  const description = `Deployment ${name}: ${model.definition.title}`
  return {
    resourceType: 'CapabilityStatement',
    text: narrative(description, `Operation: ${base}/$score`),
    status: 'active',
    date: DATE,
    kind: 'instance',
    software: { name: 'patient-risk', version: packageVersion() },
    implementation: { description, url: base },
    fhirVersion: '4.0.1',
    format: ['application/fhir+json', 'json'],
    rest: [
      {
        mode: 'server',
        security: { description: 'Authorization: Bearer <API key>. The metadata can be read without a key.' },
        operation: [{ name: 'score', definition: `${base}/OperationDefinition/score` }],
      },
    ],
  }
}

const PARAMETERS = [
  { name: 'resource', use: 'in', min: 0, max: '*', type: 'Resource' },
  { name: 'fhirServer', use: 'in', min: 0, max: '1', type: 'url' },
  { name: 'patient', use: 'in', min: 0, max: '*', type: 'Reference' },
  { name: 'history', use: 'in', min: 0, max: '1', type: 'code' },
  { name: 'asOf', use: 'in', min: 0, max: '1', type: 'dateTime' },
  { name: 'encounter', use: 'in', min: 0, max: '*', type: 'string' },
  { name: 'return', use: 'out', min: 1, max: '1', type: 'Bundle' },
] as const
const DOCUMENTATION = {
  resource:
    'A Bundle with the Patients and their Encounters, Observations, Conditions, Procedures and QuestionnaireResponses, or these resources one by one. A single Bundle may also be the body itself.',
  fhirServer: 'Instead of resources: a listed FHIR server from which the patients are fetched.',
  patient: 'A Patient of that server, as Patient/<id>.',
  history: 'complete: no Encounter, Condition or Procedure of these patients is left out.',
  asOf: 'The moment of the assessment; by default the end of the index stay if that is over, otherwise now. What was not known then does not count. Without it there is no risk for a period that is over.',
  encounter: 'A reference to the index stay of a patient. Without it: the latest inpatient stay.',
  return:
    'A collection with a RiskAssessment for each Patient that was scored and an OperationOutcome for each that has problems or something to note, in the order of the Patients.',
}
const DESCRIPTION =
  'Scores every Patient of the input. probabilityDecimal is a percentage: 22.94 means 22.94 %. Nothing is stored.'

export function operationDefinition(base: string): Json {
  return {
    resourceType: 'OperationDefinition',
    id: 'score',
    text: narrative(DESCRIPTION),
    url: `${base}/OperationDefinition/score`,
    version: packageVersion(),
    name: 'Score',
    title: 'Score patients',
    status: 'active',
    kind: 'operation',
    date: DATE,
    description: DESCRIPTION,
    affectsState: false,
    code: 'score',
    system: true,
    type: false,
    instance: false,
    parameter: PARAMETERS.map((each) => ({ ...each, documentation: DOCUMENTATION[each.name] })),
  }
}
