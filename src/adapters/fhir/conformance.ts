/** What the FHIR interface says of itself: the CapabilityStatement and the definition of its one operation. */
import type { Deployment } from '../../catalog/deployment.ts'
import { packageVersion } from '../../version.ts'
import type { Json } from './json.ts'

/** When this interface last changed. */
const DATE = '2026-11-15'

export function capabilityStatement({ name, model }: Deployment, base: string): Json {
  return {
    resourceType: 'CapabilityStatement',
    status: 'active',
    date: DATE,
    kind: 'instance',
    software: { name: 'patient-risk', version: packageVersion() },
    implementation: { description: `Deployment ${name}: ${model.definition.title}`, url: base },
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

export function operationDefinition(base: string): Json {
  const input = (name: string, type: string, max: string, documentation: string, min = 0): Json => ({
    name,
    use: 'in',
    min,
    max,
    documentation,
    type,
  })
  return {
    resourceType: 'OperationDefinition',
    id: 'score',
    url: `${base}/OperationDefinition/score`,
    version: packageVersion(),
    name: 'Score',
    title: 'Score patients',
    status: 'active',
    kind: 'operation',
    date: DATE,
    description:
      'Scores every Patient of the input. probabilityDecimal is a percentage: 22.94 means 22.94 %. Nothing is stored.',
    affectsState: false,
    code: 'score',
    system: true,
    type: false,
    instance: false,
    parameter: [
      input(
        'resource',
        'Resource',
        '*',
        'A Bundle with the Patients and their Encounters, Observations, Conditions, Procedures and QuestionnaireResponses, or these resources one by one. A single Bundle may also be the body itself.',
        1,
      ),
      input(
        'history',
        'code',
        '1',
        'complete: no Encounter, Condition or Procedure of these patients is left out.',
      ),
      input('asOf', 'dateTime', '1', 'The day that a stay is counted to which has not ended.'),
      input(
        'encounter',
        'string',
        '*',
        'A reference to the index stay of a patient. Without it: the latest inpatient stay.',
      ),
      {
        name: 'return',
        use: 'out',
        min: 1,
        max: '1',
        documentation:
          'A collection with a RiskAssessment for each Patient that was scored and an OperationOutcome for each that has problems, in the order of the Patients.',
        type: 'Bundle',
      },
    ],
  }
}
