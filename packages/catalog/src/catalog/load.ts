/** Reads, checks and compiles all clinical files, and runs their cases. All faults at once; a faulty file is never served. */
import { hasShape } from '../files/check-shape.ts'
import {
  checkContradictions,
  checkFields,
  fieldNameFault,
  checkModel,
  checkScale,
  type ContradictionsDefinition,
  type Domains,
  rangeOf,
  type Fault,
  FaultList,
  type FieldDefinition,
  type FieldsDefinition,
  type UnitsDefinition,
  type ModelDefinition,
  type ScaleDefinition,
} from 'patient-risk-engine/definition'
import { digestOf } from '@patient-risk/runtime'
import { makePlan } from 'patient-risk-engine'
import { loadLanguages } from '../languages/load-languages.ts'
import type { Catalog, CatalogModel } from './catalog.ts'
import { type ClinicalFile, type ClinicalFolder, readClinicalFolder } from './read-folder.ts'
import { tryModel, tryScale } from './try-cases.ts'

export interface LoadResult {
  /** Present only when there is no fault. */
  readonly catalog: Catalog | undefined
  readonly faults: readonly Fault[]
}

/** The last results, by what the folders held. Files that have not changed since are not judged again, nor their cases run again. */
const known = new Map<string, LoadResult>()
const MOST_KNOWN = 4

/** Loads the folders in order. The first holds the base fields; each may add inputs, scales and models. */
export function loadCatalog(roots: readonly string[]): LoadResult {
  const folders = roots.map(readClinicalFolder)
  // Each file has its digest beside its value.
  const held = digestOf(
    JSON.stringify(folders, (key, value: unknown) => (key === 'value' ? undefined : value)),
  )
  const result = known.get(held) ?? loadFolders(folders)
  known.delete(held)
  known.set(held, result)
  for (const oldest of known.keys()) if (known.size > MOST_KNOWN) known.delete(oldest)
  return result
}

/** The same for folders that have been read. */
export function loadFolders(folders: readonly ClinicalFolder[]): LoadResult {
  const faults: Fault[] = folders.flatMap((folder) => folder.faults)
  const released = readReleased(folders, faults)
  /** What is wrong with a file that was released under this key: it never changes, it gets a new version. */
  const changeOf = (key: string, { file, digest }: ClinicalFile): readonly string[] => {
    const message = `${file} was released as ${key} and has changed since; a change needs a new version`
    return (released.get(key) ?? digest) === digest ? [] : [message]
  }
  const fields = loadFields(folders, faults)
  const scales = loadScales(folders, fields.files, faults)
  const fieldsAndScales = { fields: fields.all, scales: [...scales.values()] }
  const domains = new Map(makePlan(fieldsAndScales).fields.map(({ name, domain }) => [name, domain]))
  const contradictions = loadContradictions(folders, domains, faults)
  const definitions = { ...fieldsAndScales, units: fields.units, contradictions }
  const languages = loadLanguages(
    folders.flatMap((folder) => folder.languages),
    faults,
  )
  const first = folders[0]?.fields
  const { version } = (first?.value ?? {}) as { version?: unknown }
  // A changed field or scale reaches every deployment, since each of them judges every field.
  const changes = first === undefined ? [] : [...changeOf(`fields@${String(version)}`, first)]
  for (const { contradictions: file } of folders) {
    const { version: own } = (file?.value ?? {}) as { version?: unknown }
    if (file !== undefined) changes.push(...changeOf(`contradictions@${String(own)}`, file))
  }
  checkUnits(fields, domains, new FaultList(first?.file ?? 'fields.json', faults))
  for (const entry of folders.flatMap((folder) => folder.scales)) {
    const scale = scales.get(entry.name)
    if (scale === undefined || entry.definition?.value !== scale) continue
    faults.push(...tryScale(scale, entry, definitions))
    changes.push(...changeOf(`${scale.id}@${scale.version}`, entry.definition))
  }

  const models = new Map<string, CatalogModel>()
  for (const entry of folders.flatMap((folder) => folder.models)) {
    if (entry.definition === undefined) continue
    const list = new FaultList(entry.definition.file)
    const model = entry.definition.value as ModelDefinition
    if (hasShape('model', entry.definition, list)) checkModel(model, { domains, scales }, list)
    if (list.faults.length === 0) {
      const key = `${model.id}@${model.version}`
      if (entry.name !== model.id && entry.name !== key)
        list.add('/id', 'id', `the folder must be called ${model.id} or ${key}`)
      if (models.has(key)) list.add('/id', 'id-taken', `there is another ${key}`)
      const { failures, faults: caseFaults } = tryModel(model, entry, definitions)
      faults.push(...caseFaults)
      const { file, digest } = entry.definition
      models.set(key, {
        definition: model,
        file,
        digest,
        released: released.get(key) === digest,
        selfCheckFailures: [...changeOf(key, entry.definition), ...failures, ...changes],
        report: entry.report,
      })
    }
    faults.push(...list.faults)
  }
  if (faults.length > 0) return { catalog: undefined, faults }
  const { base: baseFields, all, units } = fields
  const shared = folders.flatMap((folder) => [
    folder.fields,
    folder.contradictions,
    ...folder.scales.map((entry) => entry.definition),
  ])
  const sharedDigests = shared.flatMap((file) => file?.digest ?? [])
  const catalog = {
    definitions,
    baseFields,
    fields: all,
    scales,
    models,
    domains,
    units,
    sharedDigests,
    languages,
  }
  return { catalog, faults }
}

