/** The catalogue that the configuration of this process names: the package's own, and its further folders. */
import type { Catalog } from '../../catalog/catalog.ts'
import { loadCatalog } from '../../catalog/load.ts'
import { CLINICAL_ROOT } from './clinical-root.ts'
import { configOrFaults, printFaults } from '../command.ts'

/** Undefined after everything that is wrong was printed. */
export function catalogOrFaults(): Catalog | undefined {
  const config = configOrFaults()
  if (config === undefined) return undefined
  const { catalog, faults } = loadCatalog([CLINICAL_ROOT, ...config.clinicalFolders])
  if (catalog === undefined) printFaults(faults)
  return catalog
}

/** Says on stderr that a name is not known, and which ones are. */
export function printUnknown(kind: string, name: string, known: Iterable<string>): void {
  const names = [...known]
  const near = names.find((other) => other.toLowerCase() === name.toLowerCase())
  const hint = near === undefined ? `There are ${names.join(', ')}.` : `Did you mean ${near}?`
  process.stderr.write(`There is no ${kind} called ${name}. ${hint}\n`)
}
