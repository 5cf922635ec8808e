/** The clinical definitions of the service: checked, in a fixed order, and frozen. */
import type {
  Domains,
  FieldDefinition,
  UnitsDefinition,
  ModelDefinition,
  ScaleDefinition,
} from 'patient-risk-engine/definition'
import type { Definitions } from 'patient-risk-engine'
import type { Languages } from '../languages/language.ts'
import type { ModelReport } from './read-folder.ts'

export interface CatalogModel {
  readonly definition: ModelDefinition
  /** The definition's file, for messages. */
  readonly file: string
  /** SHA-256 of the file, base64. */
  readonly digest: string
  /** Whether `released.json` has the digest of this file. */
  readonly released: boolean
  /** Why the model may not answer: cases that it fails, or a released file that has changed. Empty when it is ready. */
  readonly selfCheckFailures: readonly string[]
  readonly report?: ModelReport | undefined
}

export interface Catalog {
  readonly definitions: Definitions
  readonly baseFields: readonly string[]
  readonly fields: ReadonlyMap<string, FieldDefinition>
  readonly scales: ReadonlyMap<string, ScaleDefinition>
  /** By `id@version`, in order. */
  readonly models: ReadonlyMap<string, CatalogModel>
  readonly domains: Domains
  /** The units of fields that have more than one. */
  readonly units: ReadonlyMap<string, UnitsDefinition>
  /** SHA-256, base64, of each file of fields and scales, in the order in which they are read. They decide every answer. */
  readonly sharedDigests: readonly string[]
  /** What people read in other languages. It decides no answer, so no digest covers it. */
  readonly languages: Languages
}

const { compare: byNumber } = new Intl.Collator('en', { numeric: true })

/** The model of a name: `id@version`, or `id` for its highest version. */
export function findModel(catalog: Catalog, name: string): CatalogModel | undefined {
  const versions = [...catalog.models.values()].filter(({ definition }) => definition.id === name)
  const [highest] = versions.sort((a, b) => byNumber(b.definition.version, a.definition.version))
  return catalog.models.get(name) ?? highest
}
