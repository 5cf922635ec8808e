/** The catalogue of the clinical folder, for tests that need no service. */
import { fileURLToPath } from 'node:url'
import { type Catalog, loadCatalog } from '@patient-risk/catalog'
import { faultLine } from 'patient-risk-engine/definition'

export const CLINICAL_ROOT = fileURLToPath(new URL('../../clinical', import.meta.url))
const catalogs = new Map<string, Catalog>()

/** The catalogue of some folders; loaded once in a process. Throws with every fault when a file is refused. */
export function testCatalog(roots: readonly string[] = [CLINICAL_ROOT]): Catalog {
  const name = roots.join('\n')
  const known = catalogs.get(name)
  if (known !== undefined) return known
  const { catalog, faults } = loadCatalog(roots)
  if (catalog === undefined) throw new Error(faults.map(faultLine).join('\n'))
  catalogs.set(name, catalog)
  return catalog
}
