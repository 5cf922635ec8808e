/** The mapping of the package and the overlay of a site, with its paths and units checked by the libraries that will use them. */
import { type Catalog, type CheckEntry, readMapping, type LatestMapping } from '@patient-risk/catalog'
import type { FaultList } from 'patient-risk-engine/definition'
import { compilePath, isUnit, refusedFunctions } from './evaluator.ts'

/**
 * From the clinical folders, the package's own first. Paths and units are checked only with an overlay or on request, because their
 * libraries take half a second to load.
 */
export function loadMapping(
  folders: readonly [string, ...string[]],
  catalog: Catalog,
  overlay?: string,
  isThorough = overlay !== undefined,
): ReturnType<typeof readMapping> {
  return readMapping(folders, catalog, overlay, isThorough ? checkEntry : undefined)
}

const checkEntry: CheckEntry = (entry, path, faults) => {
  const paths = entry.take === 'first' ? entry.paths : 'path' in entry ? [entry.path] : []
  for (const expression of paths) {
    try {
      compilePath(expression)
      for (const name of refusedFunctions(expression))
        faults.add(path, 'fhirpath-function', `a path may not call ${name}(): ${expression}`)
    } catch {
      faults.add(path, 'fhirpath', `is not a FHIRPath expression: ${expression}`)
    }
  }
  if (entry.take === 'latest') checkUnits(entry, path, faults)
}

function checkUnits({ unit, convert = [] }: LatestMapping, path: string, faults: FaultList): void {
  const units = unit === undefined ? [] : [unit, ...convert.map(({ from }) => from)]
  for (const each of units) {
    if (!isUnit(each)) faults.add(path, 'unit', `is not a UCUM unit: ${each}`)
  }
  for (const { multiplyBy, divideBy } of convert) {
    if ((multiplyBy === undefined) === (divideBy === undefined))
      faults.add(path, 'convert', 'needs one of multiplyBy and divideBy')
  }
  if (convert.length > 0 && unit === undefined) faults.add(path, 'convert', 'needs a unit')
}