function loadFields(folders: readonly ClinicalFolder[], faults: Fault[]) {
  const base: string[] = []
  const all = new Map<string, FieldDefinition>()
  const units = new Map<string, UnitsDefinition>()
  // The file of each field, by its name in lower case: a name that differs only in case would be reported as a mistyped name.
  const files = new Map<string, string>()
  folders.forEach((folder, index) => {
    if (folder.fields === undefined) return
    const { file, value } = folder.fields
    const list = new FaultList(file)
    const checked = hasShape('fields', folder.fields, list) ? (value as FieldsDefinition) : undefined
    if (checked !== undefined) checkFields(checked, list)
    if (checked?.base !== undefined && index > 0)
      list.add('/base', 'base', 'base fields are fixed; use `inputs`')
    for (const group of ['base', 'inputs'] as const) {
      for (const [name, field] of Object.entries(checked?.[group] ?? {})) {
        if (fieldNameFault(name) !== undefined) continue
        if (files.has(name.toLowerCase()))
          list.add(`/${group}/${name}`, 'name-taken', `there is another field called ${name}`)
        files.set(name.toLowerCase(), file)
        all.set(name, field)
        if (group === 'base') base.push(name)
      }
    }
    for (const [name, each] of Object.entries(checked?.units ?? {})) units.set(name, each)
    faults.push(...list.faults)
  })
  return { base, all, files, units }
}

function loadScales(
  folders: readonly ClinicalFolder[],
  fieldFiles: ReadonlyMap<string, string>,
  faults: Fault[],
): ReadonlyMap<string, ScaleDefinition> {
  const scales = new Map<string, ScaleDefinition>()
  for (const entry of folders.flatMap((folder) => folder.scales)) {
    if (entry.definition === undefined) continue
    const list = new FaultList(entry.definition.file)
    const scale = entry.definition.value as ScaleDefinition
    if (hasShape('scale', entry.definition, list)) checkScale(scale, list)
    if (list.faults.length === 0) {
      if (scale.id !== entry.name) list.add('/id', 'id', `must be ${entry.name}, the name of its folder`)
      const name = scale.id.toLowerCase()
      const field = fieldFiles.get(name)
      if (field !== undefined)
        list.add('/id', 'id-taken', `the name ${scale.id} is taken by a field in ${field}`)
      else if ([...scales.keys()].some((other) => other.toLowerCase() === name))
        list.add('/id', 'id-taken', `the name ${scale.id} is taken by another scale`)
      else scales.set(scale.id, scale)
    }
    faults.push(...list.faults)
  }
  return scales
}

function loadContradictions(folders: readonly ClinicalFolder[], domains: Domains, faults: Fault[]) {
  return folders.flatMap(({ contradictions: file }) => {
    if (file === undefined) return []
    const list = new FaultList(file.file)
    const value = file.value as ContradictionsDefinition
    if (hasShape('contradictions', file, list)) checkContradictions(value, domains, list)
    faults.push(...list.faults)
    return list.faults.length === 0 ? [value] : []
  })
}

/** Only a number has several units, and its own unit is the one that its field states. */
function checkUnits(fields: ReturnType<typeof loadFields>, domains: Domains, list: FaultList): void {
  for (const [name, { unit, usual, others }] of fields.units) {
    const path = `/units/${name}`
    // The scale of this field is not in the catalogue.
    if (!domains.has(name) && name.includes('_')) continue
    if (rangeOf(domains.get(name)) === undefined)
      list.add(path, 'units', 'there is no field of numbers with this name')
    const stated = fields.all.get(name)?.unit
    if (stated !== undefined && stated !== unit)
      list.add(`${path}/unit`, 'units', `the field is in ${stated}`)
    if (Object.hasOwn(others, unit)) list.add(`${path}/others`, 'units', `${unit} is the field's own unit`)
    if (usual.from >= usual.to) list.add(`${path}/usual`, 'range', '`from` must lie below `to`')
  }
}

/** 32 bytes in base64. */
const DIGEST = /^[A-Za-z0-9+/]{43}=$/

/** The digests of the files that were released, by `id@version`. */
function readReleased(folders: readonly ClinicalFolder[], faults: Fault[]): ReadonlyMap<string, string> {
  const digests = new Map<string, string>()
  for (const { file, value } of folders.flatMap(({ released }) => released ?? [])) {
    const list = new FaultList(file, faults)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      list.add('', 'shape', 'must be an object of digests')
      continue
    }
    for (const [key, digest] of Object.entries(value)) {
      if (typeof digest !== 'string' || !DIGEST.test(digest))
        list.add(`/${key}`, 'shape', 'must be a SHA-256 digest in base64')
      else if ((digests.get(key) ?? digest) === digest) digests.set(key, digest)
      else
        list.add(`/${key}`, 'released-twice', 'another folder has released a different file under this name')
    }
  }
  return digests
}
