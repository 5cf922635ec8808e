/**
 * `npm run schemas`: the JSON Schemas by which files are checked, here and in editors, and the list of the package's own files
 * that were checked. A start compares only other files with their schema.
 */
import { join, relative } from 'node:path'
import type { TSchema } from 'typebox'
import { type Fault, FaultList, faultLine } from 'patient-risk-engine/definition'
import {
  LanguageFile,
  MappingFile,
  ContradictionsFile,
  ModelCasesFile,
  ScaleCasesFile,
  FieldsFile,
  ModelFile,
  ScaleFile,
} from '@patient-risk/catalog/schemas'
import { type ClinicalFile, readClinicalFile, readClinicalFolder, fitsSchema } from '@patient-risk/catalog'
import { CONFIG_SCHEMA } from '@patient-risk/catalog/config/schema'
import { SpecificationFile } from '@patient-risk/data/learn'
import { type Generated, writeGenerated } from './generated.ts'

const CLINICAL = 'clinical'
export const SCHEMA_FOLDER = 'clinical/schema'

type ClinicalKind =
  'fields' | 'contradictions' | 'scale' | 'model' | 'scale-cases' | 'model-cases' | 'language' | 'fhir'
/** By the kind of file and the digest of its bytes, where the file is. */
type CheckedFiles = Readonly<Record<ClinicalKind, Readonly<Record<string, string>>>>
type Kind = ClinicalKind | 'specification' | 'config'

const SCHEMAS: Readonly<Record<Kind, readonly [title: string, schema: TSchema]>> = {
  fields: ['Base fields and further inputs', FieldsFile],
  contradictions: ['Values that cannot both be true', ContradictionsFile],
  scale: ['An assessment scale', ScaleFile],
  model: ['A risk model', ModelFile],
  'scale-cases': ['Worked cases of a scale', ScaleCasesFile],
  'model-cases': ['Worked cases of a model', ModelCasesFile],
  language: ['Texts in one language', LanguageFile],
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
  return files.set(join(SCHEMA_FOLDER, 'checked.json'), `${JSON.stringify(checkedFiles(), null, 2)}\n`)
}

/** Throws the faults of clinical files that do not have their shape. */
function checkedFiles(): CheckedFiles {
  const faults: Fault[] = []
  const { fields, contradictions, languages, scales, models } = readClinicalFolder(CLINICAL)
  const mapping = ['fields', 'scales', 'diagnoses', 'outcomes'].map((name) =>
    join(CLINICAL, 'fhir', `${name}.json`),
  )
  const files: Readonly<Record<ClinicalKind, readonly (ClinicalFile | undefined)[]>> = {
    fields: [fields],
    contradictions: [contradictions],
    scale: scales.map(({ definition }) => definition),
    'scale-cases': scales.map(({ cases }) => cases),
    model: models.map(({ definition }) => definition),
    'model-cases': models.map(({ cases }) => cases),
    language: languages,
    fhir: mapping.map((file) => readClinicalFile(file, faults)),
  }
  const checked = Object.entries(files).map(([kind, each]) => {
    const [, schema] = SCHEMAS[kind as ClinicalKind]
    const present = each.filter((file) => file !== undefined)
    for (const { file, value } of present) fitsSchema(schema, value, new FaultList(file, faults))
    return [kind, Object.fromEntries(present.map(({ digest, file }) => [digest, relative(CLINICAL, file)]))]
  })
  if (faults.length > 0) throw new Error(faults.map(faultLine).join('\n'))
  return Object.fromEntries(checked) as CheckedFiles
}

if (import.meta.main) writeGenerated(schemaFiles(), [SCHEMA_FOLDER])
