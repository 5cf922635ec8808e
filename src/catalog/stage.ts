/** Treats a single file, or the folder of one definition, as a clinical folder, so that it can be checked alone. */
import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Fault } from '../definition/fault.ts'
import { type ClinicalFile, type ClinicalFolder, readClinicalFile } from './read-folder.ts'

export type Staged =
  | { readonly kind: 'definition'; readonly folder: ClinicalFolder }
  | { readonly kind: 'configuration' }
  | { readonly kind: 'mapping' }

/** What a path that is not a clinical folder holds: fields, a scale, a model, or a configuration file. */
export function stage(path: string): Staged {
  const faults: Fault[] = []
  const file = definitionPath(path)
  const read = readClinicalFile(file, faults)
  const empty = {
    root: dirname(file),
    fields: undefined,
    scales: [],
    models: [],
    released: undefined,
    faults,
  }
  if (read === undefined) {
    if (faults.length === 0) {
      const message = 'is not a clinical folder, and holds no definition with the name of the folder'
      faults.push({ file, path: '', rule: 'file-missing', message })
    }
    return { kind: 'definition', folder: empty }
  }
  const has = (word: string): boolean =>
    typeof read.value === 'object' && read.value !== null && Object.hasOwn(read.value, word)
  if (has('deployments')) return { kind: 'configuration' }
  if (has('base') || has('inputs') ? !has('terms') && !has('card') : false) {
    return { kind: 'definition', folder: { ...empty, fields: read } }
  }
  const entry = { name: entryName(read), definition: read, cases: readCases(file, faults) }
  if (has('terms') || has('link') || has('card')) {
    return { kind: 'definition', folder: { ...empty, models: [entry] } }
  }
  if (has('items') || has('total')) return { kind: 'definition', folder: { ...empty, scales: [entry] } }
  if (['fields', 'scales', 'encounters', 'diagnoses'].some(has)) return { kind: 'mapping' }
  const message = 'is not a file of fields, a scale, a model or a configuration: it has none of their keys'
  faults.push({ file, path: '', rule: 'unknown-kind', message })
  return { kind: 'definition', folder: empty }
}

/** A folder stands for the definition of its name; a file of cases stands for the definition beside it. */
function definitionPath(path: string): string {
  if (statSync(path).isDirectory()) return join(path, `${nameOf(path)}.json`)
  if (basename(path) !== 'cases.json') return path
  return join(dirname(path), `${nameOf(dirname(path))}.json`)
}

function nameOf(folder: string): string {
  const name = basename(folder)
  return name.split('@')[0] ?? name
}

/** Alone, a file need not lie in a folder of its name. */
function entryName({ value, file }: ClinicalFile): string {
  const { id } = value as { id?: unknown }
  return typeof id === 'string' ? id : basename(file, '.json')
}

function readCases(file: string, faults: Fault[]): ClinicalFile | undefined {
  return readClinicalFile(join(dirname(file), 'cases.json'), faults)
}
