/** The catalogue that the configuration of this process names: the package's own, and its further folders. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Catalog,
  type LanguageWords,
  type LoadResult,
  loadCatalog,
  unknownModels,
  wordsOf,
} from '@patient-risk/catalog'
import { ENGLISH } from '@patient-risk/catalog/languages'
import { type Config, type Environment, readConfig } from '@patient-risk/catalog/config'
import type { Fault } from 'patient-risk-engine/definition'
import { Refusal, faultsText } from '../command.ts'

export const CLINICAL_ROOT = fileURLToPath(new URL('../../../../../clinical', import.meta.url))

/** A folder that is new or empty has nothing to add. */
export function isClinicalFolder(path: string): boolean {
  return ['fields.json', 'scales', 'models', 'languages', 'fhir/maps'].some((name) =>
    existsSync(join(path, name)),
  )
}

/** The folders that say how fields are found in FHIR resources: the package's own, and those with maps of codes. */
export function mappingFolders({
  clinicalFolders,
}: Pick<Config, 'clinicalFolders'>): readonly [string, ...string[]] {
  return [CLINICAL_ROOT, ...clinicalFolders]
}

export interface Loaded {
  readonly config: Config
  readonly catalog: Catalog
}

/** The configuration and its catalogue, with all faults of both; unknown models are found even if other settings have faults. */
export function loadConfigured(
  flags: Environment = {},
  foldersWith = (configured: readonly string[]): readonly string[] => configured,
): { readonly config: Config | undefined; readonly loaded: LoadResult; readonly faults: readonly Fault[] } {
  const { config, faults, parts } = readConfig(flags)
  const folders = (config ?? parts)?.clinicalFolders ?? []
  const loaded = loadCatalog([CLINICAL_ROOT, ...foldersWith(folders)])
  const isChecked = config !== undefined || loaded.catalog === undefined
  const unknown = isChecked ? [] : unknownModels(loaded.catalog, parts?.deployments ?? [])
  return { config, loaded, faults: [...faults, ...unknown, ...loaded.faults] }
}

export function loadOrRefusal(...configured: Parameters<typeof loadConfigured>): Loaded {
  const { config, loaded, faults } = loadConfigured(...configured)
  if (config !== undefined && loaded.catalog !== undefined) return { config, catalog: loaded.catalog }
  throw new Refusal(faultsText(faults))
}

export function unknownName(kind: string, name: string, known: Iterable<string>): Refusal {
  const names = [...known]
  const near = names.find((other) => other.toLowerCase() === name.toLowerCase())
  const hint = near === undefined ? `There are ${names.join(', ')}.` : `Did you mean ${near}?`
  return new Refusal(`There is no ${kind} called ${name}. ${hint}`)
}

/** The words of `--language`; undefined for English. Any language that a clinical folder has is given, whatever deployments list. */
export function languageOrRefusal(catalog: Catalog, tag: string | undefined): LanguageWords | undefined {
  if (tag === undefined || tag === ENGLISH) return undefined
  const words = wordsOf(catalog, tag)
  if (words === undefined) throw unknownName('language', tag, [ENGLISH, ...catalog.languages.others.keys()])
  return words
}
