/** What the FHIR tests share: the mapping, a source for each model, and small resources to build Bundles from. */
import { readFileSync } from 'node:fs'
import { findModel, makeDeployments, type Mapping } from '@patient-risk/catalog'
import { answerBundle } from '../../../src/adapters/fhir/answer.ts'
import { type Source, assess, readOptions } from '../../../src/adapters/fhir/assess.ts'
import {
  type PatientRecord,
  type Wanted,
  readPatient,
  wantedBy,
} from '../../../src/adapters/fhir/read/read-patient.ts'
import { type Parameters, readSubmission } from '../../../src/adapters/fhir/read/body/submission.ts'
import { parseBody } from 'patient-risk-engine/read'
import { testCatalog } from '../../../../../test/support/test-catalog.ts'
import { mapping } from '../../../../../test/support/mapping.ts'

export type Resource = Record<string, unknown>
export const TODAY = 20_261_115
const catalog = testCatalog()

export function sourceOf(model: string, output: 'number' | 'yes-no' = 'number'): Source {
  const found = findModel(catalog, model)
  const { deployments } = makeDeployments(catalog, [{ name: 'x', basePath: '/', model, output }])
  const [deployment] = deployments
  if (found === undefined || deployment === undefined) throw new Error(`no model ${model}`)
  const { definition } = found
  return {
    scorer: deployment.scorer,
    model: definition,
    digest: deployment.digest,
    output: deployment.output,
    maxRecords: deployment.limits.records,
    wanted: wantedBy(definition, catalog.definitions),
    mapping,
  }
}

export const EVERYTHING: Wanted = { fields: [...catalog.fields.keys()], scales: [...catalog.scales.values()] }

/** The records of a body, with every field that can be found. */
export function recordsOf(
  body: unknown,
  query: Parameters = {},
  with_: Partial<{ mapping: Mapping; timeZone: string }> = {},
): readonly PatientRecord[] {
  const submission = readSubmission(parseBody(Buffer.from(JSON.stringify(body))), with_.timeZone)
  const options = readOptions(submission, query, TODAY)
  return submission.subjects.map((subject) =>
    readPatient(subject, submission, with_.mapping ?? mapping, EVERYTHING, options),
  )
}

/** The answer to a body, as it leaves. */
export function answerOf(body: unknown, source: Source, query: Parameters = {}): Resource {
  const submission = readSubmission(parseBody(Buffer.from(JSON.stringify(body))))
  const options = readOptions(submission, query, TODAY)
  const { assessed } = assess(submission, source, options)
  const answer = answerBundle(assessed, submission, source, options)
  return JSON.parse(JSON.stringify(answer)) as Resource
}

export function bundleFile(name: string): Resource {
  return JSON.parse(readFileSync(new URL(`bundles/${name}.json`, import.meta.url), 'utf8')) as Resource
}

const ACT = 'http://terminology.hl7.org/CodeSystem/v3-ActCode'
const SUBJECT = { reference: 'Patient/p' }

export const patient = (more: Resource = {}): Resource => ({
  resourceType: 'Patient',
  id: 'p',
  gender: 'female',
  birthDate: '1940-06-15',
  ...more,
})

export const encounter = (
  id: string,
  code: string,
  start?: string,
  end?: string,
  more: Resource = {},
): Resource => ({
  resourceType: 'Encounter',
  id,
  status: 'finished',
  class: { system: ACT, code },
  subject: SUBJECT,
  ...(start === undefined ? {} : { period: { start, ...(end === undefined ? {} : { end }) } }),
  ...more,
})

export const observation = (id: string, code: string, value: unknown, more: Resource = {}): Resource => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code }] },
  subject: SUBJECT,
  effectiveDateTime: '2026-03-05T08:00:00+01:00',
  valueQuantity: value,
  ...more,
})

export const ucum = (value: number, code: string): Resource => ({
  value,
  system: 'http://unitsofmeasure.org',
  code,
})

export const condition = (id: string, code: string, more: Resource = {}): Resource => ({
  resourceType: 'Condition',
  id,
  code: { coding: [{ system: 'http://hl7.org/fhir/sid/icd-10', code }] },
  subject: SUBJECT,
  ...more,
})

/** The index stay of most cases: 2 to 9 March 2026. */
export const STAY = encounter('index', 'IMP', '2026-03-02T10:20:00+01:00', '2026-03-09T12:00:00+01:00')

/** An earlier stay: 10 to 15 September 2025. */
export const OLD = encounter('old', 'IMP', '2025-09-10T09:00:00+02:00', '2025-09-15T11:00:00+02:00')

export const bundle = (...resources: readonly Resource[]): Resource => ({
  resourceType: 'Bundle',
  type: 'collection',
  entry: resources.map((resource) => ({ resource })),
})

export interface AnswerBundle {
  readonly entry: readonly {
    readonly link?: readonly { url: string }[]
    readonly resource: Resource & { readonly issue?: readonly Resource[] }
  }[]
}

export const entriesOf = (json: unknown): AnswerBundle['entry'] => (json as AnswerBundle).entry
