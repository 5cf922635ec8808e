/** `npm run schemas`: JSON Schemas for editors, made from the same definitions that the checks use. */
import { join } from 'node:path'
import type { TSchema } from 'typebox'
import { MappingFile } from '../src/adapters/fhir/mapping.ts'
import { CONFIG_SCHEMA } from '../src/config-schema.ts'
import { ModelCasesFile, ScaleCasesFile } from '../src/definition/cases.ts'
import { FieldsFile } from '../src/definition/field.ts'
import { ModelFile } from '../src/definition/model.ts'
import { ScaleFile } from '../src/definition/scale.ts'
import { SpecificationFile } from '../src/learn/specification.ts'
import { type Generated, writeGenerated } from './generated.ts'

export const SCHEMA_FOLDER = 'clinical/schema'

const SCHEMAS: Readonly<Record<string, readonly [title: string, schema: TSchema]>> = {
  fields: ['Base fields and further inputs', FieldsFile],
  scale: ['An assessment scale', ScaleFile],
  model: ['A risk model', ModelFile],
  'scale-cases': ['Worked cases of a scale', ScaleCasesFile],
  'model-cases': ['Worked cases of a model', ModelCasesFile],
  fhir: ['Where fields are found in FHIR resources', MappingFile],
  specification: ['A specification of patient-risk learn', SpecificationFile],
  config: ['The configuration file that CONFIG names', CONFIG_SCHEMA],
}

export function schemaFiles(): Generated {
  const files = new Map<string, string>()
  for (const [name, [title, schema]] of Object.entries(SCHEMAS)) {
    const document = { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...schema }
    files.set(join(SCHEMA_FOLDER, `${name}.schema.json`), `${JSON.stringify(document, null, 2)}\n`)
  }
  return files
}

if (import.meta.main) writeGenerated(schemaFiles(), [SCHEMA_FOLDER])
