/** FHIR and CDS Hooks in the OpenAPI document. FHIR itself describes its resources, so their schema stays open. */
import type { Deployment } from '../catalog/deployment.ts'
import { word } from '../http/openapi/admin-paths.ts'
import { type JsonRecord, closed, ref } from '../http/openapi/json-schema.ts'
import { WITH_BODY, problems } from '../http/openapi/paths.ts'
import { CDS_PATH } from './cds-hooks/routes.ts'
import { FHIR_JSON, FHIR_LINES, FHIR_PATHS } from './fhir/routes.ts'

const PATIENT = { resourceType: 'Patient', id: 'p1', birthDate: '1942-01-01', gender: 'female' }
const [subject, period] = [{ reference: 'Patient/p1' }, { start: '2026-03-02', end: '2026-03-09' }]
const STAY = { resourceType: 'Encounter', status: 'finished', class: { code: 'IMP' }, subject, period }
const BUNDLE = {
  resourceType: 'Bundle',
  type: 'collection',
  entry: [{ resource: PATIENT }, { resource: STAY }],
}
const CARD = '5394f034-c70a-8ea6-8485-7e26442ed817'
const HOOK = {
  hook: 'patient-view',
  hookInstance: CARD,
  context: { userId: 'Practitioner/1', patientId: 'p1' },
  prefetch: { patient: PATIENT, encounters: { ...BUNDLE, type: 'searchset', entry: [{ resource: STAY }] } },
}
const FEEDBACK = { feedback: [{ card: CARD, outcome: 'accepted' }] }

const OBJECT = { type: 'object', additionalProperties: true }
const OBJECTS = { type: 'array', items: OBJECT }
const RESOURCE = { [FHIR_JSON]: { schema: ref('FhirResource') } }
const JSON_TOO = { ...RESOURCE, ...json(ref('FhirResource')) }
const LINES = { [FHIR_LINES]: { schema: { type: 'string', description: 'One Bundle a line.' } } }
const PARAMETERS = [
  word('history', { enum: ['complete'] }, 'No Encounter, Condition or Procedure is left out.'),
  word('asOf', { type: 'string' }, 'The day to which an open stay is counted.'),
  word('encounter', { type: 'array', items: { type: 'string' } }, 'References to the index stays.'),
]
const RECORDS = { ...JSON_TOO, [FHIR_JSON]: { ...RESOURCE[FHIR_JSON], example: BUNDLE }, ...LINES }
const SCORED = answers({ ...JSON_TOO, ...LINES }, problems([...WITH_BODY, 406, 422], RESOURCE))
const DESCRIBED = answers(JSON_TOO, problems([400, 406], RESOURCE))
const SERVICES = answers(json(closed({ services: OBJECTS })), problems([400]))
const CARDS = answers(json(closed({ cards: OBJECTS })), problems([...WITH_BODY, 412]))

const description =
  'A resource of FHIR R4: a Bundle to score, the answer to it, or an OperationOutcome as a refusal.'
const properties = { resourceType: { type: 'string' } }
export const FHIR_SCHEMAS = { FhirResource: { ...OBJECT, description, properties } }

export function fhirPaths({ basePath, name }: Deployment): JsonRecord {
  const requestBody = { required: true, content: RECORDS }
  const score = operation(name, 'fhir-score', 'Score the Patients of a Bundle', SCORED)
  const metadata = operation(name, 'fhir-metadata', 'The CapabilityStatement', DESCRIBED)
  const definition = operation(name, 'fhir-definition', 'The OperationDefinition of $score', DESCRIBED)
  return {
    [basePath + FHIR_PATHS.score]: { post: { ...score, parameters: PARAMETERS, requestBody } },
    [basePath + FHIR_PATHS.metadata]: { get: { ...metadata, security: [] } },
    [basePath + FHIR_PATHS.definition]: { get: { ...definition, security: [] } },
  }
}

export function hookPaths({ name }: Deployment): JsonRecord {
  const services = operation('service', 'cds-services', 'The CDS services', SERVICES)
  const hook = operation(name, 'cds-hook', 'Cards for a hook', CARDS)
  const feedback = operation(
    name,
    'cds-feedback',
    'Report what became of a card',
    answers({}, problems(WITH_BODY)),
  )
  return {
    [CDS_PATH]: { get: { ...services, security: [] } },
    [`${CDS_PATH}/${name}`]: { post: { ...hook, requestBody: bodyLike(HOOK) } },
    [`${CDS_PATH}/${name}/feedback`]: { post: { ...feedback, requestBody: bodyLike(FEEDBACK) } },
  }
}

function operation(tag: string, id: string, summary: string, responses: JsonRecord): JsonRecord {
  return { operationId: `${tag}-${id}`, tags: [tag], summary, description: `${summary}.`, responses }
}

function answers(content: JsonRecord, refused: JsonRecord): JsonRecord {
  return { 200: { description: 'The answer.', content }, ...refused }
}

function bodyLike(example: JsonRecord): JsonRecord {
  return { required: true, content: { 'application/json': { schema: OBJECT, example } } }
}

function json(schema: JsonRecord): JsonRecord {
  return { 'application/json': { schema } }
}
