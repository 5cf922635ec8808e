/** Reads the files of a clinical folder. Only their presence is checked here. */
import { digestOf } from '@patient-risk/runtime'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Fault, FaultList, nearNames } from 'patient-risk-engine/definition'
import { jsonOfFile } from '../files/read-json.ts'

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
  /** The evaluation of the model on labelled data, if its folder has one. */
  readonly report?: ModelReport | undefined
}

export interface ModelReport {
  readonly json: string
  readonly html: string
}

export interface ClinicalFolder {
  readonly fields?: ClinicalFile | undefined
  readonly contradictions?: ClinicalFile | undefined
  readonly languages: readonly ClinicalFile[]
  readonly scales: readonly Entry[]
  readonly models: readonly Entry[]
  readonly released?: ClinicalFile | undefined
  readonly faults: readonly Fault[]
  /** Files that are not part of it. */
  readonly unread: readonly string[]
}

export function readClinicalFolder(root: string): ClinicalFolder {
  const faults: Fault[] = []
  const unread: string[] = []
  const read = (folder: string, name: string): ClinicalFile | undefined =>
    readClinicalFile(join(folder, name), faults)
  const readEntries = (kind: 'scales' | 'models'): Entry[] => {
    const names = folderNames(join(root, kind))
    nameUnread(join(root, kind), names, faults, unread)
    return names.map((name) => {
      const folder = join(root, kind, name)
      const file = definitionIn(folder)
      if (!existsSync(file))
        new FaultList(file, faults).add('', 'file-missing', 'the folder has no definition of its name')
      nameUnread(folder, [basename(file), ...ENTRY_NAMES[kind]], faults, unread)
      const definition = readClinicalFile(file, faults)
      return { name, definition, cases: read(folder, 'cases.json'), report: readReport(folder) }
    })
  }
  nameUnread(root, FOLDER_NAMES, faults, unread)
  nameUnread(join(root, 'fhir'), FHIR_NAMES, faults, unread)
  nameUnread(join(root, 'languages'), languageNames(root), faults, unread)
  const found = {
    fields: read(root, 'fields.json'),
    contradictions: read(root, 'contradictions.json'),
    languages: languageNames(root).flatMap((name) => read(join(root, 'languages'), name) ?? []),
    scales: readEntries('scales'),
    models: readEntries('models'),
    released: read(root, 'released.json'),
    faults,
    unread,
  }
  const entries = found.scales.length + found.models.length + found.languages.length
  const isFilled = found.fields !== undefined || entries + faults.length > 0
  if (isFilled || existsSync(join(root, 'fhir', 'maps'))) return found
  return { ...found, faults: [nothingIn(root)] }
}

function nothingIn(root: string): Fault {
  if (!existsSync(root))
    return { file: root, path: '', rule: 'folder-missing', message: 'there is no such folder' }
  const message =
    'holds neither fields.json nor a folder scales/ or models/ with definitions, nor languages/, nor maps of codes in fhir/maps/'
  return { file: root, path: '', rule: 'folder-empty', message }
}

const FOLDER_NAMES = [
  'fields.json',
  'contradictions.json',
  'released.json',
  'languages',
  'scales',
  'models',
  'fhir',
  'schema',
]
const FHIR_NAMES = ['fields.json', 'scales.json', 'diagnoses.json', 'outcomes.json', 'maps']
const ENTRY_NAMES = {
  scales: ['cases.json'],
  models: ['cases.json', 'report.json', 'report.html', 'specification.json'],
} as const

/**
 * Looks at what is in a folder and is not read, apart from hidden files and texts. A folder, or a name like a known one, is a fault: it
 * was meant to be read. Other files, such as a configuration or data, may be there.
 */
function nameUnread(folder: string, known: readonly string[], faults: Fault[], unread: string[]): void {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry
    if (known.includes(name) || name.startsWith('.') || name.endsWith('.md')) continue
    const [near] = nearNames(name, known)
    const path = join(folder, name)
    if (near === undefined && !entry.isDirectory()) unread.push(path)
    else {
      const hint = near === undefined ? `there may be ${known.join(', ')}` : `did you mean ${near}?`
      new FaultList(path, faults).add('', 'unknown-name', `is not part of a clinical folder; ${hint}`)
    }
  }
}

/** The definition in a folder, whose name is the id or `id@version`. */
export function definitionIn(folder: string): string {
  return join(folder, `${basename(folder).replace(/@.*/s, '')}.json`)
}

/** The report of a model, as page and as figures; both or neither. */
function readReport(folder: string): ModelReport | undefined {
  const json = join(folder, 'report.json')
  const html = join(folder, 'report.html')
  if (!existsSync(json) || !existsSync(html)) return undefined
  return { json: readFileSync(json, 'utf8'), html: readFileSync(html, 'utf8') }
}

/** Room for two thousand trees; a larger file is not reviewed by anybody. */
const LARGEST_FILE = 20_000_000

/** An optional file. Adds a fault if it is not readable JSON. */
export function readClinicalFile(file: string, faults: Fault[]): ClinicalFile | undefined {
  if (!existsSync(file)) return undefined
  const list = new FaultList(file, faults)
  try {
    const { size } = statSync(file)
    if (size > LARGEST_FILE) {
      list.add('', 'file-size', `has ${size} bytes; a clinical file has at most ${LARGEST_FILE}`)
      return undefined
    }
    const bytes = readFileSync(file)
    const value = jsonOfFile(bytes, list)
    return value === undefined ? undefined : { file, value, digest: digestOf(bytes) }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'error'
    list.add('', 'file-unreadable', `cannot be read (${code}); look at its kind and its permissions`)
    return undefined
  }
}

/** The files of languages; others in their folder are named like those of a clinical folder. */
function languageNames(root: string): readonly string[] {
  const folder = join(root, 'languages')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
}

/** In the order of their names, so that the catalogue has the same order on every machine. */
function folderNames(path: string): readonly string[] {
  if (!existsSync(path)) return []
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .sort()
}
