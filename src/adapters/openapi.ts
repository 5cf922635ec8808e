/** FHIR and CDS Hooks in the OpenAPI document. FHIR itself describes its resources, so their schema stays open. */
import type { Deployment } from '../catalog/deployment.ts'
import { type Call, type Content, WITH_BODY, call, json, word } from '../http/openapi/call.ts'
import { type JsonRecord, about, closed, list, ref } from '../http/openapi/json-schema.ts'
import { CDS_PATH } from './cds-hooks/routes.ts'
import { FHIR_JSON, FHIR_LINES, FHIR_PATHS } from './fhir/routes.ts'

const OBJECT = { type: 'object', additionalProperties: true }
const RESOURCE: Content = { [FHIR_JSON]: { schema: ref('FhirResource') } }
const RESOURCE_OR_JSON = { ...RESOURCE, ...json(ref('FhirResource')) }
const WITH_LINES = {
  ...RESOURCE_OR_JSON,
  [FHIR_LINES]: { schema: { type: 'string', description: 'One Bundle a line.' } },
}
const FORMAT = word(
  '_format',
  { enum: ['json', 'application/json', FHIR_JSON] },
  'The format of the answer. It comes before the header Accept.',
)
const PARAMETERS = [
  word('history', { enum: ['complete', 'partial'] }, 'No Encounter, Condition or Procedure is left out.'),
  word('asOf', { type: 'string' }, 'The day to which an open stay is counted.'),
  word('encounter', list({ type: 'string' }), 'References to the index stays.'),
  FORMAT,
]

export const FHIR_SCHEMAS: JsonRecord = {
  FhirResource: about(
    { ...OBJECT, properties: { resourceType: { type: 'string' } } },
    'A resource of FHIR R4: a Bundle to score, the answer to it, or an OperationOutcome as a refusal.',
  ),
}

export function fhirCalls({ basePath, name, output }: Deployment): readonly Call[] {
  const described = (path: string, id: string, summary: string): Call =>
    call(name, basePath + path, `${name}-${id}`, summary, {
      example: id,
      security: [],
      parameters: [FORMAT],
      answers: { 200: RESOURCE_OR_JSON },
      refusals: [400, 406],
      refusal: RESOURCE,
    })
  return [
    call(name, basePath + FHIR_PATHS.score, `${name}-fhir-score`, 'Score the Patients of a Bundle', {
      example: output.kind === 'number' ? 'fhir-score' : 'fhir-score-yes-no',
      parameters: PARAMETERS,
      body: WITH_LINES,
      answers: { 200: WITH_LINES },
      refusals: [...WITH_BODY, 406, 422],
      refusal: RESOURCE,
    }),
    described(FHIR_PATHS.metadata, 'fhir-metadata', 'The CapabilityStatement'),
    described(FHIR_PATHS.definition, 'fhir-definition', 'The OperationDefinition of $score'),
  ]
}

export function hookCalls({ name }: Deployment): readonly Call[] {
  const cards = json(closed({ cards: list(OBJECT) }))
  return [
    call('service', CDS_PATH, 'service-cds-services', 'The CDS services', {
      example: 'cds-services',
      security: [],
      answers: { 200: json(closed({ services: list(OBJECT) })) },
      refusals: [400],
    }),
    call(name, `${CDS_PATH}/${name}`, `${name}-cds-hook`, 'Cards for a hook', {
      example: 'cds-hook',
      body: json(OBJECT),
      answers: { 200: cards },
      refusals: [...WITH_BODY, 412],
    }),
    call(name, `${CDS_PATH}/${name}/feedback`, `${name}-cds-feedback`, 'Report what became of a card', {
      example: 'cds-feedback',
      body: json(OBJECT),
      answers: { 200: {} },
      refusals: WITH_BODY,
    }),
  ]
}
