/** Reads the files of a clinical folder, as they lie on the disk. Nothing is judged here but their being there. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, FaultList } from '../definition/fault.ts'
import { digestOf } from './digest.ts'
import { parseJson } from './parse-json.ts'

export interface ClinicalFile {
  /** The file's name for people: the folder as it was named, and the path inside it. */
  readonly file: string
  readonly value: unknown
  readonly digest: string
}

export interface Entry {
  /** The entry's folder name, which must be its id, or `id@version`. */
  readonly name: string
  readonly definition: ClinicalFile | undefined
  readonly cases: ClinicalFile | undefined
}

export interface ClinicalFolder {
  readonly root: string
  readonly fields: ClinicalFile | undefined
  readonly scales: readonly Entry[]
  readonly models: readonly Entry[]
  readonly released: ClinicalFile | undefined
  readonly faults: readonly Fault[]
}

export function readClinicalFolder(root: string): ClinicalFolder {
  const faults: Fault[] = []
  const read = (path: string): ClinicalFile | undefined => {
    const file = join(root, path)
    if (!existsSync(file)) return undefined
    const bytes = readFileSync(file)
    const list = new FaultList(file)
    const value = parseJson(bytes.toString('utf8'), list)
    faults.push(...list.faults)
    return value === undefined ? undefined : { file, value, digest: digestOf(bytes) }
  }
  const readEntries = (kind: 'scales' | 'models'): Entry[] =>
    folderNames(join(root, kind)).map((name) => {
      const id = name.split('@')[0] ?? name
      const path = join(kind, name, `${id}.json`)
      if (!existsSync(join(root, path))) {
        faults.push({
          file: join(root, path),
          path: '',
          rule: 'file-missing',
          message: 'the folder has no definition of its name',
        })
      }
      return { name, definition: read(path), cases: read(join(kind, name, 'cases.json')) }
    })

  if (!existsSync(root)) {
    faults.push({ file: root, path: '', rule: 'folder-missing', message: 'there is no such folder' })
    return { root, fields: undefined, scales: [], models: [], released: undefined, faults }
  }
  return {
    root,
    fields: read('fields.json'),
    scales: readEntries('scales'),
    models: readEntries('models'),
    released: read('released.json'),
    faults,
  }
}

/** In the order of their names, so that the catalogue has the same order on every machine. */
function folderNames(path: string): readonly string[] {
  if (!existsSync(path)) return []
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .sort()
}
