/** `patient-risk check`: validates clinical files and the configuration, and reports all faults. */
import { statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { Fetcher, loadMapping } from '@patient-risk/server/adapters'
import {
  makeDeployments,
  type LoadResult,
  loadCatalog,
  loadFolders,
  type ClinicalFolder,
  definitionIn,
  readClinicalFile,
  readClinicalFolder,
  readMaps,
} from '@patient-risk/catalog'
import { type Fault, FaultList } from 'patient-risk-engine/definition'
import { type Config, readConfig } from '@patient-risk/catalog/config'
import { StoreError } from '@patient-risk/runtime'
import { LAYOUT, LAYOUTS, newerLayoutText, STORE_FILE, readLayout } from '@patient-risk/server/store'
import { CLINICAL_ROOT, isClinicalFolder, loadConfigured, mappingFolders } from './load-catalog.ts'
import { folderOfLanguage, gapLines, missingIn, tagsIn } from './language-gaps.ts'
import { UsageError, command, faultsText, printOutput } from '../command.ts'

interface Finding {
  readonly faults: readonly Fault[]
  readonly summary: string
}

export const check = command({ flags: ['json'], operands: true }, async ({ json }, paths) => {
  for (const path of paths) {
    if (statSync(path, { throwIfNoEntry: false }) === undefined)
      throw new UsageError(`There is nothing at ${path}.`)
  }
  const findings =
    paths.length === 0 ? [checkConfiguration({}), ...(await checkStore())] : paths.map(checkPath)
  const faults = findings.flatMap((finding) => finding.faults)
  const valid = findings.filter((finding) => finding.faults.length === 0)
  if (json !== true && faults.length > 0) process.stderr.write(`${faultsText(faults)}\n`)
  printOutput(valid.map(({ summary }) => `${summary}\n`).join(''), json && faults)
  return faults.length > 0 ? 1 : 0
})

function checkConfiguration(flags: Readonly<Record<string, string>>): Finding {
  const { config, loaded, faults } = loadConfigured(flags, (folders) =>
    folders.filter((folder) => !isOwn(folder)),
  )
  if (config === undefined || loaded.catalog === undefined) return { faults, summary: '' }
  const made = makeDeployments(loaded.catalog, config.deployments)
  const finding = finish(loaded, () => true, `, ${made.deployments.length} deployments`)
  const mapped = loadMapping(mappingFolders(config), loaded.catalog, config.fhir.mapping, true)
  const warnings = made.deployments.flatMap((each) =>
    each.warnings.map((warning) => `Deployment ${each.name}: ${warning}.`),
  )
  const gaps = gapLines(
    loaded.catalog,
    made.deployments.flatMap(({ languages }) => languages),
  )
  const all = [...made.faults, ...finding.faults, ...mapped.faults, ...keyFaults(config)]
  return { faults: all, summary: [finding.summary, ...warnings, ...gaps].join('\n') }
}

/** The layout of the store that a start would use. A store that cannot be read now is no fault of the files. */
async function checkStore(): Promise<readonly Finding[]> {
  const { config } = readConfig()
  if (config === undefined) return []
  const { dataDir, databaseUrl } = config
  try {
    const layout = await readLayout(dataDir, databaseUrl)
    if (layout <= LAYOUT) return [{ faults: [], summary: layoutText(layout) }]
    const file = databaseUrl === undefined ? join(dataDir, STORE_FILE) : 'DATABASE_URL'
    const fault = { file, path: '', rule: 'store-layout', message: newerLayoutText(layout) }
    return [{ faults: [fault], summary: '' }]
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return [{ faults: [], summary: `Store: its layout could not be read (${error.message}).` }]
  }
}

function layoutText(layout: number): string {
  if (layout === 0) return `Store: not created yet; the first start creates it with layout ${LAYOUT}.`
  if (layout === LAYOUT) return `Store: layout ${LAYOUT}, which this version uses.`
  const { madeBy = '' } = LAYOUTS.find(({ number }) => number === layout) ?? {}
  return `Store: layout ${layout} (${madeBy}); the first start upgrades it to layout ${LAYOUT}. Make a backup first.`
}

function keyFaults({ fhir }: Config): readonly Fault[] {
  try {
    new Fetcher(fhir.servers)
    return []
  } catch (error) {
    return [{ file: 'configuration', path: '/fhir/servers', rule: 'key', message: (error as Error).message }]
  }
}

function checkPath(path: string): Finding {
  if (isOwn(path)) return withMapping(loadCatalog([CLINICAL_ROOT]))
  const around = clinicalFolderAround(path)
  if (around !== undefined) {
    const roots = isOwn(around) ? [CLINICAL_ROOT] : [CLINICAL_ROOT, around]
    const isAsked = (file: string): boolean => isClinicalFolder(path) || isUnder(path, file)
    const loaded = loadCatalog(roots)
    const finding = withMaps(finish(loaded, isAsked), loaded, around, isAsked)
    return { ...finding, summary: [finding.summary, ...notesOf(path, loaded)].join('\n') }
  }
  const staged = stage(path)
  if (staged === 'configuration') return checkConfiguration({ CONFIG: path })
  if (staged === 'mapping') return withMapping(loadCatalog([CLINICAL_ROOT]), path)
  if (staged === 'map') return checkMap(path)
  const own = readClinicalFolder(CLINICAL_ROOT)
  // A single definition replaces the package's own of the same name.
  const others = (kind: 'scales' | 'models'): ClinicalFolder['scales'] =>
    own[kind].filter((entry) => !staged[kind].some(({ name }) => name === entry.name))
  const rest = { ...own, scales: others('scales'), models: others('models'), released: undefined }
  // A faulty scale makes the package's own models faulty too. Only the faults of the scale are of interest here.
  return finish(loadFolders([rest, staged]), (file) => !isUnder(CLINICAL_ROOT, file))
}

/** What is no fault: files of a folder that nothing reads, and texts that its languages lack, or those of a file of a language. */
function notesOf(path: string, { catalog }: LoadResult): readonly string[] {
  const { unread, languages } = isClinicalFolder(path)
    ? readClinicalFolder(path)
    : { unread: [], languages: [] }
  if (catalog === undefined) return unread.map((file) => `Not read: ${file}`)
  const missing = folderOfLanguage(path) === undefined ? [] : missingIn(catalog, path)
  return [...unread.map((file) => `Not read: ${file}`), ...gapLines(catalog, tagsIn(languages)), ...missing]
}

/** The mapping to FHIR as well: the package's own, with a file that overlays it. */
function withMapping(loaded: LoadResult, overlay?: string): Finding {
  const finding = finish(loaded)
  if (loaded.catalog === undefined) return finding
  const { faults, mapping } = loadMapping([CLINICAL_ROOT], loaded.catalog, overlay, true)
  const mapped = Object.keys(mapping?.fields ?? {}).length
  const summary =
    overlay === undefined ? finding.summary : `Valid: with it ${mapped} fields are found in FHIR resources.`
  return { faults: [...finding.faults, ...faults], summary }
}

/** The maps of codes of a clinical folder as well. */
function withMaps(
  finding: Finding,
  { catalog }: LoadResult,
  folder: string,
  isAsked: (file: string) => boolean,
): Finding {
  if (catalog === undefined || isOwn(folder)) return finding
  const { faults } = loadMapping([CLINICAL_ROOT, folder], catalog)
  return { ...finding, faults: [...finding.faults, ...faults.filter(({ file }) => isAsked(file))] }
}

/** One file of maps of codes. */
function checkMap(path: string): Finding {
  const { catalog, faults: ownFaults } = loadCatalog([CLINICAL_ROOT])
  const { mapping } = catalog === undefined ? {} : loadMapping([CLINICAL_ROOT], catalog)
  if (mapping === undefined) return { faults: ownFaults, summary: '' }
  const faults: Fault[] = []
  const file = readClinicalFile(path, faults)
  const { translations, known } = readMaps(file === undefined ? [] : [file], mapping.diagnoses, faults)
  const count = (bySystem: ReadonlyMap<string, { readonly size: number }>): number =>
    [...bySystem.values()].reduce((sum, { size }) => sum + size, 0)
  return {
    faults,
    summary: `Valid: codes translated: ${count(translations)}, codes listed: ${count(known)}.`,
  }
}

/** Failing cases and changed released files are faults of their file here. */
function finish(loaded: LoadResult, only: (file: string) => boolean = () => true, more = ''): Finding {
  const { catalog } = loaded
  const failures = [...(catalog?.models.values() ?? [])].flatMap(({ selfCheckFailures, file }) =>
    selfCheckFailures.map((message) => ({ file, path: '', rule: 'not-ready', message })),
  )
  // A changed scale affects every model; it is reported once.
  const once = new Map(failures.map((fault) => [fault.message, fault]))
  const faults = [...loaded.faults, ...once.values()].filter(({ file }) => only(file))
  const summary =
    catalog === undefined
      ? 'This file is valid; others in its folder are not. Check the folder.'
      : `All valid: ${catalog.domains.size} fields, ${catalog.scales.size} scales, ${catalog.models.size} models${more}; all cases pass.`
  return { faults, summary }
}

/** The clinical folder at a path, or the one that contains it as a language, `scales/<name>` or `models/<name>`. */
function clinicalFolderAround(path: string): string | undefined {
  if (isClinicalFolder(path)) return path
  const ofLanguage = folderOfLanguage(path)
  if (ofLanguage !== undefined) return ofLanguage
  const isFile = statSync(path).isFile()
  if (isFile && isClinicalFolder(dirname(path)))
    return ['fields.json', 'contradictions.json'].includes(basename(path)) ? dirname(path) : undefined
  const entry = isFile ? dirname(resolve(path)) : resolve(path)
  const kind = basename(dirname(entry))
  return kind === 'scales' || kind === 'models' ? relative('', dirname(dirname(entry))) || '.' : undefined
}

/** The package's own folder is always loaded; naming it adds nothing. */
function isOwn(folder: string): boolean {
  const own = statSync(CLINICAL_ROOT)
  const other = statSync(folder, { throwIfNoEntry: false })
  return other?.ino === own.ino && other.dev === own.dev
}

function isUnder(folder: string, file: string): boolean {
  return !relative(resolve(folder), resolve(file)).startsWith('..')
}

/** What a path that is not a clinical folder holds: fields, a scale, a model, or a configuration file. */
function stage(path: string): ClinicalFolder | 'configuration' | 'mapping' | 'map' {
  const faults: Fault[] = []
  const file = definitionPath(path)
  const read = readClinicalFile(file, faults)
  const empty = { languages: [], scales: [], models: [], faults, unread: [] }
  const list = new FaultList(file, faults)
  if (read === undefined) {
    const message = 'is not a clinical folder, and holds no definition with the name of the folder'
    if (faults.length === 0) list.add('', 'file-missing', message)
    return empty
  }
  const has = (...words: readonly string[]): boolean =>
    words.some((word) => typeof read.value === 'object' && Object.hasOwn(read.value ?? {}, word))
  if (has('deployments')) return 'configuration'
  if (has('resourceType')) return 'map'
  if (has('base', 'inputs') && !has('terms', 'card')) return { ...empty, fields: read }
  if (has('quantities', 'rules')) return { ...empty, contradictions: read }
  const cases = readClinicalFile(join(dirname(file), 'cases.json'), faults)
  // A single file need not be in a folder of its name.
  const { id } = (read.value ?? {}) as { id?: unknown }
  const name = typeof id === 'string' ? id : basename(file, '.json')
  const entry = { name, definition: read, cases }
  if (has('terms', 'link', 'card')) return { ...empty, models: [entry] }
  if (has('items', 'total')) return { ...empty, scales: [entry] }
  if (has('fields', 'scales', 'encounters', 'diagnoses', 'outcomes')) return 'mapping'
  const message = 'is not a file of fields, a scale, a model or a configuration: it has none of their keys'
  list.add('', 'unknown-kind', message)
  return empty
}

/** A folder means the definition in it; a file of cases means the definition next to it. */
function definitionPath(path: string): string {
  if (statSync(path).isDirectory()) return definitionIn(path)
  return basename(path) === 'cases.json' ? definitionIn(dirname(path)) : path
}
