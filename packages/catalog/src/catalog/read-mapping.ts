/** Reads the mapping that comes with the package and the overlay of a site, and checks the result as a whole. */
import { join } from 'node:path'
import { digestOf } from '@patient-risk/runtime'
import { hasShape } from '../files/check-shape.ts'
import { type Catalog, findModel } from './catalog.ts'
import { readClinicalFile } from './read-folder.ts'
import { readMapFiles, readMaps } from './read-maps.ts'
import { holds, type Fault, FaultList } from 'patient-risk-engine/definition'
import type { FieldMapping, Mapping, MappingParts } from '../schemas/fhir-mapping.ts'

const FILES = ['fields.json', 'scales.json', 'diagnoses.json', 'outcomes.json']

/** Checks the paths and units of an entry, by libraries that take half a second to load. */
export type CheckEntry = (entry: FieldMapping, path: string, faults: FaultList) => void

/**
 * The mapping, or everything that is wrong with it. The first folder has the mapping of the package; an entry of the overlay replaces its
 * entry of that name. Every folder may have maps of codes.
 */
export function readMapping(
  folders: readonly [string, ...string[]],
  catalog: Catalog,
  overlay?: string,
  checkEntry?: CheckEntry,
): { readonly mapping?: Mapping; readonly faults: readonly Fault[] } {
  const faults: Fault[] = []
  const [clinicalRoot] = folders
  const files = FILES.map((name) => join(clinicalRoot, 'fhir', name))
  const digests: string[] = []
  let merged: MappingParts = {}
  for (const file of overlay === undefined ? files : [...files, overlay]) {
    const read = readClinicalFile(file, faults)
    if (read === undefined) {
      if (faults.length === 0)
        faults.push({ file, path: '', rule: 'file-missing', message: 'there is no such file' })
      continue
    }
    digests.push(read.digest)
    const list = new FaultList(file)
    const parts = read.value as MappingParts
    if (hasShape('fhir', read, list)) {
      checkParts(parts, catalog, list, checkEntry)
      merged = mergeParts(merged, parts)
    }
    faults.push(...list.faults)
  }
  if (faults.length > 0) return { faults }
  const { diagnoses, ...rest } = merged as Mapping
  checkGroups({ ...rest, diagnoses }, overlay ?? join(clinicalRoot, 'fhir'), faults)
  const mapFiles = readMapFiles(folders, faults)
  const maps = readMaps(mapFiles, diagnoses, faults)
  // The names of the files of maps decide nothing.
  const digest = digestOf([...digests, ...mapFiles.map((file) => file.digest).sort()].join('\n'))
  return faults.length > 0 ? { faults } : { mapping: { ...rest, diagnoses, maps, digest }, faults }
}

function mergeParts(known: MappingParts, more: MappingParts): MappingParts {
  const classes = { ...known.encounters?.classes, ...more.encounters?.classes }
  const groups = { ...known.diagnoses?.groups, ...more.diagnoses?.groups }
  const history = { ...known.diagnoses?.history, ...more.diagnoses?.history }
  return {
    ...known,
    ...more,
    encounters: { ...known.encounters, ...more.encounters, classes },
    fields: { ...known.fields, ...more.fields },
    scales: { ...known.scales, ...more.scales },
    diagnoses: { ...known.diagnoses, ...more.diagnoses, groups, history },
    outcomes: { ...known.outcomes, ...more.outcomes },
  }
}

function checkParts(parts: MappingParts, catalog: Catalog, faults: FaultList, checkEntry?: CheckEntry): void {
  for (const [name, entry] of Object.entries(parts.fields ?? {})) {
    const path = `/fields/${name}`
    const domain = catalog.domains.get(name)
    if (domain === undefined) faults.add(path, 'unknown-field', 'there is no such field in the catalogue')
    for (const value of valuesOf(entry)) {
      if (domain !== undefined && !holds(domain, value))
        faults.add(path, 'value', `the field does not take the value ${JSON.stringify(value)}`)
    }
    checkEntry?.(entry, path, faults)
  }
  for (const [id, entry] of Object.entries(parts.scales ?? {})) {
    const scale = catalog.scales.get(id)
    if (scale === undefined)
      faults.add(`/scales/${id}`, 'unknown-scale', 'there is no such scale in the catalogue')
    for (const item of Object.keys(entry.items ?? {})) {
      if (scale !== undefined && !Object.hasOwn(scale.items, item))
        faults.add(`/scales/${id}/items/${item}`, 'unknown-item', `${id} has no such item`)
    }
  }
  for (const id of Object.keys(parts.outcomes ?? {})) {
    if (findModel(catalog, id) === undefined)
      faults.add(`/outcomes/${id}`, 'unknown-model', 'there is no such model in the catalogue')
  }
}

function valuesOf(entry: FieldMapping): readonly (string | number | boolean)[] {
  if (entry.take === 'first') {
    const { values, otherwise, afterEmergency } = entry
    return [...values.map(({ value }) => value), ...[otherwise?.value ?? [], afterEmergency ?? []].flat()]
  }
  if (entry.take === 'latest') return (entry.grades ?? []).map(({ value }) => value)
  if (entry.take !== 'any') return []
  const more = entry.resource === 'Condition' ? (entry.else ?? []) : []
  return [entry.value, entry.otherwise, ...more.map(({ value }) => value)]
}

/** Groups and the fields that name them may be in different files. */
function checkGroups(
  { fields, diagnoses }: Pick<Mapping, 'fields' | 'diagnoses'>,
  file: string,
  faults: Fault[],
): void {
  const named = Object.entries(fields).flatMap(([name, entry]) => {
    if (entry.take !== 'any' || entry.resource !== 'Condition') return []
    const groups = [entry, ...(entry.else ?? [])].flatMap((each) => each.groups)
    return groups.map((group) => ({ group, path: `/fields/${name}` }))
  })
  const history = Object.keys(diagnoses.history).map((group) => ({ group, path: '/diagnoses/history' }))
  const unclear = diagnoses.unclear.flatMap(({ groups = [] }, at) =>
    groups.map((group) => ({ group, path: `/diagnoses/unclear/${at}` })),
  )
  for (const { group, path } of [...named, ...history, ...unclear]) {
    if (Object.hasOwn(diagnoses.groups, group)) continue
    faults.push({ file, path, rule: 'unknown-group', message: `there is no group ${group}` })
  }
}
