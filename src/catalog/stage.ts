/** Treats a single file, or the folder of one definition, as a clinical folder, so that it can be checked alone. */
import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Fault, FaultList } from '../definition/fault.ts'
import { type ClinicalFile, type ClinicalFolder, emptyFolder, idOf, readClinicalFile } from './read-folder.ts'

export type Staged =
  | { readonly kind: 'definition'; readonly folder: ClinicalFolder }
  | { readonly kind: 'configuration' }
  | { readonly kind: 'mapping' }

/** What a path that is not a clinical folder holds: fields, a scale, a model, or a configuration file. */
export function stage(path: string): Staged {
  const faults: Fault[] = []
  const file = definitionPath(path)
  const read = readClinicalFile(file, faults)
  const empty = emptyFolder(dirname(file), faults)
  const list = new FaultList(file, faults)
  if (read === undefined) {
    const message = 'is not a clinical folder, and holds no definition with the name of the folder'
    if (faults.length === 0) list.add('', 'file-missing', message)
    return { kind: 'definition', folder: empty }
  }
  const has = (...words: readonly string[]): boolean =>
    words.some((word) => typeof read.value === 'object' && Object.hasOwn(read.value ?? {}, word))
  if (has('deployments')) return { kind: 'configuration' }
  if (has('base', 'inputs') && !has('terms', 'card'))
    return { kind: 'definition', folder: { ...empty, fields: read } }
  const cases = readClinicalFile(join(dirname(file), 'cases.json'), faults)
  const entry = { name: entryName(read), definition: read, cases }
  if (has('terms', 'link', 'card')) return { kind: 'definition', folder: { ...empty, models: [entry] } }
  if (has('items', 'total')) return { kind: 'definition', folder: { ...empty, scales: [entry] } }
  if (has('fields', 'scales', 'encounters', 'diagnoses')) return { kind: 'mapping' }
  const message = 'is not a file of fields, a scale, a model or a configuration: it has none of their keys'
  list.add('', 'unknown-kind', message)
  return { kind: 'definition', folder: empty }
}

/** A folder stands for the definition of its name; a file of cases stands for the definition beside it. */
function definitionPath(path: string): string {
  if (statSync(path).isDirectory()) return join(path, `${idOf(basename(path))}.json`)
  if (basename(path) !== 'cases.json') return path
  return join(dirname(path), `${idOf(basename(dirname(path)))}.json`)
}

/** Alone, a file need not lie in a folder of its name. */
function entryName({ value, file }: ClinicalFile): string {
  const { id } = value as { id?: unknown }
  return typeof id === 'string' ? id : basename(file, '.json')
}
