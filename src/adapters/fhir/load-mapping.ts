/** Reads the mapping that comes with the package and the overlay of a site, and checks the result as a whole. */
import { join } from 'node:path'
import { createRequire } from 'node:module'
import type { Catalog } from '../../catalog/catalog.ts'
import { readClinicalFile } from '../../catalog/read-folder.ts'
import { hasShape } from '../../definition/check/check-shape.ts'
import type { Domain } from '../../definition/domain.ts'
import { type Fault, FaultList } from '../../definition/fault.ts'
import { openUcum } from './evaluator.ts'
import {
  type FieldMapping,
  type LatestMapping,
  type Mapping,
  type MappedValue,
  MappingFile,
  type MappingParts,
} from './mapping.ts'

const FILES = ['fields.json', 'scales.json', 'diagnoses.json']

/**
 * The mapping, or everything that is wrong with it. An entry of the overlay replaces the package's entry of that name. Paths
 * and units are tried out where there is an overlay or the caller asks: their libraries take half a second to load.
 */
export function loadMapping(
  clinicalRoot: string,
  catalog: Catalog,
  overlay?: string,
  isThorough = overlay !== undefined,
): { readonly mapping?: Mapping; readonly faults: readonly Fault[] } {
  const faults: Fault[] = []
  const files = FILES.map((name) => join(clinicalRoot, 'fhir', name))
  let merged: MappingParts = {}
  for (const file of overlay === undefined ? files : [...files, overlay]) {
    const read = readClinicalFile(file, faults)
    if (read === undefined) {
      if (faults.length === 0)
        faults.push({ file, path: '', rule: 'file-missing', message: 'there is no such file' })
      continue
    }
    const list = new FaultList(file)
    const parts = read.value as MappingParts
    if (hasShape(MappingFile, parts, list)) {
      checkParts(parts, catalog, list, isThorough)
      merged = merge(merged, parts)
    }
    faults.push(...list.faults)
  }
  const mapping = merged as Mapping
  if (faults.length === 0) checkGroups(mapping, overlay ?? join(clinicalRoot, 'fhir'), faults)
  return faults.length === 0 ? { mapping, faults } : { faults }
}

function merge(base: MappingParts, over: MappingParts): MappingParts {
  return {
    ...base,
    ...over,
    fields: { ...base.fields, ...over.fields },
    scales: { ...base.scales, ...over.scales },
  }
}

function checkParts(parts: MappingParts, catalog: Catalog, faults: FaultList, isThorough: boolean): void {
  for (const [name, entry] of Object.entries(parts.fields ?? {})) {
    const path = `/fields/${name}`
    const domain = catalog.domains.get(name)
    if (domain === undefined) faults.add(path, 'unknown-field', 'there is no such field in the catalogue')
    else for (const value of valuesOf(entry)) checkValue(domain, value, path, faults)
    if (!isThorough) continue
    for (const expression of pathsOf(entry)) checkPath(expression, path, faults)
    if (entry.take === 'latest') checkUnits(entry, path, faults)
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
}

function valuesOf(entry: FieldMapping): readonly MappedValue[] {
  if (entry.take === 'first') return entry.values.map(({ value }) => value)
  if (entry.take !== 'any') return []
  const more = entry.resource === 'Condition' ? (entry.else ?? []) : []
  return [entry.value, entry.otherwise, ...more.map(({ value }) => value)]
}

function pathsOf(entry: FieldMapping): readonly string[] {
  if (entry.take === 'first') return entry.paths
  return entry.take === 'age' || entry.take === 'latest' ? [entry.path] : []
}

function checkValue(domain: Domain, value: MappedValue, path: string, faults: FaultList): void {
  const isPermitted =
    domain.kind === 'yesNo'
      ? typeof value === 'boolean'
      : domain.kind === 'code'
        ? typeof value === 'string' && domain.codes.has(value)
        : domain.kind === 'list'
          ? typeof value === 'number' && domain.values.includes(value)
          : domain.kind !== 'date' && typeof value === 'number' && value >= domain.from && value <= domain.to
  if (!isPermitted) faults.add(path, 'value', `the field does not take the value ${JSON.stringify(value)}`)
}

// Required when a mapping is checked, and never when the service starts without FHIR.
const require = createRequire(import.meta.url)

function checkPath(expression: string, path: string, faults: FaultList): void {
  const fhirpath = require('fhirpath') as { compile(expression: string, model: unknown): unknown }
  try {
    fhirpath.compile(expression, require('fhirpath/fhir-context/r4'))
  } catch {
    faults.add(path, 'fhirpath', `is not a FHIRPath expression: ${expression}`)
  }
}

function checkUnits(entry: LatestMapping, path: string, faults: FaultList): void {
  const ucum = openUcum()
  const units = entry.unit === undefined ? [] : [entry.unit, ...(entry.convert ?? []).map(({ from }) => from)]
  for (const unit of units) {
    if (ucum.validateUnitString(unit).status !== 'valid')
      faults.add(path, 'unit', `is not a UCUM unit: ${unit}`)
  }
  for (const { multiplyBy, divideBy } of entry.convert ?? []) {
    if ((multiplyBy === undefined) === (divideBy === undefined))
      faults.add(path, 'convert', 'needs one of multiplyBy and divideBy')
  }
  if (entry.convert !== undefined && entry.unit === undefined) faults.add(path, 'convert', 'needs a unit')
}

/** Groups may stand in another file than the fields that name them. */
function checkGroups({ fields, diagnoses }: Mapping, file: string, faults: Fault[]): void {
  for (const [name, entry] of Object.entries(fields)) {
    if (entry.take !== 'any' || entry.resource !== 'Condition') continue
    for (const group of [...entry.groups, ...(entry.else ?? []).flatMap(({ groups }) => groups)]) {
      if (Object.hasOwn(diagnoses.groups, group)) continue
      faults.push({
        file,
        path: `/fields/${name}`,
        rule: 'unknown-group',
        message: `there is no group ${group}`,
      })
    }
  }
}
