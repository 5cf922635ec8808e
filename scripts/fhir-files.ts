/**
 * Part of `npm run docs`: the FHIR interface as files that a server, a validator or an implementation guide can load. They are what
 * the service answers with at the address of an example, and the code systems of its own codes.
 */
import { join } from 'node:path'
import { format } from 'prettier'
import {
  OVERRIDE_REASONS,
  REASON_SYSTEM,
  FLAG_SYSTEM,
  MODEL_SYSTEM,
  DATE,
  capabilityStatement,
  operationDefinition,
  FIELD_SYSTEM,
  narrative,
} from '@patient-risk/server/adapters'
import type { Json } from 'patient-risk-engine/read'
import { type Catalog, makeDeployments, describeFields, loadCatalog } from '@patient-risk/catalog'
import { DEFAULT_FILE } from '@patient-risk/catalog/config'
import { faultLine } from 'patient-risk-engine/definition'
import { packageVersion } from '@patient-risk/runtime'
import { type Generated, writeGenerated } from './generated.ts'

export const FHIR_FOLDER = 'api/fhir'
const BASE = 'https://risk.example.org/fhir'

interface Concept {
  readonly code: string
  readonly display: string
  readonly definition?: string
}

export async function fhirFiles(): Promise<Generated> {
  const { catalog, faults } = loadCatalog(['clinical'])
  if (catalog === undefined) throw new Error(faults.map(faultLine).join('\n'))
  const [deployment] = makeDeployments(catalog, DEFAULT_FILE.deployments).deployments
  if (deployment === undefined) throw new Error('there is no default deployment')
  const resources = [
    capabilityStatement(deployment, BASE),
    operationDefinition(BASE),
    codeSystem(MODEL_SYSTEM, 'Models', 'The models that come with the service.', models(catalog)),
    codeSystem(FLAG_SYSTEM, 'Flag', 'The answer of a deployment that answers Yes or No.', [
      { code: 'Yes', display: 'Yes', definition: 'The risk is at or above the threshold of the deployment.' },
      { code: 'No', display: 'No', definition: 'The risk is below the threshold of the deployment.' },
    ]),
    codeSystem(
      FIELD_SYSTEM,
      'Fields',
      'The fields of a record, which may be sent as Observations, and the codes that are values of some of them.',
      fields(catalog),
    ),
    codeSystem(
      REASON_SYSTEM,
      'OverrideReasons',
      'Why a card of CDS Hooks was not followed.',
      Object.entries(OVERRIDE_REASONS).map(([code, display]) => ({ code, display })),
    ),
  ]
  const files = resources.map(async (resource) => {
    const { resourceType, id } = resource as { resourceType: string; id?: string }
    const name = id === undefined ? resourceType : `${resourceType}-${id}`
    const text = await format(JSON.stringify(resource), { parser: 'json', printWidth: 110 })
    return [join(FHIR_FOLDER, `${name}.json`), text] as const
  })
  return new Map(await Promise.all(files))
}

function codeSystem(url: string, name: string, description: string, concept: readonly Concept[]): Json {
  return {
    resourceType: 'CodeSystem',
    id: url.split(':').at(-1),
    text: narrative(description),
    url,
    version: packageVersion(),
    name: `PatientRisk${name}`,
    title: `patient-risk: ${name.replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`,
    status: 'active',
    experimental: false,
    date: DATE,
    publisher: 'patient-risk',
    description,
    caseSensitive: true,
    content: 'complete',
    count: concept.length,
    concept,
  }
}

function models({ models }: Catalog): readonly Concept[] {
  return [...models.values()].map(({ definition: { id, title, card } }) => {
    return { code: id, display: title, definition: card.outcome }
  })
}

function fields(catalog: Catalog): readonly Concept[] {
  const [model] = catalog.models.values()
  if (model === undefined) throw new Error('there is no model')
  const all = describeFields(catalog, model.definition).fields
  const named = all.map(({ name, meaning }) => ({ code: name, display: meaning }))
  // A code may be a value of several fields, and has one meaning in each.
  const values = new Map<string, string[]>()
  for (const { name, type, values: codes = [], valueMeanings = {} } of all) {
    for (const code of type === 'string' ? codes.map(String) : [])
      values.set(code, [...(values.get(code) ?? []), `${name}: ${valueMeanings[code] ?? code}`])
  }
  const ofValues = [...values].map(([code, meanings]) => {
    return { code, display: code, definition: `A value. ${meanings.join('; ')}.` }
  })
  return [...named, ...ofValues]
}

if (import.meta.main) writeGenerated(await fhirFiles(), [FHIR_FOLDER])
